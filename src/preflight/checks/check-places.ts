import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { shownPath } from '../../jail/cell.ts';
import { type PinnedBrief, problemInBrief } from '../../org/force/pin-brief.ts';
import type { Org } from '../../records/org.ts';
import type { Problem } from '../../text/problem.ts';

/** Places that a brief would show to candidates and must not: a whole home, and where the answers and the judge are. */
export async function wrongPlaces(org: Org, pinned: PinnedBrief): Promise<Problem[]> {
  const { root, gitDir } = org.repo;
  const secret = [
    { what: 'a whole home', dir: homedir() },
    { what: "the repository's history", dir: gitDir },
    { what: 'the harness, with what it holds out', dir: path.join(root, pinned.brief.harness) },
  ].map(({ what, dir }) => ({ what, dir: real(dir) }));
  const problems = pinned.brief.show.flatMap((place) => {
    const dir = real(shownPath(place));
    const [found] = secret.filter((one) => isIn(one.dir, dir) || (one.dir !== real(homedir()) && isIn(dir, one.dir)));
    if (found === undefined) return [];
    const hint = 'Name only what a stage must read, one directory or file for each.';
    return [problemInBrief(org, pinned, 'brief/paths', ['show'], `show names ${place}: ${found.what} is there`, hint)];
  });
  return Promise.all(problems);
}

/** Places that a brief shows and that this machine does not have: another machine may, so it is no error. */
export function absentPlaces(org: Org, pinned: PinnedBrief): Promise<Problem[]> {
  const absent = pinned.brief.show.filter((place) => !existsSync(shownPath(place)));
  const hint = 'Make it, or take it out of show.';
  return Promise.all(
    absent.map((place) => {
      const what = `show names ${place}, and there is no such place on this machine`;
      return problemInBrief(org, pinned, 'brief/paths', ['show'], what, hint);
    }),
  );
}

const isIn = (inner: string, outer: string): boolean => inner === outer || inner.startsWith(`${outer}/`);

const real = (dir: string): string => (existsSync(dir) ? realpathSync(dir) : dir);
