import { plainArguments } from '../../domain/rules/plain-arguments.ts';
import { memberOf } from '../../domain/staff/chart.ts';
import type { BudgetPolicy, Charter, Quantity } from '../../domain/staff/charter.ts';
import type { Fact } from '../../domain/words/fact.ts';
import { type Amount, noSum, type Payer, type Refused } from '../../domain/words/spending.ts';
import { type Span, spanAt, spanInWords } from '../../domain/words/spent.ts';
import { nowInSeconds } from '../../process/pace.ts';
import type { Org } from '../../records/org.ts';
import { type ActDraft, requestKey, usesOfRequest, writeAlert } from '../../records/requests/requests.ts';
import { writePayment } from '../../spend/books/paid-book.ts';
import { openPeriodBooks, type PeriodSums, sumOfAll } from '../../spend/books/spent-so-far.ts';
import { allowanceFor, creditUsd, usesOf as limitsOf, type Use, useInWords } from '../../spend/rules/allowance.ts';
import { shorterCall } from '../../spend/rules/call-amounts.ts';
import { wordOn } from '../people/ask-people.ts';
import { warn } from './night-basics.ts';

/** What the org's budget of a period leaves of a call. */
export interface PeriodAllowance {
  /**
   * Reserves where the budget lets it. One at a time: of two who ask at once the second must find the first one on the books.
   * `rest` is less than `most` where all that is left is wanted, and the limit leaves less.
   */
  under<T>(call: Payer & WantedAmount, reserve: (rest: Amount) => Promise<T>): Promise<T | Refused>;
  /** Why an agent need not begin anything: a limit is used up, apart from what goes on tonight. People are asked as for a call. */
  usedUp(agent: string): Promise<Refused | undefined>;
}

export interface WantedAmount {
  readonly most: Amount;
  /** The attempt, the plan or the review that it is a part of. */
  readonly errand?: string | undefined;
  /** The least that it can begin with, where it takes what it gets. */
  readonly least?: Amount | undefined;
  /** A program takes all that is left, of tokens to read too; a call only an answer as long as it can pay. */
  readonly all?: boolean | undefined;
  /** Others hold a part of what is counted, and may give it back: it is too early to ask people for more. */
  readonly isEarly?: boolean | undefined;
}

type Charted = Pick<Charter, 'members' | 'policies'>;

export function openAllowance(
  org: Org,
  run: string,
  charter: () => Charted | undefined,
  say: (fact: Fact) => void,
): PeriodAllowance {
  const sumsIn = openPeriodBooks(org);
  const begun = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();

  const alert = async (use: Use, span: Span): Promise<void> => {
    const have = use.whose === 'all agents' ? 'have' : 'has';
    const words = `${use.whose} ${have} used ${useInWords(use)} in ${spanInWords(span)} (${use.from})`;
    if (await writeAlert(org, use.whose, span, words)) warn({ say }, words);
  };

  const ask = async (call: Payer & WantedAmount, charted: Charted, without?: string): Promise<Amount | Refused> => {
    const { budget } = charted.policies;
    const span = spanAt(budget.period.value, nowInSeconds());
    const sums = await sumsIn(span, without);
    const asked = await askedFor(org, call, charted, span, sums);
    const allowed = allowanceFor(asked.budget, { ...asked, wanted: call.least ?? call.most });
    for (const use of allowed.alerts) await alert(use, span);
    const key = `${call.spec ?? ''}/${call.attempt ?? ''}`;
    const isUnderway = allowed.kind === 'pause' && call.attempt !== undefined && begun.has(key);
    if (allowed.kind === 'go' || isUnderway) {
      begun.add(key);
      return restOf(call, asked.budget, limitsOf(asked.budget, asked));
    }
    const draft = call.isEarly ? undefined : askFor(call, allowed, charted, span);
    const isErrand = allowed.kind === 'person' && call.errand !== undefined;
    const word = draft && { ...(await wordOn(org, draft, say, isErrand)), key: draft.key };
    // A yes to more has made the limit larger, and a yes to one act is for this one.
    if (word?.kind === 'yes') return allowed.kind === 'person' ? call.most : ask(call, charted, without);
    return refusedBy(call, allowed, word);
  };

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };

  return {
    under: (call, reserve) => {
      const charted = charter();
      if (charted === undefined || !isLimited(charted)) return reserve(call.most);
      return inTurn(async () => {
        const rest = await ask(call, charted);
        return 'kind' in rest ? rest : reserve(rest);
      });
    },
    usedUp: async (agent) => {
      const charted = charter();
      if (charted === undefined || !isLimited(charted)) return undefined;
      const call = { agent, spec: undefined, attempt: undefined, most: nothing };
      const rest = await inTurn(() => ask(call, charted, run));
      return 'kind' in rest ? rest : undefined;
    },
  };
}

