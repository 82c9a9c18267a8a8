import { cleanLine } from './clean.ts';
import { type Place, Problem, type ProblemCode } from './problem.ts';

/** A Problem that says where it is the way editors can jump to: `program.md:3:9: what is wrong`. */
export function problemAt(code: ProblemCode, place: Place, what: string, hint: string): Problem {
  const parts = [cleanLine(place.file), place.line, place.column].filter((part) => part !== undefined);
  return new Problem(code, `${parts.join(':')}: ${cleanLine(what, 400)}`, hint, place);
}
