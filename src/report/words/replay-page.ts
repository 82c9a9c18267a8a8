import type { Experiment, Outcome } from '../../domain/words/experiment.ts';
import { visible } from '../../terminal/visible.ts';
import { plainNumber } from './numbers.ts';

/** An experiment measured once more. */
export interface Replay {
  readonly experiment: Experiment;
  readonly outcome: Outcome;
  readonly reproduced: boolean;
  readonly within: number;
}

/** What became of all of them. */
export interface Replays {
  readonly measured: number;
  readonly reproduced: number;
  /** Attempts that were refused, and measurements that were void: nothing to compare with. */
  readonly refused: number;
}

export function formatReplay({ experiment, outcome, reproduced, within }: Replay): string {
  const { n, score, event } = experiment;
  const margin = within > 0 ? `   within ${plainNumber(within)}` : '';
  return `#${n}  measured ${words(outcome)}   recorded ${score ?? event}${margin}   ${reproduced ? 'REPRODUCED' : 'DIFFERS'}\n`;
}

export const replayJson = ({ experiment, outcome, reproduced, within }: Replay): Record<string, unknown> => ({
  schema: 'orgrepo/replay@1',
  n: experiment.n,
  commit: experiment.tried,
  harness: experiment.harness,
  recorded: experiment.score ?? experiment.event,
  measured: outcome.kind === 'scored' ? outcome.score : outcome.kind,
  within,
  reproduced,
});

/** `300 of 300 reproduced, 4 were never measured` */
export function formatReplays({ measured, reproduced, refused }: Replays): string {
  const apart = refused === 0 ? '' : `, ${refused} ${refused === 1 ? 'was' : 'were'} never measured`;
  return `${reproduced} of ${measured} reproduced${apart}\n`;
}

export const replaysJson = (replays: Replays): Record<string, unknown> => ({ schema: 'orgrepo/replays@1', ...replays });

function words(outcome: Outcome): string {
  if (outcome.kind === 'scored') return String(outcome.score);
  return outcome.kind === 'timed-out' ? 'timeout' : `${outcome.kind} (${visible(outcome.reason)})`;
}
