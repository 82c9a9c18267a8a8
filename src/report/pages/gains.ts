import type { Direction } from '../../domain/words/brief.ts';
import { gainOver } from '../../domain/words/score.ts';
import type { TakenWin } from '../../domain/words/taken.ts';

/** The taken wins that gained most, in the order in which they came. */
export function largestGains(taken: readonly TakenWin[], direction: Direction, most: number): readonly TakenWin[] {
  const gain = ({ score, before }: TakenWin): number =>
    score === undefined || before === undefined ? 0 : gainOver(score, before, direction);
  return [...taken]
    .sort((a, b) => gain(b) - gain(a))
    .slice(0, most)
    .sort((a, b) => a.n - b.n);
}
