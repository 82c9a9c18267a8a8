import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import PQueue from 'p-queue';
import type { Noise } from '../../src/domain/rules/contest.ts';
import { pinBrief } from '../../src/org/force/pin-brief.ts';
import { readEntry } from '../../src/records/entry.ts';
import type { Judgement } from '../../src/records/notebook/experiment-entry.ts';
import { type Org, openOrg, trunkTip } from '../../src/records/org.ts';
import { seedFor } from '../../src/records/seeds.ts';
import { closeOrg } from '../../src/score/arena/measuring-room.ts';
import { holdContest, type Scale } from '../../src/score/measure/hold-contest.ts';
import { findOverload, timeReferenceLoad } from '../../src/score/measure/reference-load.ts';
import { briefText, makeOrg, type TestOrg } from '../support/org.ts';

const orgs: { readonly made: TestOrg; readonly org: Org }[] = [];
after(async () => {
  for (const { made, org } of orgs) {
    await closeOrg(org);
    made.remove();
  }
});

/** An org whose harness runs the sandbox's program, with a champion and a challenger on its trunk. */
async function scene(champion: string, challenger: string, experiment = '20s') {
  const made = makeOrg({
    'program.md': briefText({
      budget: `{ experiment: ${experiment}, agent: 10s, night: 1h, attempts: 5, patience: 10 }`,
    }),
    'sandbox/program': champion,
    'harness/run.sh': 'cp sandbox/program "$ORGREPO_OUT/program"\n',
    'harness/score.sh': 'exec sh "$ORGREPO_OUT/program"\n',
  });
  made.write('sandbox/program', challenger);
  made.commit('the challenger');
  const org = await openOrg(made.dir);
  orgs.push({ made, org });
  const trunk = await trunkTip(org);
  const treeOf = async (name: string): Promise<string> => (await readEntry(org, name))?.commit.tree ?? '';
  const tree = await treeOf(trunk);
  const rival = { tree: await treeOf(`${trunk}~1`), score: 10, numbers: {}, baseline: {} };
  const contest = { tree, rival, pinned: await pinBrief(org, trunk), earlier: undefined, aim: 'better' as const };
  const night = { org, slots: new PQueue({ concurrency: 1 }), signal: new AbortController().signal, say: () => {} };
  const hold = (scale: Scale): Promise<Judgement | undefined> => holdContest(night, contest, scale);
  return { made, org, tree, hold };
}

/** The reference load as it is timed one time after another; the last one lasts. */
const timed = (...times: readonly number[]): Scale['load'] => {
  const left = [...times];
  return { usualMs: 4, time: () => (left.length > 1 ? left.shift() : left[0]) ?? 4, patienceMs: 0 };
};
const scaleWith = (load: Scale['load'], noise?: Noise): Scale => ({ noise, load, usualMs: 10 });
const noise: Noise = { squares: 8, count: 8 };

test('an overloaded machine makes a measurement void, with the figures, and not the candidate', async () => {
  const { hold } = await scene('echo "loss: 10"', 'echo "loss: 13"');
  const held = await hold(scaleWith(timed(9.04), noise));
  assert.deepEqual(held?.verdict, {
    event: 'void',
    reason: 'the machine was overloaded: a load that takes 4.0 ms took 9.0 ms, 3 times (measured)',
  });
  assert.equal(held?.evidence, undefined);
});

test('a moment of load costs a second measurement and nothing else', async () => {
  const { hold } = await scene('echo "loss: 10"', 'echo "loss: 13"');
  const held = await hold(scaleWith(timed(9, 9, 4), noise));
  assert.equal(held?.verdict.event, 'discard', held?.verdict.reason);
  assert.equal(await findOverload(timed(9, 4)), undefined, 'a hiccup is no load');
  assert.equal(await findOverload(timed(9, 12, 4)), 9);
});

test('a machine that is busy for long is waited for as long as its patience lasts', async () => {
  const { hold } = await scene('echo "loss: 10"', 'echo "loss: 13"');
  const busy = Array.from({ length: 50 }, () => 9);
  const held = await hold(scaleWith({ ...timed(...busy, 4), patienceMs: 60_000 }, noise));
  assert.equal(held?.verdict.event, 'discard', held?.verdict.reason);
});

test('a timeout is the candidate’s fault unless the machine was overloaded, whatever the metric', async () => {
  const { hold } = await scene('echo "loss: 10"', 'sleep 30', '1500ms');
  assert.equal((await hold(scaleWith(timed(4))))?.verdict.event, 'timeout');
  const busy = await hold(scaleWith(timed(12)));
  assert.equal(busy?.verdict.event, 'void');
  assert.match(busy?.verdict.reason ?? '', /overloaded.*\(not done after \d+\.\d s\)$/);
});

test('a deterministic metric that is in time asks nobody how busy the machine is', async () => {
  const { hold } = await scene('echo "loss: 10"', 'echo "loss: 9"');
  const nobody = (): number => assert.fail('the reference load was timed');
  const held = await hold(scaleWith({ ...timed(4), time: nobody }));
  assert.deepEqual([held?.verdict.event, held?.evidence?.samples], ['keep', [9, 9, 9, 9]]);
});

test('a challenger that fails in a pair has failed, and a champion that fails makes it void', async () => {
  const crashes = await scene('echo "loss: 10"', 'exit 3');
  const held = await crashes.hold(scaleWith(timed(4), noise));
  assert.deepEqual(held?.verdict, { event: 'crash', reason: 'score ended with 3' });
  assert.equal(
    held?.failure?.seed,
    seedFor(crashes.org, crashes.tree, crashes.made.git('rev-parse', 'HEAD:harness').trim(), 0),
  );
  const broken = await scene('exit 3', 'echo "loss: 9"');
  assert.deepEqual((await broken.hold(scaleWith(timed(4), noise)))?.verdict, {
    event: 'void',
    reason: 'what it is compared with got no score this time: score ended with 3',
  });
});

test('what a contest shows of the noise is learnt', async () => {
  const { hold } = await scene('echo "loss: 10"', 'echo "loss: 9.9"');
  const scale = scaleWith(timed(4), noise);
  const held = await hold(scale);
  assert.deepEqual([held?.verdict.event, held?.evidence?.samples.length], ['discard', 3], held?.verdict.reason);
  assert.deepEqual(held?.evidence?.noise, noise, 'what was known before is what it was judged by');
  assert.equal(scale.noise?.count, 10);
});

test('a seed is a function of the secret, the tree, the harness and the pair, and of nothing else', async () => {
  const { made, org } = await scene('echo "loss: 10"', 'echo "loss: 9"');
  const seeds = [0, 1, 2, 3].map((k) => seedFor(org, 'tree', 'harness', k));
  assert.equal(new Set([...seeds, seedFor(org, 'tree', 'other', 0), seedFor(org, 'other', 'harness', 0)]).size, 6);
  for (const seed of seeds) assert.equal(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31, true);
  const file = path.join(made.dir, '.git/orgrepo/secret');
  assert.deepEqual([statSync(file).mode & 0o777, readFileSync(file).length], [0o600, 32]);
  const again = await openOrg(made.dir);
  assert.equal(seedFor(again, 'tree', 'harness', 2), seeds[2]);
  await closeOrg(again);
});

test('the reference load is a few milliseconds of real work', () => {
  const times = Array.from({ length: 5 }, timeReferenceLoad).sort((a, b) => a - b);
  assert.equal((times[0] ?? 0) > 0.2 && (times[0] ?? 0) < 100, true, `${times}`);
});
