import { existsSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import type { Brief } from '../../domain/words/brief.ts';
import { editTree, entryAt, filesOf, storeObject, type TreeEntry } from '../../git/objects/tree.ts';
import type { Repo } from '../../git/repo.ts';
import { makeShownDirectory } from '../../jail/cell.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import { writeRegularFile } from '../../process/untrusted-files.ts';
import { type Globs, readGlobs } from '../../text/paths.ts';
import { Problem } from '../../text/problem.ts';

/** The files of a tree that a bench or a trial needs, by path. */
export type Files = ReadonlyMap<string, TreeEntry>;

/** Whose file a path is, by the brief. */
export interface Zones {
  readonly sandbox: Globs;
  /** Harness and includes: there to be read. */
  readonly fixed: Globs;
  /** What of that only the judge may see. */
  readonly holdout: Globs;
}

export function zonesOf(brief: Brief): Zones {
  const known = zonesKnown.get(brief);
  if (known !== undefined) return known;
  const zones = {
    sandbox: readGlobs(brief.sandbox),
    fixed: readGlobs([brief.harness, ...brief.include]),
    holdout: readGlobs(brief.holdout),
  };
  zonesKnown.set(brief, zones);
  return zones;
}

const zonesKnown = new WeakMap<Brief, Zones>();

/** Only these files of a tree are ever laid out: what the brief calls sandbox, harness and include. */
export function entriesOfZones(repo: Repo, tree: string, zones: Zones): Promise<Map<string, TreeEntry>> {
  return filesOf(
    repo,
    tree,
    (file) => (zones.sandbox.names(file) || zones.fixed.names(file)) && !zones.holdout.names(file),
    (dir) => zones.sandbox.leadsTo(dir) || zones.fixed.leadsTo(dir),
  );
}

/** A tree with the sandbox of another: what people have put beside it stays theirs. */
export async function withSandboxOf(repo: Repo, brief: Brief, tree: string, other: string): Promise<string> {
  const { names, leadsTo } = zonesOf(brief).sandbox;
  const [before, after] = await Promise.all([
    filesOf(repo, tree, names, leadsTo),
    filesOf(repo, other, names, leadsTo),
  ]);
  const gone = [...before.keys()].map((file) => [file, undefined] as const);
  const built = await editTree(repo, tree, new Map<string, TreeEntry | undefined>([...gone, ...after]));
  for (const object of built.objects) storeObject(repo, object);
  return built.oid;
}

/** Writes files from the object store into a directory that nobody else has touched. */
export async function layOut(repo: Repo, dir: string, files: Iterable<readonly [string, TreeEntry]>): Promise<void> {
  const there = new Set<string>();
  const list = [...files];
  const contents = await Promise.all(list.map(([, entry]) => contentOf(repo, entry.oid)));
  list.forEach(([file, entry], index) => {
    const target = path.join(dir, file);
    const parent = path.dirname(target);
    if (!there.has(parent) && !existsSync(parent)) makeShownDirectory(parent);
    there.add(parent);
    writeEntry(target, entry, contents[index] as Buffer);
  });
}

function writeEntry(target: string, entry: TreeEntry, content: Buffer): void {
  if (entry.mode === '120000') {
    rmSync(target, { force: true });
    symlinkSync(content.toString('utf8'), target);
    return;
  }
  writeRegularFile(target, content, entry.mode === '100755' ? 0o755 : 0o644);
}

const cached = new Map<string, Buffer>();
let cachedBytes = 0;
const cacheLimit = 16 * 1024 * 1024;

/** A file's bytes by its id. The same harness is laid out for every trial, so the small ones are kept at hand. */
export async function contentOf(repo: Repo, oid: string): Promise<Buffer> {
  const known = cached.get(oid);
  if (known !== undefined) return known;
  const found = await repo.reader.read(oid);
  if (found?.type !== 'blob') {
    throw new Problem('integrity/history', `the file ${oid} is missing from the repository`, 'Check it with: git fsck');
  }
  keepAtHand(oid, found.content);
  return found.content;
}

/** A file that will be wanted soon: the candidate's own is written to its room a moment after it was read. */
export function keepAtHand(oid: string, content: Buffer): void {
  if (content.length > cacheLimit / 16) return;
  const bytes = Math.max(content.length, Buffer.poolSize); // A small one holds on to the slab that it was cut from.
  if (cachedBytes + bytes > cacheLimit) {
    cached.clear();
    cachedBytes = 0;
  }
  cached.set(oid, content);
  cachedBytes += bytes;
}

export interface TrialFiles {
  /** Harness and includes; those that the candidate may see; its own. */
  readonly fixed: ReadonlyMap<string, TreeEntry>;
  readonly open: ReadonlyMap<string, TreeEntry>;
  readonly sandbox: ReadonlyMap<string, TreeEntry>;
}

/** The files of one measurement: the harness of the pinned tree, the rest of the candidate's. */
export async function trialFiles(repo: Repo, tree: string, pinned: PinnedBrief): Promise<TrialFiles> {
  const { brief } = pinned;
  const { fixed: zone, sandbox: own, holdout } = zonesOf(brief);
  const inHarness = (file: string): boolean => file === brief.harness || file.startsWith(`${brief.harness}/`);
  const isFixed = (file: string): boolean => zone.names(file) && !inHarness(file);
  const leadsToFixed = (dir: string): boolean => zone.leadsTo(dir) && !inHarness(dir);
  const [harness, fixed, sandbox] = await Promise.all([
    harnessFiles(repo, tree, pinned),
    filesOf(repo, tree, isFixed, leadsToFixed),
    filesOf(repo, tree, own.names, own.leadsTo),
  ]);
  for (const [file, entry] of harness) fixed.set(file, entry);
  const open = new Map([...fixed].filter(([file]) => !holdout.names(file)));
  return { fixed, open, sandbox };
}

/** The harness by its pinned id: a whole tree, or the one file that it is. */
async function harnessFiles(repo: Repo, tree: string, pinned: PinnedBrief): Promise<Map<string, TreeEntry>> {
  const { brief, harness } = pinned;
  if ((await repo.reader.read(harness))?.type === 'blob') {
    const mode = (await entryAt(repo, tree, brief.harness))?.mode === '100755' ? '100755' : '100644';
    return new Map([[brief.harness, { mode, oid: harness }]]);
  }
  const all = (): boolean => true;
  const files = await filesOf(repo, harness, all, all);
  return new Map([...files].map(([file, entry]) => [`${brief.harness}/${file}`, entry]));
}
