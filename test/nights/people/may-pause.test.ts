import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrg } from '../../support/builders.ts';
import { chartedOrg, twoFields } from '../../support/chart.ts';
import { spawnNight } from '../../support/night.ts';
import type { TestOrg } from '../../support/org.ts';
import { until } from '../../support/until.ts';

/** `Can pause: no` of a person holds for every word that steers a run, and before anything is written. */

const people = `### Test Person (Human)
- **Can pause:** no

### Board (Human)

`;
/** The same, where the person at the keyboard is also the board. */
const both = people.replace('### Board (Human)\n', '### Board (Human)\n- **Git:** person@example.invalid\n');

const words = [
  ['pause', 'backend-worker'],
  ['pause', 'backend-worker', '--rate', '6/h'],
  ['pause', '--rate', '6/h'],
  ['pause'],
  ['resume', 'backend-worker'],
  ['resume'],
  ['stop', 'backend-worker'],
  ['stop'],
  ['stop', '--now'],
];

const refsOf = (org: TestOrg): string => org.git('for-each-ref');

test('whoever may not pause is refused whatever steers a run, with exit 6, and nothing is written', async () => {
  const org = chartedOrg({ structure: `${people}${twoFields}` });
  const before = refsOf(org);
  for (const word of words) {
    const ran = await org.orgrepo(...word);
    assert.equal(ran.code, 6, `${word.join(' ')}: ${ran.stderr}`);
    assert.match(ran.stderr, new RegExp(`test-person may not ${word[0]} anything here`));
    assert.match(ran.stderr, /It is for board/);
  }
  assert.equal(refsOf(org), before);
});

test('a person of two names in ORG.md says with --as in which one they pause', async () => {
  const org = chartedOrg({ structure: `${people}${twoFields}` });
  const nobody = await org.orgrepo('pause', 'backend-worker', '--as', 'bord');
  assert.equal(nobody.code, 6, nobody.stderr);
  assert.match(nobody.stderr, /bord is not listed as a person in ORG\.md[\s\S]*test-person, board/);
  const forged = await org.orgrepo('pause', 'backend-worker', '--as', 'board');
  assert.equal(forged.code, 6, forged.stderr);
  assert.match(forged.stderr, /does not list that address under board/);
  const listed = chartedOrg({ structure: `${both}${twoFields}` });
  assert.equal((await listed.orgrepo('pause', 'backend-worker', '--as', 'board')).code, 0);
  assert.equal((await listed.orgrepo('verify')).code, 0);
  listed.git('config', 'user.email', 'elsewhere@example.invalid');
  assert.equal((await listed.orgrepo('resume', 'backend-worker')).code, 6, 'the name in git is that of test-person');
  listed.git('config', 'user.name', 'Somebody Else');
  const stranger = await listed.orgrepo('resume', 'backend-worker');
  assert.equal(stranger.code, 0, 'ORG.md has rules for the people it knows');
});

test('what somebody says with --as is theirs: in the commit, in status and in what the run says', async () => {
  const org = chartedOrg({ structure: `${both}${twoFields}` });
  const as = ['--as', 'Board'];
  const format = '--format=%an|%s|%(trailers:key=Org-By,separator=)';
  const last = (...which: string[]): string => org.git('log', '-1', format, ...which, 'orgrepo/queue');
  for (const [word, subject] of [
    [['pause', 'backend-worker', '--reason', 'look'], 'pause: backend-worker, look'],
    [['resume', 'backend-worker'], 'resume: backend-worker, by a person'],
    [['pause', '--rate', '600/h'], 'limit: the org, 600 attempts an hour, by a person'],
    [['pause', 'backend-worker', '--reason', 'look'], 'pause: backend-worker, look'],
  ] as const) {
    assert.equal((await org.orgrepo(...word, ...as)).code, 0);
    assert.equal(last().trim(), `Test Person|${subject}|Org-By: board`);
  }
  assert.match((await org.orgrepo('status')).stdout, /board paused agent backend-worker: look/);
  const night = spawnNight(org, 'run', '--ui', 'live');
  try {
    await until('work', () => /#\d+ /.test(night.said()), 60_000);
    assert.equal((await org.orgrepo('pause', ...as)).code, 0);
    assert.equal(last('--grep=^pause: ').trim(), 'Test Person|pause: by a person|Org-By: board');
    await until('it to be said', () => /by board: .*resume/.test(night.said()), 180_000);
    assert.match((await org.orgrepo('status')).stdout, /running .*, paused by board \(/);
    assert.equal(JSON.parse((await org.orgrepo('status', '--json')).stdout).paused_by, 'board');
    assert.match(night.said(), /board paused agent backend-worker: look/);
    assert.equal((await org.orgrepo('stop', ...as)).code, 0);
    await night.ended;
  } finally {
    if (night.child.exitCode === null) night.child.kill('SIGKILL');
  }
  const stop = org.git('log', '-1', '--grep=^stop: ', '--format=%(trailers:key=Org-By,valueonly)', 'orgrepo/queue');
  assert.equal(stop.trim(), 'board');
  assert.equal((await org.orgrepo('verify')).code, 0);
});

test('can_pause_any_agent: false of org.yaml is the same', async () => {
  const org = anOrg({
    files: {
      'org.yaml': `departments:
  research:
    agents: [backend-worker]
governance:
  humans: [{ role: person, can_pause_any_agent: false }, { role: board }]
`,
    },
  });
  const ran = await org.orgrepo('pause', 'backend-worker');
  assert.equal(ran.code, 6, ran.stderr);
  assert.match(ran.stderr, /person may not pause anything here/, 'git knows the address person@…');
});
