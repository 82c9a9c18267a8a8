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

/** A Problem that says where it is the way editors can jump to: `program.md:3:9: what is wrong`. */
export function problemAt(code: ProblemCode, place: Place, what: string, hint: string): Problem {
  const parts = [cleanLine(place.file), place.line, place.column].filter((part) => part !== undefined);
  return new Problem(code, `${parts.join(':')}: ${cleanLine(what, 400)}`, hint, place);
}
