import { measureKey, type Outcome } from '../domain/words/experiment.ts';
import { meanOf, middleNumbers, type Numbers, parseList, parseNoise } from '../domain/words/score.ts';
import { readEntry } from '../records/entry.ts';
import type { BestEntry } from '../records/notebook/best-line.ts';
import type { Org } from '../records/org.ts';
import { levelOf } from '../score/arena/jail-of-org.ts';
import { judgeFailure } from '../score/judge/verdict.ts';
import { noiseWithin } from '../score/measure/replay-experiment.ts';
import { oldKey } from '../score/measure/take-base.ts';
import { measure } from '../score/measure/trial.ts';
import { Problem } from '../text/problem.ts';
import { judgeLanded } from './land-rules.ts';
import type { Landing } from './plan-land.ts';

/** What a landing is worth, measured after squashing. */
export interface LandScore {
  readonly score: number;
  /** The trunk's own, where it gets one. */
  readonly before: number | undefined;
  /** What best was kept with, where it can be compared. */
  readonly recorded: number | undefined;
  readonly samples: readonly number[];
  readonly seeds: readonly number[];
  readonly numbers: Numbers;
  readonly jail: string;
  readonly doubts: readonly string[];
}

/** As many as a verdict rests on, and no more than a person waits for. */
const mostSeeds = 8;

/**
 * Measures the landed tree and the trunk with the seeds that best was kept with, in turn. What is worse than the trunk is
 * refused: a change that was good on best need not be good on what people have made of the trunk since.
 */
export async function scoreLanding(org: Org, landing: Landing, signal: AbortSignal): Promise<LandScore> {
  const { pinned, best, trunk, tree } = landing;
  const { seeds, recorded, noise } = await evidenceOf(org, best);
  const samples: Extract<Outcome, { kind: 'scored' }>[] = [];
  const rivals: number[] = [];
  for (const seed of seeds) {
    samples.push(scored(await measure(org, tree, pinned, seed, signal)));
    if (noise === undefined && rivals.length > 0) continue; // It would say the same again.
    const { outcome } = await measure(org, trunk.tree, pinned, seed, signal);
    if (outcome.kind === 'scored') rivals.push(outcome.score);
  }
  // Whether each seed gave the trunk a score too: two means over different seeds cannot be compared.
  const complete = rivals.length === (noise === undefined ? 1 : seeds.length);
  const same = landing.whole && (await oldKey(org, best)) === measureKey(pinned);
  const landed = samples.map(({ score }) => score);
  const numbers = middleNumbers(samples.map((one) => one.numbers));
  const judged = judgeLanded({
    ...{ direction: pinned.brief.direction, guards: pinned.brief.guards, numbers, baseline: best.baseline.numbers },
    ...{ landed, trunk: complete ? rivals : [] },
    recorded: same ? { score: recorded, within: noiseWithin(noise, seeds.length) } : undefined,
  });
  if ('refused' in judged)
    throw new Problem(
      'experiment/worse',
      `nothing is landed: ${judged.refused}`,
      'Bring both together and measure again: npx orgrepo run. Or land fewer experiments, by their numbers.',
    );
  return {
    ...{ samples: landed, seeds, numbers, doubts: judged.doubts },
    score: meanOf(landed),
    before: complete ? meanOf(rivals) : undefined,
    recorded: same ? recorded : undefined,
    jail: await levelOf(org),
  };
}

/** The seeds that best was measured with, each once, and what it scored with these. */
async function evidenceOf(org: Org, best: BestEntry) {
  const entry = await readEntry(org, best.commit);
  const samples = parseList(entry?.get('Samples'));
  const all = parseList(entry?.get('Seeds')).map((seed, at) => [seed, samples[at] ?? best.score] as const);
  const known = [...new Map([...all].reverse())].reverse().slice(0, mostSeeds);
  const noise = parseNoise(entry?.get('Noise'));
  if (known.length === 0) return { seeds: [0], recorded: best.score, noise };
  return { seeds: known.map(([seed]) => seed), recorded: meanOf(known.map(([, score]) => score)), noise };
}

function scored({ outcome }: { readonly outcome: Outcome }): Extract<Outcome, { kind: 'scored' }> {
  if (outcome.kind === 'scored') return outcome;
  throw new Problem(
    'experiment/worse',
    `nothing is landed: it gets no score once it is squashed, ${judgeFailure(outcome).reason}`,
    'Bring both together and measure again: npx orgrepo run. Or land fewer experiments, by their numbers.',
  );
}