const nothing: Amount = { usd: undefined, tokensIn: 0, tokensOut: 0 };

const isLimited = ({ members, policies: { budget } }: Charted): boolean =>
  [budget.perAgent, budget.total, budget.singleAct].some((one) => one !== undefined) ||
  members.some(({ limit }) => limit !== undefined);

/** The limits as people have raised them for this period, and what counts against them. */
async function askedFor(org: Org, { agent }: Payer, { members, policies }: Charted, span: Span, sums: PeriodSums) {
  const raised = async (whose: string, limit: Quantity): Promise<Quantity> => ({
    ...limit,
    amount: limit.amount * (1 + (await usesOfRequest(org, overageKey(whose, span), nowInSeconds()))),
  });
  const { perAgent, total } = policies.budget;
  const own = memberOf({ members }, agent)?.limit;
  const budget: BudgetPolicy = {
    ...policies.budget,
    perAgent: perAgent && { ...perAgent, value: await raised(agent, perAgent.value) },
    total: total && { ...total, value: await raised('all agents', total.value) },
  };
  return {
    budget,
    member: { id: agent, limit: own && (await raised(agent, own)) },
    counted: { agent: sums.get(agent) ?? noSum, total: sumOfAll(sums) },
    span,
  };
}

/** The request to people; undefined for a limit that stops, which people change in the file. */
function askFor(call: Payer & WantedAmount, allowed: OverLimit, charted: Charted, span: Span): ActDraft | undefined {
  if (allowed.kind === 'stop') return undefined;
  const { agent, spec, most, errand } = call;
  const common = { agent, by: [], decision: undefined, reason: allowed.reason };
  return allowed.kind === 'person'
    ? {
        ...{ ...common, key: requestKey(['act', agent, spec], errand), act: 'spend', usd: most.usd },
        words: `${agent} wants to ask a model for ${errand}`,
      }
    : {
        ...{ ...common, key: overageKey(allowed.use.whose, span), act: 'overage', usd: undefined },
        words: overageInWords(allowed.use, call, charted, span),
      };
}

/** What the limits hold up. */
type OverLimit = Exclude<ReturnType<typeof allowanceFor>, { kind: 'go' }>;

const overageKey = (whose: string, { period, firstDay }: Span): string =>
  requestKey(['overage', whose, period, firstDay]);

/** As much as the file allows, once more. */
function overageInWords({ whose, limit }: Use, { agent }: Payer, { members, policies }: Charted, span: Span): string {
  const { perAgent, total } = policies.budget;
  const said = whose === agent ? (memberOf({ members }, agent)?.limit ?? perAgent?.value) : total?.value;
  const { amount, unit } = said ?? limit;
  return `${whose} may have another ${unit === 'usd' ? `$${amount}` : `${amount} ${unit}`} in ${spanInWords(span)}`;
}

