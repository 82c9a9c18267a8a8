import { readFileSync } from 'node:fs';
import path from 'node:path';
import { listRefs } from '../../git/refs/ref-files.ts';
import { queueRef, shortRef } from '../../git/refs/ref-names.ts';
import { readLeft } from '../../git/refs/refs-left.ts';
import { Problem } from '../../text/problem.ts';
import { readEntry } from '../entry.ts';
import type { Org } from '../org.ts';

/**
 * A trunk without a commit in a repository that had one: .git/packed-refs was lost. It is a person's branch, so orgrepo
 * says where it was and does not write it. Undefined where there never was a commit, as far as anybody can tell.
 */
export async function lostTrunk(org: Org, trunk: string): Promise<Problem | undefined> {
  const id = (await lastLogged(org, trunk)) ?? (await lastTold(org));
  if (id === undefined) return undefined;
  return new Problem(
    'integrity/history',
    `${shortRef(trunk)} is gone: no ref of that name is left in .git, and it was at ${id.slice(0, 7)}`,
    `Put it back: git update-ref ${trunk} ${id}. Then npx orgrepo run puts its own branches back`,
  );
}

/** A branch that is deleted takes its reflog along, so one that has a reflog is lost. */
async function lastLogged({ repo }: Org, trunk: string): Promise<string | undefined> {
  let text = '';
  try {
    text = readFileSync(path.join(repo.gitDir, 'logs', trunk), 'utf8');
  } catch {
    return undefined; // Git keeps none for this branch.
  }
  const id = /^[0-9a-f]+ ([0-9a-f]+) /.exec(text.trimEnd().split('\n').at(-1) ?? '')?.[1];
  return id !== undefined && (await repo.reader.has(id)) ? id : undefined;
}

/** Where the trunk was when the last run began. Where there is another branch of the person's, they may have left this one for it. */
async function lastTold(org: Org): Promise<string | undefined> {
  const { refs } = await listRefs(org.repo, ['refs/heads']);
  if ([...refs.keys()].some((ref) => !ref.startsWith('refs/heads/orgrepo/'))) return undefined;
  let entry = await readEntry(org, refs.get(queueRef) ?? readLeft(org.repo.gitDir).get(queueRef) ?? '');
  while (entry !== undefined && entry.event !== '' && entry.event !== 'run')
    entry = await readEntry(org, entry.commit.parents[0] ?? '');
  const id = entry?.get('Trunk');
  return id !== undefined && (await org.repo.reader.has(id)) ? id : undefined;
}
