import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ifThere } from '../../text/otherwise.ts';
import { type GitPlace, git } from '../run-git.ts';
import { hasPlainRefs, packedRefs } from './loose-ref.ts';

/** A ref, or the file that should hold some, that is not as git writes it. */
export interface BrokenRef {
  readonly ref: string;
  readonly expected: string;
  readonly found: string;
}

interface RefList {
  readonly refs: ReadonlyMap<string, string>;
  readonly broken: readonly BrokenRef[];
  /** Values in packed-refs that a ref's own file has replaced since. */
  readonly replaced: ReadonlyMap<string, string>;
}

/**
 * The refs below these directories, read byte by byte. Git itself is no witness here: it leaves out a ref that it cannot
 * read, and takes an id in capitals or with something behind it for a good one.
 */
export async function listRefs(place: GitPlace, roots: readonly string[]): Promise<RefList> {
  if (!hasPlainRefs(place.gitDir)) return listByGit(place, roots);
  const broken: BrokenRef[] = [];
  const loose = new Map<string, string>();
  // Before the packed ones: a ref that is packed meanwhile is then seen there.
  for (const ref of roots.flatMap((root) => filesBelow(place.gitDir, root))) {
    const text = readIfThere(path.join(place.gitDir, ref));
    if (text === undefined) continue;
    const id = /^([0-9a-f]{40}|[0-9a-f]{64})\n$/.exec(text)?.[1];
    if (id === undefined) broken.push({ ref, expected: 'the id of a commit and a line break', found: shown(text) });
    else loose.set(ref, id);
  }
  const packed = parsePacked(readIfThere(path.join(place.gitDir, 'packed-refs')) ?? '', broken);
  const wanted = [...packed].filter(([ref]) => roots.some((root) => ref.startsWith(`${root}/`)));
  return {
    refs: new Map([...wanted, ...loose]),
    broken,
    replaced: new Map(wanted.filter(([ref, id]) => loose.has(ref) && loose.get(ref) !== id)),
  };
}

/** The names of the refs below a directory, asked for again and again: packed ones are read once. */
export async function refNames(place: GitPlace, root: string): Promise<readonly string[]> {
  if (!hasPlainRefs(place.gitDir)) return [...(await listByGit(place, [root])).refs.keys()];
  const loose = filesBelow(place.gitDir, root);
  const packed = [...packedRefs(place.gitDir).keys()].filter((ref) => ref.startsWith(`${root}/`));
  return [...new Set([...loose, ...packed])].sort();
}

async function listByGit(place: GitPlace, roots: readonly string[]): Promise<RefList> {
  const listed = await git(place, ['for-each-ref', '--format=%(objectname) %(refname)', ...roots]);
  const lines = listed.split('\n').filter((line) => line !== '');
  return {
    refs: new Map(lines.map((line) => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))])),
    broken: [],
    replaced: new Map(),
  };
}

function filesBelow(gitDir: string, root: string): string[] {
  return ifThere(() => readdirSync(path.join(gitDir, root), { withFileTypes: true }), []).flatMap((entry) => {
    const name = `${root}/${entry.name}`;
    if (entry.isDirectory()) return filesBelow(gitDir, name);
    return entry.name.endsWith('.lock') ? [] : [name]; // Somebody is just writing it, or was when he was killed.
  });
}

const readIfThere = (file: string): string | undefined => ifThere(() => readFileSync(file, 'latin1'), undefined);

const header = /^# pack-refs with:( peeled| fully-peeled| sorted)+ ?$/;
const packedLine = /^([0-9a-f]{40}|[0-9a-f]{64}) (refs\/[^\x00-\x20\x7f~^:?*[\\]+)$/;
const peeledLine = /^\^([0-9a-f]{40}|[0-9a-f]{64})$/;

function parsePacked(text: string, broken: BrokenRef[]): Map<string, string> {
  const refs = new Map<string, string>();
  if (text === '') return refs;
  const lines = text.split('\n');
  const say = (line: string, expected: string): void =>
    void broken.push({ ref: 'packed-refs', expected, found: shown(line) });
  if (lines.pop() !== '') say(text.slice(-80), 'a line break at the end');
  const sorted = header.test(lines[0] ?? '') && (lines[0] ?? '').includes(' sorted');
  let last = '';
  for (const [index, line] of lines.entries()) {
    const [, id, ref] = packedLine.exec(line) ?? [];
    if (id !== undefined && ref !== undefined) {
      if (sorted && ref <= last) say(line, `a ref that comes after ${last}`);
      last = ref;
      refs.set(ref, id);
    } else if (!(index === 0 && header.test(line)) && !peeledLine.test(line)) say(line, 'an id and the name of a ref');
  }
  return refs;
}

const shown = (text: string): string => (text === '' ? 'nothing' : JSON.stringify(text.slice(0, 120)));
