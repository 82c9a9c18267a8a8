import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrg } from '../../support/builders.ts';
import { endings, type NightRan, obedientOrg, runNight, say, scriptAgent } from '../../support/night.ts';
import { briefText, quadratic, type TestOrg } from '../../support/org.ts';

const keep = (org: TestOrg): TestOrg => {
  return org;
};

/** One attempt a spec, so that no claim is left open when a night ends. */
function oneByOne(...losses: readonly number[]): { readonly org: TestOrg; readonly agent: string } {
  const agent = scriptAgent(losses.map((loss) => say(`echo "loss: ${loss}"`))).brief;
  const org = keep(obedientOrg(agent, once));
  for (let id = 2; id <= losses.length; id++) org.write(`specs/000${id}-more.md`, `# more of it, part ${id}\n`);
  org.commit('more specs');
  return { org, agent };
}

const once = { budget: '{ experiment: 10s, agent: 10s, night: 1h, attempts: 1, patience: 1000 }' };

const baselines = (ran: NightRan): unknown[] =>
  ran.facts.filter(({ fact }) => fact === 'baseline').map(({ score, again }) => ({ score, again }));

test('the next night goes on from best, also after people have edited the brief', async () => {
  const { org, agent } = oneByOne(9, 8, 7);
  assert.deepEqual(endings((await runNight(org, '--max', '1')).experiments), ['keep 9']);
  const again = await runNight(org, '--max', '1');
  assert.deepEqual([baselines(again), endings(again.experiments)], [[], ['keep 8']], 'nothing to measure again');
  org.write('program.md', `${briefText({ ...once, agent })}\nBe bold.\n`);
  org.commit('be bold');
  const third = await runNight(org, '--max', '1');
  assert.equal(third.code, 0, third.stderr);
  assert.deepEqual(endings(third.experiments), ['keep 7']);
  assert.deepEqual(baselines(third), [{ score: 8, again: true }], 'a tree that was never measured is');
  assert.match(org.git('show', 'orgrepo/best:program.md'), /Be bold/);
  assert.deepEqual(
    third.experiments.map(({ n, best }) => ({ n, best })),
    [{ n: 3, best: 8 }],
  );
  const status = JSON.parse((await org.orgrepo('status', '--json')).stdout);
  assert.deepEqual([status.baseline, status.best.score, status.tried], [10, 7, 3], 'told against where it all began');
  assert.equal(org.git('merge-base', 'main', 'orgrepo/best'), org.git('rev-parse', 'main'));
});

test('a changed harness makes old scores worth nothing: best is measured again before anybody builds on it', async () => {
  const { org } = oneByOne(9, 8);
  await runNight(org, '--max', '1');
  org.write('harness/score.sh', 'sh "$ORGREPO_OUT/program" | sed "s/: /: 10/"\n');
  org.commit('a stricter judge');
  const ran = await runNight(org, '--max', '1');
  assert.equal(ran.code, 0, ran.stderr);
  assert.deepEqual([baselines(ran), endings(ran.experiments)], [[{ score: 109, again: true }], ['keep 108']]);
  assert.equal(JSON.parse((await org.orgrepo('status', '--json')).stdout).baseline, 109);
  assert.equal(
    (await org.orgrepo('replay', '1')).stdout,
    '#1  measured 9   recorded 9   REPRODUCED\n',
    'an old experiment is measured by its old harness',
  );
  const harness = (range: string): string =>
    org.git('log', '-1', '--format=%(trailers:key=Org-Harness,valueonly,separator=%x2C)', range).trim();
  assert.equal(harness('orgrepo/best'), org.git('rev-parse', 'main:harness').trim());
});

test('a trunk that conflicts with best needs a person: exit 3, both ways out are named, and each of them works', async () => {
  const { org } = oneByOne(9, 5);
  await runNight(org, '--max', '1');
  const first = org.git('rev-parse', 'orgrepo/best').trim();
  org.write('sandbox/program', 'echo "loss: 6"\n');
  org.commit('my own idea');
  const refs = org.git('for-each-ref');
  const stuck = await org.orgrepo('run', '--max', '1');
  assert.equal(stuck.code, 3);
  assert.match(
    stuck.stderr,
    /the trunk and orgrepo\/best both changed sandbox\/program[\s\S]*git merge orgrepo\/best[\s\S]*orgrepo run --from-trunk/,
  );
  assert.equal(org.git('for-each-ref'), refs);
  const over = await runNight(org, '--max', '1', '--from-trunk');
  assert.equal(over.code, 0, over.stderr);
  assert.deepEqual([baselines(over), endings(over.experiments)], [[{ score: 6, again: true }], ['keep 5']]);
  assert.equal(org.git('merge-base', '--is-ancestor', first, 'orgrepo/best'), '', 'what was best stays in history');
});

