import { checkpointFile, formatCheckpoint } from '../../domain/words/checkpoint.ts';
import { readTree } from '../../git/objects/tree.ts';
import { bestRef, checkpointsRef, queueRef, shortRef } from '../../git/refs/ref-names.ts';
import { readSeen, rememberSeen } from '../../records/checkpoint-id.ts';
import {
  countersignedForm,
  countersignNamespace,
  readCheckpoint,
  readCountersigned,
  type SignedCheckpoint,
} from '../../records/checkpoints.ts';
import { readSigners } from '../../records/signers.ts';
import { type Signer, signerOf } from '../../signing/allowed-signers.ts';
import { unlessProblem } from '../../text/problem.ts';
import { type Books, checkLineOf, pagesAt } from '../audit-books.ts';
import { type AuditFinding, type AuditPage, about, aboutTip, unequal } from '../audit-library.ts';
import { judgeQueue } from './check-acts.ts';
import { wasRepaired } from './check-notebooks.ts';

/** Every checkpoint is signed and follows the one before it, and each ref still contains what it contained then. */
export async function* checkCheckpoints(books: Books): AsyncGenerator<AuditFinding> {
  const pages = books.lines.get(checkpointsRef) ?? [];
  yield* checkLineOf(books, pages, 'the checkpoints do');
  const signed: (readonly [AuditPage, SignedCheckpoint])[] = [];
  for (const page of pages) signed.push([page, await readCheckpoint(books.library.org, page.tree)]);
  for (const [index, [page, one]] of signed.entries()) yield* checkOne(books, pages[index - 1], page, one, index + 1);
  yield* checkTipsOf(books, signed);
  yield* await checkMachines(books, signed);
  yield* checkSeen(books, pages);
}

/** Remembers the newest checkpoint of a history that holds. */
export function rememberNewest({ library, snapshot, lines }: Books): void {
  const pages = lines.get(checkpointsRef) ?? [];
  const newest = pages.at(-1);
  if (newest !== undefined && snapshot.refs.get(checkpointsRef) === newest.id)
    rememberSeen(library.org, pages.length, newest.id);
}

async function* checkOne(
  books: Books,
  before: AuditPage | undefined,
  page: AuditPage,
  { checkpoint, wrong, fingerprint }: SignedCheckpoint,
  number: number,
): AsyncGenerator<AuditFinding> {
  if (wrong !== undefined || checkpoint === undefined)
    return yield about(page, 'the checkpoint is not signed as it should be', 'a signature of its machine', wrong);
  yield* unequal(page, 'checkpoints are numbered one after the other', number, checkpoint.number);
  yield* unequal(
    page,
    'it follows another checkpoint than it names',
    before?.id ?? 'none',
    checkpoint.previous ?? 'none',
  );
  yield* unequal(page, 'its key is not the one that signed', fingerprint, page.get('Signer'));
  const others = [...(await readTree(books.library.org.repo, page.tree)).keys()].filter(
    (name) => name !== checkpointFile && name !== `${checkpointFile}.sig` && !countersignedForm.test(name),
  );
  yield* unequal(page, 'there is something else in its tree', '', others.join(' '));
  yield* await checkCountersigned(books, page, formatCheckpoint(checkpoint));
}

/**
 * Where decisions are signed, anybody may make a key and sign checkpoints with it. So a machine counts if it signed the first one, or
 * one before anything was signed; if a person has decided there; or if a person has signed a checkpoint at or above its own.
 */
async function checkMachines(
  books: Books,
  signed: readonly (readonly [AuditPage, SignedCheckpoint])[],
): Promise<readonly AuditFinding[]> {
  const { state } = await judgeQueue(books);
  if (state.signing === undefined) return [];
  const begun = books.queue.findIndex(({ ours, event }) => ours && event === 'endorse');
  const under = new Set(books.queue.slice(begun).map(({ id }) => id));
  const isBefore = (one: SignedCheckpoint): boolean => !under.has(one.checkpoint?.tips.get(queueRef) ?? '');
  const last = Math.max(0, await lastCountersigned(books, signed));
  const known = signed.filter(([, one], index) => index <= last || isBefore(one));
  const named = new Set([...state.machines, ...known.map(([, one]) => one.checkpoint?.machine ?? '')]);
  return signed.flatMap(([page, { checkpoint, fingerprint }]) => {
    if (checkpoint === undefined || named.has(checkpoint.machine)) return [];
    named.add(checkpoint.machine);
    const expected = 'the first machine, or one on which a person has decided. If you know it: orgrepo verify --sign';
    const found = about(
      page,
      'a machine that no person has named signed it',
      expected,
      `${checkpoint.host} ${fingerprint}`,
    );
    return [{ ...found, isToSign: true }];
  });
}

