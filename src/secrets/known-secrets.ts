import { existsSync } from 'node:fs';
import path from 'node:path';
import { Problem } from '../text/problem.ts';
import { type Secret, secretsIn } from './secret-names.ts';
import { type Scanner, scannerFor } from './secret-scanner.ts';

/*
 * What this process knows and must not tell. One for the whole process, like the environment that most of it comes from:
 * whatever writes to git or to a terminal asks here, and nothing can be written by somebody who was not told of a secret.
 */

let known: readonly Secret[] | undefined;
let scanner: Scanner | undefined;

/** The name of a secret that stands in there, in whatever spelling; undefined when there is none. */
export const findSecret = (content: Uint8Array | string): string | undefined => scannerNow()?.find(content);

/** The text with `[secret NAME]` in the place of each. To be asked before a text is cut: half a secret is not known again. */
export const hideSecrets = (text: string): string => scannerNow()?.hide(text) ?? text;

/** Starts anew with the secrets of the environment as it is now. */
export function learnEnvironment(): void {
  known = undefined;
  learnSecrets([]);
}

/** From now on these are not told either. */
export function learnSecrets(more: readonly Secret[]): void {
  const before = known ?? fromEnvironment();
  const fresh = more.filter(({ value }) => !before.some((one) => one.value === value));
  if (known !== undefined && fresh.length === 0) return;
  known = [...before, ...fresh];
  scanner = scannerFor(known);
}

function scannerNow(): Scanner | undefined {
  if (known === undefined) learnEnvironment();
  return scanner;
}

/** A variable that is called CREDENTIALS often holds the path of a file: that is no secret, and stands in many messages. */
const fromEnvironment = (): readonly Secret[] =>
  secretsIn(process.env).filter(({ value }) => !(path.isAbsolute(value) && existsSync(value)));

/** Where a person may keep keys, below the root of the repository. Git must never see it. */
export const keysFile = '.orgrepo/keys';

/** `NAME=value` lines; empty ones and those that begin with # say nothing, and quotes around a value are no part of it. */
export function parseKeys(text: string): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#.*)?$/.test(line)) continue;
    const match = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line);
    const [, name, value] = match ?? [];
    if (name === undefined || value === undefined)
      // The line itself is not shown: it may be a key that somebody put there alone.
      throw new Problem('credentials/file', `${keysFile}:${index + 1}: expected NAME=value`, 'ANTHROPIC_API_KEY=…', {
        file: keysFile,
        line: index + 1,
      });
    keys.set(name, /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value);
  }
  return keys;
}
