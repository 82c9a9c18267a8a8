import { createHash } from 'node:crypto';
import { showPath } from '../../text/paths.ts';
import type { HashName, Repo } from '../repo.ts';

/** One line of a tree: git's mode as it is written there, and the id of what it names. */
export interface TreeEntry {
  readonly mode: string;
  readonly oid: string;
  /** The name's bytes where they are no UTF-8: a person's old file must survive in every tree we make. */
  readonly rawName?: Buffer;
}

export const treeMode = '40000';
export const isTree = (entry: TreeEntry | undefined): entry is TreeEntry & { mode: '40000' } =>
  entry?.mode === treeMode;

/** One directory of a tree. */
export async function readTree(repo: Repo, oid: string): Promise<ReadonlyMap<string, TreeEntry>> {
  const found = await repo.reader.read(oid);
  return found?.type === 'tree' ? parseTree(found.content, repo) : new Map();
}

/** What a path of a tree names, or undefined. */
export async function entryAt(repo: Repo, tree: string, path: string): Promise<TreeEntry | undefined> {
  let entry: TreeEntry | undefined = { mode: treeMode, oid: tree };
  for (const name of path.split('/')) {
    if (!isTree(entry)) return undefined;
    const found = await repo.reader.read(entry.oid);
    entry = found?.type === 'tree' ? findInTree(found.content, name, repo) : undefined;
  }
  return entry;
}

/** What several names in one directory of a tree name. */
export async function entriesIn(
  repo: Repo,
  tree: string,
  dir: string,
  names: readonly string[],
): Promise<readonly (TreeEntry | undefined)[]> {
  const entry = await entryAt(repo, tree, dir);
  const found = isTree(entry) ? await repo.reader.read(entry.oid) : undefined;
  return names.map((name) => (found?.type === 'tree' ? findInTree(found.content, name, repo) : undefined));
}

/** All files below the paths that `wanted` accepts; `enter` says which directories are worth a look. */
export async function filesOf(
  repo: Repo,
  tree: string,
  wanted: (path: string) => boolean,
  enter: (dir: string) => boolean,
): Promise<Map<string, TreeEntry>> {
  const files = new Map<string, TreeEntry>();
  const walk = async (oid: string, prefix: string): Promise<void> => {
    for (const [name, entry] of await readTree(repo, oid)) {
      const path = prefix + name;
      if (isTree(entry)) {
        if (enter(path)) await walk(entry.oid, `${path}/`);
      } else if (wanted(path)) files.set(path, entry);
    }
  };
  await walk(tree, '');
  return files;
}

export type BuiltTree = Awaited<ReturnType<typeof editTree>>;

/** The tree with these paths set, or taken out where the entry is undefined; nothing is written. */
export async function editTree(
  repo: Repo,
  tree: string | undefined,
  changes: ReadonlyMap<string, TreeEntry | undefined>,
) {
  /** What must be stored for this tree to be whole. */
  const objects: NewObject[] = [];
  const edit = async (
    oid: string | undefined,
    below: ReadonlyMap<string, TreeEntry | undefined>,
  ): Promise<string | undefined> => {
    const entries = new Map(oid === undefined ? [] : await readTree(repo, oid));
    const deeper = new Map<string, Map<string, TreeEntry | undefined>>();
    for (const [path, entry] of below) {
      const slash = path.indexOf('/');
      if (slash < 0) {
        if (entry === undefined) entries.delete(path);
        else entries.set(path, entry);
        continue;
      }
      const name = path.slice(0, slash);
      const inner = deeper.get(name) ?? new Map<string, TreeEntry | undefined>();
      inner.set(path.slice(slash + 1), entry);
      deeper.set(name, inner);
    }
    for (const [name, inner] of deeper) {
      const old = entries.get(name);
      const made = await edit(isTree(old) ? old.oid : undefined, inner);
      if (made !== undefined) entries.set(name, { mode: treeMode, oid: made });
      else if (isTree(entries.get(name))) entries.delete(name); // Unless a file has taken the directory's place.
    }
    if (entries.size === 0) return undefined; // Git keeps no empty directories.
    const object = newObject(repo.hash, 'tree', formatTree(entries));
    objects.push(object);
    return object.oid;
  };
  const made = await edit(tree, changes);
  if (made !== undefined) return { oid: made, objects };
  const empty = newObject(repo.hash, 'tree', '');
  return { oid: empty.oid, objects: [empty] };
}

function parseTree(content: Buffer, repo: Repo): Map<string, TreeEntry> {
  const entries = new Map<string, TreeEntry>();
  for (const line of linesIn(content, repo)) {
    const name = content.toString('utf8', line.space + 1, line.end);
    const isText = !name.includes('\ufffd');
    const bytes = content.subarray(line.space + 1, line.end);
    const key = isText ? name : `${name}\0${bytes.toString('hex')}`;
    entries.set(key, { ...entryOn(line, content, repo), ...(isText ? {} : { rawName: Buffer.from(bytes) }) });
  }
  return entries;
}

