import { type Noise, spreadOf } from '../domain/contest.ts';
import { judgeFailure } from '../domain/verdict.ts';
import type { PinnedBrief } from '../records/brief.ts';
import type { Org } from '../records/org.ts';
import { findOverload, type ReferenceLoad, untilCalm } from './load.ts';
import { measure, type Trial } from './trial.ts';

/** How a metric behaves on this machine, under one brief and one harness. */
export interface Scale {
  /** What is known of the noise; contests add to it. Undefined: the metric is deterministic. */
  noise: Noise | undefined;
  readonly load: ReferenceLoad;
  /** How long a measurement usually takes. */
  readonly usualMs: number;
}

/** How often a measurement is made at the least before a busy machine is given up on. */
const fewestTries = 3;

/**
 * Measures a tree once and does not blame it for a busy machine: a noisy metric is believed only when the machine was
 * well before and after, a timeout only when it was well after. Where it was not, it is measured again in a calmer moment;
 * void is what finds none.
 */
export async function measureSteadily(
  org: Org,
  tree: string,
  pinned: PinnedBrief,
  seed: number,
  scale: Scale,
  signal: AbortSignal,
): Promise<Trial> {
  const noisy = scale.noise !== undefined;
  const givesUpAt = performance.now() + scale.load.patienceMs;
  let seconds = 0;
  for (let tries = 1; ; tries++) {
    const before = noisy ? await findOverload(scale.load) : undefined;
    const trial = await measure(org, tree, pinned, seed, signal);
    seconds += trial.seconds;
    const doubtful = noisy || trial.outcome.kind === 'timed-out';
    const busy = before ?? (doubtful ? await findOverload(scale.load) : undefined);
    if (busy === undefined || signal.aborted || trial.outcome.kind === 'void') return { ...trial, seconds };
    if (tries < fewestTries || performance.now() < givesUpAt) {
      await untilCalm(scale.load);
      continue;
    }
    const usual = scale.load.usualMs;
    const what = trial.outcome.kind === 'scored' ? 'measured' : judgeFailure(trial.outcome).reason;
    const reason = `the machine was overloaded: a load that takes ${usual.toFixed(1)} ms took ${busy.toFixed(1)} ms, ${tries} times (${what})`;
    return { outcome: { kind: 'void', reason }, seconds };
  }
}

/** By how much two measurements of one tree with the same seed differ; 0 where the metric is deterministic. */
export const spreadIn = ({ noise }: Pick<Scale, 'noise'>): number => (noise === undefined ? 0 : spreadOf(noise));
