import type { Experiment, VerdictEvent } from '../../src/domain/words/experiment.ts';
import type { TakenWin } from '../../src/domain/words/taken.ts';
import type { NightStory } from '../../src/report/facts/overview.ts';
import { anExperiment } from './builders.ts';

/** Times in views are the reader's; the tests' reader lives in Greenwich. */
process.env.TZ = 'UTC';

export const began = Date.UTC(2026, 10, 15, 22, 41, 0) / 1000;

type Row = readonly [VerdictEvent, number | undefined, number, string, string, string, string];

const rows: readonly Row[] = [
  ['discard', 14.9, 14.435, 'junior-2', '0002', 'sandbox/pack.mjs:30 24 -> 30', '14.9 is not below 14.435'],
  ['crash', undefined, 14.435, 'junior-3', '0003', 'sandbox/pack.mjs:40 < -> <=', 'score printed no waste_pct'],
  ['keep', 3.861, 14.435, 'junior-1', '0001', 'sandbox/pack.mjs:12 0 -> 2', '3.861 beats 14.435 by 10.574'],
  ['discard', 5.033, 3.861, 'junior-2', '0002', 'sandbox/pack.mjs:30 24 -> 20', '5.033 is not below 3.861'],
  ['discard', 40.2, 3.861, 'junior-2', '0002', 'sandbox/pack.mjs:30 24 -> 90', '40.2 is not below 3.861'],
  ['unchanged', undefined, 3.861, 'junior-3', '0003', 'nothing new', 'the tree of #3'],
  ['keep', 3.712, 3.861, 'junior-1', '0001', 'sandbox/pack.mjs:13 0 -> 46', '3.712 beats 3.861 by 0.149'],
  ['timeout', undefined, 3.712, 'junior-3', '0003', 'sandbox/pack.mjs:41 1 -> 1000', 'killed after 5 s'],
  ['tampered', undefined, 3.712, 'junior-3', '0003', 'easier lists', 'harness/score.mjs is not in the sandbox'],
  [
    'confounded',
    3.6,
    3.712,
    'junior-2',
    '0002',
    'sandbox/pack.mjs:30 24 -> 23',
    'lines is 90, the guard allows at most 80',
  ],
  ['keep', 3.475, 3.712, 'junior-1', '0001', 'sandbox/pack.mjs:12 2 -> 4', '3.475 beats 3.712 by 0.237'],
  ['discard', 3.474, 3.475, 'junior-2', '0002', 'sandbox/pack.mjs:30 24 -> 25', '3.474 beats 3.475 by less than 0.01'],
];

export const experiments: readonly Experiment[] = rows.map(([event, score, best, agent, spec, title, reason], index) =>
  anExperiment({
    n: index + 1,
    event,
    score,
    best,
    agent,
    spec,
    title,
    reason,
    numbers: score === undefined ? {} : { lines: 60 + index, holdout_waste_pct: score + 0.05 },
  }),
);

/** Every keep as it came to best: nothing was merged, and nothing replaced. */
const takenOf = (tried: readonly Experiment[]): readonly TakenWin[] =>
  tried
    .filter(({ event, waits }) => event === 'keep' && !waits)
    .map(({ n, title, agent, commit, score, best }) => ({
      ...{ n, commit, agent, score, before: best, won: { n, title } },
      replacedBy: undefined,
    }));

/** These experiments as those of a night in which every win was taken. */
export const nightWith = (experiments: readonly Experiment[]): Pick<NightStory, 'experiments' | 'taken'> => ({
  experiments,
  taken: takenOf(experiments),
});

export const night: NightStory = {
  name: 'acme-lab',
  run: '2026-11-15',
  startedAt: began,
  endedAt: began + 300,
  stopped: '25 tries without progress',
  metric: 'waste_pct',
  direction: 'minimize',
  target: 3,
  agent: 'search',
  baseline: 14.435,
  best: { score: 3.475, n: 11, commit: 'c0000be'.padEnd(40, '0') },
  holdout: { from: 14.4, to: 3.525 },
  gain: undefined,
  experiments,
  taken: takenOf(experiments),
  needsYou: [{ what: 'merging #7 with #11 conflicts in sandbox/pack.mjs', command: 'orgrepo show 7' }],
};

/** A long night with gains that get smaller and smaller, the same at every call. */
export function longNight(count: number): NightStory {
  let best = 4.2;
  let state = 7;
  const random = (): number => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  const long = Array.from({ length: count }, (_, index) => {
    const kind = random();
    const before = best;
    const event: VerdictEvent = kind < 0.04 ? 'crash' : kind < 0.04 + 6 / (index + 40) ? 'keep' : 'discard';
    const score =
      event === 'crash' ? undefined : event === 'keep' ? 0.6 + (best - 0.6) * 0.9 : best + random() ** 4 * 6;
    if (event === 'keep' && score !== undefined) best = score;
    return anExperiment({
      n: index + 1,
      event,
      score,
      best: before,
      at: began + index * 0.4,
      agent: `junior-${1 + (index % 3)}`,
      spec: String(1 + Math.floor(index / 40)).padStart(4, '0'),
      title: `sandbox/pack.mjs:${10 + Math.floor(random() * 20)} ${(random() * 9).toFixed(2)} -> ${(random() * 9).toFixed(2)}`,
      numbers: score === undefined ? {} : { holdout_waste_pct: score * 1.1 },
    });
  });
  return {
    ...night,
    baseline: 4.2,
    best: { score: best, n: long.findLast(({ event }) => event === 'keep')?.n ?? 0, commit: 'abcdef0'.padEnd(40, '0') },
    holdout: { from: 4.3, to: best * 1.1 },
    target: 0.68,
    experiments: long,
    taken: takenOf(long),
    endedAt: began + count * 0.4,
    needsYou: [],
  };
}
