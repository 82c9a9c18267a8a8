import type { Attempted, SpecTask } from '../../domain/staff/trust.ts';
import { addTallies, type Experiment, isVerdictEvent, tallyOf } from '../../domain/words/experiment.ts';
import { refNames } from '../../git/refs/ref-files.ts';
import { workRef, workRefs } from '../../git/refs/ref-names.ts';
import type { BookEntry } from '../entry.ts';
import type { Org } from '../org.ts';
import { ledgerAt, type Queue, queueHistory } from '../queue/queue.ts';
import { type Notebook, readClaimed, readNotebook } from './notebook.ts';

/** The notebooks of open specs that somebody has claimed. */
export function liveNotebooks(org: Org, queue: Queue): Promise<Notebook[]> {
  const ids = queue.specs.map(({ id }) => id);
  return readNotebooks(org, ids);
}

/** How all experiments ended: the ledger's count, and what the open notebooks hold beyond it. Keeps that wait for a person are counted apart. */
export function wholeTally(queue: Queue, live: readonly Notebook[]) {
  const open = live.flatMap(({ experiments }) => experiments);
  const ended = open.filter(({ waits }) => waits !== true);
  return {
    tally: addTallies(queue.ledger.closed, tallyOf(ended.map(({ event }) => event))),
    waiting: open.length - ended.length,
  };
}

/** The notebooks that hold every experiment numbered above `n`, oldest claim first. Reads no further back than it must. */
export async function notebooksAbove(org: Org, queue: Queue, n: number): Promise<Notebook[]> {
  const specs = new Set(queue.specs.map((spec) => spec.id));
  for await (const entry of queueHistory(org)) {
    const spec = entry.get('Spec');
    if (entry.event === 'done' && spec !== undefined) {
      // No number in this notebook, or in any closed before it, is higher than what the ledger had reached by then.
      if ((await ledgerAt(org, entry)).experiments <= n) break;
      specs.add(spec);
    }
  }
  return (await readNotebooks(org, [...specs])).sort((a, b) => (a.spec < b.spec ? -1 : 1));
}

/** Experiments numbered above `n`, oldest first. */
export async function experimentsAbove(org: Org, queue: Queue, n: number): Promise<Experiment[]> {
  return inOrder(await notebooksAbove(org, queue, n)).filter((one) => one.n > n);
}

/** Every experiment there ever was, oldest first. */
export async function allExperiments(org: Org): Promise<Experiment[]> {
  const root = org.repo.standIn?.nameOf(workRefs) ?? workRefs;
  const listed = await refNames(org.repo, root);
  const notebooks: Notebook[] = [];
  const specs = listed.map((ref) => ref.slice(root.length));
  // A few hundred at a time: enough to keep git busy, not enough to hold everything twice.
  for (let at = 0; at < specs.length; at += 256)
    notebooks.push(...(await readNotebooks(org, specs.slice(at, at + 256))));
  return inOrder(notebooks);
}

async function readNotebooks(org: Org, specs: readonly string[]): Promise<Notebook[]> {
  const read = await Promise.all(specs.map((spec) => readNotebook(org, spec)));
  return read.filter((notebook) => notebook !== undefined);
}

/** The experiment with this number, looked for from the newest backwards. */
export async function experimentNumbered(org: Org, queue: Queue, n: number) {
  for (const notebook of await notebooksAbove(org, queue, n - 1)) {
    const experiment = notebook.experiments.find((one) => one.n === n);
    if (experiment !== undefined) return { experiment, notebook };
  }
  return undefined;
}

const inOrder = (notebooks: readonly Notebook[]): Experiment[] =>
  notebooks.flatMap((notebook) => notebook.experiments).sort((a, b) => a.n - b.n);

/** The commits on the queue that open and close the last run, read back as far as the one that is asked for. */
export async function runEvents(org: Org, run: string, upTo: 'run' | 'end') {
  let started: BookEntry | undefined;
  let ended: BookEntry | undefined;
  let stopped: BookEntry | undefined;
  for await (const entry of queueHistory(org)) {
    if (entry.get('Run') !== run) {
      if (entry.event === 'run' || entry.event === 'end') break;
      continue;
    }
    if (entry.event === 'run') started = entry;
    if (entry.event === 'end') ended ??= entry;
    if (entry.event === 'stop') stopped ??= entry;
    if (upTo === 'end' && ended !== undefined) break;
  }
  return { started, ended, stopped };
}

/**
 * The work on a spec as its notebook tells it, undefined while nobody has claimed it. Half the price of the notebook
 * itself: a candidate's own commit says nothing of how somebody works, and is not read. `end` is where the notebook ends,
 * for who knows it: to look one ref up among 100,000 is dearer than all the rest.
 */
export async function readTask(org: Org, spec: string, end = workRef(spec)): Promise<SpecTask | undefined> {
  const claimed = await readClaimed(org, spec, end);
  if (claimed === undefined) return undefined;
  const { holder, tip, entries } = claimed;
  const oldestFirst = [...entries].reverse();
  const rejected = new Set(
    entries.flatMap((one) => (one.get('Decision') === 'reject' ? [one.get('Cause') ?? ''] : [])),
  );
  return {
    ...holder,
    endedAt: tip.event === 'done' ? tip.commit.committer.at : undefined,
    experiments: oldestFirst.filter(({ event }) => isVerdictEvent(event)).map((one) => attemptedIn(one, rejected)),
    escalations: entries.filter(({ event }) => event === 'escalate').length,
  };
}

function attemptedIn(verdict: BookEntry, rejected: ReadonlySet<string>): Attempted {
  const { event } = verdict;
  return {
    n: verdict.number('Experiment') ?? 0,
    agent: verdict.get('Agent') ?? '',
    event: rejected.has(verdict.commit.oid) ? 'rejected' : isVerdictEvent(event) ? event : 'void',
    seconds: verdict.number('Seconds'),
    merged: verdict.get('Cause') !== undefined,
    part: verdict.get('Part'),
    at: verdict.commit.committer.at,
    title: verdict.title.replace(/^[a-z]+: /, ''),
  };
}

/** How far back trust looks, and who counts an agent's own tries: an org of years is read as fast as one of days, and what was long ago says little of today. */
export const experimentsBack = 1_000;

/** The notebooks of the specs that were worked lately, finished or not. */
export const recentNotebooks = (org: Org, queue: Queue): Promise<Notebook[]> =>
  notebooksAbove(org, queue, Math.max(0, queue.ledger.experiments - experimentsBack));

export const taskOf = (notebook: Notebook): SpecTask => ({
  spec: notebook.spec,
  agent: notebook.agent,
  claimedAt: notebook.claimedAt,
  ackedAt: notebook.ackedAt,
  endedAt: notebook.done ? notebook.lastAt : undefined,
  experiments: notebook.experiments,
  escalations: 0,
});
