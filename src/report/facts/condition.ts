import type { BudgetPolicy, Charter, Member } from '../../domain/staff/charter.ts';
import { agentsWithDuty, everybodyIn } from '../../domain/staff/staff.ts';
import { idlenessIn, trustIn, trustOf } from '../../domain/staff/trust.ts';
import type { Brief } from '../../domain/words/brief.ts';
import { priorityOf, riskOf } from '../../domain/words/spec.ts';
import { add, type Cap, countedIn, noSum, type Sum, totalOf } from '../../domain/words/spending.ts';
import { elapsedOf, spanAt } from '../../domain/words/spent.ts';
import { pinBrief } from '../../org/force/pin-brief.ts';
import { staffed } from '../../org/rules/roster.ts';
import { routeSpec } from '../../org/rules/route.ts';
import { type Org, trunkTip } from '../../records/org.ts';
import type { Queue } from '../../records/queue/queue.ts';
import { readableLedgers, readPeriodSpent } from '../../spend/books/spent-so-far.ts';
import { type Use, usesOf } from '../../spend/rules/allowance.ts';
import { isProblem, orProblem } from '../../text/problem.ts';
import { fewestTasks, type HealthFacts, healthOf } from '../advice/health-score.ts';
import { type Observed, type Recommendation, recommend } from '../advice/recommend.ts';
import { readWork, type WorkFacts } from './facts-of-work.ts';

/**
 * How far back is read. The score is of the last few specs of each agent, so that `status` costs the same after 100,000
 * experiments and the report gives the same score. What is recommended rests on more, because trust and ideas take their time.
 */
const ofHealth = { perAgent: 3, fewest: 10, most: 60, entries: 2_000 };
const ofAdvice = { specs: 200, entries: 50_000 };

/** Undefined where too few specs were claimed to say anything. */
export async function readHealth(org: Org, queue: Queue, brief: Brief, charter: Charter | undefined, now: number) {
  if (queue.ledger.specs < fewestTasks) return undefined;
  const staff = staffedBy(brief, charter);
  const { perAgent, fewest, most } = ofHealth;
  const specs = Math.min(most, Math.max(fewest, perAgent * agentsWithDuty(staff, 'junior').length));
  const work = await readWork(org, queue, staff, now, specs);
  if (work.tasks.length < fewestTasks) return undefined;
  const use = await readBudgetUse(org, { brief, charter, work, run: queue.ledger.run }, ofHealth.entries);
  return healthOf({ ...work, budget: use.health, now: work.at });
}

/** What people might change. Without a chart that is what program.md says: nobody has a department or a level. */
export async function readRecommendations(
  org: Org,
  queue: Queue,
  brief: Brief,
  charter: Charter | undefined,
  now: number,
): Promise<readonly Recommendation[]> {
  const staff = staffedBy(brief, charter);
  const work = await readWork(org, queue, staff, now, ofAdvice.specs);
  const { uses, elapsed } = await readBudgetUse(org, { brief, charter, work, run: queue.ledger.run }, ofAdvice.entries);
  const charted = charter !== undefined && charter.members.length > 0;
  const [trunk, trusts] = [await orProblem(briefOfTrunk(org)), trustIn(work.tasks)];
  return recommend({
    charter: charted ? charter : { departments: [], members: agentsWithDuty(brief, 'junior').map(junior) },
    tasks: work.tasks,
    trusts,
    idleness: idlenessIn(work.shifts, work.tasks, work.at),
    cycleSeconds: work.cycleSeconds,
    waiting: charted ? waitingIn(queue, brief, charter, { tasks: work.tasks, trusts }) : [],
    uses,
    elapsed,
    prose: isProblem(trunk) ? '' : trunk.prose, // What people have said since the run is not recommended again.
    unread: everybodyIn(staff.staff).every(({ kind }) => kind === 'search'),
  });
}

const staffedBy = (brief: Brief, charter: Charter | undefined): Brief =>
  charter === undefined ? brief : staffed(brief, charter);

/** As people have it now. */
export const briefOfTrunk = async (org: Org): Promise<Brief> => (await pinBrief(org, await trunkTip(org))).brief;

/** Of a brief's own junior there is nothing in ORG.md to change: neither a count nor a level below a senior's. */
const junior = (id: string): Member => ({
  ...{ id, name: id, level: 6, department: undefined, reportsTo: undefined, domains: [], model: undefined },
  ...{ modelWords: undefined, limit: undefined, context: '', role: { name: id, index: 1, count: 1 } },
  place: { file: 'program.md' },
});

/** Where each spec that nobody has claimed would go, one after the other: an agent that has got one has one more to do. */
function waitingIn(
  queue: Queue,
  brief: Brief,
  charter: Charter,
  { tasks, trusts }: Pick<Observed, 'tasks' | 'trusts'>,
): Observed['waiting'] {
  const busy = tasks.filter(({ endedAt }) => endedAt === undefined);
  const open = new Map<string, number>();
  const count = (agent: string): void => void open.set(agent, (open.get(agent) ?? 0) + 1);
  for (const { agent } of busy) count(agent);
  const claimed = new Set(tasks.map(({ spec }) => spec));
  const isAgent = (name: string): boolean => charter.members.some(({ id }) => id === name);
  return queue.specs.flatMap((spec) => {
    if (claimed.has(spec.id) || spec.role === 'human') return [];
    const candidates = charter.members.map((member) => ({
      ...{ member, open: open.get(member.id) ?? 0, trust: trustOf(trusts, member.id) },
    }));
    const routable = { ...spec, priority: priorityOf(spec, isAgent), risk: riskOf(spec, brief) };
    const route = routeSpec(routable, candidates, charter);
    if (route.kind === 'nobody') return [];
    count(route.to);
    return [{ spec: spec.id, to: route.to }];
  });
}

/** How the org's limits are used: each by itself, and all of it as one figure. */
interface BudgetUse {
  readonly health: HealthFacts['budget'];
  /** Of the chart's own limits alone: nobody but a chart has limits of a period that could be changed there. */
  readonly uses: readonly Use[];
  /** Of the chart's period. */
  readonly elapsed: number;
}

const nothing: BudgetUse = { health: undefined, uses: [], elapsed: 0 };

interface BudgetOf {
  readonly brief: Brief;
  readonly charter: Charter | undefined;
  readonly work: Pick<WorkFacts, 'at' | 'run'>;
  /** The name of the last run. */
  readonly run: string;
}

/**
 * The chart's limits; without them the brief's cap on a day, and without that its cap on the night. Where no model
 * was asked a limit that is not used says nothing of anybody.
 */
export async function readBudgetUse(org: Org, { brief, charter, work, run }: BudgetOf, mostEntries: number) {
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
  if (elapsed === undefined) return { ...nothing, health: 'unread' as const };
  return { ...nothing, health: { used: partOf(counted, { usd, tokensIn, tokensOut }), elapsed } };
}

const limitedBy = ({ perAgent, total }: BudgetPolicy, members: readonly Member[]): readonly Member[] =>
  members.filter(({ limit }) => limit !== undefined || perAgent !== undefined || total !== undefined);

/** The total where there is one; else what agents have used of their own limits, on the average. */
async function chartedUse(org: Org, budget: BudgetPolicy, limited: readonly Member[], at: number, mostEntries: number) {
  const span = spanAt(budget.period.value, at);
  const elapsed = elapsedOf(span, at);
  const spent = await readPeriodSpent(org, span, mostEntries);
  if (spent === undefined) return { health: 'unread' as const, uses: [], elapsed };
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
