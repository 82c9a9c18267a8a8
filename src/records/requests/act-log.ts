import type { Ledger } from '../../domain/words/ledger.ts';
import { entryAt } from '../../git/objects/tree.ts';
import { checkpointsRef, queueRef } from '../../git/refs/ref-names.ts';
import { signersFile } from '../../signing/allowed-signers.ts';
import { Problem, unlessProblem } from '../../text/problem.ts';
import { readSeen } from '../checkpoint-id.ts';
import { type BookEntry, entriesFrom, readEntry, readTip, treeOf } from '../entry.ts';
import { type Org, trunkTip } from '../org.ts';
import { changeQueue, ledgerAt, type Queue, type QueueChange, queueHistory } from '../queue/queue.ts';
import { copyDecisions, type DecisionState, noDecisions } from './decision-state.ts';
import { judgeDecision } from './signed-acts.ts';
import { checkpointIn, signersOnQueue, textInCommit } from './statement-files.ts';

/** The commits of the queue that ask, answer, use an answer or spawn, and signed decisions. The ledger counts them. */
export const actEvents = [
  ...['ask', 'approve', 'deny', 'use', 'escalate', 'cycle', 'answer', 'spawn'],
  ...['freeze', 'thaw', 'endorse'],
];

export const isAct = (entry: Pick<BookEntry, 'event' | 'get'>): boolean =>
  actEvents.includes(entry.event) &&
  // An answer to a win names an experiment, and is an act only if it is signed.
  ['Approval', 'Escalation', 'Spawned', 'Signer', 'Signers'].some((key) => entry.get(key) !== undefined);

interface Known {
  readonly tip: string;
  /** Those that count. */
  readonly acts: readonly BookEntry[];
  readonly state: DecisionState;
}

const known = new WeakMap<Org, Known>();

/**
 * All that count, oldest first: where decisions are signed, one without a statement that holds does not. The queue is read back to where the ledger counts none, once in a process, and later only what is new.
 * An org in which no person was ever asked reads one commit.
 */
export async function actsOf(org: Org): Promise<Known> {
  const tip = (await readEntry(org, queueRef))?.commit.oid ?? '';
  const before = known.get(org);
  if (before?.tip === tip) return before;
  const found: BookEntry[] = [];
  let joined = false;
  const hidden = before === undefined ? await signedTips(org) : new Set(before.state.signing && [before.tip]);
  for await (const entry of queueHistory(org)) {
    joined = entry.commit.oid === before?.tip;
    hidden.delete(entry.commit.oid);
    if (joined || (await ledgerAt(org, entry)).acts === 0) break;
    if (isAct(entry)) found.push(entry);
  }
  if (hidden.size > 0)
    throw new Problem(
      'integrity/history',
      'orgrepo/queue does not have the signed decisions that checkpoints know',
      'Somebody rewrote it, or moved it back. See what is wrong: orgrepo verify',
    );
  const acts = joined ? [...(before?.acts ?? [])] : [];
  let state = before === undefined || !joined ? noDecisions() : before.state;
  if (found.length > 0) state = copyDecisions(state); // Another reader may go on from the same one.
  for (const entry of found.reverse()) {
    const judged = await judgeDecision(org, state, entry);
    state = judged.state;
    if (judged.wrong === undefined) acts.push(entry);
  }
  const now = { tip, acts, state };
  known.set(org, now);
  return now;
}

/**
 * Where the queue was, if decisions were signed there: everything below must be in its history. Asked of the newest checkpoint, and
 * of the last one that this clone has made or verified, because anybody can write another one above it. A clone that has seen none
 * looks further down.
 */
async function signedTips(org: Org): Promise<Set<string>> {
  const tips = new Set<string>();
  const seen = await readEntry(org, readSeen(org)?.id ?? '');
  const known = seen && (await signedTip(org, seen));
  if (known !== undefined) tips.add(known);
  for await (const checkpoint of entriesFrom(org, (await readTip(org, checkpointsRef)) ?? '')) {
    const tip = await signedTip(org, checkpoint);
    if (tip !== undefined) tips.add(tip);
    if (tip !== undefined || seen !== undefined || !(await unlessProblem(findSigners(org)))) break;
  }
  return tips;
}

async function signedTip(org: Org, checkpoint: BookEntry): Promise<string | undefined> {
  const { tips } = (await checkpointIn(org, checkpoint)) ?? {};
  const tip = await readEntry(org, tips?.get(queueRef) ?? '');
  return tip !== undefined && (await textInCommit(org, tip, signersOnQueue)) !== undefined ? tip.commit.oid : undefined;
}

const findSigners = async (org: Org) => entryAt(org.repo, await treeOf(org, await trunkTip(org)), signersFile);

/** What the decisions of people say now, and how they are to be signed. */
export const decisionsNow = async (org: Org): Promise<DecisionState> => (await actsOf(org)).state;

/**
 * Appends an act to the queue, decided by all acts before it. `decide` is asked again when another commit was faster, so that no yes
 * is used twice and no number is given twice.
 */
export async function writeAct(
  org: Org,
  decide: (acts: readonly BookEntry[], queue: Queue, state: DecisionState) => QueueChange | undefined,
): Promise<void> {
  for (;;) {
    const { tip, acts, state } = await actsOf(org);
    let stale = false;
    await changeQueue(org, (queue) => {
      // Without a queue the tip is the trunk's, and there are no acts to miss.
      stale = tip !== '' && queue.tip !== tip;
      const change = stale ? undefined : decide(acts, queue, state);
      const ledger: Partial<Ledger> = { ...change?.ledger, acts: queue.ledger.acts + 1 };
      return change && { ...change, ledger };
    });
    if (!stale) return;
  }
}

/** True for a commit of a person: neither author nor committer is an agent. */
export const isPersons = ({ commit }: BookEntry): boolean =>
  [commit.author, commit.committer].every(({ email }) => !email.endsWith('@agents.invalid'));

/** The names in a trailer. */
export const listOf = (entry: BookEntry, key: string): readonly string[] =>
  (entry.get(key) ?? '').split(', ').filter((name) => name !== '');

/** The next id of the form `A3` or `E3`. */
export const nextId = (acts: readonly BookEntry[], key: 'Approval' | 'Escalation', letter: string): string =>
  `${letter}${acts.reduce((most, act) => Math.max(most, Number(act.get(key)?.slice(1) ?? 0) || 0), 0) + 1}`;
