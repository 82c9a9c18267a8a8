import { type GitPlace, tryGit } from '../run-git.ts';
import { hasPlainRefs, lookUpRef } from './loose-ref.ts';
import { listRefs } from './ref-files.ts';
import { queueRef } from './ref-names.ts';
import { readLeft } from './refs-left.ts';

/**
 * In a clone that has not taken up its remote's org, the remote's branches as they were last fetched: they are read in
 * place of orgrepo's own, which are not there, and never written.
 */
export interface StandIn {
  readonly remote: string;
  /** The name under which a ref is found now. */
  nameOf(ref: string): string;
  /** From now on every ref stands for itself. */
  end(): void;
}

/** Whether orgrepo has ever run in this clone. One whose queue was lost here has, and mends itself (`steps/recover/repair-refs.ts`). */
export async function hasOwnQueue(place: GitPlace): Promise<boolean> {
  const isThere = hasPlainRefs(place.gitDir)
    ? lookUpRef(place.gitDir, queueRef) !== 'absent' // Or it is there and cannot be read.
    : (await tryGit(place, ['show-ref', '--verify', '--quiet', queueRef])).code === 0;
  return isThere || readLeft(place.gitDir).has(queueRef);
}

/** Undefined where orgrepo has run already, and where no remote is known to have an org. */
export async function findStandIn(place: GitPlace): Promise<StandIn | undefined> {
  if (await hasOwnQueue(place)) return undefined;
  const { refs } = await listRefs(place, ['refs/remotes']);
  const remotes = [...refs.keys()].flatMap((ref) => /^refs\/remotes\/(.+)\/orgrepo\/queue$/.exec(ref)?.[1] ?? []);
  const remote = remotes.find((name) => name === 'origin') ?? remotes.sort()[0];
  if (remote === undefined) return undefined;
  const plainFiles = hasPlainRefs(place.gitDir);
  let over = false;
  return {
    remote,
    nameOf: (ref) => {
      if (over || !ref.startsWith(branches)) return ref;
      over = plainFiles && lookUpRef(place.gitDir, queueRef) !== 'absent'; // Another process has taken it up meanwhile.
      return over ? ref : trackingRef(remote, ref);
    },
    end: () => {
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
