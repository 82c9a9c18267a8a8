import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { errandOf } from '../../src/agents/prompts.ts';
import type { Program } from '../../src/domain/staff/staff.ts';
import { assertGolden } from '../contract/golden.ts';
import { aBrief } from '../support/builders.ts';
import { acpRequest, programProviders, programRequest } from '../support/program-requests.ts';
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

for (const program of Object.keys(programProviders) as Program[])
  test(`the whole start of ${program} as a junior is recorded`, async () => {
    assertGolden(`program-${program}`, await programRequest(program, programTasks.junior), recorded);
  });

test('the whole session of a program that speaks ACP is recorded', async () => {
  assertGolden('program-acp', await acpRequest(programTasks.junior), recorded);
});

test('the text for a program that is a chief is recorded', () =>
  assertGolden('program-chief', errandOf({ ...programTasks.chief, dir: '/bench' }, 4.2), recorded));

test('a program below a manager is told how to ask it', () => {
  const { junior } = programTasks;
  const staff = { ...junior.brief.staff, posts: [] };
  const [alone, below] = [junior, { ...junior, brief: { ...junior.brief, staff } }].map((task) => errandOf(task));
  assert.doesNotMatch(alone ?? '', /ESCALATE/);
  assert.match(
    below ?? '',
    /"ESCALATE <reason>: <what is missing>", where the reason is one of BLOCKED, OUT_OF_DOMAIN,/,
  );
});

test('the command of stage 1 for programs works, and leaves the bench alone', (t) => {
  const place = mkdtempSync(path.join(tmpdir(), 'orgrepo-stage-'));
  t.after(() => rmSync(place, { recursive: true, force: true }));
  const [bench, temporary] = ['a bench', 'tmp'].map((name) => path.join(place, name)) as [string, string];
  for (const dir of [bench, temporary]) mkdirSync(dir);
  writeFileSync(path.join(bench, 'numbers'), 'first 9\n');
  const brief = aBrief({ run: 'cat numbers > "$ORGREPO_OUT/$ORGREPO_SEED"; touch left; echo ran' });
  const [line] = errandOf({ ...programTasks.junior, brief }).match(/^\( set .*\)$/m) ?? [];
  for (let time = 0; time < 2; time++) {
    const env = { PATH: process.env.PATH, TMPDIR: temporary };
    assert.equal(execFileSync('sh', ['-c', `${line}; pwd`], { cwd: bench, env, encoding: 'utf8' }), `ran\n${bench}\n`);
  }
  assert.deepEqual(readdirSync(bench), ['numbers']);
  assert.equal(readFileSync(path.join(temporary, 'out/1'), 'utf8'), 'first 9\n');
});
