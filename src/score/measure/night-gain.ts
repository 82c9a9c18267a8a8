import { measureKey } from '../../domain/words/experiment.ts';
import { type Gain, gainOver, intervalOf, meanOf } from '../../domain/words/score.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import { nowInSeconds } from '../../process/pace.ts';
import { seedFor } from '../../records/seeds.ts';
import { judgeFailure } from '../judge/verdict.ts';
import { measurePair } from './hold-contest.ts';
import type { Measuring } from './measuring.ts';
import { measureSteadily, type Scale } from './noise-scale.ts';

/** Enough for an interval. A deterministic metric needs one pair. */
export const gainPairs = 10;

/** Seeds that no contest of the same tree can reach: it has two hundred pairs at most. */
const freshFrom = 1_000;

interface EndOfNight extends Measuring {
  readonly pinned: PinnedBrief;
  readonly best: { readonly tree: string };
  /** The tree that was best when the night began. */
  readonly base: string;
  readonly scales: ReadonlyMap<string, Scale>;
}

/**
 * What the night was worth: its best against what it began with, on pairs that nobody was chosen by. The numbers on the way
 * there are those of winners, and winners are lucky. Undefined when there is nothing to tell, or nobody waits for it.
 */
export async function measureGain(night: EndOfNight, isStopped: () => boolean): Promise<Gain | undefined> {
  const { org, pinned, best, base, signal } = night;
  const scale = night.scales.get(measureKey(pinned));
  if (best.tree === base || scale === undefined) return undefined;
  const wanted = scale.noise === undefined ? 1 : gainPairs;
  const pairs: (readonly [number, number])[] = [];
  for (let k = 0; k < wanted; k++) {
    if (signal.aborted || isStopped()) return undefined;
    const detail = `best against the night's start, ${k + 1} of ${wanted}`;
    night.say({ kind: 'doing', at: nowInSeconds(), agent: 'orgrepo', doing: 'measuring', detail });
    const seed = seedFor(org, best.tree, pinned.harness, freshFrom + k);
    const run = (tree: string) => measureSteadily(night, tree, pinned, seed, scale);
    const pair = await measurePair(run, best.tree, base, k % 2 === 1);
    if (pair.kind === 'scored' && pair.champion !== undefined) pairs.push([pair.challenger.score, pair.champion.score]);
    else if (pair.kind === 'failed' && !signal.aborted) warn(night, k + 1, pair.outcome);
  }
  if (pairs.length === 0) return undefined;
  const gains = pairs.map(([score, start]) => gainOver(score, start, pinned.brief.direction));
  const gain = { pairs, mean: meanOf(gains), ...intervalOf(gains) };
  const { mean, low, high } = gain;
  const { metric } = pinned.brief;
  night.say({ kind: 'gain', at: nowInSeconds(), metric, mean, low, high, pairs: pairs.length });
  return gain;
}

function warn(night: Measuring, pair: number, outcome: Parameters<typeof judgeFailure>[0]): void {
  const message = `pair ${pair} of best and the night's start does not count: ${judgeFailure(outcome).reason}`;
  night.say({ kind: 'warning', at: nowInSeconds(), message });
}
