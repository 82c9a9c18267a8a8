import { type Noise, spreadOf } from '../../domain/rules/contest.ts';
import type { Experiment, Outcome } from '../../domain/words/experiment.ts';
import { meanOf } from '../../domain/words/score.ts';
import { readBrief } from '../../org/force/pin-brief.ts';
import type { Org } from '../../records/org.ts';
import { Problem } from '../../text/problem.ts';
import { judgeFailure } from '../judge/verdict.ts';
import { measure } from './trial.ts';

/** An experiment measured once more, and whether that gave what its commit says. */
export interface Replayed {
  readonly experiment: Experiment;
  readonly outcome: Outcome;
  readonly reproduced: boolean;
  /** How far a fresh score may lie from the recorded one: 0 where the metric is deterministic. */
  readonly within: number;
}

/** More than this many spreads of a mean is no accident. */
const spreads = 3;

/** How far the mean of some fresh scores may lie from a recorded one. */
export const noiseWithin = (noise: Noise | undefined, samples: number): number =>
  noise === undefined ? 0 : (spreads * spreadOf(noise)) / Math.sqrt(Math.max(1, samples));

/** Whether there is anything to compare with: an attempt that was refused has no measurement, and a void one is none. */
export const wasMeasured = (experiment: Experiment): boolean =>
  experiment.seconds !== undefined && experiment.event !== 'void';

/** Measures an experiment again from its commit alone, and compares: exactly, or within the noise that was known then. */
export async function replay(org: Org, experiment: Experiment, signal: AbortSignal): Promise<Replayed> {
  const outcome = await measureAgain(org, experiment, signal);
  const { noise, samples } = experiment;
  const within = noiseWithin(noise, samples.length);
  const reproduced =
    outcome.kind === 'scored'
      ? experiment.score !== undefined && Math.abs(outcome.score - experiment.score) <= within
      : experiment.score === undefined && judgeFailure(outcome).event === experiment.event;
  return { experiment, outcome, reproduced, within };
}

/** Everything comes out of the commit's own trailers: the tree, the harness, the brief, the seeds. */
async function measureAgain(org: Org, experiment: Experiment, signal: AbortSignal): Promise<Outcome> {
  if (!(await org.repo.reader.has(experiment.harness))) {
    throw new Problem(
      'integrity/harness',
      `the harness ${experiment.harness} of #${experiment.n} is not in this repository`,
      'Fetch the whole history: git fetch --unshallow',
    );
  }
  const brief = await readBrief(org, experiment.brief, experiment.tree);
  const pinned = { brief, blob: experiment.brief, harness: experiment.harness };
  const scores: number[] = [];
  for (const seed of experiment.seeds.length === 0 ? [0] : experiment.seeds) {
    const { outcome } = await measure(org, experiment.tree, pinned, seed, signal);
    if (outcome.kind !== 'scored') return outcome;
    scores.push(outcome.score);
  }
  return { kind: 'scored', score: meanOf(scores), samples: scores, numbers: {} };
}
