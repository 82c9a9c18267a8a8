import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sealLine, sealOf } from '../../src/records/entry.ts';

const content = Buffer.from('tree 1\nauthor a <b> 1 +0000\n\ntitle\n\nOrg-Event: keep\nOrg-Schema: 1\n');
const sealed = Buffer.concat([content, Buffer.from(sealLine(content))]);

test('a sealed commit is whole, and an unsealed one has no seal', () => {
  assert.equal(sealOf(sealed), 'whole');
  assert.equal(sealOf(content), 'none');
  assert.equal(sealOf(Buffer.alloc(0)), 'none');
  assert.match(sealed.toString(), /\nOrg-Seal: [0-9a-f]{16}\n$/);
});

test('no byte of a sealed commit can be changed, added or taken out without its seal telling', () => {
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    const shorter = Buffer.concat([sealed.subarray(0, at), sealed.subarray(at + 1)]);
    const longer = Buffer.concat([sealed.subarray(0, at), Buffer.from('x'), sealed.subarray(at)]);
    for (const one of [changed, shorter, longer]) assert.notEqual(sealOf(one), 'whole', `byte ${at}`);
  }
});
