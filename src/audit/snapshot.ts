import { setTimeout as wait } from 'node:timers/promises';
import { queueRef } from '../domain/names.ts';
import { readLeft } from '../git/left.ts';
import { type BrokenRef, listRefs } from '../git/ref-files.ts';
import type { Org } from '../records/org.ts';
import { currentRunner } from '../records/run-lock.ts';

/** The org's refs at one moment, by the names they have where orgrepo runs. */
export interface Snapshot {
  readonly refs: ReadonlyMap<string, string>;
  readonly broken: readonly BrokenRef[];
  readonly replaced: ReadonlyMap<string, string>;
  /** Where this clone's own orgrepo last left them. */
  readonly left: ReadonlyMap<string, string>;
  /** True while somebody runs here, or may have: branches may have moved between two looks. */
  readonly moving: boolean;
}

const own = ['refs/heads/orgrepo', 'refs/orgrepo'];

/** A clone that nobody has run in has the branches of its remote, and no others. */
export async function takeSnapshot(org: Org): Promise<Snapshot> {
  const left = readLeft(org.repo.gitDir);
  const here = await steady(org);
  if (here.refs.has(queueRef) || left.size > 0) return { ...here, left };
  const remote = await listRefs(org.repo, ['refs/remotes']);
  const queue = [...remote.refs.keys()].find((ref) => /^refs\/remotes\/[^/]+\/orgrepo\/queue$/.test(ref));
  if (queue === undefined) return { ...here, left };
  const prefix = queue.slice(0, -'orgrepo/queue'.length);
  const local = (refs: ReadonlyMap<string, string>): Map<string, string> =>
    new Map(
      [...refs].flatMap(([ref, id]) =>
        ref.startsWith(`${prefix}orgrepo/`) ? [[`refs/heads/${ref.slice(prefix.length)}`, id] as const] : [],
      ),
    );
  const broken = remote.broken.filter(({ ref }) => ref === 'packed-refs' || ref.startsWith(`${prefix}orgrepo/`));
  // It may have been fetched while somebody ran over there.
  return { refs: local(remote.refs), replaced: local(remote.replaced), broken, left, moving: true };
}

/** While a run goes on two looks in a row rarely agree; when none do, the last one must serve. */
async function steady(org: Org): Promise<Omit<Snapshot, 'left'>> {
  let seen = await listRefs(org.repo, own);
  if (currentRunner(org) === undefined) return { ...seen, moving: false };
  for (let look = 0; look < 20; look++) {
    await wait(2);
    const again = await listRefs(org.repo, own);
    const same = JSON.stringify([...again.refs]) === JSON.stringify([...seen.refs]);
    seen = again;
    if (same) break;
  }
  return { ...seen, moving: true };
}
