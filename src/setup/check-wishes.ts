import type { Direction } from '../domain/words/brief.ts';
import { isMetricName, whyNoMetricPattern } from '../domain/words/printed-numbers.ts';
import { scriptOf } from '../preflight/checks/check-commands.ts';
import { mayTouch, readGlobs, tidyPath, tidyPattern, whyNoPath, whyNoPattern } from '../text/paths.ts';
import { Problem, quoted } from '../text/problem.ts';
import { nearestFile, type OpenedProject } from './open-project.ts';

/** What a person has said already; the rest is chosen. */
export interface Wishes {
  readonly score: string | undefined;
  readonly edit: readonly string[] | undefined;
  readonly harness: string | undefined;
  readonly metric: string | undefined;
  readonly pattern: string | undefined;
  readonly direction: Direction | undefined;
  readonly tests: string | undefined;
}

/** Refuses what can be seen to be wrong before anything is run. */
export function refuseWrongWishes({ metric, pattern }: Wishes): void {
  if (metric !== undefined && !isMetricName(metric))
    throw new Problem(
      'usage/option',
      `--metric is ${quoted(metric)}, expected a name such as error_rate`,
      'Use letters, digits, _ . and -, at most 64 of them.',
    );
  if (pattern === undefined) return;
  const example = "For example: --metric ops --pattern 'x ([\\d,.]+) ops/sec'";
  if (metric === undefined) throw new Problem('usage/option', '--pattern needs a name for what it finds', example);
  const why = whyNoMetricPattern(pattern);
  if (why !== undefined) throw new Problem('usage/option', `--pattern is ${quoted(pattern)}, expected ${why}`, example);
}

export function sandboxFrom(project: OpenedProject, edit: readonly string[]): readonly string[] {
  return edit.map((typed) => {
    const pattern = tidyPattern(typed);
    const wrong = whyNoPattern(pattern);
    if (wrong !== undefined)
      throw new Problem(
        'usage/option',
        `--edit is ${quoted(typed)}, expected ${wrong}`,
        'For example: --edit src/rank.py',
      );
    if (project.paths.some(readGlobs([pattern]).names)) return pattern;
    throw notThere('--edit names', typed, project);
  });
}

export function refuseMissingScript(project: OpenedProject, command: string | undefined): void {
  const script = command === undefined ? undefined : scriptOf(command)?.path;
  if (script === undefined || project.paths.includes(script)) return;
  throw notThere(`${command} starts`, script, project);
}

export function harnessFrom(
  project: OpenedProject,
  sandbox: readonly string[],
  typed: string | undefined,
): string | undefined {
  if (typed === undefined) return undefined;
  const file = tidyPath(typed);
  const wrong = whyNoPath(file);
  if (wrong !== undefined)
    throw new Problem(
      'usage/option',
      `--harness is ${quoted(typed)}, expected ${wrong}`,
      'For example: --harness tests',
    );
  const open = sandbox.find((pattern) => mayTouch(pattern, file));
  if (open !== undefined)
    throw new Problem(
      'usage/option',
      `--harness ${file} and --edit ${open} overlap, and agents may not change what scores them`,
      'Name what only scores. Without --harness it is the directory of the script that scores.',
    );
  if (project.paths.some((one) => one === file || one.startsWith(`${file}/`))) return file;
  throw notThere('--harness names', typed, project);
}

function notThere(what: string, typed: string, project: OpenedProject): Problem {
  const near = nearestFile(typed, project);
  return new Problem(
    'usage/option',
    `${what} ${quoted(typed)}, and there is no such file in the last commit`,
    near === undefined ? `If it is new, commit it first: git add ${typed} && git commit` : `Did you mean ${near}?`,
  );
}
