import { existsSync } from 'node:fs';
import path from 'node:path';
import { secretsIn } from './secret-names.ts';
import { type Scanner, type Secret, scannerFor } from './secret-scanner.ts';

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
