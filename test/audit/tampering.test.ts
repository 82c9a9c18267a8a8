import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { kindsOfTampering } from '../support/tamper.ts';
import { makeGround, tamperOnce, verifyCopy } from '../support/tampering-ground.ts';

const ground = await makeGround();
after(() => ground.remove());

test('an org that nobody tampered with holds, loose, packed and both', async () => {
  for (const form of ground.forms) {
    const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-untouched-'));
    cpSync(form, path.join(dir, '.git'), { recursive: true });
    const audit = await verifyCopy(dir);
    rmSync(dir, { recursive: true, force: true });
    assert.deepEqual(typeof audit === 'string' ? audit : audit.findings, []);
  }
});

test('of 30 random changes of one byte or one field verify finds 30', async () => {
  const missed: string[] = [];
  const kinds = new Set<string>();
  for (let seed = 1; seed <= 30; seed++) {
    const round = await tamperOnce(ground, seed);
    kinds.add(round.kind);
    if (!round.found) missed.push(`seed ${seed}, ${round.kind}: ${round.what}`);
  }
  assert.deepEqual(missed, []);
  assert.deepEqual([...kinds].sort(), Object.keys(kindsOfTampering).sort());
});
