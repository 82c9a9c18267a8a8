import type { TrickLanguage } from './trick.ts';

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

/** What a file is written in, by its ending or by its first line; undefined when there is no attack for it. */
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
