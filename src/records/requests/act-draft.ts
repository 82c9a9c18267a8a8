import { createHash } from 'node:crypto';
import { type Act, actInWords, type Decision, refusalOf } from '../../domain/rules/act.ts';
import type { AskedAct } from '../../domain/rules/request.ts';
import { formatUsd } from '../../domain/words/spent.ts';
import { cleanLine } from '../../text/problem.ts';

/** An act that a person must approve before it is done. */
export type ActDraft = Omit<AskedAct, 'kind' | 'id' | 'at' | 'until' | 'agents'>;

/**
 * The act for which policies want a person's answer. Trust and the count of tokens change all the time, so they are not in the key:
 * a yes to a model call counts for the calls of its errand that cost no more. The agent is not in it either: people are asked once
 * for an act, whichever agent does it.
 */
export function draftFor(decision: Decision, errand?: string): ActDraft {
  const { act, id, result } = decision;
  const { context, principal, resource, texts, numbers } = act;
  const usd = typeof context.usd === 'number' ? context.usd : undefined;
  const said = act.act === 'spend' ? { spec: context.spec } : context;
  const by = result.kind === 'needs-approval' ? result.by : [];
  const key = requestKey([act.act, resource, said, texts, numbers, by, decision.policies], errand);
  return {
    ...{ key, agent: principal.id, act: act.act, words: wordsFor(act, errand), usd, decision: id },
    ...{ reason: refusalOf(decision), by },
  };
}

/** Each call of a conversation pays for all before it: a yes to the price of the first call would let no agent finish. */
const room = 4;

/** The draft as people see it: for a model call with the most that each call of its errand may cost, in whole cents. */
export function whole(draft: ActDraft): ActDraft {
  if (draft.usd === undefined) return draft;
  const usd = Math.ceil(draft.usd * room * 100) / 100;
  return { ...draft, usd, words: `${draft.words}, $${formatUsd(usd)} a call at most` };
}

/** The same key for the same value, and for one errand alone if there is one. */
export function requestKey(value: unknown, errand?: string): string {
  const kin = createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 40);
  return errand === undefined ? kin : `${kin}.${errand}`;
}

/** What the keys of all errands for the same act have in common. */
export const errandless = (key: string): string => key.slice(0, 40);

/** A person approves the arguments of a tool too. */
function wordsFor(act: Act, errand: string | undefined): string {
  const given = Object.entries({ ...act.texts, ...act.numbers }).map(([name, value]) => `${name} ${value}`);
  const why = errand === undefined ? '' : ` for ${errand}`;
  return `${actInWords(act)}${why}${given.length === 0 ? '' : ` with ${given.join(', ')}`}`.replaceAll(/\s+/g, ' ');
}

/** People approve words, and an act that theirs is to approve: a request that differs in these is another one, whatever key it has. */
export const isSameAct = (asked: AskedAct, draft: ActDraft): boolean =>
  asked.key === draft.key &&
  asked.act === draft.act &&
  asked.by.join() === draft.by.join() &&
  deedIn(asked.words) === deedIn(draft.words) &&
  (draft.usd === undefined || (asked.usd ?? 0) >= draft.usd);

/** Without the agent and the price, which may differ. */
const deedIn = (words: string): string =>
  cleanLine(words, 4_096)
    .replace(/^\S+ wants to /, '')
    .replace(/, \$[\d.,]+ a call at most$/, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
