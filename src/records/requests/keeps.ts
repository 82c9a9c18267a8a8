import type { KeepAnswer, KeepRequest } from '../../domain/rules/request.ts';
import type { Experiment } from '../../domain/words/experiment.ts';
import { entryAt } from '../../git/objects/tree.ts';
import { experimentNumbered } from '../notebook/history.ts';
import type { Notebook } from '../notebook/notebook.ts';
import type { Org } from '../org.ts';
import { changeQueue, type Queue, readQueue } from '../queue/queue.ts';

/** A win by its commit and its number, which people type. */
type Win = Pick<Experiment, 'n' | 'commit'>;

/** The wins that these notebooks end with and that go to best by a person's answer. */
export async function readKeeps(org: Org, queue: Queue, notebooks: readonly Notebook[]): Promise<KeepRequest[]> {
  const wins = notebooks.flatMap(({ waits, experiments }) => experiments.find(({ commit }) => commit === waits) ?? []);
  return Promise.all(wins.map((win) => keepAt(org, queue, win, true)));
}

/** The win with this number, also one that does not wait for a person. */
export async function findKeep(org: Org, n: number): Promise<KeepRequest | undefined> {
  const queue = await readQueue(org);
  const found = queue && (await experimentNumbered(org, queue, n));
  return found && keepAt(org, queue, found.experiment, found.notebook.waits === found.experiment.commit);
}

async function keepAt(org: Org, queue: Queue, experiment: Experiment, waits: boolean): Promise<KeepRequest> {
  const answer = await readKeepAnswer(org, queue, experiment);
  return { kind: 'keep', id: `${experiment.n}`, experiment, waits, answer };
}

/** Writes a person's answer: a commit in their name on the queue, and a file that counts until somebody removes it. */
export async function answerKeep(org: Org, { experiment }: KeepRequest, answer: KeepAnswer): Promise<void> {
  const { approves, by, reason } = answer;
  const { n, spec, commit } = experiment;
  const verb = approves ? 'approve' : 'deny';
  const text = `${verb} #${n} of ${spec}\n\n- keep: ${commit}\n- by: ${by}\n- reason: ${reason}\n`;
  await changeQueue(org, () => ({
    event: verb,
    title: `${verb}: #${n}${reason === '' ? '' : `, ${reason}`}`,
    files: new Map([[fileOf(n), text]]),
    trailers: { Spec: spec, Experiment: n, Cause: commit, By: by, Reason: reason === '' ? undefined : reason },
  }));
}

/** What a person said of a win; undefined while nobody has. */
export async function readKeepAnswer(org: Org, queue: Queue, { n, commit }: Win): Promise<KeepAnswer | undefined> {
  const entry = await entryAt(org.repo, queue.tree, fileOf(n));
  const found = entry && (await org.repo.reader.read(entry.oid));
  if (found?.type !== 'blob') return undefined;
  const text = found.content.toString('utf8');
  const field = (name: string): string => new RegExp(`^- ${name}: (.*)$`, 'm').exec(text)?.[1]?.trim() ?? '';
  const event = /^(approve|deny) /.exec(text)?.[1];
  if (event === undefined || field('keep') !== commit) return undefined;
  return { approves: event === 'approve', by: field('by'), reason: field('reason') };
}

const fileOf = (n: number): string => `approvals/${n}.md`;
