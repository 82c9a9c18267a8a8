// Whether a rule for keeping candidates can be believed: simulated nights in which the truth is known.
//   npm run bench:noise
import { calibrate, learnFrom } from '../src/domain/rules/contest.ts';
import { type Rules, readContest } from '../src/score/judge/verdict.ts';
import { type Random, randomFrom } from '../src/text/random.ts';

const nights = 200;
const candidates = 600;

/** Each measurement is off by one, so that a pair is off by the root of two. */
const pairNoise = Math.SQRT2;

interface Night {
  /** What the champion is truly better than the base by, and what the night's last pairs say of it. */
  readonly gain: number;
  readonly reported: number;
  readonly measurements: number;
  readonly tested: number;
  readonly falseKeeps: number;
}

/** Looks at one candidate through pairs that it may draw, and says whether to keep it. */
type Rule = (pair: () => number) => boolean;

/** The same night for every rule: each candidate has draws of its own, whoever looks at it and however often. */
function playNight(
  night: string,
  share: number,
  effect: number,
  makeRule: (random: Random) => Rule,
  most = Infinity,
  noisier = 1,
): Night {
  let [gain, measurements, tested, falseKeeps] = [0, 0, 0, 0];
  const rule = makeRule(randomFrom(`${night} calibration`));
  while (tested < candidates && measurements < most) {
    tested += 1;
    const random = randomFrom(`${night} candidate ${tested}`);
    const better = random.next() < share;
    const kept = rule(() => {
      measurements += 2;
      return (better ? effect : 0) + noisier * pairNoise * random.normal();
    });
    if (kept && better) gain += effect;
    if (kept && !better) falseKeeps += 1;
  }
  // Ten fresh pairs of champion and base, whatever the night believed.
  const random = randomFrom(`${night} morning`);
  const pairs = Array.from({ length: 10 }, () => gain + pairNoise * random.normal());
  const reported = pairs.reduce((sum, pair) => sum + pair, 0) / pairs.length;
  return { gain, reported, measurements, tested, falseKeeps };
}

/** The rule of this house, by the code that judges a night's candidates. */
const contest = (random: Random): Rule => {
  let noise = calibrate(Array.from({ length: 8 }, () => pairNoise * random.normal()));
  return (pair) => {
    const none = { seeds: [], numbers: {}, carried: 0, noise };
    for (const gains = [pair()]; ; gains.push(pair())) {
      const read = readContest({ ...none, samples: gains, against: gains.map(() => 0) }, noise, rules);
      if (read === undefined) continue;
      noise = learnFrom(noise, gains.slice(0, read.decided));
      return read.decision === 'keep';
    }
  };
};

const rules: Rules = { metric: 'gain', direction: 'maximize', minEffect: 0, guards: [], samples: { min: 1, max: 8 } };

/** Five paired runs and a one-sided t-test at 5 %. */
const fivePairs = (): Rule => (pair) => {
  const gains = Array.from({ length: 5 }, pair);
  const mean = gains.reduce((sum, gain) => sum + gain, 0) / 5;
  const deviation = Math.sqrt(gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0) / 4);
  return mean / (deviation / Math.sqrt(5)) > 2.132;
};

/** One run each, kept when it beats the best number so far, which is then reported: what a plain loop does. */
function playGreedy(
  random: Random,
  share: number,
  effect: number,
): { readonly gain: number; readonly reported: number } {
  const base = random.normal();
  let [gain, best] = [0, base];
  for (let tested = 0; tested < candidates; tested++) {
    const better = random.next() < share ? effect : 0;
    const score = gain + better + random.normal();
    if (score <= best) continue;
    best = score;
    gain += better;
  }
  return { gain, reported: best - base };
}

function average(values: readonly number[]): { readonly mean: number; readonly error: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return { mean, error: 1.96 * Math.sqrt(variance / values.length) };
}

const each = <T>(name: string, play: (night: string) => T): readonly T[] =>
  Array.from({ length: nights }, (_, night) => play(`${name} ${night}`));

let missed = 0;
function say(met: boolean, text: string): void {
  if (!met) missed += 1;
  process.stdout.write(`${met ? 'ok    ' : 'MISSED'}  ${text}\n`);
}
const interval = ({ mean, error }: { mean: number; error: number }): string =>
  `${mean.toFixed(3)} (${(mean - error).toFixed(3)} to ${(mean + error).toFixed(3)})`;

const idle = each('idle', (night) => playNight(night, 0, 0, contest));
const reported = average(idle.map((night) => night.reported));
say(
  Math.abs(reported.mean) <= reported.error,
  `no candidate is better: the gain reported in the morning is ${interval(reported)} standard deviations of one run, over ${nights} nights of ${candidates}`,
);
const chance = idle.reduce((sum, night) => sum + night.falseKeeps, 0) / (nights * candidates);
say(chance <= 0.05, `no candidate is better: ${(100 * chance).toFixed(2)} % are kept by chance (at most 5 %)`);
for (const noisier of [3, 10, 60]) {
  const wild = each(`wild ${noisier}`, (night) => playNight(night, 0, 0, contest, Infinity, noisier));
  const kept = wild.reduce((sum, night) => sum + night.falseKeeps, 0) / (nights * candidates);
  say(
    kept <= 0.05,
    `none is better, and each is ${noisier} times as noisy as what it wants to replace: ${(100 * kept).toFixed(2)} % are kept by chance (at most 5 %)`,
  );
}
const greedy = average(each('idle', (night) => playGreedy(randomFrom(night), 0, 0)).map((night) => night.reported));
process.stdout.write(`        greedy keeping of single runs reports ${interval(greedy)} there\n`);

for (const [name, effect] of [
  ['of one run', 1],
  ['of a pair', pairNoise],
] as const) {
  const ours = each(name, (night) => playNight(night, 0.1, effect, contest));
  const spent = average(ours.map((night) => night.measurements)).mean;
  const theirs = each(name, (night) => playNight(night, 0.1, effect, fivePairs, spent));
  const [mine, other] = [ours, theirs].map((played) => average(played.map((night) => night.gain)).mean) as [
    number,
    number,
  ];
  say(
    mine / other >= 1.4,
    `one in ten is better by a standard deviation ${name}: true gain ${mine.toFixed(1)} against ${other.toFixed(1)} of five pairs and a t-test with the same ${spent.toFixed(0)} measurements: ${(mine / other).toFixed(2)} times (at least 1.4)`,
  );
  const plain = each(name, (night) => playGreedy(randomFrom(night), 0.1, effect));
  process.stdout.write(
    `        greedy keeping: true gain ${average(plain.map((night) => night.gain)).mean.toFixed(1)} with ${candidates} measurements, reported ${average(plain.map((night) => night.reported)).mean.toFixed(1)}\n`,
  );
}
process.exitCode = missed === 0 ? 0 : 1;
