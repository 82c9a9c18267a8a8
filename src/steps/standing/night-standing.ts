import { type Ending, isStrike } from '../../domain/rules/stopping-rules.ts';
import type { OrderWord, Presence } from '../../domain/staff/presence.ts';
import { agentsWithDuty, choiceOf } from '../../domain/staff/staff.ts';
import { excuse, type SpecTask, type Trust, trustIn, trustOf } from '../../domain/staff/trust.ts';
import type { Experiment } from '../../domain/words/experiment.ts';
import type { Ledger } from '../../domain/words/ledger.ts';
import type { Spec } from '../../domain/words/spec.ts';
import type { Figures, Scope } from '../../domain/words/spending.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import type { Begun } from '../../org/rules/agent-standing.ts';
import { recentNotebooks, taskOf } from '../../records/notebook/history.ts';
import { readLastReport } from '../../records/notebook/run-end.ts';
import type { Org } from '../../records/org.ts';
import { type InVain, readMarks } from '../../records/queue/agent-book.ts';
import type { Queue } from '../../records/queue/queue.ts';
import { readExcused } from '../../records/requests/requests.ts';
import type { Awaited } from './refusals.ts';
import type { ClaimRefusal } from './standing-now.ts';

/** Whether each agent may go on, and if not, why: people's orders, strikes, caps, refusals and trust. */
export interface NightStanding {
  /** Why the run ends; undefined while it goes on. */
  ending: Ending | undefined;
  /** How many attempts have begun. */
  begun: number;
  /** What people last ordered, and when we looked. */
  lastOrders: { readonly at: number; readonly ledger: OrdersOnQueue };
  /** What people's orders come to, and the orders it was read from. */
  presence: { readonly of: readonly OrderWord[]; readonly now: Presence };
  /** What somebody has changed of the settings that git obeys here. */
  touched: string | undefined;
  /** How often each agent has tampered in this run, and the agents that are stopped, with the reason. */
  readonly strikes: Map<string, number>;
  readonly halted: Map<string, string>;
  /** The last experiment for which a person has forgiven an agent. */
  readonly forgiven: Map<string, number>;
  readonly inVain: Map<string, InVain>;
  /** How often in a row a critic or a checker gave no answer. */
  readonly silent: Map<string, number>;
  /** Agents that have used up their own cap. */
  readonly spentUp: Set<string>;
  /** Specs that have used up their cap, with the reason. */
  readonly spentSpecs: Map<string, string>;
  /** The cap that ended the run, and the agent that reached it. */
  cap: Reached | undefined;
  /** Critics and checkers do one thing at a time: what they are busy with, by name. */
  readonly busy: Map<string, Promise<unknown>>;
  /** Specs that are finished: trust rests on them. */
  readonly tasks: SpecTask[];
  trusts: { readonly of: number; readonly by: ReadonlyMap<string, Trust> };
  /** Specs that agents returned as outside their domain, and how many requests there were when that was read. */
  excused: { readonly acts: number; readonly by: ReadonlyMap<string, readonly string[]> };
  /** Attempts of the last hour, for agents with a rate. */
  attemptsBegun: Begun[];
  /** Claims whose holder may not go on with them, while others may. */
  readonly handedBack: Set<string>;
  /** The same while their holder still ends what it had begun. */
  readonly leaving: Set<string>;
  /** Claims that policies refused, by spec and agent: another agent has to do it. */
  readonly refusedClaims: Map<string, Map<string, ClaimRefusal>>;
  /** The refusals there were when each agent last found nothing to do. */
  readonly refusalsSeen: Map<string, string>;
  /** What waits for a person's approval before it begins. */
  readonly awaited: Awaited[];
  /** Specs whose win waits for a person's decision. */
  readonly waitingForPerson: Set<string>;
  /** The report of the previous night, for a chief; `isNew` until a chief has read it. */
  readonly result: { readonly report: string; isNew: boolean };
  /** What was said once and need not be said again. */
  readonly news: Set<string>;
  /** What was last said of each agent that has to wait: several times a second nothing changes. */
  readonly saidWaiting: Map<string, string>;
}

/** A cap of the person's that an agent reached. */
export interface Reached {
  readonly agent: string;
  readonly scope: Scope;
  readonly what: keyof Figures | undefined;
  readonly reason: string;
}

export type OrdersOnQueue = Pick<Ledger, 'state' | 'frozen' | 'halted' | 'orders' | 'acts'>;

export async function openStanding(
  org: Org,
  queue: Queue,
  start: {
    readonly pinned: PinnedBrief;
    readonly experiments: readonly Experiment[];
    readonly waiting: readonly string[];
  },
): Promise<NightStanding> {
  const { brief, charter } = start.pinned;
  const hasChart = charter !== undefined;
  const report = withoutHeldOut(await readLastReport(org));
  const thinks = agentsWithDuty(brief, 'chief').some((id) => choiceOf(brief.staff, id).kind !== 'search');
  return {
    ending: undefined,
    begun: 0,
    lastOrders: { at: 0, ledger: queue.ledger },
    presence: { of: [], now: new Map() },
    touched: undefined,
    ...(await readMarks(org, queue)),
    halted: new Map(queue.ledger.halted.map((agent) => [agent, 'in an earlier run'])),
    spentUp: new Set(),
    spentSpecs: new Map(),
    cap: undefined,
    busy: new Map(),
    tasks: hasChart ? (await recentNotebooks(org, queue)).filter(({ done }) => done).map(taskOf) : [],
    trusts: { of: -1, by: new Map() },
    excused: await excusedAt(org, hasChart ? queue.ledger.acts : 0),
    // Nobody wrote down when attempts began, so a restart counts by when their verdicts came.
    attemptsBegun: start.experiments.map(({ agent, at }) => ({ agent, at })),
    handedBack: new Set(),
    leaving: new Set(),
    refusedClaims: new Map(),
    refusalsSeen: new Map(),
    awaited: [],
    waitingForPerson: new Set(start.waiting),
    // A chief with a mind of its own thinks again when a night is over; the search weighs every try anyway.
    result: { report, isNew: report !== '' && thinks },
    news: new Set(),
    saidWaiting: new Map(),
  };
}

