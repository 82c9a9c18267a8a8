import type { KeepAnswer, KeepRequest } from '../../domain/rules/request.ts';
import type { Experiment } from '../../domain/words/experiment.ts';
import { entryAt, type TreeEntry } from '../../git/objects/tree.ts';
import { treeOf } from '../entry.ts';
import { experimentNumbered } from '../notebook/history.ts';
import type { Notebook } from '../notebook/notebook.ts';
import type { Org } from '../org.ts';
import { changeQueue, type Queue, readQueue } from '../queue/queue.ts';
import { actsOf, decisionsNow, writeAct } from './act-log.ts';
import { noDecisions, refuseStale } from './decision-state.ts';
import { type SignedStatement, statementParts } from './statement-files.ts';

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

/** Writes a person's answer: a commit in their name on the queue, and a file. Where nothing is signed, the file is what counts. */
export async function answerKeep(
  org: Org,
  { experiment }: KeepRequest,
  answer: KeepAnswer,
  signed?: SignedStatement,
): Promise<void> {
  const { approves, by, reason } = answer;
  const { n, spec, commit } = experiment;
  const verb = approves ? 'approve' : 'deny';
  const text = `${verb} #${n} of ${spec}\n\n- keep: ${commit}\n- by: ${by}\n- reason: ${reason}\n`;
  const { files, trailers } = statementParts(`${n}`, signed);
  const change = {
    event: verb,
    title: `${verb}: #${n}${reason === '' ? '' : `, ${reason}`}`,
    files: new Map([[fileOf(n), text], ...files]),
    trailers: { ...trailers, Spec: spec, Experiment: n, Cause: commit, By: by, Reason: reason || undefined },
  };
  if (signed === undefined) await changeQueue(org, () => change);
  else
    await writeAct(org, (_acts, _queue, state) => {
      refuseStale(state, signed, `${n}`);
      return change;
    });
}

/** What a person said of a win; undefined while nobody has. */
export async function readKeepAnswer(org: Org, queue: Queue, win: Win): Promise<KeepAnswer | undefined> {
  const { signing } = queue.ledger.acts === 0 ? noDecisions() : await decisionsNow(org);
  const entry = await entryAt(org.repo, queue.tree, fileOf(win.n));
  if (signing === undefined) return answerIn(org, entry, win);
  // What was there before anything was signed still counts.
  const before = await entryAt(org.repo, await treeOf(org, signing.since), fileOf(win.n));
  return (await signedAnswer(org, win)) ?? (before?.oid === entry?.oid ? answerIn(org, entry, win) : undefined);
}

async function signedAnswer(org: Org, { n, commit }: Win): Promise<KeepAnswer | undefined> {
  const answer = (await actsOf(org)).acts.findLast(
    (act) => act.number('Experiment') === n && act.get('Cause') === commit && act.get('Signer') !== undefined,
  );
  return (
    answer && {
      ...{ approves: answer.event === 'approve', by: answer.get('By') ?? '', reason: answer.get('Reason') ?? '' },
    }
  );
}

async function answerIn(org: Org, entry: TreeEntry | undefined, { commit }: Win): Promise<KeepAnswer | undefined> {
  const found = entry && (await org.repo.reader.read(entry.oid));
  if (found?.type !== 'blob') return undefined;
  const text = found.content.toString('utf8');
  const field = (name: string): string => new RegExp(`^- ${name}: (.*)$`, 'm').exec(text)?.[1]?.trim() ?? '';
  const event = /^(approve|deny) /.exec(text)?.[1];
  if (event === undefined || field('keep') !== commit) return undefined;
  return { approves: event === 'approve', by: field('by'), reason: field('reason') };
}

const fileOf = (n: number): string => `approvals/${n}.md`;
