import { type Act, actInWords } from '../../domain/rules/act.ts';
import { type Decision, formatReasons, formatResult } from '../../domain/rules/decision.ts';
import type { Experiment, Outcome } from '../../domain/words/experiment.ts';
import { visible } from '../../terminal/visible.ts';
import { plainNumber } from './numbers.ts';

/** An experiment measured once more. */
interface Replay {
  readonly experiment: Experiment;
  readonly outcome: Outcome;
  readonly reproduced: boolean;
  readonly within: number;
}

/** What became of all of them. */
interface Replays {
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

/** A decision that was made once more. */
interface ReplayedDecision {
  readonly recorded: {
    readonly n: number;
    readonly id: string;
    readonly commit: string;
    readonly policies: string;
    readonly act: Act;
    readonly result: string;
    readonly reason: string;
  };
  readonly again: Decision;
  readonly same: boolean;
}

export function formatReplayedDecision({ recorded, again, same }: ReplayedDecision): string {
  const { n, id, policies, act, result, reason } = recorded;
  const lines = [
    `D${n}  ${actInWords(act)}   decided ${formatResult(again.result)}   recorded ${result}   ${same ? 'REPRODUCED' : 'DIFFERS'}`,
    reason || 'no reason is recorded',
    ...(same ? [] : [`now: ${formatReasons(again.reasons) || 'no reason'}`]),
    `policies ${policies.slice(0, 7)}, decision ${id}`,
  ];
  return `${lines.map(visible).join('\n  ')}\n`;
}

export const replayedDecisionJson = ({ recorded, again, same }: ReplayedDecision): Record<string, unknown> => ({
  schema: 'orgrepo/decision@1',
  n: recorded.n,
  decision: recorded.id,
  commit: recorded.commit,
  policies: recorded.policies,
  act: recorded.act,
  recorded: recorded.result,
  reason: recorded.reason,
  decided: formatResult(again.result),
  reasons: again.reasons,
  reproduced: same,
});
