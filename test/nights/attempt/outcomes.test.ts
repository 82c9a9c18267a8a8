import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endings, obedientOrg, runNight, say, scriptAgent, trailers } from '../../support/night.ts';
import type { TestOrg } from '../../support/org.ts';

const made = (org: TestOrg): TestOrg => {
  return org;
};

test('whatever a harness says or does that is not one finite number is a crash with its reason and no score', async () => {
  const cases: readonly [string, string][] = [
    ['true', 'the harness printed no line "loss: number"; it printed nothing'],
    ['echo "done in 3.1s"', 'the harness printed no line "loss: number"; its last line is "done in 3.1s"'],
    ['echo "loss: 1"; echo "loss: 2"', 'the harness printed loss 2 times (1, 2), expected one line of it'],
    ['echo "loss: NaN"', 'loss is NaN, expected a finite number such as 0.99'],
    ['echo "loss: 0,99"', 'loss is 0,99, expected a finite number such as 0.99'],
    ['echo "loss: 1e999"', 'loss is 1e999, expected a finite number such as 0.99'],
    ['echo "loss: -Infinity"', 'loss is -Infinity, expected a finite number such as 0.99'],
    ['echo "loss: 0x1"', 'loss is 0x1, expected a finite number such as 0.99'],
    ['echo "loss:"', 'loss is empty, expected a finite number such as 0.99'],
    ['echo "loss: 1"; exit 1', 'score ended with 1'],
    ['echo "loss: 1"; echo "ValueError: no such table" >&2; exit 3', 'score ended with 3: ValueError: no such table'],
    ['echo "loss: 1"; kill -KILL $$', 'score was ended by SIGKILL'],
    ['echo "loss: 1" >&2', 'the harness printed no line "loss: number"; it printed nothing'],
  ];
  const agent = scriptAgent([...cases.map(([program], index) => say(program, `case ${index}`)), say('echo "loss: 9"')]);
  const org = made(obedientOrg(agent.brief));
  const ran = await runNight(org, '--max', String(cases.length + 1));
  assert.equal(ran.code, 0, ran.stderr);
  assert.deepEqual(
    ran.experiments.slice(0, -1).map(({ event, score, reason, title }) => ({ event, score, reason, title })),
    cases.map(([, reason], index) => ({ event: 'crash', score: undefined, reason, title: `case ${index}` })),
  );
  assert.deepEqual(endings(ran.experiments).at(-1), 'keep 9', 'and the night goes on');
  const crashes = trailers(org, 'Score', '--first-parent', '--grep=^crash:', 'orgrepo/work/0001');
  assert.deepEqual(
    crashes,
    cases.map(() => ''),
    'a value that is not known is left out',
  );
});

test('a measurement past its deadline is a timeout with no score, and what it printed before counts for nothing', async () => {
  const agent = scriptAgent([say('echo "loss: 1"; sleep 60'), say('echo "loss: 9"')]);
  const org = made(
    obedientOrg(agent.brief, { budget: '{ experiment: 1s, agent: 10s, night: 1h, attempts: 100, patience: 1000 }' }),
  );
  const ran = await runNight(org, '--max', '2');
  assert.deepEqual(endings(ran.experiments), ['timeout', 'keep 9']);
  assert.match(ran.experiments[0]?.reason ?? '', /^not done after 1\.\d s$/);
});

test('a hundred megabytes of output neither stop the night nor fill the notebook', async () => {
  const flood = 'head -c 100000000 /dev/zero | tr "\\0" "x"; echo';
  const agent = scriptAgent([say(flood), say(`${flood}; echo "loss: 9"`)]);
  const org = made(obedientOrg(agent.brief));
  const ran = await runNight(org, '--max', '2');
  assert.deepEqual(endings(ran.experiments), ['crash', 'keep 9']);
  assert.equal(org.git('log', '--format=%B', 'orgrepo/work/0001').length < 20_000, true);
});

test('a harness that cannot score the starting point is the person’s to put right, with what to type', async () => {
  const org = made(obedientOrg('search'));
  org.write('sandbox/program', 'echo "no number"\n');
  org.commit('a start without a score');
  const before = org.git('for-each-ref');
  const ran = await org.orgrepo('run');
  assert.equal(ran.code, 6);
  assert.match(ran.stderr, /the harness gives the starting point no score: the harness printed no line "loss: number"/);
  assert.match(ran.stderr, /sh harness\/run\.sh && sh harness\/score\.sh/);
  assert.equal(org.git('for-each-ref'), before);
});

