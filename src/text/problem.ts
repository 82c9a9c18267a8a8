import { cleanLine } from './clean.ts';

/** What kind of thing a person must put right. The part before the slash decides the exit code. */
export type ProblemCode =
  | 'usage/command'
  | 'usage/option'
  | 'usage/argument'
  | 'script/value'
  | 'brief/missing'
  | 'brief/syntax'
  | 'brief/key'
  | 'brief/value'
  | 'brief/paths'
  | 'spec/missing'
  | 'spec/syntax'
  | 'spec/key'
  | 'spec/value'
  | 'spec/id'
  | 'org/syntax'
  | 'org/key'
  | 'org/value'
  | 'org/structure'
  | 'branches/contradiction'
  | 'org/policy'
  | 'org/approval'
  | 'signers/syntax'
  | 'decision/missing'
  | 'repo/none'
  | 'repo/bare'
  | 'repo/empty'
  | 'repo/detached'
  | 'repo/ours'
  | 'repo/git'
  | 'repo/path'
  | 'file/exists'
  | 'file/missing'
  | 'file/outside'
  | 'disk/write'
  | 'harness/missing'
  | 'harness/baseline'
  | 'harness/command'
  | 'person/conflict'
  | 'person/frozen'
  | 'person/paused'
  | 'person/unjailed'
  | 'person/large'
  | 'person/approval'
  | 'person/refused'
  | 'person/unreviewed'
  | 'person/work-tree'
  | 'machine/jail'
  | 'integrity/history'
  | 'integrity/harness'
  | 'credentials/missing'
  | 'credentials/signing'
  | 'credentials/refused'
  | 'credentials/file'
  | 'credentials/exposed'
  | 'busy/run'
  | 'busy/lock'
  | 'experiment/missing'
  | 'experiment/differs'
  | 'experiment/worse'
  | 'experiment/gate'
  | 'offer/missing'
  | 'offer/not-yours'
  | 'offer/unclaimed'
  | 'offer/finished'
  | 'offer/no-bench'
  | 'offer/unchanged'
  | 'offer/unfit'
  | 'git/failed';

export interface Place {
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** Something a person must put right: what and where in the message, what to do in the hint. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly hint: string;
  readonly place: Place | undefined;

  constructor(code: ProblemCode, message: string, hint: string, place?: Place) {
    super(message);
    this.name = 'Problem';
    this.code = code;
    this.hint = hint;
    this.place = place;
  }
}

const exitOfKind: Readonly<Record<string, number>> = {
  usage: 64,
  brief: 6,
  spec: 6,
  script: 6,
  branches: 6,
  org: 6,
  signers: 6,
  decision: 1,
  repo: 6,
  file: 6,
  disk: 1,
  harness: 6,
  person: 3,
  machine: 1,
  credentials: 4,
  integrity: 5,
  busy: 75,
  experiment: 1,
  offer: 1,
  git: 1,
};

export function exitCodeOf(problem: Problem): number {
  return exitOfKind[problem.code.slice(0, problem.code.indexOf('/'))] ?? 1;
}

export const isProblem = (error: unknown): error is Problem => error instanceof Problem;

/** What comes of it; undefined where a Problem does. */
export const unlessProblem = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error) => {
    if (isProblem(error)) return undefined;
    throw error;
  });

/** The same, with the Problem itself as a value. */
export const orProblem = <T>(work: Promise<T>): Promise<T | Problem> =>
  work.catch((error) => {
    if (isProblem(error)) return error;
    throw error;
  });

/** A Problem that says where it is the way editors can jump to: `program.md:3:9: what is wrong`. */
export function problemAt(code: ProblemCode, place: Place, what: string, hint: string): Problem {
  const parts = [cleanLine(place.file), place.line, place.column].filter((part) => part !== undefined);
  return new Problem(code, `${parts.join(':')}: ${cleanLine(what, 400)}`, hint, place);
}

/** The known name that a person most likely meant, or undefined when none is close. */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  const wanted = plain(word);
  if (wanted.length === 0 || wanted.length > 64) return undefined;
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of names) {
    const distance = distanceBetween(wanted, plain(name));
    if (distance <= Math.max(1, Math.floor(name.length / 3)) && (best === undefined || distance < best.distance)) {
      best = { name, distance };
    }
  }
  return best?.name;
}

/** The hint that names it, or another where none is close. */
export function didYouMean(word: string, names: readonly string[], otherwise: string): string {
  const near = nearestName(word, names);
  return near === undefined ? otherwise : `Did you mean ${near}?`;
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Edits to turn one word into the other; two neighbouring letters changing places count as one. */
function distanceBetween(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY;
