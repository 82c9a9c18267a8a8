import { createHash } from 'node:crypto';
import { agentEmail } from '../domain/staff/staff.ts';
import type { SpentOnTry } from '../domain/words/experiment.ts';
import { formatModelId, type ModelId } from '../domain/words/model-id.ts';
import type { Amount } from '../domain/words/spending.ts';
import { formatUsd, paidBySubscription } from '../domain/words/spent.ts';
import { type Commit, formatCommit, parseCommit } from '../git/objects/commit.ts';
import { newObject, storeObject, withoutIds } from '../git/objects/tree.ts';
import { shortRef } from '../git/refs/ref-names.ts';
import { findSecret, hideSecrets } from '../secrets/known-secrets.ts';
import { cleanLine, cleanText, Problem } from '../text/problem.ts';
import type { Org } from './org.ts';

/** One commit of the org's books as it is about to be written. */
export interface NewEntry {
  readonly tree: string;
  readonly parents: readonly string[];
  /** An agent's name; undefined when the person speaks for themselves. */
  readonly agent: string | undefined;
  readonly title: string;
  readonly body?: string;
  /** Without the `Org-`; a value that is not known is left out. */
  readonly trailers: Readonly<Record<string, string | number | undefined>>;
}

/** One commit of the org's books as it is read back. */
export interface BookEntry {
  readonly commit: Commit;
  readonly event: string;
  readonly title: string;
  readonly body: string;
  /** The value of a trailer, without the `Org-`. */
  get(key: string): string | undefined;
  /** The same as a number; undefined when it is absent or no number. */
  number(key: string): number | undefined;
}

export async function writeEntry(org: Org, entry: NewEntry): Promise<string> {
  const at = Math.floor(Date.now() / 1000);
  const person = await org.person();
  const author = entry.agent === undefined ? person : { name: entry.agent, email: agentEmail(entry.agent) };
  const trailers = Object.entries({ ...entry.trailers, Schema: 1 }).flatMap(([key, value]) =>
    value === undefined ? [] : [[`Org-${key}`, hideInLong(String(value))] as const],
  );
  const [title, body] = [hideSecrets(entry.title), hideSecrets(entry.body ?? '')]; // Before anything is cut from them.
  const message = hideInMessage(formatMessage({ title, body, trailers }));
  const { tree, parents } = entry;
  const commit = formatCommit({ tree, parents, author: { ...author, at }, committer: { ...person, at }, message });
  return storeObject(org.repo, newObject(org.repo.hash, 'commit', commit + sealLine(commit)));
}

/** A value that may be cut to the length of a trailer. No id is as long. */
const hideInLong = (value: string): string => (value.length > 4 * 1024 ? hideSecrets(value) : value);

/**
 * Cleaning takes characters out of a text, and what is left may be a secret that was none before. An id stays what it is,
 * although a token may look the same: what it names could not be found again.
 */
function hideInMessage(message: string): string {
  if (findSecret(message) === undefined) return message;
  const end = message.lastIndexOf('\n\n');
  const trailers = message
    .slice(end)
    .split('\n')
    .map((line) => (findSecret(withoutIds(line)) === undefined ? line : hideSecrets(line)));
  return hideSecrets(message.slice(0, end)) + trailers.join('\n');
}

/** The tip of a branch that is to be built on: undefined when there is no such branch, a Problem when it cannot be read. */
export async function readTip(org: Org, ref: string): Promise<BookEntry | undefined> {
  const tip = await readEntry(org, ref);
  if (tip !== undefined) return tip;
  const named = await org.repo.reader.resolve(ref);
  if (named === undefined) return undefined;
  const made = await readEntry(org, named); // Somebody may have made the branch just now.
  if (made !== undefined) return made;
  throw new Problem(
    'integrity/history',
    `${shortRef(ref)} is at ${named.slice(0, 7)}, which cannot be read`,
    'A run mends what a power failure has damaged: orgrepo run. See what it is: git fsck',
  );
}

