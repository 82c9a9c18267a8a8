import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Ran, runCommand } from '../../process/run-process.ts';
import { orElse } from '../../text/problem.ts';
import { gitEnvironment, hardened, isCollecting } from '../run-git.ts';
import {
  areWithin,
  type Ids,
  idsOf,
  isPlainPack,
  movePack,
  ownPacks,
  type PackedRepo,
  packBytes,
  packIds,
  removePack,
  writeOwnPacks,
} from './pack-files.ts';

/*
 * Loose objects take a block of the disk each, packed ones a tenth of it. All of them are packed, whether a ref leads to
 * them or not: what the night has written and not named yet must stay. No object is ever removed that was not found in
 * a pack which is on disk, and no pack that was not made here.
 */

export type Packing =
  | { readonly kind: 'packed'; readonly objects: number; readonly ms: number }
  /** There is too little to pack, or somebody else tidies up. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Packs the loose objects that are ripe, and joins packs of ours. `atLeast` make it worth the trouble, and younger ones are left
 * alone: a ref may be about to name them, and a gc or repack of a person's must not find them gone. Ends at once when it is cancelled.
 */
export async function packLoose(
  repo: PackedRepo,
  { atLeast, olderThanMs }: Readonly<Record<'atLeast' | 'olderThanMs', number>>,
  signal: AbortSignal,
): Promise<Packing> {
  const begun = performance.now();
  if (isCollecting(repo.gitDir) || areFew(repo.objectsDir, atLeast)) return { kind: 'nothing' };
  const all = await looseIds(repo.objectsDir);
  if (all.length < atLeast) return { kind: 'nothing' };
  const loose = await olderOnes(repo.objectsDir, all, Date.now() - olderThanMs);
  if (loose.length < atLeast) return { kind: 'nothing' };
  try {
    if (!hasRoom(repo, loose.length)) return { kind: 'failed', reason: 'the disk is nearly full' };
    const input = `${loose.join('\n')}\n`;
    if ((await makePack(repo, [], input, [idsOf(loose)], signal)) === undefined) return { kind: 'nothing' };
    await removeLoose(repo, loose, signal);
    if (signal.aborted) return { kind: 'stopped' };
    await joinPacks(repo, signal);
    return { kind: 'packed', objects: loose.length, ms: performance.now() - begun };
  } catch (error) {
    if (signal.aborted) return { kind: 'stopped' };
    return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** How many are packed at once: more would take long, and all of it is done again when it is cut short. */
const mostAtOnce = 50_000;

/** Whether there are hardly that many, judged by one of the 256 directories: ids are spread evenly. */
function areFew(objectsDir: string, atLeast: number): boolean {
  return namesIn(path.join(objectsDir, '17')).length * 256 < atLeast / 2 - 256;
}

async function looseIds(objectsDir: string): Promise<string[]> {
  const found: string[] = [];
  await inTurns(
    Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, '0')),
    (dir) => {
      for (const name of namesIn(path.join(objectsDir, dir)))
        if (/^[0-9a-f]{38,62}$/.test(name) && found.length < mostAtOnce) found.push(dir + name);
    },
  );
  return found;
}

/** A gc may have taken it away. */
const namesIn = (dir: string): string[] => orElse(() => readdirSync(dir), []);

const turnMs = 2;

/** Does something with each, in short turns: lanes go on meanwhile. Asking other threads would take ten times as long. */
async function inTurns<T>(all: readonly T[], work: (one: T) => void, isOver = () => false): Promise<void> {
  let since = performance.now();
  for (const one of all) {
    work(one);
    if (performance.now() - since < turnMs) continue;
    await nextTurn();
    if (isOver()) return;
    since = performance.now();
  }
}

const fileOf = (objectsDir: string, id: string): string => path.join(objectsDir, id.slice(0, 2), id.slice(2));

/** An empty file is what a power failure has left of an object: `steps/recover/repair-refs.ts` looks after it. */
async function olderOnes(objectsDir: string, ids: readonly string[], before: number): Promise<string[]> {
  const older: string[] = [];
  await inTurns(ids, (id) => {
    const stat = lstatSync(fileOf(objectsDir, id), { throwIfNoEntry: false });
    if (stat !== undefined && stat.size > 0 && stat.mtimeMs <= before) older.push(id);
  });
  return older;
}

/** Whether what is packed fits beside what it is made of, and leaves something for others. */
function hasRoom({ objectsDir }: PackedRepo, objects: number): boolean {
  const { bavail, bsize } = statfsSync(objectsDir);
  return bavail * bsize > 64 * 1024 * 1024 + objects * 4_096;
}

