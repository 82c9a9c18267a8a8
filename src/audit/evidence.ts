import type { Brief } from '../domain/brief.ts';
import { medianOf } from '../domain/contest.ts';
import type { Experiment, Verdict } from '../domain/experiment.ts';
import type { Numbers } from '../domain/guard.ts';
import { judge } from '../domain/verdict.ts';

/** What guards refer to: the numbers of the line that a candidate was built on, and the baseline's. */
export interface Compared {
  readonly numbers: Numbers;
  readonly baseline: Numbers;
}

/** The verdict once more, from what its commit records; undefined where nothing was scored. */
export function judgeAgain(experiment: Experiment, brief: Brief, { baseline }: Compared): Verdict | undefined {
  const { score, samples, numbers, best } = experiment;
  if (score === undefined || samples.length === 0) return undefined;
  return judge({ kind: 'scored', score, samples, numbers }, { score: best ?? Number.NaN, baseline }, brief);
}

/** The score once more, from its samples. */
export const scoreAgain = ({ samples }: Experiment): number => medianOf(samples);
