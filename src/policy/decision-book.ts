import { randomBytes } from 'node:crypto';
import { type Act, type Decision, formatReasons, formatResult } from '../domain/rules/act.ts';
import { isAgentName } from '../domain/staff/staff.ts';
import { editTree, entryAt, newObject, storeObject, type TreeEntry, treeMode } from '../git/objects/tree.ts';
import { decisionsRef } from '../git/refs/ref-names.ts';
import { policiesDir } from '../org/force/policy-files.ts';
import { openBatches } from '../records/batches.ts';
import { type BookEntry, readEntry, readTip, writeEntry } from '../records/entry.ts';
import { type Org, trunkTip } from '../records/org.ts';
import { formatAct, parseAct } from './act-schema.ts';

interface Pending {
  readonly decision: Decision;
  done(n: number): void;
  fail(error: unknown): void;
}

const soonMs = 1_000;
const mostWaiting = 200;

/** Writes what policies decide to refs/orgrepo/decisions: a commit for each, one move of the ref for as many as there are. */
export function openDecisionBook(org: Org) {
  const batches = openBatches<Pending>(async (batch) => {
    const decisions = batch.map(({ decision }) => decision);
    const numbers = await writeBatch(org, decisions);
    for (const [index, pending] of batch.entries()) pending.done(numbers[index] ?? 0);
  });
  return {
    /** Gives its number once it is on the ref: a refusal is written down before anybody acts on it. */
    write: async (decision: Decision): Promise<number> => {
      batches.sayTrouble();
      return new Promise((done, fail) => batches.add({ decision, done, fail }));
    },
    /** Written soon, with others: a run that is killed before loses the last second of what was allowed. */
    note: (decision: Decision): void =>
      batches.addSoon({ decision, done: () => {}, fail: batches.trouble }, soonMs, mostWaiting),
    /** When this returns, everything before it is on the ref. */
    written: batches.written,
  };
}

async function writeBatch(org: Org, decisions: readonly Decision[]): Promise<readonly number[]> {
  for (;;) {
    const tip = await readTip(org, decisionsRef);
    const before = tip?.number('Number') ?? 0;
    let parent = tip?.commit.oid ?? (await trunkTip(org)); // No branch is an orphan.
    for (const [index, decision] of decisions.entries())
      parent = await writeDecision(org, parent, before + index + 1, decision);
    if (await org.repo.refs.move(decisionsRef, parent, tip?.commit.oid))
      return decisions.map((_, index) => before + index + 1);
  }
}

/** What fits into a message with room to spare; a larger act is a file beside the policies. */
const mostInMessage = 7_000;
const actFile = 'act.json';

async function writeDecision(org: Org, parent: string, n: number, decision: Decision): Promise<string> {
  const { id, policies, act, result, reasons } = decision;
  const text = formatAct(act);
  const large = Buffer.byteLength(text) > mostInMessage;
  return writeEntry(org, {
    tree: await treeFor(org, policies, large ? text : undefined),
    parents: [parent],
    agent: act.principal.kind === 'agent' && isAgentName(act.principal.id) ? act.principal.id : undefined,
    title: `decision: D${n} ${result.kind}, ${act.principal.id} ${act.act} ${act.resource.id}`,
    body: large ? '' : text,
    trailers: {
      Event: 'decision',
      Number: n,
      Decision: id,
      Policies: policies,
      Act: act.act,
      Agent: act.principal.id,
      Spec: specOf(act),
      Result: formatResult(result),
      Reason: formatReasons(reasons),
      Host: org.host,
      // Two processes that decide the same in the same second would make the same commit, and both would take it for theirs.
      Nonce: randomBytes(12).toString('hex'),
    },
  });
}

const specOf = ({ act, resource, context }: Act): string | undefined =>
  act === 'claim' ? resource.id : typeof context.spec === 'string' ? context.spec : undefined;

/** The policies are in the commit's own tree, so that they stay for as long as what they decided. */
async function treeFor(org: Org, policies: string, act: string | undefined): Promise<string> {
  const files = new Map<string, TreeEntry>([[policiesDir, { mode: treeMode, oid: policies }]]);
  if (act !== undefined)
    files.set(actFile, { mode: '100644', oid: storeObject(org.repo, newObject(org.repo.hash, 'blob', act)) });
  const { oid, objects } = await editTree(org.repo, undefined, files);
  for (const object of objects) storeObject(org.repo, object);
  return oid;
}

export const isDecision = ({ event }: Pick<BookEntry, 'event'>): boolean => event === 'decision';

/** A decision as it was written down. */
export interface RecordedDecision extends Pick<Decision, 'id' | 'policies' | 'act'> {
  readonly n: number;
  readonly commit: string;
  readonly result: string;
  readonly reason: string;
}

/** What a commit says of a decision; undefined when it cannot be read, or says nothing of one. */
export async function readDecision(org: Org, entry: BookEntry): Promise<RecordedDecision | undefined> {
  const [n, id, policies, result] = [entry.number('Number'), ...['Decision', 'Policies', 'Result'].map(entry.get)];
  const act = parseAct(entry.body === '' ? await actIn(org, entry.commit.tree) : entry.body);
  if (!isDecision(entry) || act === undefined) return undefined;
  if (n === undefined || id === undefined || policies === undefined || result === undefined) return undefined;
  return { n, id, commit: entry.commit.oid, policies, act, result, reason: entry.get('Reason') ?? '' };
}

async function actIn(org: Org, tree: string): Promise<string> {
  const file = await entryAt(org.repo, tree, actFile);
  const blob = file?.mode === '100644' ? await org.repo.reader.read(file.oid) : undefined;
  return blob?.type === 'blob' ? blob.content.toString('utf8') : '';
}

/** The newest decision of this number (`D12`), or whose id or commit begins so. */
export async function findDecision(org: Org, word: string): Promise<RecordedDecision | undefined> {
  const n = /^D([0-9]+)$/i.exec(word)?.[1];
  let entry = await readEntry(org, decisionsRef);
  while (entry !== undefined && isDecision(entry)) {
    const names = n === undefined ? [entry.get('Decision'), entry.commit.oid] : [];
    if (names.some((id) => id?.startsWith(word.toLowerCase())) || entry.number('Number') === Number(n))
      return readDecision(org, entry);
    entry = await readEntry(org, entry.commit.parents[0] ?? '');
  }
  return undefined;
}