/** Returns the name of the new pack. One that a gc could take for garbage in this very moment is not used: undefined. */
async function makePack(
  repo: PackedRepo,
  options: readonly string[],
  input: string,
  holds: readonly Ids[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const aside = path.join(repo.gitDir, 'orgrepo', `packing.${process.pid}`);
  const packs = path.join(repo.objectsDir, 'pack');
  try {
    makeAside(aside, repo.objectsDir);
    const name = nameIn(await packObjects(repo, aside, [...options, path.join(aside, 'pack', 'pack')], input, signal));
    const made = await packIds(name, path.join(aside, 'pack'), repo.hash);
    for (const ids of holds)
      if (made === undefined || !(await areWithin(ids, made)))
        throw new Error(`${name} lacks objects that it was to hold`);
    if (isCollecting(repo.gitDir)) return undefined;
    writeOwnPacks(repo, [...new Set([...ownPacks(repo), name])]); // Before it is there: after a kill its files are ours to remove.
    mkdirSync(packs, { recursive: true });
    movePack(name, path.join(aside, 'pack'), packs);
    return name;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** A place for new objects that reads those of the repository: what is left in it by a kill is in nobody's way. */
function makeAside(aside: string, objectsDir: string): void {
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(path.join(aside, 'info'), { recursive: true });
  mkdirSync(path.join(aside, 'pack'));
  writeFileSync(path.join(aside, 'info', 'alternates'), `${objectsDir}\n`);
}

const settings = ['core.fsync=all', 'pack.threads=1', 'pack.packSizeLimit=0', 'pack.indexVersion=2'];
const programOf = (name: string): string | undefined =>
  process.platform === 'linux' ? [`/usr/bin/${name}`, `/bin/${name}`].find((file) => existsSync(file)) : undefined;
const [ionice, setpriv] = [programOf('ionice'), programOf('setpriv')];

/** At the lowest priority, for CPU and disk; and it ends with us, whatever ends us. */
function packObjects(repo: PackedRepo, aside: string, args: readonly string[], input: string, signal: AbortSignal) {
  const ending = setpriv === undefined ? [] : [setpriv, '--pdeathsig=KILL'];
  const quiet = ['-n', '19', ...(ionice === undefined ? [] : [ionice, '-c', '3']), ...ending];
  const flags = [...hardened, ...settings.flatMap((setting) => ['-c', setting])];
  return runCommand(
    {
      file: 'nice',
      args: [...quiet, 'git', ...flags, 'pack-objects', '-q', '--delta-base-offset', ...args],
      cwd: repo.gitDir,
      env: gitEnvironment(repo, { GIT_OBJECT_DIRECTORY: aside }),
      deadlineMs: 600_000,
      input,
    },
    signal,
  );
}

function nameIn({ code, stdout, stderr, notStarted, signal }: Ran): string {
  const id = stdout.text.trim();
  if (code === 0 && /^[0-9a-f]{40,64}$/.test(id)) return `pack-${id}`;
  throw new Error(`git pack-objects: ${stderr.text.trim() || notStarted || `it ended with ${code ?? signal}`}`);
}

/** Each of them is in a pack now. A gc that has begun meanwhile counts on finding them: then they stay until the next time. */
async function removeLoose(repo: PackedRepo, ids: readonly string[], signal: AbortSignal): Promise<void> {
  const isOver = (): boolean => signal.aborted || isCollecting(repo.gitDir);
  if (isOver()) return;
  await inTurns(ids, (id) => rmSync(fileOf(repo.objectsDir, id), { force: true }), isOver);
}

/** Every pack is at least twice as large as all smaller ones together, so there are never many. Others' are left alone. */
async function joinPacks(repo: PackedRepo, signal: AbortSignal): Promise<void> {
  const dir = path.join(repo.objectsDir, 'pack');
  if (existsSync(path.join(dir, 'multi-pack-index'))) return; // A person's git has an index of them all.
  const joined = smallest(
    ownPacks(repo)
      .filter((name) => isPlainPack(name, dir))
      .map((name) => ({ name, bytes: packBytes(name, dir) })),
  );
  if (joined.length < 2) return;
  const ids = await Promise.all(joined.map((name) => packIds(name, dir, repo.hash)));
  const holds = ids.filter((one) => one !== undefined);
  if (holds.length < joined.length) return;
  const input = joined.map((name) => `${name}.pack\n`).join('');
  const made = await makePack(repo, ['--stdin-packs'], input, holds, signal);
  if (made === undefined || isCollecting(repo.gitDir)) return;
  for (const name of joined) if (name !== made) removePack(name, dir);
  writeOwnPacks(repo, ownPacks(repo));
}

/** Those that must become one. */
function smallest(packs: readonly { readonly name: string; readonly bytes: number }[]): string[] {
  const sorted = packs.toSorted((a, b) => a.bytes - b.bytes);
  let [count, sum, below] = [0, 0, 0];
  for (const [index, { bytes }] of sorted.entries()) {
    if (index > 0 && bytes < 2 * below) [count, sum] = [index + 1, below + bytes];
    below += bytes;
  }
  return sum === 0 ? [] : sorted.slice(0, count).map(({ name }) => name);
}
