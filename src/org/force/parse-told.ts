import { hideSecrets } from '../../secrets/known-secrets.ts';
import { isProblem, Problem, problemAt } from '../../text/problem.ts';

/**
 * Reads a person's file. What is wrong with it is told in its own words, which are cut to fit a line, and half a secret is not
 * known again: so where the file holds one it is told of the same text without it.
 */
export function parseTold<T>(text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (error) {
    const hidden = hideSecrets(text);
    if (!isProblem(error) || hidden === text) throw error;
    parse(hidden);
    const what = 'what is wrong there cannot be shown: it holds a secret';
    throw error.place === undefined
      ? new Problem(error.code, what, error.hint)
      : problemAt(error.code, error.place, what, error.hint);
  }
}
