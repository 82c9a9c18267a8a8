import type { JailLevel } from '../domain/jail.ts';
import { Problem } from '../domain/problem.ts';
import { findLevel, whyNot } from '../jail/level.ts';
import type { Org } from '../records/org.ts';

/** The level that this org's candidates are held at. */
export async function levelOf(org: Org): Promise<JailLevel> {
  const level = await findLevel(org.jail);
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
