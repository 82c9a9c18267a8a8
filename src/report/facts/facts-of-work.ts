import { strikesInWords, untilInWords } from '../../domain/rules/stopping-rules.ts';
import type { WorkingHours } from '../../domain/staff/charter.ts';
import { agentsWithDuty, person, postsOf } from '../../domain/staff/staff.ts';
import { excuse, isWarmingUp, type SpecTask, trustIn, trustOf } from '../../domain/staff/trust.ts';
import type { Brief } from '../../domain/words/brief.ts';
import { isWin } from '../../domain/words/experiment.ts';
import type { Priority } from '../../domain/words/spec.ts';
import { pinnedNow } from '../../org/force/in-force.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import { type Standing, standingOf } from '../../org/rules/agent-standing.ts';
import { mentorOf } from '../../org/rules/roster.ts';
import type { BookEntry } from '../../records/entry.ts';
import { readTask, taskOf } from '../../records/notebook/history.ts';
import type { Notebook } from '../../records/notebook/notebook.ts';
import type { Org } from '../../records/org.ts';
import { readHalts, readPresence } from '../../records/queue/agent-book.ts';
import { type Queue, queueHistory } from '../../records/queue/queue.ts';
import { readExcused } from '../../records/requests/requests.ts';
import { currentRunner } from '../../records/run-lock.ts';
import type { Status } from './overview.ts';

export type WorkFacts = Readonly<Awaited<ReturnType<typeof readWork>>>;

/**
 * How the org worked lately, from commits alone. Times are seconds. Reads the queue back to the last `most` specs that were
 * finished, and their notebooks. What is before costs nothing.
 */
export async function readWork(org: Org, queue: Queue, brief: Brief, now: number, most: number) {
  const seen = await lookBack(org, queue, most);
  const read = await Promise.all([...queue.specs.map(({ id }) => readTask(org, id)), ...seen.finished]);
  const known = read.flatMap((task) =>
    task === undefined || task.agent === person
      ? []
      : [{ ...task, escalations: task.escalations + (seen.escalated.get(task.spec) ?? 0) }],
  );
  const tasks = excuse(known, await readExcused(org, queue.ledger));
  const running = queue.ledger.state !== 'ended' && currentRunner(org) !== undefined;
  const at = running ? now : (seen.newest ?? now);
  const { budget } = brief;
  tasks.sort((a, b) => (a.spec < b.spec ? -1 : 1));
  return {
    /** Those that are open, and of those that are finished the last ones. A person's are left out: nobody measures people. */
    tasks,
    /** The agents of the last run, and when they were there; as far back as the tasks go. */
    shifts: shiftsOf(seen.stretches, tasks, brief, running ? at : undefined),
    /** One attempt's budget. */
    cycleSeconds: (budget.agentMs + budget.experimentMs) / 1000,
    /** When the last run began and ended; undefined where that lies further back than was read. */
    run: { from: seen.began ? seen.stretches.at(-1)?.from : undefined, until: seen.ended },
    /** The moment that the facts are of: now while a run goes on, and otherwise the last commit of the queue. */
    at,
  };
}

/** A part of a run in which its process lived. */
interface Stretch {
  from: number;
  until: number;
}

/**
 * A run that was killed and goes on has a `run` for each time it was started: nobody was there between the last word before
 * one and that one.
 */
async function lookBack(org: Org, { ledger }: Queue, most: number) {
  /** Each on its way: they are read while the queue is. */
  const finished: Promise<SpecTask | undefined>[] = [];
  const escalated = new Map<string, number>();
  /** Of the last run, the latest first. */
  const stretches: Stretch[] = [];
  let inRun = true;
  let [ended, newest]: (number | undefined)[] = [];
  let stretch: Stretch | undefined;
  for await (const entry of queueHistory(org)) {
    const at = entry.commit.committer.at;
    newest ??= at;
    const spec = entry.get('Spec');
    if (entry.event === 'done' && spec !== undefined) {
      const task = readTask(org, spec, entry.get('Cause'));
      task.catch(() => {}); // The reader that waits for it gets its error.
      finished.push(task);
    }
    if (entry.event === 'escalate' && spec !== undefined) escalated.set(spec, (escalated.get(spec) ?? 0) + 1);
    inRun &&= !isOfAnotherRun(entry, ledger.run);
    if (inRun) {
      if (entry.event === 'end') ended = at;
      if (stretch === undefined && isOfProcess(entry)) {
        stretch = { from: at, until: at };
        stretches.push(stretch);
      }
      if (stretch !== undefined) stretch.from = at;
      if (entry.event === 'run') stretch = undefined;
    }
    if (finished.length >= most) break;
  }
  const began = !inRun || finished.length < most;
  return { finished, escalated, stretches, began, ended, newest };
}

const isOfAnotherRun = (entry: BookEntry, run: string): boolean =>
  (entry.event === 'run' || entry.event === 'end') && entry.get('Run') !== run;

/** What only a process that runs writes; people pause, submit and approve at any time. */
const isOfProcess = ({ event }: BookEntry): boolean => ['run', 'claim', 'done', 'halt', 'end'].includes(event);

/** An agent that was to work is there for as long as the run is, whether or not there was anything to do. */
function shiftsOf(stretches: readonly Stretch[], tasks: readonly SpecTask[], brief: Brief, now: number | undefined) {
  const spans = stretches.map(({ from, until }, index) => ({
    from,
    until: index === 0 && now !== undefined ? Math.max(until, now) : until,
  }));
  const oldest = spans.at(-1)?.from ?? 0;
  const claimed = tasks.filter(({ endedAt }) => endedAt === undefined || endedAt >= oldest).map(({ agent }) => agent);
  const agents = [...new Set([...agentsWithDuty(brief, 'junior'), ...claimed])];
  return agents.flatMap((agent) => spans.map((span) => ({ agent, ...span })));
}

