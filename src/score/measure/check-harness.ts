import type { Brief } from '../../domain/words/brief.ts';
import { namesIn } from '../../domain/words/printed-numbers.ts';
import { brokenGuard, formatGuard, reaches } from '../../domain/words/score.ts';
import { filesOf } from '../../git/objects/tree.ts';
import { type PinnedBrief, problemInBrief } from '../../org/force/pin-brief.ts';
import type { Baseline } from '../../records/notebook/best-line.ts';
import { nearestName, type Problem } from '../../text/problem.ts';
import { formatDuration } from '../../text/quantity.ts';
import { zonesOf } from '../judge/boundary.ts';
import type { Failure } from '../judge/verdict.ts';
import { runTests } from './run-tests.ts';
import { type MeasureContext, measure } from './trial.ts';

/** The numbers that the harness gives the tree that a night would start from. */
type Start = Pick<Baseline, 'score' | 'numbers'>;

/** Where the brief is, for a Problem that names its line. */
type Asked = Pick<MeasureContext, 'org' | 'pinned'>;

/** What stands in the way of a night, and what a person should know before it. */
export interface Checked {
  /** With how long it took, where it was measured just now, and whether it is what was kept so far or the trunk alone. */
  readonly start:
    | (Start & { readonly seconds: number | undefined; readonly fromBest?: boolean | undefined })
    | undefined;
  /** How long the tests of the brief took, where they were run just now and passed. */
  readonly testsSeconds?: number | undefined;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** Runs the harness once, as a night would begin. `first` when nothing was ever measured here. */
export async function checkHarness(context: MeasureContext, tree: string, first: boolean): Promise<Checked> {
  const { org, pinned } = context;
  const { outcome, seconds } = await measure(context, tree, 0);
  if (outcome.kind !== 'scored')
    return { start: undefined, problems: [await whyNoScore(context, tree, outcome)], warnings: [] };
  const { score, numbers } = outcome;
  const { experimentMs } = pinned.brief.budget;
  const problems = await wrongStart(context, outcome, first);
  const warnings = await doubtfulStart(context, outcome, first);
  if (seconds * 1000 > experimentMs * 0.8) {
    const what = `a measurement takes ${seconds.toFixed(1)} s of the ${formatDuration(experimentMs)} it may: a slower moment is a timeout`;
    const hint = 'Give it more time: budget.experiment.';
    const at = ['budget', 'experiment'] as const;
    warnings.push(await problemInBrief(org, pinned, { code: 'harness/baseline', at, what, hint }));
  }
  const start = { score, numbers, seconds };
  const tested = problems.length > 0 ? undefined : await tryTests(context, tree);
  if (tested?.kind === 'refused') return { start, problems: [tested.problem], warnings };
  return { start, testsSeconds: tested?.seconds, problems, warnings };
}

/** Runs the tests of the brief on what a night would start from; undefined where there are none. */
async function tryTests(context: MeasureContext, tree: string) {
  const { org, pinned } = context;
  const { tests } = pinned.brief;
  if (tests === undefined) return undefined;
  const outcome = await runTests(context, tree);
  if (outcome.kind === 'passed') return outcome;
  const [why, output] = outcome.kind === 'void' ? [outcome.reason, ''] : [outcome.why, outcome.output];
  const what = `the tests fail before anything is tried: ${tests}, ${why}`;
  const hint =
    hintFrom(output) ??
    'They run in a copy of the last commit, without network, .git and what is held out. Make them pass there and commit it, or change tests.';
  const problem = await problemInBrief(org, pinned, { code: 'harness/tests', at: ['tests'], what, hint });
  return { kind: 'refused', problem } as const;
}

/** Refuses a start whose tests fail: every win would be confounded. */
export async function refuseFailingTests(context: MeasureContext, tree: string): Promise<void> {
  const tested = await tryTests(context, tree);
  if (tested?.kind === 'refused') throw tested.problem;
}

/** What in the brief cannot be meant as it is written, by what the starting point scores. */
export async function wrongStart({ org, pinned }: Asked, start: Start, first: boolean): Promise<Problem[]> {
  const { brief } = pinned;
  const names = Object.keys(start.numbers);
  const problems = brief.guards
    .filter(({ name }) => start.numbers[name] === undefined)
    .map(({ name }) => {
      const near = nearestName(name, names);
      const others = names.length === 0 ? 'It prints no other number.' : `It prints ${names.slice(0, 8).join(', ')}.`;
      const hint =
        near === undefined
          ? `${others} Print "${name}: number" too, or take the guard out.`
          : `Did you mean ${near}, which it prints?`;
      const what = `a guard names ${name}, which the harness does not print`;
      return problemInBrief(org, pinned, { code: 'brief/value', at: ['guards', name], what, hint });
    });
  return Promise.all([...problems, ...(first ? reachedAlready({ org, pinned }, start) : [])]);
}

/** Refuses the first of them before anything is built on such a start. */
export async function refuseWrongStart(asked: Asked, start: Start, first: boolean): Promise<void> {
  const [problem] = await wrongStart(asked, start, first);
  if (problem !== undefined) throw problem;
}

/** What may be meant as it is written, but is worth a look. */
export async function doubtfulStart({ org, pinned }: Asked, start: Start, first: boolean): Promise<Problem[]> {
  const broken = pinned.brief.guards.flatMap((guard) => {
    const { numbers } = start;
    const why = numbers[guard.name] === undefined ? undefined : brokenGuard([guard], numbers, numbers, numbers);
    if (why === undefined) return [];
    const what = `the starting point itself breaks the guard "${formatGuard(guard)}": ${why}`;
    const hint = 'Nothing wins until a candidate holds it; give it more room if that is not what you want.';
    return [problemInBrief(org, pinned, { code: 'brief/value', at: ['guards', guard.name], what, hint })];
  });
  return Promise.all([...broken, ...(first ? [] : reachedAlready({ org, pinned }, start))]);
}

/** A night that has nothing to reach ends before it begins; most often the direction is the wrong way about. */
function reachedAlready({ org, pinned }: Asked, { score }: Start): readonly Promise<Problem>[] {
  const { metric, direction, target } = pinned.brief;
  if (target === undefined || !reaches(score, target, direction)) return [];
  const [sought, side, other] =
    direction === 'minimize' ? ['lower', 'below', 'maximize'] : ['higher', 'above', 'minimize'];
  const what = `the target ${target} is reached before anything is tried: ${metric} starts at ${score}, and ${direction} means that ${sought} is better`;
  const hint = `Make the direction ${other}, or write a target ${side} ${score}, or take the target out.`;
  return [problemInBrief(org, pinned, { code: 'brief/value', at: ['target'], what, hint })];
}

/** Why the starting point has no score, by the line of the brief that asks for it. */
export async function whyNoScore(context: MeasureContext, tree: string, outcome: Failure): Promise<Problem> {
  const { org, pinned } = context;
  const { brief } = pinned;
  const say = (at: readonly [string, ...string[]], why: string, hint: string): Promise<Problem> => {
    const what = `the harness gives the starting point no score: ${why}`;
    return problemInBrief(org, pinned, { code: 'harness/baseline', at, what, hint });
  };
  if (outcome.kind === 'void') return say(['score'], outcome.reason, 'Run it again.');
  const { names, leadsTo } = zonesOf(brief).sandbox;
  if ((await filesOf(org.repo, tree, names, leadsTo)).size === 0) {
    const what = `sandbox names no file of the last commit (${brief.sandbox.join(', ')}), and without one the harness gives no score`;
    const hint = 'Name the files that agents may change, or commit them.';
    return problemInBrief(org, pinned, { code: 'brief/paths', at: ['sandbox'], what, hint });
  }
  if (outcome.kind === 'timed-out') {
    const why = `not done after ${(outcome.afterMs / 1000).toFixed(1)} s, and killed`;
    const hint =
      hintFrom(outcome.output) ??
      `Give it more than budget.experiment (${formatDuration(brief.budget.experimentMs)}), or see what it waits for: it has no input and no terminal.`;
    return say(['budget', 'experiment'], why, hint);
  }
  const { reason, output } = outcome;
  const stage = reason.startsWith('run ') ? 'run' : 'score';
  const unsaid = /printed no line "/.test(reason) ? await whereElse(context, tree, output) : undefined;
  const hint = unsaid?.hint ?? hintFrom(`${reason}\n${output}`) ?? startHint(reason, brief, stage) ?? byHand(pinned);
  return say([unsaid?.key ?? stage], reason, hint);
}

/** Where the metric went that the second stage did not print on stdout. */
async function whereElse({ org, pinned, signal }: MeasureContext, tree: string, output: string) {
  const { metric, run } = pinned.brief;
  const names = namesIn(output);
  if (names.includes(metric))
    return { key: 'score', hint: `It prints ${metric} on stderr: print it on stdout, which is what is read.` };
  if (run !== undefined) {
    const alone = { ...pinned, brief: { ...pinned.brief, run: undefined, score: run } };
    const { outcome } = await measure({ org, pinned: alone, signal }, tree, 0);
    const hint = `Stage 1 (run) prints ${metric}, and nobody reads that: score must print it, from what is in $ORGREPO_OUT.`;
    if (outcome.kind === 'scored') return { key: 'score', hint };
  }
  const near = nearestName(metric, names);
  return near === undefined ? undefined : { key: 'metric', hint: `It prints ${near}: is that the metric?` };
}

function startHint(reason: string, brief: Brief, stage: 'run' | 'score'): string | undefined {
  const [program = ''] = (brief[stage] ?? '').trim().split(/\s+/);
  if (/ended with 127\b|\bENOENT\b.*spawn|spawn .*ENOENT|could not be started: .*ENOENT|not found/.test(reason))
    return `See whether ${program} is installed and on the PATH, or change ${stage}.`;
  if (/ended with 126\b|could not be started: .*EACCES/.test(reason))
    return `What ${stage} starts may not be executed: git update-index --chmod=+x on it, and commit it.`;
  if (stage === 'score' && brief.run !== undefined && /\bENOENT\b|No such file|FileNotFound/.test(reason))
    return 'score starts in a directory of its own, without the sandbox: what run makes for it must go to $ORGREPO_OUT.';
  if (/printed .* times|twice/.test(reason)) return 'Print it once, at the end; other lines may have other names.';
  return undefined;
}

function byHand({ brief: { run, score } }: PinnedBrief): string {
  return `Try it by hand: mkdir -p /tmp/out && export ORGREPO_OUT=/tmp/out; ${run === undefined ? '' : `${run} && `}${score}`;
}

/** What a harness most likely ran into, from what it printed before it gave up; undefined when nothing tells. */
export function hintFrom(printed: string): string | undefined {
  return clues.find(({ signs }) => signs.test(printed))?.hint;
}

const clues: readonly { readonly signs: RegExp; readonly hint: string }[] = [
  {
    signs: /not a git repository/i,
    hint: 'It asks git, and there is no .git where it runs: commit a file with what it needs to know.',
  },
  {
    signs:
      /\b(?:ENOTFOUND|EAI_AGAIN|EAI_NONAME|ENETUNREACH|EHOSTUNREACH)\b|name resolution|Network is unreachable|Could not resolve host|Name or service not known|nodename nor servname|No route to host/i,
    hint: 'It needs the network, and a measurement must not: put what it fetches into the harness, or name it in include.',
  },
  {
    signs: /\bEROFS\b|Read-only file system/i,
    hint: 'It writes where nothing can be written: only $ORGREPO_OUT and $TMPDIR are for that.',
  },
  {
    signs:
      /\b(?:EACCES|EPERM)\b[^\n]*\b(?:open|mkdir|unlink|rename|rmdir|copyfile|symlink)\b|(?:open|create|write|remove|mkdir|touch|rm|cp)[^\n]{0,200}Permission denied|PermissionError/i,
    hint: 'It has no right to a file that it opens: only $ORGREPO_OUT and $TMPDIR are there to be written to.',
  },
];
