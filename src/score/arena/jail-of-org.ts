import { everybodyIn } from '../../domain/staff/staff.ts';
import { placesOfRepo, type Repo } from '../../git/repo.ts';
import { hiddenWith, isRoot } from '../../jail/cell.ts';
import { findLevel, howToJail, type JailLevel, whyNot } from '../../jail/jail.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import type { Org } from '../../records/org.ts';
import { Problem } from '../../text/problem.ts';

/** The level that this org's candidates are held at. */
export async function levelOf(org: Org): Promise<JailLevel> {
  const level = await findLevel(org.jail);
  if (level !== undefined && level !== 'none') refuseUnhidable(org.repo);
  if (level !== undefined) return level;
  throw new Problem(
    'machine/jail',
    `this machine cannot hold candidates as --jail ${org.jail} asks (${await whyNone()})`,
    `${howToJail()} Or let them run free: --jail none`,
  );
}

/** Why this machine has no walls of either kind, in words. */
export async function whyNone(): Promise<string> {
  const why = (['bubblewrap', 'namespaces'] as const).map(async (walls) => `${walls}: ${await whyNot(walls)}`);
  return (await Promise.all(why)).join('; ');
}

/**
 * Refuses agents that run somebody else's code where nothing would hold it and it would be root, unless a person said so
 * aloud. The embedded agents only change numbers.
 */
export async function refuseUnheldRoot(org: Org, { brief }: PinnedBrief): Promise<void> {
  if (!isRoot() || org.jail !== 'auto' || (await findLevel(org.jail)) !== 'none') return;
  const foreign = everybodyIn(brief.staff).filter(({ kind }) => kind !== 'search' && kind !== 'human');
  if (foreign.length === 0) return;
  throw new Problem(
    'person/unjailed',
    `orgrepo runs as root and this machine has no jail (${await whyNone()}): what agents write would run as root`,
    `${howToJail()} Or say that you want it so: --jail none`,
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
