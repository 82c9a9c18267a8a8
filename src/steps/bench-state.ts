import { type BigIntStats, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import path from 'node:path';
import { newObject } from '../git/objects.ts';
import type { Repo } from '../git/repo.ts';
import type { Entry } from '../git/tree.ts';
import type { Files, Zones } from './files.ts';
import { layOut } from './files.ts';

/** A file as it was found in a bench. */
interface Found extends Entry {
  /** Inode, size and times: a file whose stamp is the same has not been written to. */
  readonly stamp: string;
  readonly changedAt: number;
  readonly content: Buffer | undefined;
}

/** What stands in a bench, read without following a link or running anything. */
export interface BenchState {
  readonly files: ReadonlyMap<string, Found>;
  /** What is no file, or more than a bench may hold; each a sentence. */
  readonly odd: readonly { readonly path: string; readonly what: string }[];
  readonly readAt: number;
}

const mostFiles = 20_000;
const mostBytes = 16 * 1024 * 1024;
// File times are only as fine as the kernel's tick: a file written this recently is read again, whatever its stamp.
const tickMs = 100;

export const emptyState: BenchState = { files: new Map(), odd: [], readAt: 0 };

/** Looks at every file of a bench. What the sandbox holds is always read; the rest only if its stamp has changed. */
export function readBench(repo: Repo, dir: string, zones: Zones, before: BenchState): BenchState {
  const files = new Map<string, Found>();
  const odd: { path: string; what: string }[] = [];
  const readAt = Date.now();
  let count = 0;
  const walk = (prefix: string): void => {
    for (const name of readdirSync(path.join(dir, prefix))) {
      const file = prefix + name;
      if (file === '.git') continue;
      if (++count > mostFiles) {
        if (count === mostFiles + 1) odd.push({ path: file, what: `more than ${mostFiles} files` });
        return;
      }
      const stat = lstatSync(path.join(dir, file), { bigint: true });
      if (stat.isDirectory()) walk(`${file}/`);
      else if (stat.isFile() || stat.isSymbolicLink()) {
        if (stat.size > mostBytes) odd.push({ path: file, what: `larger than ${mostBytes} bytes` });
        else
          files.set(
            file,
            identify(
              repo,
              path.join(dir, file),
              stat,
              zones.sandbox.names(file) ? undefined : before.files.get(file),
              before.readAt,
            ),
          );
      } else odd.push({ path: file, what: 'neither a file nor a directory' });
    }
  };
  walk('');
  return { files, odd, readAt };
}

/** Makes a bench hold exactly these files. */
export async function restoreBench(
  repo: Repo,
  dir: string,
  zones: Zones,
  state: BenchState,
  wanted: Files,
): Promise<BenchState> {
  for (const { path: odd } of state.odd) rmSync(path.join(dir, odd), { recursive: true, force: true });
  for (const file of state.files.keys()) if (!wanted.has(file)) rmSync(path.join(dir, file), { force: true });
  const missing = [...wanted].filter(([file, entry]) => {
    const found = state.files.get(file);
    return found?.oid !== entry.oid || found.mode !== entry.mode;
  });
  for (const [file] of missing) clearWay(dir, file);
  await layOut(repo, dir, missing);
  return missing.length === 0 && state.odd.length === 0 ? state : readBench(repo, dir, zones, state);
}

/** An agent may have put a directory where a file belongs, a file where a directory does, or a link on the way out. */
function clearWay(dir: string, file: string): void {
  const parts = file.split('/');
  for (let depth = 1; depth <= parts.length; depth++) {
    const place = path.join(dir, ...parts.slice(0, depth));
    const stat = lstatSync(place, { throwIfNoEntry: false });
    if (stat === undefined) return;
    if (depth === parts.length || !stat.isDirectory()) rmSync(place, { recursive: true, force: true });
  }
}

function identify(repo: Repo, file: string, stat: BigIntStats, known: Found | undefined, knownAt: number): Found {
  const stamp = `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.mode}`;
  if (known !== undefined && known.stamp === stamp && known.changedAt + tickMs < knownAt) return known;
  const content = stat.isSymbolicLink() ? Buffer.from(readlinkSync(file)) : readFileSync(file);
  const mode = stat.isSymbolicLink() ? '120000' : (stat.mode & 0o100n) === 0n ? '100644' : '100755';
  return { mode, oid: newObject(repo.hash, 'blob', content).oid, stamp, changedAt: Number(stat.ctimeMs), content };
}
