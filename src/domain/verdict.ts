import type { Brief } from './brief.ts';
import type { Outcome, Verdict } from './experiment.ts';
import { brokenGuard, type Numbers } from './guard.ts';
import { gainOver } from './score.ts';

/** What a candidate is compared with. */
export interface Rival {
  readonly score: number;
  /** The baseline's numbers, which guards refer to. */
  readonly baseline: Numbers;
}

/** The verdict on a measured candidate: a function of the numbers alone, so that it can be computed again from git. */
export function judge(
  outcome: Outcome,
  rival: Rival,
  brief: Pick<Brief, 'direction' | 'minEffect' | 'guards' | 'metric'>,
): Verdict {
  switch (outcome.kind) {
    case 'crashed':
      return { event: 'crash', reason: outcome.reason };
    case 'timed-out':
      return { event: 'timeout', reason: `not done after ${(outcome.afterMs / 1000).toFixed(1)} s` };
    case 'void':
      return { event: 'void', reason: outcome.reason };
    case 'scored':
      return judgeScore(outcome.score, outcome.numbers, rival, brief);
  }
}

function judgeScore(
  score: number,
  numbers: Numbers,
  rival: Rival,
  brief: Pick<Brief, 'direction' | 'minEffect' | 'guards' | 'metric'>,
): Verdict {
  const gain = gainOver(score, rival.score, brief.direction);
  const compared = `${brief.metric} ${score} against ${rival.score}`;
  if (gain <= 0) return { event: 'discard', reason: `${compared}: ${gain === 0 ? 'no change' : 'worse'}` };
  if (gain <= brief.minEffect) {
    return {
      event: 'discard',
      reason: `${compared}: better by ${tidy(gain)}, not by more than min_effect ${brief.minEffect}`,
    };
  }
  const broken = brokenGuard(brief.guards, numbers, rival.baseline);
  if (broken !== undefined) return { event: 'confounded', reason: `${compared}, but ${broken}` };
  return { event: 'keep', reason: `${compared}: better by ${tidy(gain)}` };
}

/** Floating-point dust is of no interest to a reader. */
const tidy = (value: number): string => String(Number(value.toPrecision(6)));
