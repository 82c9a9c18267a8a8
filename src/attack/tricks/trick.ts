/** What a trick needs to know of the org that it is tried on. */
export interface TrickTarget {
  readonly metric: string;
  /** A score that is too good to be true. */
  readonly wonderful: number;
  /** The line that would say it. */
  readonly line: string;
  readonly harness: string;
  /** Whether somebody else than the candidate's own process says the score. */
  readonly twoStages: boolean;
  /** Files that only the judge may see, by their paths in the repository. */
  readonly heldOut: readonly string[];
  /** The person's own checkout, and its repository. */
  readonly root: string;
  readonly gitDir: string;
  /** A directory outside of everything, with a file `secret` in it. */
  readonly outside: string;
  /** Where somebody listens on this machine. */
  readonly port: number;
  /** What a process that lives on has among its words. */
  readonly token: string;
}

export type TrickLanguage = 'javascript' | 'python' | 'shell';

/**
 * A way to cheat, as code that runs before anything else in a sandbox's file. Most are a few words of shell, which every
 * language can start; the others have to be inside the process.
 */
export interface Trick {
  readonly name: string;
  /** Code for each attempt; undefined when there is nothing to be tried on this target, and why. */
  readonly code: (target: TrickTarget, language: TrickLanguage) => readonly string[] | { readonly notTried: string };
  /** True when a score at all means that it came through. */
  readonly mayNotScore?: true;
}

/** Said by a trick that has got what it wanted, where no score would tell. */
export const gotIt = 'ORGREPO-ATTACK-GOT-IT';

/** A piece of shell, started from another language; 66 is its way to say that the candidate should end there. */
export function viaShell(script: string, language: TrickLanguage): string {
  const text = JSON.stringify(script);
  if (language === 'shell') return `( ${script}\n) || exit $?\n`;
  if (language === 'python')
    return `__c = __import__('subprocess').run(['/bin/sh', '-c', ${pythonText(script)}]).returncode\nif __c: __import__('os')._exit(__c if __c > 0 else 1)\n`;
  return `{ const { status } = (process.getBuiltinModule ?? require)('child_process').spawnSync('/bin/sh', ['-c', ${text}], { stdio: 'inherit' }); if (status !== 0) process.exit(status ?? 1); }\n`;
}

/** A text as both Python and JSON spell it: JSON's escapes are a part of Python's, but for what lies beyond 16 bits. */
const pythonText = (text: string): string => JSON.stringify(text);

/** A word as a shell reads it. */
export const shellQuoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

const endings: Readonly<Record<string, TrickLanguage>> = {
  mjs: 'javascript',
  cjs: 'javascript',
  js: 'javascript',
  ts: 'javascript',
  mts: 'javascript',
  py: 'python',
  sh: 'shell',
  bash: 'shell',
};

/** What a file is written in, by its ending or by its first line; undefined without an attack for it. */
export function languageOf(file: string, text: string): TrickLanguage | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(file)?.[1]?.toLowerCase();
  if (ending !== undefined && Object.hasOwn(endings, ending)) return endings[ending];
  const interpreter = /^#!.*\b(node|deno|bun|python|sh|bash|dash)[0-9.]*\s*$/m.exec(text.split('\n', 1)[0] ?? '')?.[1];
  if (interpreter === undefined) return undefined;
  if (interpreter === 'python') return 'python';
  return interpreter.endsWith('sh') ? 'shell' : 'javascript';
}

/** The text with code that runs first: below what has to stay at the top. */
export function insertFirst(text: string, code: string, language: TrickLanguage): string {
  const lines = text.split('\n');
  let at = lines[0]?.startsWith('#!') ? 1 : 0;
  // Python wants these before any other statement.
  if (language === 'python') at = Math.max(at, lines.findLastIndex((line) => /^from\s+__future__\s/.test(line)) + 1);
  return [...lines.slice(0, at), code.trimEnd(), ...lines.slice(at)].join('\n');
}
