import type { BudgetPolicy, Member, Quantity } from '../../domain/staff/charter.ts';
import { type Amount, nanosOf, noSum, type Sum, sumOf } from '../../domain/words/spending.ts';
import { type Span, spanInWords } from '../../domain/words/spent.ts';

/** What a credit is worth in dollars where the org says nothing else: a cent. */
export const creditUsd = 0.01;

/** How much of a limit is used up. */
export interface Use {
  /** An agent's id, or `all agents`. */
  readonly whose: string;
  readonly limit: Quantity;
  /** In the limit's unit. */
  readonly used: number;
  readonly part: number;
  /** Tokens whose price nobody knows: a limit in money does not count them. */
  readonly unpriced: number;
  readonly from: string;
}

/**
 * Whether an agent may begin. `alerts` are the limits whose threshold is reached, each to be said once in a period.
 * `pause`: what goes on is finished, then the agent waits for the next period or for a person, and OVER_BUDGET is escalated.
 * `stop`: nothing is begun that could break the limit.
 * `person`: a single act is dearer than one may be without a person's approval.
 */
export type Allowed =
  | { readonly kind: 'go'; readonly alerts: readonly Use[] }
  | { readonly kind: 'pause' | 'stop'; readonly use: Use; readonly reason: string; readonly alerts: readonly Use[] }
  | { readonly kind: 'person'; readonly reason: string; readonly alerts: readonly Use[] };

export interface AllowanceQuestion {
  readonly member: Pick<Member, 'id' | 'limit'>;
  /** In a period: spent and set aside, by this agent and by all together. */
  readonly counted: Readonly<Record<'agent' | 'total', Sum>>;
  /** The most that the act can use; undefined where nobody can say before it. */
  readonly wanted?: Amount | undefined;
  readonly span: Span;
  /** What a credit is worth in this org, in dollars. */
  readonly credit?: number | undefined;
}

/** The agent's own limit is looked at first, then the one of all agents. */
export function allowanceFor(budget: BudgetPolicy, asked: AllowanceQuestion): Allowed {
  const uses = usesOf(budget, asked);
  const alerts = uses.filter(({ part }) => part >= budget.alertAt.value);
  const over = budget.overage.value === 'warn' ? undefined : uses.find((use) => isOver(use, budget, asked));
  if (over !== undefined) {
    const kind = budget.overage.value === 'stop' ? 'stop' : 'pause';
    return { kind, use: over, reason: overInWords(over, asked), alerts };
  }
  const { singleAct } = budget;
  const usd = asked.wanted?.usd;
  if (singleAct !== undefined && usd !== undefined && nanosOf(usd) > nanosOf(singleAct.value)) {
    const most = `one act may cost $${singleAct.value} without a person's approval (${singleAct.from})`;
    return { kind: 'person', reason: `it may cost $${usd}, and ${most}`, alerts };
  }
  return { kind: 'go', alerts };
}

/** What stands against the limits that there are: the agent's own or everybody's share, and the org's. */
export function usesOf(budget: BudgetPolicy, { member, counted, credit = creditUsd }: AllowanceQuestion): Use[] {
  const own = member.limit === undefined ? budget.perAgent : { value: member.limit, from: 'its role' };
  const use = (whose: string, { value, from }: { value: Quantity; from: string }, sum: Sum): Use => {
    const used = inUnit(sum, value, credit);
    const part = value.amount > 0 ? used / value.amount : 1; // A limit of nothing is used up from the start.
    return { whose, limit: value, used, part, unpriced: value.unit === 'tokens' ? 0 : sum.unpriced, from };
  };
  return [
    ...(own === undefined ? [] : [use(member.id, own, counted.agent)]),
    ...(budget.total === undefined ? [] : [use('all agents', budget.total, counted.total)]),
  ];
}

/** `1050 of 1000 credits`. */
export const useInWords = ({ used, limit: { amount, unit } }: Use): string =>
  unit === 'usd' ? `$${tidy(used)} of $${tidy(amount)}` : `${tidy(used)} of ${tidy(amount)} ${unit}`;

/** A pause lets what was begun run over its limit; a stop lets nothing begin that might. */
function isOver(
  { used, limit }: Use,
  budget: BudgetPolicy,
  { wanted, credit = creditUsd }: AllowanceQuestion,
): boolean {
  const more =
    budget.overage.value === 'stop' ? inUnit(wanted === undefined ? noSum : sumOf(wanted), limit, credit) : 0;
  return used >= limit.amount || used + more > limit.amount * (1 + 1e-12); // Cents are no binary fractions.
}

function inUnit(sum: Sum, { unit }: Quantity, credit: number): number {
  if (unit === 'tokens') return sum.tokensIn + sum.tokensOut;
  return unit === 'usd' ? sum.nanos / 1e9 : sum.nanos / nanosOf(credit);
}

function overInWords(use: Use, { span, wanted }: AllowanceQuestion): string {
  const full = use.used >= use.limit.amount;
  const would = full || wanted === undefined ? '' : ', and it might use more than the rest';
  const have = use.whose === 'all agents' ? 'have' : 'has';
  return `${use.whose} ${have} used ${useInWords(use)} in ${spanInWords(span)} (${use.from})${would}`;
}

const tidy = (value: number): string => String(Number(value.toPrecision(6)));
