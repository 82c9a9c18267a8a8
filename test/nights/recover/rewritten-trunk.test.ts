import assert from 'node:assert/strict';
import { test } from 'node:test';
import { landingOrg } from '../../support/landing.ts';
import { runNight } from '../../support/night.ts';
import { briefText, type TestOrg } from '../../support/org.ts';

/** After a night on main that took the loss from 77 to 26, in three files. */
async function afterNight(files: Readonly<Record<string, string>> = {}): Promise<TestOrg> {
  const org = await landingOrg(files);
  return org;
}

const amend = (org: TestOrg, message: string): void => {
  org.git('add', '-A');
  org.git('commit', '--quiet', '--amend', '-m', message);
};
const sandbox = (org: TestOrg, name: string): string[] =>
  ['one', 'two', 'three'].map((file) => org.git('show', `${name}:sandbox/${file}.txt`).trim());

/** Goes on from best with what the trunk has become, and all of it verifies. */
async function goesOn(org: TestOrg, score: number): Promise<void> {
  const ran = await runNight(org, '--max', '1');
  assert.equal(ran.code, 0, ran.stderr);
  const [start] = ran.facts.filter(({ fact }) => fact === 'baseline');
  assert.deepEqual([start?.score, start?.again], [score, true]);
  assert.equal(org.git('merge-base', 'main', 'orgrepo/best'), org.git('rev-parse', 'main'), 'best stands on the trunk');
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
}

test('a person may amend the only commit of the repository: the next night puts what was kept on the new one', async () => {
  const org = await afterNight();
  org.write('sandbox/three.txt', 'third 4\n');
  org.write('notes.txt', 'mine\n');
  amend(org, 'the org as it should have started');
  await goesOn(org, 2);
  assert.deepEqual(sandbox(org, 'orgrepo/best'), ['first 3', 'second 4', 'third 4']);
  assert.equal(org.git('show', 'orgrepo/best:notes.txt'), 'mine\n');
});

test('what was kept before the only commit was amended can be landed at once, and is not landed twice', async () => {
  const org = await afterNight();
  org.write('notes.txt', 'mine\n');
  amend(org, 'another beginning');
  const landed = await org.orgrepo('land', '--yes', '--json');
  assert.equal(landed.code, 0, landed.stdout + landed.stderr);
  const branch = org.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/land').trim();
  assert.deepEqual(sandbox(org, branch), ['first 3', 'second 4', 'third 8']);
  org.git('merge', '--quiet', '--ff-only', branch);
  assert.match((await org.orgrepo('land', '--yes')).stdout, /nothing/);
  await goesOn(org, 26);
});

test('what a rebase of the trunk drops is gone from best too, and is no conflict with what came instead', async () => {
  const org = await afterNight();
  org.write('notes.txt', 'first words\n');
  org.commit('notes');
  await goesOn(org, 26);
  org.write('notes.txt', 'other words\n');
  amend(org, 'other notes');
  await goesOn(org, 26);
  assert.equal(org.git('show', 'orgrepo/best:notes.txt'), 'other words\n');
  org.git('reset', '--quiet', '--hard', 'HEAD~1');
  await goesOn(org, 26);
  assert.throws(() => org.git('show', 'orgrepo/best:notes.txt'), /notes\.txt/);
  org.git('reset', '--quiet', '--hard', 'HEAD@{1}');
  await goesOn(org, 26);
  assert.equal(org.git('show', 'orgrepo/best:notes.txt'), 'other words\n', 'and it comes back with the commit');
});

test('an amended trunk that does not go together with best is told with branch, both commits, files and the way out', async () => {
  const org = await afterNight();
  const before = org.git('rev-parse', '--short=7', 'main').trim();
  org.write('sandbox/two.txt', 'second 6\n');
  amend(org, 'my own idea');
  const [now, refs] = [org.git('rev-parse', '--short=7', 'main').trim(), org.git('for-each-ref')];
  const stuck = await org.orgrepo('run', '--max', '1', '--json');
  assert.equal(stuck.code, 3, stuck.stdout + stuck.stderr);
  const { error } = JSON.parse(stuck.stdout.trim().split('\n').at(-1) ?? '');
  assert.equal(error.code, 'person/conflict');
  assert.equal(
    error.message,
    `main was at ${before} when orgrepo/best was last put on it, is at ${now} now, which does not descend from it, and both changed sandbox/two.txt`,
  );
  assert.match(error.hint, /orgrepo run --from-trunk/);
  assert.equal(org.git('for-each-ref'), refs, 'nothing was written');
  const over = await runNight(org, '--max', '1', '--from-trunk');
  assert.equal(over.code, 0, over.stderr);
});

test('a brief that was amended is the one that counts', async () => {
  const org = await afterNight();
  const brief = org.git('show', 'main:program.md').replace('Make the loss small.', 'Make it very small.');
  assert.notEqual(brief, briefText({}));
  org.write('program.md', brief);
  amend(org, 'other words');
  await goesOn(org, 26);
  assert.match(org.git('show', 'orgrepo/best:program.md'), /Make it very small/);
});
