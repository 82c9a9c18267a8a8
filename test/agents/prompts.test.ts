import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import type { AgentTask } from '../../src/agents/agent-contract.ts';
import { errandOf } from '../../src/agents/prompts.ts';
import { assertGolden } from '../contract/golden.ts';
import { aBrief } from '../support/builders.ts';
import { programTasks, promptTasks, requestFor, requestInWords } from '../support/prompt-tasks.ts';

/** What models and programs are told, whole, so that a change to a prompt is read like code. */

const recorded = {
  place: 'test/agents/golden-prompts',
  says: 'Agents read this. If the change is meant, record it',
  test: 'test/agents/prompts.test.ts',
};

for (const [name, task] of Object.entries(promptTasks))
  test(`the first request of ${name} is the recorded one`, async () => {
    assertGolden(name, requestInWords(await requestFor(task)), recorded);
  });

for (const [name, task] of Object.entries(programTasks))
  test(`the text for ${name} is the recorded one`, () => assertGolden(name, errandOf(task), recorded));

test('the command of stage 1 for programs works, and leaves the bench alone', (t) => {
  const place = mkdtempSync(path.join(tmpdir(), 'orgrepo-stage-'));
  t.after(() => rmSync(place, { recursive: true, force: true }));
  const [bench, temporary] = ['a bench', 'tmp'].map((name) => path.join(place, name)) as [string, string];
  for (const dir of [bench, temporary]) mkdirSync(dir);
  writeFileSync(path.join(bench, 'numbers'), 'first 9\n');
  const brief = aBrief({ run: 'cat numbers > "$ORGREPO_OUT/$ORGREPO_SEED"; touch left; echo ran' });
  const [line] = errandOf({ ...(programTasks['program-junior'] as AgentTask), brief }).match(/^\( set .*\)$/m) ?? [];
  for (let time = 0; time < 2; time++) {
    const env = { PATH: process.env.PATH, TMPDIR: temporary };
    assert.equal(execFileSync('sh', ['-c', `${line}; pwd`], { cwd: bench, env, encoding: 'utf8' }), `ran\n${bench}\n`);
  }
  assert.deepEqual(readdirSync(bench), ['numbers']);
  assert.equal(readFileSync(path.join(temporary, 'out/1'), 'utf8'), 'first 9\n');
});