/** The commit that a ref or an id names, or undefined when there is none. */
export async function readEntry(org: Org, name: string): Promise<BookEntry | undefined> {
  const found = await org.repo.reader.read(name);
  if (found?.type !== 'commit') return undefined;
  const known = entries.get(found);
  if (known !== undefined) return known;
  const entry = entryFrom(parseCommit(found.oid, found.content.toString('utf8')));
  entries.set(found, entry);
  return entry;
}

/** A commit and all below it by first parents, newest first, for as long as the reader wants more. */
export async function* entriesFrom(org: Org, start: string | BookEntry): AsyncGenerator<BookEntry> {
  let entry = typeof start === 'string' ? await readEntry(org, start) : start;
  while (entry !== undefined) {
    yield entry;
    entry = await readEntry(org, entry.commit.parents[0] ?? '');
  }
}

/** The same, where a missing commit is a Problem. */
export async function entryOf(org: Org, commit: string): Promise<BookEntry> {
  const entry = await readEntry(org, commit);
  if (entry !== undefined) return entry;
  throw new Problem('integrity/history', `the commit ${commit} is not in the repository`, 'Check it with: git fsck');
}

export const treeOf = async (org: Org, commit: string): Promise<string> => (await entryOf(org, commit)).commit.tree;

/** What was read of an object for as long as the object itself is at hand: the last few are asked for again and again. */
const entries = new WeakMap<object, BookEntry>();

export function entryFrom(commit: Commit): BookEntry {
  const { title, body, trailers } = parseMessage(commit.message);
  const get = (key: string): string | undefined => trailers.get(`Org-${key}`);
  return {
    commit,
    event: get('Event') ?? '',
    title,
    body,
    get,
    number: (key) => {
      const value = get(key);
      return value === undefined || value === '' || !Number.isFinite(Number(value)) ? undefined : Number(value);
    },
  };
}

/** What an agent's model used for what a commit holds. */
export interface SpentByModel extends Omit<Amount, 'usd'>, Partial<Pick<Amount, 'usd'>> {
  readonly model: ModelId;
  readonly cached?: number | undefined;
}

/** Nothing where no model was asked, and no price where nobody knows it. */
export const spentTrailers = (spent: SpentByModel | undefined): NewEntry['trailers'] => ({
  Model: spent && formatModelId(spent.model),
  'Tokens-In': spent?.tokensIn,
  'Tokens-Cached': spent?.cached,
  'Tokens-Out': spent?.tokensOut,
  'Cost-USD': spent?.usd === undefined ? undefined : formatUsd(spent.usd),
  'Paid-By': spent?.subscription && paidBySubscription,
});

export function spentIn(entry: BookEntry | undefined): SpentOnTry | undefined {
  const [model, tokensIn, tokensOut] = [entry?.get('Model'), entry?.number('Tokens-In'), entry?.number('Tokens-Out')];
  if (model === undefined || tokensIn === undefined || tokensOut === undefined) return undefined;
  const cached = entry?.number('Tokens-Cached');
  const how = entry?.get('Paid-By') === paidBySubscription ? { subscription: true as const } : {};
  return { model, tokensIn, tokensOut, usd: entry?.number('Cost-USD'), ...(cached && { cached }), ...how };
}

/*
 * Every commit that orgrepo makes ends in a checksum of all the rest of it. A commit's id is one too, but the newest
 * commit of a branch has nobody above it that remembers the id: an edit that moves the branch leaves no trace.
 * It is not a signature: an author of a whole history can compute the seals as well.
 */

const sealAtTheEnd = /^Org-Seal: ([0-9a-f]{16})\n$/;
const sealBytes = 'Org-Seal: '.length + 17;

/** The line that seals a commit: over every byte that stands above it. */
export const sealLine = (content: Buffer | string): string =>
  `Org-Seal: ${createHash('sha256').update(content).digest('hex').slice(0, 16)}\n`;

