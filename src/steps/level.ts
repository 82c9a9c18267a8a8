import type { JailLevel } from '../domain/jail.ts';
import { Problem } from '../domain/problem.ts';
import { placesOfRepo } from '../git/places.ts';
import type { Repo } from '../git/repo.ts';
import { hiddenWith } from '../jail/cell.ts';
import { findLevel, whyNot } from '../jail/level.ts';
import type { Org } from '../records/org.ts';

/** The level that this org's candidates are held at. */
export async function levelOf(org: Org): Promise<JailLevel> {
  const level = await findLevel(org.jail);
  if (level !== undefined && level !== 'none') refuseUnhidable(org.repo);
  if (level !== undefined) return level;
  const why = await Promise.all(
    (['bubblewrap', 'namespaces'] as const).map(async (walls) => `${walls}: ${await whyNot(walls)}`),
  );
  throw new Problem(
    'machine/jail',
    `this machine cannot hold candidates as --jail ${org.jail} asks (${why.join('; ')})`,
    'Install bubblewrap (apt install bubblewrap), or let them run free: --jail none',
  );
}

const hidable = new WeakSet<Repo>();

/** A repository that is /usr/local, or holds it, cannot be hidden without the programs in there. */
function refuseUnhidable(repo: Repo): void {
  if (hidable.has(repo)) return;
  for (const dir of placesOfRepo(repo)) {
    const part = hiddenWith(dir);
    if (part === undefined) continue;
    throw new Problem(
      'machine/jail',
      `the repository is in ${dir}, and programs need ${part}: no jail can hide the one and show the other`,
      'Clone it into a directory of its own and run there, or let candidates run free: --jail none',
    );
  }
  hidable.add(repo);
}
