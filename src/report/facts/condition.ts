import type { Charter, Member } from '../../domain/staff/charter.ts';
import { agentsWithDuty, everybodyIn } from '../../domain/staff/staff.ts';
import { trustIn, trustOf } from '../../domain/staff/trust.ts';
import type { Brief } from '../../domain/words/brief.ts';
import { priorityOf, riskOf } from '../../domain/words/spec.ts';
import { idlenessIn } from '../../domain/words/task.ts';
import { pinBrief } from '../../org/force/pin-brief.ts';
import { staffed } from '../../org/rules/roster.ts';
import { routeSpec } from '../../org/rules/route.ts';
import { type Org, trunkTip } from '../../records/org.ts';
import type { Queue } from '../../records/queue/queue.ts';
import { isProblem } from '../../text/problem.ts';
import { fewestTasks, type Health, healthOf } from '../advice/health-score.ts';
import { type Observed, type Recommendation, recommend } from '../advice/recommend.ts';
import { readBudgetUse } from './budget-use.ts';
import { readWork, type WorkFacts } from './facts-of-work.ts';

/**
 * How far back is read. The score is of the last few specs of each agent, so that `status` costs the same after 100,000
 * experiments and the report gives the same score. What is recommended rests on more, because trust and ideas take their time.
 */
const ofHealth = { perAgent: 3, fewest: 10, most: 60, entries: 2_000 };
const ofAdvice = { specs: 200, entries: 50_000 };

/** Undefined where too few specs were claimed to say anything. */
export async function readHealth(
  org: Org,
  queue: Queue,
  brief: Brief,
  charter: Charter | undefined,
  now: number,
): Promise<Health | undefined> {
  if (queue.ledger.specs < fewestTasks) return undefined;
  const staff = staffedBy(brief, charter);
  const { perAgent, fewest, most } = ofHealth;
  const specs = Math.min(most, Math.max(fewest, perAgent * agentsWithDuty(staff, 'junior').length));
  const work = await readWork(org, queue, staff, now, specs);
  if (work.tasks.length < fewestTasks) return undefined;
  const { health: budget } = await readBudgetUse(org, brief, charter, work, queue.ledger.run, ofHealth.entries);
  return healthOf({ ...work, budget, now: work.at });
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
  const { uses, elapsed } = await readBudgetUse(org, brief, charter, work, queue.ledger.run, ofAdvice.entries);
  const charted = charter !== undefined && charter.members.length > 0;
  return recommend({
    charter: charted ? charter : { departments: [], members: agentsWithDuty(brief, 'junior').map(junior) },
    tasks: work.tasks,
    trusts: trustIn(work.tasks),
    idleness: idlenessIn(work.shifts, work.tasks, work.at),
    cycleSeconds: work.cycleSeconds,
    waiting: charted ? waitingIn(queue, brief, charter, work) : [],
    uses,
    elapsed,
    prose: await proseOfTrunk(org),
    unread: everybodyIn(staff.staff).every(({ kind }) => kind === 'search'),
  });
}

const staffedBy = (brief: Brief, charter: Charter | undefined): Brief =>
  charter === undefined ? brief : staffed(brief, charter);

/** As people have it now: what they have said since the run is not recommended again. */
async function proseOfTrunk(org: Org): Promise<string> {
  try {
    return (await pinBrief(org, await trunkTip(org))).brief.prose;
  } catch (error) {
    if (isProblem(error)) return '';
    throw error;
  }
}

/** Of a brief's own junior there is nothing in ORG.md to change: neither a count nor a level below a senior's. */
const junior = (id: string): Member => ({
  ...{ id, name: id, level: 6, department: undefined, reportsTo: undefined, domains: [], model: undefined },
  ...{ modelWords: undefined, limit: undefined, context: '', role: { name: id, index: 1, count: 1 } },
  place: { file: 'program.md' },
});

/** Where each spec that nobody has claimed would go, one after the other: who has got one has one more to do. */
function waitingIn(queue: Queue, brief: Brief, charter: Charter, { tasks }: WorkFacts): Observed['waiting'] {
  const trusts = trustIn(tasks);
  const held = tasks.filter(({ endedAt }) => endedAt === undefined);
  const open = new Map<string, number>();
  const count = (agent: string): void => void open.set(agent, (open.get(agent) ?? 0) + 1);
  for (const { agent } of held) count(agent);
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