/** An agent's limit is its end for tonight, everybody's is the night's, and a dear act ends alone. */
function refusedBy(call: Payer & WantedAmount, allowed: OverLimit, word?: Answered): Refused {
  const reason = `${allowed.reason}${word === undefined ? '' : wordsOf(word)}`;
  const { agent: name, most } = call;
  if (allowed.kind === 'person')
    return {
      ...{ kind: 'refused', scope: 'call', name, what: 'usd', cap: 0, counted: 0 },
      wanted: most.usd ?? 0,
      reason,
      request: word?.kind === 'waits' ? word.key : undefined,
    };
  const { use } = allowed;
  const what = use.limit.unit === 'tokens' ? 'tokensIn' : 'usd';
  const unit = use.limit.unit === 'credits' ? creditUsd : 1;
  return {
    ...{ kind: 'refused', scope: use.whose === name ? 'agent' : 'night', name: use.whose, what, reason },
    ...{ cap: use.limit.amount * unit, counted: use.used * unit, wanted: most[what] ?? 0 },
  };
}

/** What people say of a request, with its key. */
type Answered = Awaited<ReturnType<typeof wordOn>> & Pick<ActDraft, 'key'>;

const wordsOf = ({ kind, id }: Answered): string =>
  kind === 'denied' ? `; ${id} was denied` : `; it waits for a person: orgrepo approve ${id}`;

/** A call that takes what is left gets no more than a limit that stops has left, and no more than one act may cost. */
function restOf(
  { most, least, all }: WantedAmount,
  { overage, singleAct }: BudgetPolicy,
  limits: readonly Use[],
): Amount {
  if (least === undefined) return most;
  const smaller = (usd: number | undefined, than: number): number | undefined => usd && Math.min(usd, than);
  let rest = { ...most, usd: smaller(most.usd, singleAct?.value ?? Number.POSITIVE_INFINITY) };
  if (overage.value !== 'stop') return rest;
  for (const { limit, used } of limits) {
    const left = Math.max(0, limit.amount - used);
    if (limit.unit === 'tokens') {
      const tokensOut = Math.min(rest.tokensOut, Math.floor(all ? left / 10 : left - most.tokensIn));
      rest = { ...rest, tokensOut, tokensIn: Math.min(rest.tokensIn, Math.floor(left) - tokensOut) };
    } else rest = { ...rest, usd: smaller(rest.usd, left * (limit.unit === 'credits' ? creditUsd : 1)) };
  }
  return all ? rest : shorterCall({ most, least }, rest);
}

/** The argument in which a tool says what it pays, in dollars. */
const amountName = 'amount_usd';

export interface ToolCall {
  readonly agent: string;
  readonly spec: string | undefined;
  readonly server: string;
  readonly name: string;
}

/**
 * Counts what tools pay against what the org allows for a month of them, before they are used. Gives why one may not, in words
 * for the agent; undefined when it may, or where nothing is limited or said to be paid.
 */
export const openToolSpending =
  (org: Org, charter: () => Charter | undefined, say: (fact: Fact) => void) =>
  async (call: ToolCall, input: Readonly<Record<string, unknown>>): Promise<string | undefined> => {
    const limit = charter()?.policies.budget.tools;
    if (limit === undefined) return undefined;
    const { texts, numbers, unfit } = plainArguments(input);
    const usd = numbers[amountName];
    if (unfit !== undefined) return unfit;
    // The agent chooses the arguments, and must not choose whether they are counted.
    if (usd === undefined) return texts[amountName] === undefined ? undefined : `${amountName} is no number`;
    if (usd <= 0) return undefined;
    const { agent, spec, server, name } = call;
    const month = new Date().toISOString().slice(0, 7);
    const payment = { agent, spec, tool: `${server}.${name}`, usd, month };
    const refusal = await writePayment(org, payment, { usd: limit.value, from: limit.from });
    if (refusal !== undefined) warn({ say }, `${agent}: ${refusal}`);
    return refusal;
  };