/** A chief that knew the score on what is held out could write specs for it. */
const withoutHeldOut = (report: string): string =>
  report
    .split('\n')
    .filter((line) => !/held[ -]out/i.test(line))
    .join('\n');

/** How far an agent is trusted now. */
export function trustNow(standing: NightStanding, agent: string): Trust {
  if (standing.trusts.of !== standing.tasks.length)
    standing.trusts = { of: standing.tasks.length, by: trustIn(excuse(standing.tasks, standing.excused.by)) };
  return trustOf(standing.trusts.by, agent);
}

/** Reads what was escalated or answered since: an agent that is asked to go on with a spec is not excused from it any more. */
export async function noteExcused(org: Org, standing: NightStanding, acts: number): Promise<void> {
  if (acts === standing.excused.acts) return;
  standing.excused = await excusedAt(org, acts);
  standing.trusts = { of: -1, by: new Map() };
}

const excusedAt = async (org: Org, acts: number): Promise<NightStanding['excused']> => ({
  acts,
  by: await readExcused(org, { acts }),
});

const hour = 3600;

/** Ends the run, unless it ends for another reason already. */
export function endRun(standing: NightStanding, ending: Ending | undefined): void {
  standing.ending ??= ending;
}

/** Counts an attempt that has begun. */
export function noteBegun(standing: NightStanding, agent: string, at: number): void {
  standing.begun += 1;
  if (standing.attemptsBegun.length > 0 && (standing.attemptsBegun[0]?.at ?? 0) <= at - hour)
    standing.attemptsBegun = standing.attemptsBegun.filter((one) => one.at > at - hour);
  standing.attemptsBegun.push({ agent, at });
}

export function noteStrike({ strikes }: NightStanding, experiment: Experiment): void {
  if (isStrike(experiment)) strikes.set(experiment.agent, (strikes.get(experiment.agent) ?? 0) + 1);
}

/** Counts an experiment that orgrepo makes of a merge, or an attempt less that an agent could not begin. */
export function countBegun(standing: NightStanding, by: 1 | -1): void {
  standing.begun += by;
}

/** The work on a spec ends before its next attempt, with these last words in its notebook. */
export function endSpec(standing: NightStanding, spec: string, why: string): void {
  standing.spentSpecs.set(spec, why);
}

/** Notes that the holder of a claim stops working on it, so that `handBack` returns it. */
export function leaveClaim(standing: NightStanding, spec: string): void {
  standing.leaving.add(spec);
}

/** Trust rests on the specs that are finished. */
export function noteFinished(standing: NightStanding, task: SpecTask | undefined): void {
  if (task !== undefined) standing.tasks.push(task);
}

/** Notes that a win of this spec waits for a person's decision. */
export function awaitDecision(standing: NightStanding, spec: string): void {
  standing.waitingForPerson.add(spec);
}

/** Lets agents that had used up their budget ask once more, where people have changed it; returns them. */
export function forgiveSpent({ spentUp }: NightStanding, hasChanged: (agent: string) => boolean): readonly string[] {
  const freed = [...spentUp].filter(hasChanged);
  for (const agent of freed) spentUp.delete(agent);
  return freed;
}

/** The chief has read the report of the previous run. */
export function noteReportRead(standing: NightStanding): void {
  standing.result.isNew = false;
}

/** Takes a claim out of those that any agent may go on with, so that no other lane looks at it; false if another was faster. */
export const takeHandedBack = (standing: NightStanding, spec: string): boolean => standing.handedBack.delete(spec);

/** Takes a claim out of those whose win waits for a person, so that no other lane looks at it. */
export const takeUndecided = (standing: NightStanding, spec: string): boolean => standing.waitingForPerson.delete(spec);

/** Puts a claim back that was taken, or that its holder left. */
export function returnClaim(standing: NightStanding, spec: string): void {
  standing.handedBack.add(spec);
}

/**
 * Leaves a claim as it is. If its holder leaves and the run goes on, another agent takes it, or the same one later: a stop is of one
 * agent, and working hours come again.
 */
export function handBack({ leaving, handedBack, ending }: NightStanding, { id }: Pick<Spec, 'id'>): void {
  if (leaving.delete(id) && ending === undefined) handedBack.add(id);
}

/** An agent at a side bench does one thing at a time: new work waits for what it was asked before. */
export function inItsTurn<T>(standing: NightStanding, agent: string, work: () => Promise<T>): Promise<T> {
  const before = standing.busy.get(agent) ?? Promise.resolve();
  const mine = before.then(work);
  standing.busy.set(
    agent,
    mine.catch(() => {}),
  );
  return mine;
}

/** Returns true the first time that something is to be said. */
export function noteNews(standing: NightStanding, what: string): boolean {
  if (standing.news.has(what)) return false;
  standing.news.add(what);
  return true;
}
