import { Problem } from '../text/problem.ts';

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