/** Agents before their tries are counted, with what their standing depends on: the request they wait for, and their spec's priority. */
export type Agents = readonly (Omit<Status['agents'][number], 'tried' | 'kept'> & {
  readonly request?: string | undefined;
  readonly priority?: Priority | undefined;
})[];

/** The notebooks of late, and the number after which an agent's tries are counted. */
export interface RecentWork {
  readonly notebooks: readonly Notebook[];
  readonly above: number;
}

/** The agents at work, with how far they are trusted; where there is a chart its others too, and those that are paused. */
export async function withStanding(
  org: Org,
  queue: Queue | undefined,
  atWork: Agents,
  now: number,
  recent: RecentWork,
): Promise<Pick<Status, 'agents' | 'limits'>> {
  const pinned = await pinnedNow(org);
  const charter = pinned?.charter?.charter;
  const own = ownTries(recent);
  const { presence, standingIn } = await readStandings(org, queue, pinned, now);
  const hindrances = (agent: Agents[number]) => hindranceOf(standingIn(agent), charter?.policies.hours);
  const agents = [...atWork, ...others(pinned, atWork, standingIn)];
  const trusts =
    charter === undefined || queue === undefined
      ? undefined
      : trustIn(excuse(recent.notebooks.map(taskOf), await readExcused(org, queue.ledger)));
  const limits = [...presence.values()].flatMap(({ target, limit }) =>
    limit === undefined
      ? []
      : [`${target.kind === 'org' ? 'the org' : target.id}: ${limit.perHour} attempts an hour, says ${limit.by}`],
  );
  return {
    agents: agents.map(({ request, priority, ...agent }) => {
      const known = trusts !== undefined && charter?.members.some(({ id }) => id === agent.id);
      const trust = known ? trustOf(trusts, agent.id) : undefined;
      const mentor = trust && charter && isWarmingUp(trust) ? mentorOf(charter, agent.id)?.id : undefined;
      return {
        ...agent,
        ...own(agent.id),
        ...hindrances({ ...agent, request, priority }),
        ...(trust && { trust: trust.score, rank: trust.rank }),
        ...(mentor && { mentor }),
      };
    }),
    ...(limits.length === 0 ? {} : { limits }),
  };
}

/** What each has tried and what of it won, whichever agent has the spec now. */
function ownTries({ notebooks, above }: RecentWork): (id: string) => { readonly tried: number; readonly kept: number } {
  const counts = new Map<string, { tried: number; kept: number }>();
  for (const experiment of notebooks.flatMap(({ experiments }) => experiments)) {
    if (experiment.n <= above) continue;
    const count = counts.get(experiment.agent) ?? { tried: 0, kept: 0 };
    count.tried += 1;
    if (isWin(experiment)) count.kept += 1;
    counts.set(experiment.agent, count);
  }
  return (id) => counts.get(id) ?? { tried: 0, kept: 0 };
}

/** The other agents of a chart that work specs; without a chart, only those that are paused or stopped. */
function others(pinned: PinnedBrief | undefined, atWork: Agents, standingIn: Standings['standingIn']): Agents {
  if (pinned === undefined) return [];
  return postsOf(pinned.brief)
    .filter(({ id }) => !atWork.some((agent) => agent.id === id))
    .flatMap(({ id, duties }) => {
      const works = pinned.charter !== undefined && duties.includes('junior');
      return works || ['pause', 'stop'].includes(standingIn({ id }).kind) ? [{ id, doing: 'idle' }] : [];
    });
}

type Standings = Readonly<Awaited<ReturnType<typeof readStandings>>>;

/** What is in git about whether agents may go on. Caps and policies are left out: only a run asks for those. */
export async function readStandings(org: Org, queue: Queue | undefined, pinned: PinnedBrief | undefined, now: number) {
  const [orders, halted] = [queue?.ledger.orders ?? [], queue?.ledger.halted ?? []];
  const [presence, reasons] = await Promise.all([readPresence(org, orders), readHalts(org, halted)]);
  const { members = [], policies } = pinned?.charter?.charter ?? {};
  const departmentOf = (agent: string): string | undefined => members.find(({ id }) => id === agent)?.department;
  const standingIn = ({ id, request, priority }: Pick<Agents[number], 'id' | 'request' | 'priority'>): Standing =>
    standingOf({
      ...{ agent: { id, department: departmentOf(id) }, now, request, hours: policies?.hours, priority },
      halted: halted.includes(id) ? (reasons.get(id) ?? strikesInWords) : undefined,
      orders: { presence, begun: [], departmentOf }, // A limit on attempts is listed for everybody.
    });
  return { presence, departmentOf, standingIn };
}

/** What keeps an agent from going on, as `status` shows it beside the agent's name. */
function hindranceOf(now: Standing, hours: WorkingHours | undefined) {
  if (now.kind === 'go' || now.cause === 'rate') return undefined;
  if (now.cause === 'approval') return { doing: now.reason };
  if (now.kind === 'wait') return { held: `${now.reason}, ${untilInWords(hours, now.until)}` };
  const held = now.reason.replace(/^\S+ is stopped: /, '');
  return { presence: now.kind === 'pause' ? ('paused' as const) : ('stopped' as const), held };
}
