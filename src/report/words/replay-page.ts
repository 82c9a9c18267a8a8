import { actInWords, formatReasons, formatResult } from '../../domain/rules/act.ts';
import type { Outcome } from '../../domain/words/experiment.ts';
import type { DecidedAgain } from '../../policy/policy-judge.ts';
import type { Replayed } from '../../score/measure/replay-experiment.ts';
import { visible } from '../../terminal/visible.ts';
import { plainNumber } from './numbers.ts';

/** What became of all of them; refused are those with nothing to compare with. */
type Replays = Readonly<Record<'measured' | 'reproduced' | 'refused', number>>;

export function formatReplay({ experiment, outcome, reproduced, within }: Replayed): string {
  const { n, score, event } = experiment;
  const margin = within > 0 ? `   within ${plainNumber(within)}` : '';
  return `#${n}  measured ${words(outcome)}   recorded ${score ?? event}${margin}   ${reproduced ? 'REPRODUCED' : 'DIFFERS'}\n`;
}

export const replayJson = ({ experiment, outcome, reproduced, within }: Replayed): Record<string, unknown> => ({
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

export function formatReplayedDecision({ recorded, again, same }: DecidedAgain): string {
  const { n, id, policies, act, result, reason } = recorded;
  const lines = [
    `D${n}  ${actInWords(act)}   decided ${formatResult(again.result)}   recorded ${result}   ${same ? 'REPRODUCED' : 'DIFFERS'}`,
    reason || 'no reason is recorded',
    ...(same ? [] : [`now: ${formatReasons(again.reasons) || 'no reason'}`]),
    `policies ${policies.slice(0, 7)}, decision ${id}`,
  ];
  return `${lines.map(visible).join('\n  ')}\n`;
}

export const replayedDecisionJson = ({ recorded, again, same }: DecidedAgain): Record<string, unknown> => ({
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
