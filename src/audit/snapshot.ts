import { setTimeout as wait } from 'node:timers/promises';
import { type BrokenRef, listRefs } from '../git/refs/ref-files.ts';
import { recommendationRefs, shortRef } from '../git/refs/ref-names.ts';
import { readLeft } from '../git/refs/refs-left.ts';
import { standsIn } from '../git/refs/remote-stand-in.ts';
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
  const left = withoutProposals(readLeft(org.repo.gitDir));
  const here = await steady(org);
  const from = standsIn(org.repo);
  if (from === undefined) return { ...here, left };
  const remote = await listRefs(org.repo, ['refs/remotes']);
  const prefix = `refs/remotes/${from}/`;
  const isOurs = (ref: string): boolean =>
    ref.startsWith(`${prefix}orgrepo/`) && !ref.startsWith(`${prefix}${shortRef(recommendationRefs)}`);
  const local = (refs: ReadonlyMap<string, string>): Map<string, string> =>
    new Map(
      [...refs].flatMap(([ref, id]) => (isOurs(ref) ? [[`refs/heads/${ref.slice(prefix.length)}`, id] as const] : [])),
    );
  const broken = remote.broken.filter(({ ref }) => ref === 'packed-refs' || ref.startsWith(`${prefix}orgrepo/`));
  // It may have been fetched while somebody ran over there.
  return { refs: local(remote.refs), replaced: local(remote.replaced), broken, left, moving: true };
}

async function look(org: Org): Promise<Omit<Snapshot, 'left' | 'moving'>> {
  const { refs, replaced, broken } = await listRefs(org.repo, own);
  return { refs: withoutProposals(refs), replaced: withoutProposals(replaced), broken };
}

/** What is recommended to people is theirs to change, to merge and to drop. */
const withoutProposals = (refs: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...refs].filter(([ref]) => !ref.startsWith(recommendationRefs)));

/** While a run goes on two looks in a row rarely agree; when none do, the last one must serve. */
async function steady(org: Org): Promise<Omit<Snapshot, 'left'>> {
  let seen = await look(org);
  if (currentRunner(org) === undefined) return { ...seen, moving: false };
  for (let looks = 0; looks < 20; looks++) {
    await wait(2);
    const again = await look(org);
    const same = JSON.stringify([...again.refs]) === JSON.stringify([...seen.refs]);
    seen = again;
    if (same) break;
  }
  return { ...seen, moving: true };
}