test('a person who has merged best into the trunk goes on from there', async () => {
  const { org } = oneByOne(9, 8);
  await runNight(org, '--max', '1');
  org.git('merge', '--quiet', '--no-edit', 'orgrepo/best');
  org.write('notes.txt', 'landed\n');
  org.commit('landed');
  const ran = await runNight(org, '--max', '1');
  assert.equal(ran.code, 0, ran.stderr);
  assert.deepEqual(endings(ran.experiments), ['keep 8']);
});

test('a spec that was left half done is gone on with, with the attempts that are left', async () => {
  const agent = scriptAgent([
    say('echo "loss: 9"'),
    say('echo "loss: 8"'),
    say('echo "loss: 7"'),
    say('echo "loss: 6"'),
  ]);
  const budget = '{ experiment: 10s, agent: 10s, night: 1h, attempts: 3, patience: 1000 }';
  const org = keep(obedientOrg(agent.brief, { budget }));
  org.write('specs/0002-next.md', '# the next one\n');
  org.commit('a second spec');
  await runNight(org, '--max', '2');
  const ran = await runNight(org, '--max', '2');
  assert.deepEqual(
    ran.experiments.map(({ n, spec, event }) => [n, spec, event]),
    [
      [3, '0001', 'keep'],
      [4, '0002', 'keep'],
    ],
  );
});

test('after the harness has changed nobody goes on under the old one, also not with a claim that was left open', async () => {
  const agent = scriptAgent([say('echo "loss: 9"'), say('echo "loss: 8"')]);
  const org = keep(obedientOrg(agent.brief));
  org.write('specs/0002-next.md', '# the next one\n');
  org.commit('a second spec');
  await runNight(org, '--max', '1');
  org.write('harness/score.sh', 'sh "$ORGREPO_OUT/program" | sed "s/: /: 10/"\n');
  org.commit('a stricter judge');
  const ran = await runNight(org, '--max', '1');
  assert.equal(ran.code, 0, ran.stderr);
  assert.deepEqual(endings(ran.experiments), ['keep 108']);
});

test('a branch of ours that somebody moved by hand is an integrity problem, exit 5, with the way back', async () => {
  const org = keep(obedientOrg(scriptAgent([say('echo "loss: 9"')]).brief));
  await runNight(org, '--max', '1');
  org.git('branch', '-f', 'orgrepo/best', 'main');
  const ran = await org.orgrepo('run', '--max', '1');
  assert.equal(ran.code, 5);
  assert.match(
    ran.stderr,
    /orgrepo\/best is at [0-9a-f]{7}, which is not a commit that orgrepo made[\s\S]*git branch -D orgrepo\/best/,
  );
});

test('the same seed on one lane gives the same night, another seed another', async () => {
  const night = async (seed: string): Promise<unknown[]> => {
    const org = keep(anOrg());
    const ran = await runNight(org, '--max', '12', '--seed', seed);
    assert.equal(ran.code, 0, ran.stderr);
    return ran.experiments.map(({ n, spec, title, event, score }) => ({ n, spec, title, event, score }));
  };
  const first = await night('7');
  assert.equal(first.length, 12);
  assert.deepEqual(await night('7'), first);
  assert.notDeepEqual(await night('8'), first);
});

test('embedded agents improve the org, and the night ends by itself: by --max, target, patience or for want of ideas', async () => {
  const start = (keys: Readonly<Record<string, string>>, files = quadratic): TestOrg =>
    keep(anOrg({ ground: { ...files, 'program.md': briefText(keys) } }));
  const org = start({});
  const max = await runNight(org, '--max', '25');
  assert.deepEqual(
    [max.code, max.experiments.length, max.facts.at(-1)?.reason],
    [0, 25, '25 experiments were asked for'],
  );
  const { baseline, best } = JSON.parse((await org.orgrepo('status', '--json')).stdout);
  assert.equal(best.score < baseline / 2, true, `${baseline} -> ${best.score}`);

  const target = await runNight(start({ target: '100' }), '--max', '200');
  assert.deepEqual([target.code, target.facts.at(-1)?.reason], [0, 'the target 100 was reached']);
  assert.equal(target.experiments.length < 200, true);

  const flat = { ...quadratic, 'harness/score.sh': 'echo "loss: 1"\n' };
  const patience = await runNight(start({}, flat), '--patience', '4');
  assert.deepEqual(
    [patience.code, patience.experiments.length, patience.facts.at(-1)?.reason],
    [0, 4, '4 experiments without progress'],
  );

  const wordless = { ...flat, 'sandbox/numbers.txt': 'no number in here\n' };
  const ideas = await runNight(start({}, wordless), '--max', '5');
  assert.deepEqual(
    [ideas.code, ideas.experiments.length, ideas.facts.at(-1)?.reason],
    [0, 0, 'nobody has an idea left'],
  );
});
