import type { Brief } from '../../domain/words/brief.ts';
import { shown } from '../../text/clean.ts';
import { type Field, readLine, readList, wrongValue } from '../../text/field.ts';
import { hasGlob, mayTouch, peoplesPaths, tidyPath, tidyPattern, whyNoPath, whyNoPattern } from '../../text/paths.ts';
import type { Place } from '../../text/problem.ts';
import { problemAt } from '../../text/problem-at.ts';

/** The patterns of the paths that an agent may change. */
export function readSandbox(field: Field): readonly string[] {
  const hint = 'Write sandbox: [sandbox/**], or one path for each thing that agents may change.';
  const patterns = readList(field, 'a list of paths', hint).map((item) => {
    const pattern = tidyPattern(readLine(item, 'a path such as sandbox/**', hint));
    return checked(item, pattern, whyNoPattern(pattern), hint);
  });
  if (patterns.length === 0) throw wrongValue(field, 'at least one path', hint);
  return patterns;
}

/** The patterns of the files that steer agents and tools and that agents may write: they count from any directory on. */
export function readAllow(field: Field): readonly string[] {
  const hint =
    'Write allow: [AGENTS.md, .vscode/**], with one pattern for each file that agents may write all the same.';
  return readList(field, 'a list of patterns', hint).map((item) => {
    const pattern = tidyPattern(readLine(item, 'a pattern such as AGENTS.md', hint));
    return checked(item, pattern, whyNoPattern(pattern), hint);
  });
}

export function readHarness(field: Field): string {
  const hint = 'Write harness: harness, the directory, or the file, that scores and that no agent may change.';
  return readPath(field, 'a directory such as harness', hint);
}

export function readInclude(field: Field): readonly string[] {
  const hint = 'Write include: [package.json], with one path for each file or directory that a bench needs.';
  return readList(field, 'a list of paths', hint).map((item) => readPath(item, 'a path such as package.json', hint));
}

/** What only stage 2 sees. */
export function readHoldout(field: Field): readonly string[] {
  const hint = 'Write holdout: [harness/score.mjs], with the files of the harness that only the score command needs.';
  return readList(field, 'a list of paths', hint).map((item) => {
    const pattern = tidyPattern(readLine(item, 'a path such as harness/answers/**', hint));
    return checked(item, pattern, whyNoPattern(pattern), hint);
  });
}

/** Places of the machine: never all of it, and never a whole home. */
export function readShow(field: Field): readonly string[] {
  const hint = 'Write show: [~/.cache/autoresearch], with one directory or file for each thing that a stage must read.';
  return readList(field, 'a list of places', hint).map((item) => {
    const place = readLine(item, 'a place such as ~/.cache/data', hint).replace(/(?<=.)\/+$/, '');
    const wanted = /^(~|)\/[^/]/.test(place) && !/(^|\/)\.{1,2}(\/|$)/.test(place);
    return checked(item, place, wanted ? undefined : 'a path from / or ~/ on, without . and ..', hint);
  });
}

/** Held-out files of something that stage 1 never had would be a promise about nothing. */
export function refuseIdleHoldout({ holdout, harness, include, run }: Brief, place: Place): void {
  const fixed = [harness, ...include];
  const hint = 'Name files of the harness that only the score command needs, such as holdout: [harness/score.mjs].';
  const stray = holdout.find((pattern) => !fixed.some((path) => mayTouch(pattern, path)));
  if (stray !== undefined) {
    const what = `holdout ${shown(stray)} is neither in the harness nor in include`;
    throw problemAt('brief/paths', place, what, hint);
  }
  if (holdout.length > 0 && run === undefined) {
    const what = 'holdout is set, but there is only one stage: the command that scores also runs the candidate';
    throw problemAt(
      'brief/paths',
      place,
      what,
      'Split it: run: makes the output, score: reads it. Or take holdout out.',
    );
  }
}

/** Refuses a sandbox from which an agent could reach what scores it, what people say, or what it may only read. */
export function refuseOverlaps(brief: Brief, place: Place): void {
  const overlap = findOverlap(brief);
  if (overlap === undefined) return;
  const hint = 'Name a directory of its own for agents, such as sandbox: [sandbox/**].';
  throw problemAt('brief/paths', place, overlap, hint);
}

function findOverlap({ sandbox, harness, include }: Brief): string | undefined {
  for (const pattern of sandbox) {
    if (mayTouch(pattern, harness)) return `sandbox ${shown(pattern)} and harness ${shown(harness)} overlap`;
    const people = peoplesPaths.find((path) => mayTouch(pattern, path));
    if (people !== undefined) return `sandbox ${shown(pattern)} takes in ${people}, which only people may change`;
    const read = include.find((path) => mayTouch(pattern, path));
    if (read !== undefined) return `sandbox ${shown(pattern)} and include ${shown(read)} overlap`;
  }
  return undefined;
}

function readPath(field: Field, expected: string, hint: string): string {
  const path = tidyPath(readLine(field, expected, hint));
  return checked(field, path, hasGlob(path) ? 'a path without * ? [ ] { }' : whyNoPath(path), hint);
}

function checked(field: Field, path: string, wanted: string | undefined, hint: string): string {
  if (wanted === undefined) return path;
  throw wrongValue(field, wanted, hint, 'brief/paths');
}