/** One name of a directory, which may be one of thousands: the others are not read. */
function findInTree(content: Buffer, name: string, repo: Repo): TreeEntry | undefined {
  if (name.includes('\ufffd')) return parseTree(content, repo).get(name);
  const bytes = Buffer.from(name);
  for (const line of linesIn(content, repo))
    if (line.end - line.space - 1 === bytes.length && bytes.equals(content.subarray(line.space + 1, line.end)))
      return entryOn(line, content, repo);
  return undefined;
}

/** Where a line of a tree begins, where its name follows, and where that ends. */
interface TreeLine {
  readonly at: number;
  readonly space: number;
  readonly end: number;
}

function* linesIn(content: Buffer, { hash }: Repo): Generator<TreeLine> {
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(32, at);
    const end = content.indexOf(0, space);
    yield { at, space, end };
    at = end + 1 + idBytesOf(hash);
  }
}

const entryOn = ({ at, space, end }: TreeLine, content: Buffer, { hash }: Repo): TreeEntry => ({
  mode: content.toString('latin1', at, space),
  oid: content.toString('hex', end + 1, end + 1 + idBytesOf(hash)),
});

const idBytesOf = (hash: HashName): number => (hash === 'sha256' ? 32 : 20);

function formatTree(entries: ReadonlyMap<string, TreeEntry>): Buffer {
  const lines = [...entries].map(([name, entry]) => {
    const bytes = entry.rawName ?? Buffer.from(name, 'utf8');
    return { entry, bytes, order: isTree(entry) ? Buffer.concat([bytes, Buffer.from('/')]) : bytes };
  });
  lines.sort((a, b) => Buffer.compare(a.order, b.order)); // Git sorts a directory as if its name ended in a slash.
  return Buffer.concat(
    lines.flatMap(({ entry, bytes }) => [
      Buffer.from(`${entry.mode} `),
      bytes,
      Buffer.from([0]),
      Buffer.from(entry.oid, 'hex'),
    ]),
  );
}

/** An object that has an id, wherever it is kept. */
export interface NewObject {
  readonly oid: string;
  readonly type: 'blob' | 'tree' | 'commit';
  readonly content: Buffer;
}

export function newObject(hash: HashName, type: NewObject['type'], content: Buffer | string): NewObject {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  const oid = createHash(hash)
    .update(objectHeader({ type, content: bytes }))
    .update(bytes)
    .digest('hex');
  return { oid, type, content: bytes };
}

/** Adds an object to the repository. It can be read at once; it is on disk before any ref moves. */
export function storeObject(repo: Repo, object: NewObject): string {
  repo.store.add(object);
  return object.oid;
}

/** A text without the ids that stand in it. */
export const withoutIds = (text: string): string => text.replace(/\b([0-9a-f]{64}|[0-9a-f]{40})\b/g, '');

export const objectHeader = ({ type, content }: Pick<NewObject, 'type' | 'content'>): Buffer =>
  Buffer.from(`${type} ${content.length}\0`);

/** One line of a tree exactly as its bytes have it. */
export interface RawEntry {
  readonly mode: string;
  readonly oid: string;
  /** For people to read. */
  readonly name: string;
  /** The name's bytes, one character each: two names are the same when these are. */
  readonly key: string;
}

/** The entries of a tree in their order, or undefined when the bytes are no tree. */
export function parseRawTree(content: Buffer, hash: HashName): RawEntry[] | undefined {
  const idBytes = idBytesOf(hash);
  const entries: RawEntry[] = [];
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const end = space < 0 ? -1 : content.indexOf(0, space);
    const next = end + 1 + idBytes;
    if (end < 0 || next > content.length) return undefined;
    const key = content.toString('latin1', space + 1, end);
    entries.push({
      mode: content.toString('latin1', at, space),
      oid: content.toString('hex', end + 1, next),
      name: isPlain.test(key) ? key : content.toString('utf8', space + 1, end),
      key,
    });
    at = next;
  }
  return entries;
}

const isPlain = /^[\x20-\x7e]*$/;

/** What git itself never writes into a tree, each as the end of "a directory ...". */
export function rawTreeFaults(entries: readonly RawEntry[]): string[] {
  const faults = entries.length === 0 ? ['without files'] : [];
  const seen = new Set<string>();
  let last = '';
  for (const { mode, key, name } of entries) {
    if (key === '' || key === '.' || key === '..' || key.includes('/'))
      faults.push(`with the name "${showPath(name)}"`);
    if (seen.has(key)) faults.push(`with two entries named ${showPath(name)}`);
    const order = mode === '40000' ? `${key}/` : key; // Git sorts a directory as if its name ended in a slash.
    if (order < last) faults.push(`whose entries are out of order at ${showPath(name)}`);
    seen.add(key);
    last = order;
  }
  return faults;
}
