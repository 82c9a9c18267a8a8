import { agentsWithDuty, person } from '../../domain/staff/staff.ts';
import { excuse, type Shift, type SpecTask } from '../../domain/staff/trust.ts';
import type { Brief } from '../../domain/words/brief.ts';
import type { BookEntry } from '../../records/entry.ts';
import { readTask } from '../../records/notebook/history.ts';
import type { Org } from '../../records/org.ts';
import { type Queue, queueHistory } from '../../records/queue/queue.ts';
import { readExcused } from '../../records/requests/requests.ts';
import { currentRunner } from '../../records/run-lock.ts';

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
    /** Who was there in the last run, and when; as far back as the tasks go. */
    shifts: shiftsOf(seen.stretches, tasks, brief, running ? at : undefined),
    /** One attempt's budget. */
    cycleSeconds: (budget.agentMs + budget.experimentMs) / 1000,
    /** When the last run began and ended; undefined where that lies further back than was read. */
    run: { from: seen.began ? seen.stretches.at(-1)?.from : undefined, until: seen.ended },
    /** The moment it is told for: now while a run goes on, and otherwise the last commit of the queue. */
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
      task.catch(() => {}); // Whoever waits for it hears of it.
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

/** Whoever was to work is there for as long as the run is, whether or not there was anything to do. */
function shiftsOf(
  stretches: readonly Stretch[],
  tasks: readonly SpecTask[],
  brief: Brief,
  running: number | undefined,
): readonly Shift[] {
  const spans = stretches.map(({ from, until }, index) => ({
    from,
    until: index === 0 && running !== undefined ? Math.max(until, running) : until,
  }));
  const oldest = spans.at(-1)?.from ?? 0;
  const claimed = tasks.filter(({ endedAt }) => endedAt === undefined || endedAt >= oldest).map(({ agent }) => agent);
  const agents = [...new Set([...agentsWithDuty(brief, 'junior'), ...claimed])];
  return agents.flatMap((agent) => spans.map((span) => ({ agent, ...span })));
}
