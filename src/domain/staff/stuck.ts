import type { Experiment } from '../words/experiment.ts';
import type { EscalationReason } from './escalation.ts';

type Try = Pick<Experiment, 'event' | 'seconds' | 'merged' | 'part' | 'reason'>;

/** So many timeouts, one after the other, are no accident. */
export const timeoutsInARow = 2;

/** Why a spec that has ended should be somebody else's concern, by what was tried; undefined where something won. */
export function stuckReason(
  tries: readonly Try[],
  why: string,
): { readonly reason: EscalationReason; readonly text: string } | undefined {
  const own = tries.filter(({ merged, part, event }) => !merged && part === undefined && event !== 'void');
  if (own.some(({ event }) => event === 'keep')) return undefined;
  const last = own.slice(-timeoutsInARow);
  if (last.length === timeoutsInARow && last.every(({ event }) => event === 'timeout'))
    return { reason: 'TIMEOUT', text: `the last ${timeoutsInARow} attempts ran out of time` };
  if (own.every(({ seconds }) => seconds === undefined))
    return {
      reason: 'BLOCKED',
      text: own.length === 0 ? why : `nothing could be measured: ${own.at(-1)?.reason ?? why}`,
    };
  return {
    reason: 'LOW_CONFIDENCE',
    text: `${own.length} attempts, and nothing won: ${own.at(-1)?.reason ?? ''}`,
  };
}

/** `go on with 0007: …`: how a spec is called with which an answer lets the work go on. */
export const isFollowUp = ({ title }: { readonly title: string }): boolean => /^go on with [0-9]{4,9}: /.test(title);

/** What an agent says with its last line: `ESCALATE BLOCKED: the data are missing`. */
export function escalationIn(
  line: string,
  reasons: readonly EscalationReason[],
): { readonly reason: EscalationReason; readonly words: string } | undefined {
  const [, word, words = ''] = /^ESCALATE[: ]+([A-Z_]+)\s*[:.-]?\s*(.*)$/.exec(line.trim()) ?? [];
  const reason = reasons.find((one) => one === word);
  return reason && { reason, words: words.trim() };
}
