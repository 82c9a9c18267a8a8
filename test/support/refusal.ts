import assert from 'node:assert/strict';
import { isProblem, type Problem } from '../../src/text/problem.ts';

/** The Problem that this throws; anything else, or nothing, fails the test. */
export function refusal(run: () => unknown, what = 'this'): Problem {
  try {
    run();
  } catch (error) {
    if (isProblem(error)) return error;
    throw error;
  }
  return assert.fail(`${what} was not refused`);
}
