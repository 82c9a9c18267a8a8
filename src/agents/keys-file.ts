import { lstatSync } from 'node:fs';
import path from 'node:path';
import { readRegularFile } from '../process/untrusted-files.ts';
import type { Org } from '../records/org.ts';
import { keysFile, learnSecrets, parseKeys } from '../secrets/known-secrets.ts';
import { Problem } from '../text/problem.ts';

/**
 * The value of the first of these variables that is set, in the environment or in the keys file. Never from an option:
 * a list of processes would show it, and so would the shell's history.
 */
export async function readKey(org: Org, variables: readonly [string, ...string[]], instead = ''): Promise<string> {
  const key = await readKeyIfSet(org, variables);
  if (key !== undefined) return key;
  throw new Problem(
    'credentials/missing',
    `${variables.join(' or ')} is not set`,
    `export ${variables[0]}=… before you run orgrepo, or write the line ${variables[0]}=… to ${keysFile}.${instead}`,
  );
}

export async function readKeyIfSet(org: Org, variables: readonly string[]): Promise<string | undefined> {
  const found = await findKey(org, variables);
  if (found !== undefined) learnSecrets([found]); // Whatever it is called, and however much it looks like a word.
  return found?.value;
}

/** Which of these variables is the one that counts, and whether it is set in the keys file. */
export async function findKey(org: Org, variables: readonly string[]) {
  const kept = await readKeysFile(org);
  for (const name of variables) {
    const here = (process.env[name] ?? '').trim();
    const value = here || (kept.get(name) ?? '').trim();
    if (value !== '') return { name, value, inFile: here === '' };
  }
  return undefined;
}

/** The keys file, empty when there is none. One that others can read, or that git could take along, is refused. */
export async function readKeysFile(org: Org): Promise<ReadonlyMap<string, string>> {
  const { root } = org.repo;
  const stat = lstatSync(path.join(root, keysFile), { throwIfNoEntry: false });
  if (stat === undefined) return new Map();
  const refuse = (what: string, hint: string): Problem =>
    new Problem('credentials/file', `${keysFile} ${what}`, hint, { file: keysFile });
  const { tracksFile, ignoresFile } = await import('../git/persons-git.ts');
  if (await tracksFile(root, keysFile))
    throw refuse(
      'is tracked by git, so whoever has the repository has your keys',
      `git rm --cached ${keysFile} && ${ignoreIt}. What was committed must be taken for stolen: make new keys.`,
    );
  if (!(await ignoresFile(root, keysFile)))
    throw refuse('is not ignored by git: the next git add -A would take it along', ignoreIt);
  const text = stat.isFile() ? readRegularFile(path.join(root, keysFile), mostBytes) : undefined;
  if (text === undefined) throw refuse('is no file that can be read', 'Make it a plain file of NAME=value lines.');
  if ((stat.mode & 0o077) !== 0) throw refuse('can be read by others on this machine', `chmod 600 ${keysFile}`);
  return parseKeys(text);
}

const ignoreIt = 'echo /.orgrepo/ >> "$(git rev-parse --git-common-dir)/info/exclude"';
const mostBytes = 64 * 1024;
