import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { anOrg } from '../../support/builders.ts';
import { atTime } from '../../support/clock.ts';
import { root, type TestOrg } from '../../support/org.ts';

/** Orgs that orgrepo 0.1.0 has made, with all their refs: of models and reviews, with requests to a person, of names with titles. */
function orgOf010(name: string): TestOrg {
  const org = anOrg();
  const bundle = path.join(root, 'test/fixtures/orgs-of-0.1.0', `${name}.bundle`);
  org.git('checkout', '--quiet', '--detach');
  org.git('fetch', '--quiet', bundle, '+refs/*:refs/*');
  org.git('checkout', '--quiet', '--force', 'main');
  org.git('clean', '-fdq');
  return org;
}

async function holds(org: TestOrg): Promise<void> {
  const ran = await org.orgrepo('verify');
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.match(ran.stdout, /everything holds/);
}

test('an org of 0.1.0 with models, critics and reviews is read, verified and worked on', async () => {
  const org = orgOf010('factory');
  await holds(org);
  const status = JSON.parse((await org.orgrepo('status', '--json')).stdout);
  assert.deepEqual([status.best.score, status.tried, status.kept], [16, 3, 1]);
  const report = JSON.parse((await org.orgrepo('report', '--json')).stdout);
  assert.equal(report.best.score, 16);
  assert.match((await org.orgrepo('show', '2')).stdout, /later tickets whole/);
  assert.match((await org.orgrepo('show', '0001')).stdout, /REJECTED|rejected/);
  assert.equal((await org.orgrepo('log', '--json')).stdout.trim().split('\n').length, 3);
  const run = await org.orgrepo('run', '--max', '1', '--seed', '3');
  assert.equal([0, 3].includes(run.code ?? -1), true, run.stderr);
  await holds(org);
});

test('a request of 0.1.0 still waits, and is answered', async () => {
  const org = orgOf010('person');
  // A request waits for a day, and this one was asked when the org was made.
  const asked = Number(org.git('log', '-1', '--format=%ct', 'orgrepo/queue'));
  await atTime(asked + 60, () => answerAndRun(org));
});

async function answerAndRun(org: TestOrg): Promise<void> {
  await holds(org);
  const before = await org.orgrepo('status');
  assert.match(before.stdout, /junior-2 +paused; Test Person paused agent junior-2: rest/);
  assert.match(before.stdout, /A4: junior-2 wants to claim 0002/);
  assert.equal((await org.orgrepo('approve', 'A4')).code, 0);
  assert.equal((await org.orgrepo('resume', 'junior-2')).code, 0);
  const run = await org.orgrepo('run', '--max', '3', '--seed', '5');
  assert.equal([0, 3].includes(run.code ?? -1), true, run.stderr);
  const after = JSON.parse((await org.orgrepo('status', '--json')).stdout);
  assert.equal(after.tried, 39);
  assert.equal(after.best.score <= 0.4636, true);
  assert.doesNotMatch(JSON.stringify(after.needs_you), /A4/);
  await holds(org);
}

test('an org of 0.1.0 with titles runs after its limit is mended', async () => {
  const org = orgOf010('titles');
  await holds(org);
  assert.match((await org.orgrepo('status')).stdout, /tom-ash-baker +waiting for a run, spec 0001/);
  const refused = await org.orgrepo('run', '--max', '1');
  assert.equal(refused.code, 6, refused.stderr);
  assert.match(refused.stderr, /ORG\.md:23:3: "Budget: \$5\/week" looks like a budget/);
  const file = readFileSync(path.join(org.dir, 'ORG.md'), 'utf8');
  org.write('ORG.md', file.replace('- **Budget:** $5/week', '### Budget\n- **Total limit:** $5/week'));
  org.commit('a budget that counts');
  const run = await org.orgrepo('run', '--max', '2', '--seed', '2');
  assert.equal(run.code, 0, run.stderr);
  assert.match(run.stdout, / agent=tom-ash spec=0001 /);
  await holds(org);
});
