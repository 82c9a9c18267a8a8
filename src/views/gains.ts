import type { Direction } from '../domain/brief.ts';
import type { Experiment } from '../domain/experiment.ts';
import { gainOver } from '../domain/score.ts';

/** The kept experiments that gained most, in the order in which they came. */
export function largestGains(kept: readonly Experiment[], direction: Direction, most: number): readonly Experiment[] {
  const gain = ({ score, best }: Experiment): number =>
    score === undefined || best === undefined ? 0 : gainOver(score, best, direction);
  return [...kept]
    .sort((a, b) => gain(b) - gain(a))
    .slice(0, most)
    .sort((a, b) => a.n - b.n);
}
