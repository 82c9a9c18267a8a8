import { existsSync } from 'node:fs';
import path from 'node:path';
import { Problem } from '../text/problem.ts';
import { type Scanner, type Secret, scannerFor, shortestSecret } from './secret-scanner.ts';

/*
 * What this process knows and must not show. One for the whole process, like the environment that most of it comes from:
 * whatever writes to git or to a terminal asks here, and no writer needs to know the secrets itself.
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

/** From now on these are hidden too. */
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

/** A variable that is called CREDENTIALS often holds the path of a file: that is not a secret, and stands in many messages. */
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

/** Where a model's key is looked for, unless a brief names another variable. */
const keyVariables = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'] as const;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * All that looks like a secret among a process's variables, whether orgrepo has a use for it or not: by its name, or as the
 * password in an address.
 */
export function secretsIn(variables: Variables): Secret[] {
  return Object.entries(variables).flatMap(([name, value = '']) => {
    const shown = /^\w+$/.test(name) ? name : 'in a variable';
    const password = passwordInAddress.exec(value)?.[1] ?? '';
    const found = [
      ...(isSecretName(name) && !isPublic(name, value) && (isKeyVariable(name) || isNoWord(value, variables))
        ? [value.trim()]
        : []),
      password,
    ];
    return found.filter((one) => one.length >= shortestSecret).map((one) => ({ name: shown, value: one }));
  });
}

/** Whether what is called so is for nobody to see. */
export const isSecretName = (name: string): boolean =>
  /token|secret|passw|passphrase|credential|api_?key/i.test(name) ||
  /(^|[^a-z])(keys?|pass|auth)([^a-z]|$)/i.test(name);

/** A path or a public key, which stands in `allowed_signers`. */
const isPublic = (name: string, value: string): boolean =>
  name === 'ORGREPO_SIGNING_KEY' && !value.includes('PRIVATE KEY');

const isKeyVariable = (name: string): boolean => (keyVariables as readonly string[]).includes(name);

/**
 * A password such as `postgres` or a `CACHE_KEY=production` stands in every other file, and would have honest work refused.
 * Something drawn by chance has letters and digits, or is long. A variable may also hold the name of another.
 */
function isNoWord(value: string, variables: Variables): boolean {
  if (variables[value] !== undefined) return false;
  return (/[a-z]/i.test(value) && /[0-9]/.test(value)) || (value.length >= 20 && /[^0-9.,:_-]/.test(value));
}

const passwordInAddress = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:([^/\s@]+)@/i;
