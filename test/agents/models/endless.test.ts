import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askIt, faultOf, providers } from '../../support/model-question.ts';
import type { Broken, Said } from '../../support/provider-server/script.ts';
import { startProviderServer } from '../../support/provider-server/server.ts';

/** A provider that talks without end is cut off, before its SDK is busy with nothing else for minutes. */

const endless: readonly [string, Broken | Said][] = [
  ['a line of ten megabytes', { fault: 'raw', body: 'x'.repeat(10_000_000) }],
  ['an event of ten megabytes', { fault: 'raw', body: `data: {"text": "${'x'.repeat(10_000_000)}"}\n\n` }],
  ['a text of ten megabytes', { text: 'word '.repeat(2_000_000) }],
  ['a call of ten megabytes', { calls: [{ tool: 'write_file', input: { path: 'x'.repeat(10_000_000) } }] }],
];

for (const provider of providers) {
  for (const [what, step] of endless) {
    test(`${provider}: ${what} is cut off in good time`, async (t) => {
      const server = await startProviderServer([{ text: 'warm' }, step]);
      t.after(server.close);
      await askIt(server, provider);
      const began = performance.now();
      const fault = await faultOf(askIt(server, provider));
      const ms = performance.now() - began;
      assert.deepEqual([fault.kind, fault.begun], ['trouble', true]);
      assert.match(fault.message, /it has no end after \d+ bytes/);
      assert.equal(ms < 30_000, true, `it took ${ms} ms`);
    });
  }

  test(`${provider}: a long answer is heard to its end`, async (t) => {
    const text = 'word '.repeat(60_000);
    const server = await startProviderServer([{ text }]);
    t.after(server.close);
    const answer = await askIt(server, provider);
    assert.deepEqual(
      answer.message.parts.map((part) => (part.kind === 'text' ? part.text.length : part.kind)),
      [text.length],
    );
  });
}
