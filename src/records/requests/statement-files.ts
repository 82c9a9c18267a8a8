import path from 'node:path';
import { formatStatement, parseStatement, type Statement, type StatementKind } from '../../domain/rules/statement.ts';
import { type Checkpoint, checkpointFile, parseCheckpoint } from '../../domain/words/checkpoint.ts';
import { entriesIn, entryAt, type TreeEntry } from '../../git/objects/tree.ts';
import { checkpointsRef } from '../../git/refs/ref-names.ts';
import { findSecret } from '../../secrets/known-secrets.ts';
import { Problem } from '../../text/problem.ts';
import { type BookEntry, readTip } from '../entry.ts';
import type { Org } from '../org.ts';

/** What a person's signature below a decision is for. */
export const decisionNamespace = 'orgrepo-approval@1';

/** A person's statement, signed by their key. The one that begins signing has no signature. */
export interface SignedStatement {
  readonly statement: Statement;
  readonly signature: string | undefined;
  readonly fingerprint: string | undefined;
}

/** Where a statement stands on the queue; its signature is beside it, in `….sig`. */
export const statementFile = (kind: StatementKind, id: string, by: string): string =>
  id === 'org' ? `approvals/${kind}` : `approvals/${id}.${by.replaceAll(/[^\w@.-]/g, '-')}`;

export const signersOnQueue = 'approvals/allowed_signers';

/** The files and the trailer with which a commit of the queue carries what a person has signed about one of its subjects. */
export function statementParts(id: string, signed: SignedStatement | undefined) {
  if (signed === undefined) return { files: [], trailers: {} };
  const { statement, signature } = signed;
  const file = statementFile(statement.kind, id, statement.by);
  refuseSecretIn(formatStatement(statement), 'the statement');
  const files: (readonly [string, string | undefined])[] = [
    [file, formatStatement(statement)],
    [`${file}.sig`, signature],
  ];
  return { files, trailers: { Signer: signed.fingerprint } };
}

/** What is signed must be stored to the byte, and the queue hides secrets. */
export function refuseSecretIn(text: string, what: string): void {
  const name = findSecret(text);
  if (name !== undefined)
    throw new Problem(
      'credentials/signing',
      `${what} holds the value of ${name}, which is never written, so its signature would not hold`,
      `Leave it out, or unset ${name} for this command.`,
    );
}

/** The newest checkpoint, as it says of itself: `verify` looks whether it is signed. Undefined before the first. */
export async function newestCheckpoint(org: Org): Promise<Checkpoint | undefined> {
  const tip = await readTip(org, checkpointsRef);
  return tip && checkpointIn(org, tip);
}

export const checkpointIn = async (org: Org, entry: BookEntry): Promise<Checkpoint | undefined> =>
  parseCheckpoint((await textInCommit(org, entry, checkpointFile)) ?? '');

/** A statement in a commit of the queue, with its signature; without `statement` where the text is not one. */
export async function readStatement(
  org: Org,
  { commit }: BookEntry,
  file: string,
): Promise<
  { readonly text: string; readonly signature: string; readonly statement: Statement | undefined } | undefined
> {
  const name = path.basename(file);
  const entries = await entriesIn(org.repo, commit.tree, 'approvals', [name, `${name}.sig`]);
  const [text, signature = ''] = await Promise.all(entries.map((entry) => textOf(org, entry)));
  return text === undefined ? undefined : { text, signature, statement: parseStatement(text) };
}

export const textInCommit = async (org: Org, { commit }: BookEntry, file: string): Promise<string | undefined> =>
  textOf(org, await entryAt(org.repo, commit.tree, file));

async function textOf(org: Org, entry: TreeEntry | undefined): Promise<string | undefined> {
  const found = entry && (await org.repo.reader.read(entry.oid));
  return found?.type === 'blob' ? found.content.toString('utf8') : undefined;
}
