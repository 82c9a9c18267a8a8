import { readFileSync } from 'node:fs';
import path from 'node:path';
import { placeIn, priceIn } from '../../brief/read/brief-models.ts';
import { parseBrief } from '../../brief/read/brief-text.ts';
import type { CulturePreset } from '../../domain/staff/charter.ts';
import type { Brief } from '../../domain/words/brief.ts';
import { entryAt, filesOf, isTree, type TreeEntry } from '../../git/objects/tree.ts';
import { readEntry } from '../../records/entry.ts';
import type { Org } from '../../records/org.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { decodeText } from '../../text/decode.ts';
import { hasFrontMatter } from '../../text/front-matter.ts';
import { isProblem, orElse, type Place, Problem, type ProblemCode, problemAt } from '../../text/problem.ts';
import type { CharterReading } from '../read/org-file.ts';
import { charterAt, under } from './charter-at.ts';

/** A brief together with the exact bytes it came from and the harness that goes with it. */
export interface PinnedBrief {
  readonly brief: Brief;
  /** The id of the blob that the brief is in. */
  readonly blob: string;
  /** The id of the harness: of its tree, or of its blob where it is one file. */
  readonly harness: string;
  /** The brief's file where it is not program.md. */
  readonly file?: string | undefined;
  /** The organisation that it is worked in, where people have written one. */
  readonly charter?: CharterReading | undefined;
}

/** The brief's usual file, and the one for a repository whose program.md is somebody else's and stays as it is. */
const usualFile = 'program.md';
const besideFile = 'orgrepo.md';

interface PinOptions {
  /** The tree that the organisation is read from, where that is not the commit's own. */
  readonly orgTree?: string | undefined;
  /** What `--culture` says, for one run. */
  readonly culture?: CulturePreset | undefined;
}

/** The brief, the harness and the organisation as they stand in a commit. */
export async function pinBrief(org: Org, commit: string, options: PinOptions = {}): Promise<PinnedBrief> {
  const tree = (await readEntry(org, commit))?.commit.tree ?? '';
  try {
    const found = await findBrief(org, tree);
    if (found !== undefined) return await pinUnder(org, found, tree, options);
    const hint = 'Make one: orgrepo init, then commit it.';
    throw new Problem('brief/missing', 'there is no program.md in the last commit', hint, { file: usualFile });
  } catch (error) {
    throw isProblem(error) && error.code.startsWith('brief/') ? await orCommitFirst(org, tree, error) : error;
  }
}

/**
 * A brief by its blob, with the harness that this tree has, in the organisation that `orgTree` has. What that calls its models is
 * what the brief says that stands beside it: the two were put into force together.
 */
export async function pinUnder(
  org: Org,
  { blob, file }: Pick<PinnedBrief, 'blob' | 'file'>,
  tree: string,
  { orgTree, culture }: PinOptions,
): Promise<PinnedBrief> {
  const pinned = await pinBlob(org, blob, tree, file);
  const beside = orgTree === undefined ? undefined : await findBrief(org, orgTree);
  return under(await charterAt(org, orgTree ?? tree, await textOf(org, beside?.blob ?? blob), culture), pinned);
}

interface BriefFile {
  readonly file: string;
  readonly blob: string;
}

/** The file that holds the brief, which must be UTF-8; undefined when there is none. */
export async function findBrief(org: Org, tree: string): Promise<BriefFile | undefined> {
  const found = await chooseFile(org, tree);
  if (found !== undefined) decodeText(await bytesOf(org, found.blob), found.file, 'brief/syntax');
  return found;
}

/**
 * program.md; or orgrepo.md, where program.md has no front matter because it was written
 * for something else.
 */
async function chooseFile(org: Org, tree: string): Promise<BriefFile | undefined> {
  const [usual, beside] = await Promise.all([fileAt(org, tree, usualFile), fileAt(org, tree, besideFile)]);
  if (beside === undefined) return usual && { file: usualFile, blob: usual.oid };
  if (usual === undefined || !hasFrontMatter(await textOf(org, usual.oid)))
    return { file: besideFile, blob: beside.oid };
  if (!hasFrontMatter(await textOf(org, beside.oid))) return { file: usualFile, blob: usual.oid };
  const what = 'program.md and orgrepo.md both have front matter, and only one can be the brief';
  const hint = 'Take one of them out, or the front matter of the one that is only to be read.';
  throw problemAt('brief/key', { file: besideFile, line: 1, column: 1 }, what, hint);
}

async function fileAt(org: Org, tree: string, path: string): Promise<TreeEntry | undefined> {
  const entry = await entryAt(org.repo, tree, path);
  return entry === undefined || isTree(entry) ? undefined : entry;
}

