import { type Act, actInWords, type Decision, formatReasons, formatResult } from '../../domain/rules/act.ts';
import { visible } from '../../terminal/visible.ts';

/** A decision that was made once more. */
export interface ReplayedDecision {
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
