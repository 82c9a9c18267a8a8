import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ifThere } from '../../text/otherwise.ts';
import { listRefs } from '../refs/ref-files.ts';
import type { GitPlace } from '../run-git.ts';

/** Something that makes git show an object otherwise than it is: another one in its place, or other parents. */
interface Substitute {
  /** The object that nobody gets to see as it is. */
  readonly id: string;
  readonly kind: 'replace' | 'graft';
  /** The ref, or the file, that says so. */
  readonly where: string;
  readonly says: string;
}

/** All that a repository has of them. Orgrepo itself reads past them, but a person's `git log` does not. */
export async function listSubstitutes(place: GitPlace): Promise<Substitute[]> {
  const { refs, broken } = await listRefs(place, ['refs/replace']);
  // One that is not as git writes it may still be obeyed.
  const said = [...refs, ...broken.map(({ ref, found }) => [ref, found] as const)];
  const replaced = said.flatMap(([ref, says]) => {
    const id = /^refs\/replace\/(?:.*\/)?([0-9a-f]{40,64})$/i.exec(ref)?.[1]?.toLowerCase();
    return id === undefined ? [] : [{ id, kind: 'replace' as const, where: ref, says }];
  });
  return [...replaced, ...grafts(path.join(place.gitDir, 'info/grafts'))];
}

function grafts(file: string): Substitute[] {
  const lines = ifThere(() => readFileSync(file, 'latin1').split('\n'), []);
  return lines.flatMap((says) => {
    const id = /^([0-9a-f]{40,64})(?=\s|$)/i.exec(says)?.[1]?.toLowerCase();
    return id === undefined ? [] : [{ id, kind: 'graft' as const, where: file, says }];
  });
}