test('a win that breaks a guard is confounded and never reaches best; a gain within min_effect is discarded', async () => {
  const agent = scriptAgent([
    say('echo "loss: 5"; echo "size: 4"', 'bigger'),
    say('echo "loss: 9.5"; echo "size: 3"', 'hardly better'),
    say('echo "loss: 5"', 'hides its size'),
    say('echo "loss: 9"; echo "size: 3"', 'as large as allowed'),
  ]);
  const org = made(obedientOrg(agent.brief, { guards: '{ size: "<= +1" }', min_effect: '0.5' }));
  org.write('sandbox/program', 'echo "loss: 10"; echo "size: 2"\n');
  org.commit('a size to begin with');
  const ran = await runNight(org, '--max', '4');
  assert.deepEqual(
    ran.experiments.map(({ event, reason }) => [event, reason]),
    [
      ['confounded', 'loss 5 against 10, but size is 4, the guard allows at most 3'],
      ['discard', 'loss 9.5 against 10: better by 0.5, not by more than min_effect 0.5'],
      ['confounded', 'loss 5 against 10, but the harness printed no size, which a guard names'],
      ['keep', 'loss 9 against 10: better by 1'],
    ],
  );
  assert.deepEqual(org.git('log', '--first-parent', '--format=%s', 'main..orgrepo/best').trim().split('\n'), [
    'keep: as large as allowed (loss 10 -> 9)',
    'baseline: as the trunk has it',
  ]);
});

test('guards compare with the baseline, so that a night cannot creep past them step by step', async () => {
  const agent = scriptAgent([
    say('echo "loss: 9"; echo "size: 3"'),
    say('echo "loss: 8"; echo "size: 4"'),
    say('echo "loss: 7"; echo "size: 3"'),
  ]);
  const org = made(obedientOrg(agent.brief, { guards: '{ size: "<= 1.5x" }' }));
  org.write('sandbox/program', 'echo "loss: 10"; echo "size: 2"\n');
  org.commit('a size to begin with');
  const ran = await runNight(org, '--max', '3');
  assert.deepEqual(endings(ran.experiments), ['keep 9', 'confounded 8', 'keep 7']);
});

test('the same tree is never measured as news: not a repeat, and not the way back to where it all began', async () => {
  const agent = scriptAgent([
    say('echo "loss: 12"', 'worse'),
    say('echo "loss: 9"', 'better'),
    say('echo "loss: 10"', 'back to the start'),
    say('echo "loss: 12"', 'the same as the first'),
    'echo "I did nothing"',
  ]);
  const org = made(obedientOrg(agent.brief));
  const ran = await runNight(org, '--max', '5');
  assert.deepEqual(endings(ran.experiments), ['discard 12', 'keep 9', 'unchanged', 'unchanged', 'unchanged']);
  assert.deepEqual(
    ran.experiments.slice(3).map(({ reason }) => reason),
    ['the same tree as #1', 'nothing was changed'],
  );
});

test('an attempt that was never measured is not named as the one that measured a tree', async () => {
  const agent = scriptAgent(['exit 1', say('echo "loss: 9"', 'better'), say('echo "loss: 10"', 'back to the start')]);
  const org = made(obedientOrg(agent.brief));
  const ran = await runNight(org, '--max', '3');
  assert.deepEqual(endings(ran.experiments), ['failed', 'keep 9', 'unchanged']);
  assert.notEqual(ran.experiments[2]?.reason, 'the same tree as #1');
});

test('several samples are all written down, and their mean is the score', async () => {
  const agent = scriptAgent([say('echo "loss: 9"')]);
  const org = made(obedientOrg(agent.brief, { samples: '3' }));
  const ran = await runNight(org, '--max', '1');
  assert.deepEqual(
    ran.experiments.map(({ score, samples }) => ({ score, samples })),
    [{ score: 9, samples: [9, 9, 9] }],
  );
  assert.deepEqual(trailers(org, 'Samples', '-1', 'orgrepo/best'), ['9,9,9']);
});
