import { startOf } from '../../process/run-process.ts';
import { Problem } from '../../text/problem.ts';
import type { Repo } from '../repo.ts';
import { type GitPlace, tryGit } from '../run-git.ts';
import { hasPlainRefs, listRefs, lookUpRef } from './ref-files.ts';
import { queueRef } from './ref-names.ts';
import { readLeft } from './refs-left.ts';

/** Whether orgrepo has ever run in this clone. One whose queue was lost here has, and mends itself (`steps/recover/repair-refs.ts`). */
export async function ranHere(place: GitPlace): Promise<boolean> {
  const isThere = hasPlainRefs(place.gitDir)
    ? lookUpRef(place.gitDir, queueRef) !== 'absent' // Or it is there and cannot be read.
    : (await tryGit(place, ['show-ref', '--verify', '--quiet', queueRef])).code === 0;
  return isThere || readLeft(place.gitDir).has(queueRef);
}

export type StandIn = NonNullable<Awaited<ReturnType<typeof findStandIn>>>;

/**
 * In a clone that has not adopted its remote's org, the remote's branches as they were last fetched: they are read in
 * place of orgrepo's own, which are not there, and never written. Undefined where orgrepo has run already, and where no
 * remote is known to have an org.
 */
export async function findStandIn(place: GitPlace) {
  if (await ranHere(place)) return undefined;
  const { refs } = await listRefs(place, ['refs/remotes']);
  const remotes = [...refs.keys()].flatMap((ref) => /^refs\/remotes\/(.+)\/orgrepo\/queue$/.exec(ref)?.[1] ?? []);
  const remote = remotes.find((name) => name === 'origin') ?? remotes.sort()[0];
  if (remote === undefined) return undefined;
  const plainFiles = hasPlainRefs(place.gitDir);
  let over = false;
  return {
    remote,
    /** The name under which a ref is found now. */
    nameOf: (ref: string): string => {
      if (over || !ref.startsWith(branches)) return ref;
      over = plainFiles && lookUpRef(place.gitDir, queueRef) !== 'absent'; // Another process has taken it up meanwhile.
      return over ? ref : trackingRef(remote, ref);
    },
    /** From now on every ref stands for itself. */
    end: (): void => {
      over = true;
    },
  };
}

/** The remote whose branches are read here in place of orgrepo's own; undefined where these are there. */
export const standsIn = ({ standIn }: { readonly standIn: StandIn | undefined }): string | undefined =>
  standIn === undefined || standIn.nameOf(queueRef) === queueRef ? undefined : standIn.remote;

/** Where git keeps a remote's branch. */
export const trackingRef = (remote: string, branch: string): string =>
  `refs/remotes/${remote}/${branch.slice('refs/heads/'.length)}`;

const branches = 'refs/heads/orgrepo/';

/** The refs of orgrepo's that a remote has, by the names they have where orgrepo runs. */
export type FarRefs = ReadonlyMap<string, string>;

/*
 * What comes from a remote is put beside everything first, one directory for each process: nothing of the person's or of
 * orgrepo's is touched before its name was looked at, and no gc takes it away meanwhile.
 */
const aside = 'refs/orgrepo-fetched';
const mine = `${aside}/${process.pid}`;

/** Asks a remote for its org. `failed` is what git said when the remote could not be reached, or sent what cannot be taken. */
export async function fetchFarRefs(repo: Repo, remote: string, mayAsk: boolean) {
  const { fetchInto } = await import('../persons-git.ts');
  const wanted = [`+refs/heads/orgrepo/*:${mine}/heads/*`, `+refs/orgrepo/*:${mine}/books/*`];
  const failed = await fetchInto(repo.root, remote, wanted, mayAsk);
  if (failed !== undefined) return { refs: new Map(), failed };
  const { refs } = await listRefs(repo, [mine]);
  const nameOf = (ref: string): string =>
    ref.replace(`${mine}/heads/`, 'refs/heads/orgrepo/').replace(`${mine}/books/`, 'refs/orgrepo/');
  return { refs: new Map([...refs].map(([ref, id]) => [nameOf(ref), id])), failed };
}

/** Asks a remote for one of its refs. `commit` is undefined where it has none of this name. */
export async function fetchFarRef(
  repo: Repo,
  remote: string,
  ref: string,
  mayAsk: boolean,
): Promise<{ readonly commit: string | undefined; readonly failed: string | undefined }> {
  const { fetchInto } = await import('../persons-git.ts');
  const here = `${mine}/${ref.slice('refs/'.length)}`;
  const failed = await fetchInto(repo.root, remote, [`+${ref}:${here}`], mayAsk);
  if (failed?.includes('find remote ref')) return { commit: undefined, failed: undefined };
  return { commit: (await listRefs(repo, [mine])).refs.get(here), failed };
}

/** Takes away what this process, or one that is gone, has fetched. */
export async function sweepFetched(repo: Repo): Promise<void> {
  const { refs } = await listRefs(repo, [aside]);
  const over = [...refs.keys()].filter((ref) => {
    const pid = Number(ref.slice(aside.length + 1).split('/')[0]);
    return pid === process.pid || startOf(pid) === '';
  });
  if (over.length === 0) return;
  const input = over.map((ref) => `delete ${ref}\n`).join('');
  const { code, stderr } = await tryGit(repo, ['update-ref', '--stdin'], { input });
  if (code !== 0 && (await listRefs(repo, [mine])).refs.size > 0)
    throw new Problem('git/failed', `${mine} could not be taken away: ${stderr.text.trim()}`, 'git fsck');
}

/** A remote's branches of orgrepo's as they were last fetched by anybody. */
export async function trackedRefs(repo: Repo, remote: string): Promise<FarRefs> {
  const root = trackingRef(remote, 'refs/heads/orgrepo');
  const { refs } = await listRefs(repo, [root]);
  return new Map([...refs].map(([ref, id]) => [`refs/heads/orgrepo${ref.slice(root.length)}`, id]));
}

/** Orgrepo's own refs in this clone, and those whose file is there and empty: a power failure leaves such. */
export async function ownRefs(repo: Repo) {
  const { refs, broken } = await listRefs(repo, ['refs/heads/orgrepo', 'refs/orgrepo']);
  return { refs, empty: new Set(broken.filter(({ found }) => found === 'nothing').map(({ ref }) => ref)) };
}
