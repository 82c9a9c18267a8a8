import { addTallies, type Experiment, type Tally, tallyOf } from '../../domain/words/experiment.ts';
import { refNames } from '../../git/refs/ref-files.ts';
import { workRefs } from '../../git/refs/ref-names.ts';
import type { BookEntry } from '../entry.ts';
import type { Org } from '../org.ts';
import { ledgerAt, type Queue, queueHistory } from '../queue/queue.ts';
import { type Notebook, readNotebook } from './notebook.ts';

/** The notebooks of open specs that somebody has claimed. */
export async function liveNotebooks(org: Org, queue: Queue): Promise<Notebook[]> {
  const read = await Promise.all(queue.specs.map((spec) => readNotebook(org, spec.id)));
  return read.filter((notebook) => notebook !== undefined);
}

/** How all experiments ended: the ledger's count, and what the open notebooks hold beyond it. Keeps that wait for a person are counted apart. */
export function wholeTally(
  queue: Queue,
  live: readonly Notebook[],
): { readonly tally: Tally; readonly waiting: number } {
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
  const read = await Promise.all([...specs].map((spec) => readNotebook(org, spec)));
  return read.filter((notebook) => notebook !== undefined).sort((a, b) => (a.spec < b.spec ? -1 : 1));
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
  for (let at = 0; at < specs.length; at += 256) {
    const read = await Promise.all(specs.slice(at, at + 256).map((spec) => readNotebook(org, spec)));
    notebooks.push(...read.filter((notebook) => notebook !== undefined));
  }
  return inOrder(notebooks);
}

/** The experiment with this number, looked for from the newest backwards. */
export async function experimentNumbered(
  org: Org,
  queue: Queue,
  n: number,
): Promise<{ experiment: Experiment; notebook: Notebook } | undefined> {
  for (const notebook of await notebooksAbove(org, queue, n - 1)) {
    const experiment = notebook.experiments.find((one) => one.n === n);
    if (experiment !== undefined) return { experiment, notebook };
  }
  return undefined;
}

const inOrder = (notebooks: readonly Notebook[]): Experiment[] =>
  notebooks.flatMap((notebook) => notebook.experiments).sort((a, b) => a.n - b.n);

/** The commits on the queue that open and close the last run, read back as far as the one that is asked for. */
export async function runEvents(
  org: Org,
  run: string,
  upTo: 'run' | 'end',
): Promise<{ started: BookEntry | undefined; ended: BookEntry | undefined }> {
  let started: BookEntry | undefined;
  let ended: BookEntry | undefined;
  for await (const entry of queueHistory(org)) {
    if (entry.get('Run') !== run) {
      if (entry.event === 'run' || entry.event === 'end') break;
      continue;
    }
    if (entry.event === 'run') started = entry;
    if (entry.event === 'end') ended ??= entry;
    if (upTo === 'end' && ended !== undefined) break;
  }
  return { started, ended };
}
