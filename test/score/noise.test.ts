import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { readBrief } from '../../src/org/force/pin-brief.ts';
import { allExperiments } from '../../src/records/notebook/history.ts';
import { openOrg } from '../../src/records/org.ts';
import { judgeRecorded } from '../../src/score/judge/verdict.ts';
import { runNight, type ScriptedAgent, scriptAgent, trailers } from '../support/night.ts';
import { briefText, makeOrg, type TestOrg } from '../support/org.ts';

const made: (() => void)[] = [];
after(() => {
  for (const remove of made) remove();
});

/** Every measurement writes down what it was given, outside of everything that is swept. */
interface Measured {
  readonly value: string;
  readonly seed: string;
}

interface Scene {
  readonly org: TestOrg;
  readonly agent: ScriptedAgent;
  readonly witness: () => readonly Measured[];
}

/** The loss is the value in the sandbox, and whatever the harness adds to it. */
function scene(steps: readonly string[], score: string, keys: Readonly<Record<string, string>> = {}): Scene {
  const desk = mkdtempSync(path.join(tmpdir(), 'orgrepo-witness-'));
  const file = path.join(desk, 'witness');
  const agent = scriptAgent(steps);
  const org = makeOrg({
    'program.md': briefText({
      agent: agent.brief,
      budget: '{ experiment: 20s, agent: 20s, night: 1h, attempts: 200, patience: 1000 }',
      ...keys,
    }),
    'sandbox/value': '10 0\n',
    'harness/run.sh': `cp sandbox/value "$ORGREPO_OUT/value"; read -r value rest < sandbox/value; echo "$value $ORGREPO_SEED" >> ${file}\n`,
    'harness/score.sh': score,
    'specs/0001-first.md': '# make it less\n',
  });
  made.push(org.remove, () => rmSync(desk, { recursive: true, force: true }));
  const witness = (): readonly Measured[] =>
    (existsSync(file) ? readFileSync(file, 'utf8') : '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(' ') as [string, string])
      .map(([value, seed]) => ({ value, seed }));
  return { org, agent, witness };
}

/** The loss as it is. */
const exact = 'read -r value rest < "$ORGREPO_OUT/value"; echo "loss: $value"\n';

/** A deviation of one from real randomness, and a far larger one from the seed, which a pair shares. */
const noisy = `read -r value rest < "$ORGREPO_OUT/value"
bytes=$(od -An -v -N12 -tu1 /dev/urandom | tr '\\n' ' ')
awk -v value="$value" -v seed="$ORGREPO_SEED" -v bytes="$bytes" 'BEGIN {
  n = split(bytes, byte, " "); for (i = 1; i <= n; i++) noise += byte[i] / 255 - 0.5
  printf "loss: %.6f\\n", value + (seed % 1000) / 20 + noise }'
`;

/** Nothing but the seed decides which instances are drawn. */
const seeded = `read -r value rest < "$ORGREPO_OUT/value"
awk -v value="$value" -v seed="$ORGREPO_SEED" 'BEGIN { printf "loss: %.9f\\n", value + (seed % 1000) / 200 }'
`;

const set = (value: number | string, label: number | string = 1): string =>
  `echo "${value} ${label}" > sandbox/value; echo "value ${value}"`;

async function recomputed(org: TestOrg): Promise<void> {
  const opened = await openOrg(org.dir);
  try {
    for (const experiment of await allExperiments(opened)) {
      const rules = await readBrief(opened, experiment.brief, experiment.tree);
      const again = judgeRecorded(experiment, rules, { numbers: {}, baseline: {} }); // No brief here has guards.
      if (experiment.score === undefined) assert.equal(again, undefined);
      else assert.deepEqual(again, { event: experiment.event, reason: experiment.reason }, `#${experiment.n}`);
    }
  } finally {
    await opened.repo.close();
  }
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
}

test('a deterministic metric is known for one after three measurements, and costs one for each loser', async () => {
  const { org, witness } = scene([set(12), set(9), set(11)], exact);
  const ran = await runNight(org, '--max', '1');
  assert.equal(ran.code, 0, ran.stderr);
  const [first, second, third, loser, ...more] = witness();
  assert.deepEqual([first?.seed === second?.seed, first?.seed === third?.seed, more.length], [true, false, 0]);
  assert.equal(loser?.value, '12');
  assert.deepEqual(
    ran.facts.filter(({ fact }) => fact === 'calibrated').map(({ measurements, spread }) => ({ measurements, spread })),
    [{ measurements: 3, spread: 0 }],
  );
  assert.deepEqual(trailers(org, 'Samples', '--grep=^calibrate:', 'orgrepo/queue'), ['10,10,10']);
  assert.deepEqual(trailers(org, 'Noise', '--grep=^calibrate:', 'orgrepo/queue'), ['0/3']);

  const before = witness().length;
  const next = await runNight(org, '--max', '2');
  assert.deepEqual(
    next.experiments.map(({ event, samples }) => ({ event, samples })),
    [
      { event: 'keep', samples: [9, 9, 9, 9] },
      { event: 'discard', samples: [11] },
    ],
  );
  const values = witness()
    .slice(before)
    .map(({ value }) => value);
  assert.deepEqual(
    values,
    ['10', '10', '10', '9', '9', '9', '9', '11', '10', '9'],
    'calibration, a keep and its repeats, a loser, and what the night was worth',
  );
  const report = JSON.parse((await org.orgrepo('report', '--json')).stdout);
  assert.deepEqual(report.interval, { gain: 1, low: 1, high: 1, level: 0.95, pairs: 1 });
  await recomputed(org);
});

test('a score that another machine recorded is no rival: best is measured anew, and a person is told', async () => {
  const machine = mkdtempSync(path.join(tmpdir(), 'orgrepo-machine-'));
  made.push(() => rmSync(machine, { recursive: true, force: true }));
  const offset = path.join(machine, 'offset');
  writeFileSync(offset, '0\n');
  const score = `read -r value rest < "$ORGREPO_OUT/value"; echo "loss: $((value + $(cat ${offset})))"\n`;
  const { org } = scene([set(9), set(8)], score);
  assert.equal((await runNight(org, '--max', '1')).code, 0);
  writeFileSync(offset, '100\n');
  const ran = await runNight(org, '--max', '1');
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(
    String(ran.facts.find(({ fact }) => fact === 'warning')?.message),
    /recorded with loss 9 and scores 109 here/,
  );
  assert.deepEqual(
    ran.experiments.map(({ event, score, best }) => ({ event, score, best })),
    [{ event: 'keep', score: 108, best: 109 }],
  );
});

test('sixty candidates that are no better: hardly one is kept, and the morning says so', async () => {
  const { org } = scene(
    Array.from({ length: 60 }, (_, at) => set(10, at + 1)),
    noisy,
  );
  const ran = await runNight(org, '--max', '60');
  assert.equal(ran.code, 0, ran.stderr);
  const kept = ran.experiments.filter(({ event }) => event === 'keep').length;
  assert.equal(ran.experiments.length, 60);
  assert.equal(kept <= 8, true, `${kept} of 60 were kept`); // One in twenty at most is three; eight is beyond bad luck.
  const [noise = ''] = trailers(org, 'Noise', '--grep=^calibrate:', 'orgrepo/queue');
  const [squares = 0, count = 0] = noise.split('/').map(Number);
  const spread = Math.sqrt(squares / count);
  assert.equal(spread > 0.4 && spread < 4, true, `a pair differs by 1.4, calibrated as ${spread}`);
  await recomputed(org);
});

test('a true gain is kept, confirmed on fresh seeds, and reported with its interval', async () => {
  const { org, witness } = scene([set(18), set(4), set(25)], noisy);
  const ran = await runNight(org, '--max', '3');
  assert.equal(ran.code, 0, ran.stderr);
  assert.deepEqual(
    ran.experiments.map(({ event }) => event),
    ['discard', 'keep', 'discard'],
  );
  const [, keep] = ran.experiments;
  const against = keep?.against as readonly number[];
  assert.equal(against.length, keep?.samples.length);
  assert.equal(against.length >= 3, true, 'one pair to decide and two to confirm, at the least');
  const [seeds = ''] = trailers(org, 'Seeds', '-1', '--first-parent', '--grep=^keep:', 'orgrepo/work/0001');
  const pairs = seeds.split(',').map((seed) => witness().filter((one) => one.seed === seed));
  // On a machine that is busy just then a measurement is made twice.
  const once = (values: readonly string[]): string[] => values.filter((value, at) => value !== values[at - 1]);
  assert.deepEqual(
    pairs.map((pair) => once(pair.map(({ value }) => value))),
    pairs.map((_, k) => (k % 2 === 0 ? ['10', '4'] : ['4', '10'])),
    'champion and challenger with one seed, in turn first',
  );
  const { interval } = JSON.parse((await org.orgrepo('report', '--json')).stdout);
  assert.equal(interval.pairs, 10);
  assert.equal(interval.low > 3 && interval.low <= interval.gain && interval.high < 9, true, JSON.stringify(interval));
  assert.match(
    (await org.orgrepo('report')).stdout,
    /this night's\s+gain\s+\+[0-9.]+,\s+between\s+\+[0-9.]+\s+and\s+\+[0-9.]+\s+\(95\s+%,\s+10\s+fresh\s+pairs/,
  );
  assert.equal(trailers(org, 'Pairs', '-1', '--grep=^end:', 'orgrepo/queue')[0]?.split(',').length, 10);
  await recomputed(org);
});

test('an inconclusive contest goes on where it stopped when the same tree is offered again', async () => {
  const { org, agent } = scene([set(30)], seeded);
  await runNight(org, '--max', '1');
  const [noise = ''] = trailers(org, 'Noise', '--grep=^calibrate:', 'orgrepo/queue');
  const [squares = 0, count = 0] = noise.split('/').map(Number);
  const close = set((10 - 0.6 * Math.sqrt(squares / count)).toFixed(9));
  for (const step of [2, 3]) writeFileSync(path.join(agent.dir, 'steps', String(step)), `${close}\n`);
  const ran = await runNight(org, '--max', '2');
  assert.equal(ran.code, 0, ran.stderr);
  const [first, second] = ran.experiments;
  assert.deepEqual([first?.event, first?.samples.length], ['inconclusive', 8], first?.reason);
  assert.equal(second?.event, 'keep', second?.reason);
  assert.deepEqual(second?.samples.slice(0, 8), first?.samples);
  assert.deepEqual(trailers(org, 'Continues', '-1', '--grep=^keep:', 'orgrepo/work/0001'), [first?.commit]);
  assert.deepEqual(trailers(org, 'Carried', '-1', '--grep=^keep:', 'orgrepo/work/0001'), ['8']);
  const [seeds = ''] = trailers(org, 'Seeds', '-1', '--grep=^keep:', 'orgrepo/work/0001');
  assert.equal(new Set(seeds.split(',')).size, second?.samples.length, 'each pair has a seed of its own');
  assert.match((await org.orgrepo('log')).stdout, /\? #2/);
  await recomputed(org);
});
