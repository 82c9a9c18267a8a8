import { elapsedOf, spanAt } from '../../domain/rules/period.ts';
import type { BudgetPolicy, Charter, Member } from '../../domain/staff/charter.ts';
import type { Brief } from '../../domain/words/brief.ts';
import { add, type Cap, countedIn, noSum, type Sum, totalOf } from '../../domain/words/spending.ts';
import type { Org } from '../../records/org.ts';
import { readPeriodSpent } from '../../spend/books/spend-period.ts';
import { readableLedgers } from '../../spend/books/spent-tonight.ts';
import { type Use, usesOf } from '../../spend/rules/allowance.ts';
import type { HealthFacts } from '../advice/health-score.ts';
import type { WorkFacts } from './facts-of-work.ts';

/** How the org's limits are used: each by itself, and all of it as one figure. */
export interface BudgetUse {
  readonly health: HealthFacts['budget'];
  /** Of the chart's own limits alone: nobody but a chart has limits of a period that could be changed there. */
  readonly uses: readonly Use[];
  /** Of the chart's period. */
  readonly elapsed: number;
}

const nothing: BudgetUse = { health: undefined, uses: [], elapsed: 0 };

/**
 * The chart's limits; without them the brief's cap on a day, and without that its cap on the night. Where no model
 * was asked a limit that is not used says nothing of anybody.
 */
export async function readBudgetUse(
  org: Org,
  brief: Brief,
  charter: Charter | undefined,
  work: Pick<WorkFacts, 'at' | 'run'>,
  run: string,
  mostEntries: number,
): Promise<BudgetUse> {
  const limited = charter === undefined ? [] : limitedBy(charter.policies.budget, charter.members);
  if (charter !== undefined && limited.length > 0)
    return chartedUse(org, charter.policies.budget, limited, work.at, mostEntries);
  const books = await readableLedgers(org);
  const tonight = books.filter(({ night }) => night === run && run !== '');
  if (tonight.length === 0) return nothing;
  const { day } = brief.caps;
  if (day !== undefined) {
    const span = spanAt('day', work.at);
    const today = books.filter((book) => book.day === span.firstDay);
    const counted = today.map((book) => countedIn(totalOf(book, 'day'))).reduce(add, noSum);
    return { ...nothing, health: { used: partOf(counted, day), elapsed: elapsedOf(span, work.at) } };
  }
  const { usd, tokensIn, tokensOut, nightMs } = brief.budget;
  if (usd === undefined && tokensIn === undefined && tokensOut === undefined) return nothing;
  const counted = tonight.map((book) => countedIn(totalOf(book, 'night'))).reduce(add, noSum);
  const elapsed = nightElapsed(work, nightMs);
  if (elapsed === undefined) return { ...nothing, health: 'unread' };
  return { ...nothing, health: { used: partOf(counted, { usd, tokensIn, tokensOut }), elapsed } };
}

const limitedBy = ({ perAgent, total }: BudgetPolicy, members: readonly Member[]): readonly Member[] =>
  members.filter(({ limit }) => limit !== undefined || perAgent !== undefined || total !== undefined);

/** The total where there is one; else what agents have used of their own limits, on the average. */
async function chartedUse(
  org: Org,
  budget: BudgetPolicy,
  limited: readonly Member[],
  at: number,
  mostEntries: number,
): Promise<BudgetUse> {
  const span = spanAt(budget.period.value, at);
  const elapsed = elapsedOf(span, at);
  const spent = await readPeriodSpent(org, span, mostEntries);
  if (spent === undefined) return { health: 'unread', uses: [], elapsed };
  if (spent.agents.size === 0) return nothing;
  const all = limited.flatMap((member) =>
    usesOf(budget, { member, counted: { agent: spent.agents.get(member.id) ?? noSum, total: spent.total }, span }),
  );
  const total = all.find(({ whose }) => whose === 'all agents');
  const own = all.filter(({ whose }) => whose !== 'all agents');
  const used = total?.part ?? own.reduce((sum, { part }) => sum + part, 0) / own.length;
  return { health: { used, elapsed }, uses: total === undefined ? own : [total, ...own], elapsed };
}

/** A night that is over has used what it has used; of one whose beginning was not read nothing can be said. */
function nightElapsed({ at, run }: Pick<WorkFacts, 'at' | 'run'>, nightMs: number): number | undefined {
  if (run.until !== undefined) return 1;
  return run.from === undefined ? undefined : Math.min(1, ((at - run.from) * 1000) / nightMs);
}

/** Whatever of a cap is used up most. */
const partOf = ({ nanos, tokensIn, tokensOut }: Sum, cap: Cap): number =>
  Math.max(
    ...[
      [nanos / 1e9, cap.usd],
      [tokensIn, cap.tokensIn],
      [tokensOut, cap.tokensOut],
    ].map(([used = 0, most]) => (most === undefined ? 0 : most === 0 ? 1 : used / most)),
  );