/** A brief by its blob, with the harness that this tree has. */
export async function pinBlob(org: Org, blob: string, tree: string, file = usualFile): Promise<PinnedBrief> {
  const brief = await readBrief(org, blob, tree, file);
  const harness = await entryAt(org.repo, tree, brief.harness);
  const pinned = { brief, blob, harness: harness?.oid ?? '', ...(file === usualFile ? {} : { file }) };
  if (harness !== undefined && (isTree(harness) || harness.mode.startsWith('100'))) return pinned;
  const why =
    harness === undefined
      ? 'and there is no such directory or file in the last commit'
      : 'which is neither a directory nor a regular file';
  throw await problemInBrief(org, pinned, {
    code: 'harness/missing',
    at: ['harness'],
    what: `harness is ${brief.harness}, ${why}`,
    hint: `Make ${brief.harness} and commit it, or change harness in ${file}.`,
  });
}

export async function readBrief(org: Org, blob: string, tree: string, file = usualFile): Promise<Brief> {
  const text = await textOf(org, blob);
  if (hasFrontMatter(text)) return parseWithoutSecrets(text, (shown) => parseBrief(shown, file));
  // A plain brief is read by what is there.
  const files = [...(await filesOf(org.repo, tree, () => true, isReadable)).keys()];
  const paths = new Set(files.flatMap((path) => [path, ...directoriesOf(path)]));
  return parseWithoutSecrets(text, (shown) => parseBrief(shown, file, { exists: (path) => paths.has(path) }));
}

const isReadable = (dir: string): boolean => dir !== 'node_modules';

const directoriesOf = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, index, parts) => parts.slice(0, index + 1).join('/'));

/** A Problem that stands in a brief which can be read: about what it asks for, by the line that asks for it. */
export const problemInBrief = async (
  org: Org,
  pinned: PinnedBrief,
  { code, at, what, hint }: Wrong,
): Promise<Problem> => problemAt(code, await placeInBrief(org, pinned, at), what, hint);

interface Wrong {
  readonly code: ProblemCode;
  /** The key that says it: `['budget', 'usd']`. */
  readonly at: readonly [string, ...string[]];
  readonly what: string;
  readonly hint: string;
}

/** Where a brief says something. */
export const placeInBrief = async (org: Org, pinned: PinnedBrief, path: Wrong['at']): Promise<Place> =>
  placeIn(await textOf(org, pinned.blob), pinned.file ?? usualFile, ...path);

/** The price of a model, by the name that it has in the brief. */
export const priceInBrief = async (org: Org, pinned: PinnedBrief, id: string) =>
  priceIn(await textOf(org, pinned.blob), pinned.file ?? usualFile, id);

/** Of a brief of earlier too, which was read like this whatever its encoding: `findBrief` refuses what people write now. */
const textOf = async (org: Org, blob: string): Promise<string> => (await bytesOf(org, blob)).toString('utf8');

async function bytesOf(org: Org, blob: string): Promise<Buffer> {
  const found = await org.repo.reader.read(blob);
  if (found?.type === 'blob') return found.content;
  const what = `the brief ${blob} is not in this repository`;
  throw new Problem('integrity/history', what, 'Fetch the whole history: git fetch --unshallow');
}

/**
 * The same Problem about the last commit's brief, with another hint where the person has the brief in their directory
 * and has only not committed it: to write it again would be the wrong thing to do.
 */
async function orCommitFirst(org: Org, tree: string, problem: Problem): Promise<Problem> {
  for (const file of [besideFile, usualFile]) {
    const state = await stateOf(org, tree, file);
    if (state === 'committed') continue;
    const add = file === 'orgrepo.md' ? file : '-A'; // The harness and the rest came with it.
    const commit = `git add ${add} && git commit -m "the org"`;
    const hint =
      state === 'new'
        ? `${file} is here and not committed, and only what is committed counts: ${commit}`
        : `${problem.hint} Once ${file} is right, commit it, since only what is committed counts: ${commit}`;
    return new Problem(problem.code, problem.message, hint, problem.place);
  }
  return problem;
}

async function stateOf(org: Org, tree: string, file: string): Promise<'committed' | 'changed' | 'new'> {
  const here = orElse(() => readFileSync(path.join(org.repo.root, file), 'utf8'), undefined);
  // A page called orgrepo.md may be about anything; with front matter it is meant as a brief.
  if (here === undefined || (file === 'orgrepo.md' && !hasFrontMatter(here))) return 'committed';
  const entry = await entryAt(org.repo, tree, file);
  if (entry === undefined) return 'new';
  const there = (await org.repo.reader.read(entry.oid))?.content.toString('utf8') ?? '';
  return plain(there) === plain(here) ? 'committed' : 'changed';
}

/** Without what git may change when it checks a file out. */
const plain = (text: string): string => text.replaceAll('\r\n', '\n');

/**
 * Reads a person's file. A complaint about it quotes its own words, which are cut to fit a line, and half a secret is not
 * known again: so where the file has one, the complaint quotes the text without it.
 */
export function parseWithoutSecrets<T>(text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (error) {
    const hidden = hideSecrets(text);
    if (!isProblem(error) || hidden === text) throw error;
    parse(hidden);
    const what = 'what is wrong there cannot be shown: it holds a secret';
    throw error.place === undefined
      ? new Problem(error.code, what, error.hint)
      : problemAt(error.code, error.place, what, error.hint);
  }
}