/** A commit without git's own signature, which a person may add and which covers the seal. */
function withoutSignature(content: Buffer): Buffer {
  const end = content.indexOf('\n\n');
  if (!content.subarray(0, end).includes('\ngpgsig')) return content;
  const head = content.toString('latin1', 0, end).replaceAll(/\ngpgsig(?:-sha256)? [^\n]*(?:\n [^\n]*)*/g, '');
  return Buffer.concat([Buffer.from(head, 'latin1'), content.subarray(end)]);
}

/** Whether a commit is as it was when it was sealed. */
export function sealOf(signed: Buffer): 'whole' | 'broken' | 'none' {
  const content = withoutSignature(signed);
  const end = content.length - sealBytes;
  const line = end <= 0 || content[end - 1] !== 10 ? '' : content.toString('latin1', end);
  if (!sealAtTheEnd.test(line)) return 'none';
  return line === sealLine(content.subarray(0, end)) ? 'whole' : 'broken';
}

interface CommitMessage {
  readonly title: string;
  readonly body: string;
  readonly trailers: readonly (readonly [key: string, value: string])[];
}

const maxTitle = 200;
const maxBody = 8 * 1024;
const maxValue = 8 * 1024;
const trailerKey = /^Org-[A-Za-z]+(?:-[A-Za-z]+)*$/;
const trailerLine = /^([A-Za-z][A-Za-z0-9-]*): (.*)$/;

/**
 * A commit message. Title and body may come from an agent: the trailers always stand below them in a paragraph of
 * their own, so nothing written above can pass for one. A trailer whose value is empty is left out: it is not known.
 */
export function formatMessage(message: CommitMessage): string {
  const trailers = message.trailers
    .map(([key, value]) => [key, cleanLine(value, maxValue)] as const)
    .filter(([, value]) => value !== '');
  const wrong = trailers.find(([key]) => !trailerKey.test(key));
  if (wrong !== undefined) throw new Error(`${wrong[0]} is not the name of a trailer`);
  if (trailers.length === 0) throw new Error('a message without trailers would let its body pass for them');
  const title = cleanLine(message.title, maxTitle) || '(no title)';
  const body = cleanBody(message.body);
  const paragraphs = [title, body, trailers.map(([key, value]) => `${key}: ${value}`).join('\n')];
  return `${paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')}\n`;
}

/** A body as a message holds it. */
export const cleanBody = (text: string): string => cleanText(text, maxBody);

interface ParsedMessage {
  readonly title: string;
  readonly body: string;
  /** Only `Org-` keys, and only when the last paragraph is nothing but trailers; the first of two with one key counts. */
  readonly trailers: ReadonlyMap<string, string>;
}

export function parseMessage(text: string): ParsedMessage {
  const message = (text.includes('\r') ? text.replace(/\r\n/g, '\n') : text).trimEnd();
  const titleEnd = message.indexOf('\n');
  if (titleEnd === -1) return { title: message, body: '', trailers: new Map() };
  const title = message.slice(0, titleEnd);
  const lastBreak = message.lastIndexOf('\n\n');
  const trailers = lastBreak === -1 ? undefined : parseTrailers(message.slice(lastBreak + 2));
  const body = message.slice(titleEnd, trailers === undefined ? undefined : Math.max(lastBreak, titleEnd));
  return { title, body: body.replace(/^\n+/, '').trimEnd(), trailers: trailers ?? new Map() };
}

function parseTrailers(paragraph: string): ReadonlyMap<string, string> | undefined {
  const trailers = new Map<string, string>();
  for (const line of paragraph.split('\n')) {
    const [, key, value] = trailerLine.exec(line) ?? [];
    if (key === undefined || value === undefined) return undefined;
    if (trailerKey.test(key) && !trailers.has(key)) trailers.set(key, value.trim());
  }
  return trailers;
}