async function lastCountersigned(
  books: Books,
  signed: readonly (readonly [AuditPage, SignedCheckpoint])[],
): Promise<number> {
  for (const [index, [page, { checkpoint }]] of [...signed.entries()].reverse()) {
    if (checkpoint === undefined || page.get('By') === undefined) continue;
    const isSigned = (await readCountersigned(books.library.org, page.tree)).length > 0;
    if (isSigned && (await checkCountersigned(books, page, formatCheckpoint(checkpoint))).length === 0) return index;
  }
  return -1;
}

/** All signers that were in force: a person who left has signed what they signed. Without any, those of the trunk. */
async function everySigner(books: Books): Promise<readonly Signer[] | undefined> {
  const endorsed = [...(await judgeQueue(books)).endorsed.values()].reverse();
  return endorsed.length > 0
    ? endorsed.flatMap(({ signers }) => signers)
    : unlessProblem(readSigners(books.library.org));
}

/** A person's signature is by a key that `allowed_signers` gives or gave to that name, and was valid then. */
async function checkCountersigned(books: Books, page: AuditPage, text: string): Promise<readonly AuditFinding[]> {
  const signed = await readCountersigned(books.library.org, page.tree);
  const signers = signed.length === 0 ? undefined : await everySigner(books);
  // Without the file nobody can tell whose a key is.
  return (signers === undefined ? [] : signed).flatMap(({ by, signature }) => {
    const named = (signers ?? []).filter(({ names }) => names.includes(by));
    const found = signerOf(named, text, signature, countersignNamespace, page.commit.committer.at);
    return 'names' in found ? [] : [about(page, `the signature of ${by} does not hold`, by, found.wrong)];
  });
}

/**
 * A branch only ever grows, so what a checkpoint names is part of it. Best may be deleted by a person to start over: it is
 * compared with the last checkpoint alone. People rebase their trunk as they like.
 */
async function* checkTipsOf(
  books: Books,
  signed: readonly (readonly [AuditPage, SignedCheckpoint])[],
): AsyncGenerator<AuditFinding> {
  if (wasRepaired(books)) return; // What a power failure took may be named.
  const reported = new Set<string>();
  const known = new Map<string, ReadonlySet<string>>();
  const idsBelow = (ref: string): ReadonlySet<string> => {
    const ids = known.get(ref) ?? new Set(pagesAt(books, ref).map(({ id }) => id));
    known.set(ref, ids);
    return ids;
  };
  const last = signed.at(-1)?.[1];
  for (const [page, one] of signed)
    for (const [ref, id] of one.wrong === undefined ? (one.checkpoint?.tips ?? []) : []) {
      if (!/^refs\/(heads\/)?orgrepo\//.test(ref) || (ref === bestRef && one !== last) || idsBelow(ref).has(id))
        continue;
      // A book need not be in every clone: it is missed only where its commits are there and the ref is not.
      if (!ref.startsWith('refs/heads/') && !(await books.library.org.repo.reader.has(id))) continue;
      const now = books.snapshot.refs.get(ref);
      if (reported.has(ref)) continue;
      reported.add(ref);
      yield aboutTip(
        ref,
        `${shortRef(ref)} was rewritten, moved back or taken away`,
        `checkpoint ${one.checkpoint?.number} (${page.id.slice(0, 7)}) has it at ${id}`,
        now,
      );
    }
}

/** Refs that were put back together with their checkpoints: this clone has seen a later one. */
function* checkSeen({ library }: Books, pages: readonly AuditPage[]): Generator<AuditFinding> {
  const seen = readSeen(library.org);
  const newest = pages.at(-1);
  if (seen !== undefined && !pages.some(({ id }) => id === seen.id))
    yield aboutTip(
      checkpointsRef,
      'the checkpoints were put back: this clone has seen a later one',
      `checkpoint ${seen.number} (${seen.id.slice(0, 7)})`,
      newest === undefined ? undefined : `checkpoint ${pages.length} (${newest.id.slice(0, 7)})`,
    );
}
