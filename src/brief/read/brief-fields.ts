import type { Brief, Budget } from '../../domain/words/brief.ts';
import { isMetricName } from '../../domain/words/printed-numbers.ts';
import type { Guard } from '../../domain/words/score.ts';
import {
  type Field,
  readDuration,
  readerOf,
  readLine,
  readList,
  readMap,
  readWhole,
  wrongKey,
  wrongValue,
} from '../../text/field.ts';
import { hasGlob, mayTouch, peoplesPaths, tidyPath, tidyPattern, whyNoPath, whyNoPattern } from '../../text/paths.ts';
import { type Place, problemAt, shown } from '../../text/problem.ts';
import { formatDuration, parseDecimal, parseDuration, parseWhole } from '../../text/quantity.ts';
import { readTokens, readUsd } from './brief-caps.ts';

const second = 1_000;
const hour = 3_600 * second;
const day = 24 * hour;

export const budgetDefaults: Budget = {
  experimentMs: 300 * second,
  agentMs: 600 * second,
  nightMs: 8 * hour,
  testsMs: 600 * second,
  attempts: 5,
  patience: 25,
  usd: undefined,
  tokensIn: undefined,
  tokensOut: undefined,
};

/** Enough pairs for a noisy metric; a deterministic one needs the first alone. */
export const samplesDefault: Brief['samples'] = { min: 1, max: 8 };

export const readCommand = (field: Field): string =>
  readLine(
    field,
    `a command such as node harness/${lastPart(field.name)}.mjs`,
    'Write the command on one line, as in a shell.',
  );

const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

export const readTests = (field: Field): string =>
  readLine(field, 'a command such as npm test', 'Write the command on one line, as in a shell.');

const budgetKeys = ['experiment', 'agent', 'night', 'tests', 'usd', 'tokens_in', 'tokens_out', 'attempts', 'patience'];

export function readBudget(field: Field): Budget {
  const { experimentMs, agentMs, nightMs } = budgetDefaults;
  const example = [experimentMs, agentMs, nightMs].map(formatDuration);
  const hint = `Write budget: { experiment: ${example[0]}, agent: ${example[1]}, night: ${example[2]} }.`;
  const read = readerOf(readMap(field, 'a map of limits', hint, budgetKeys));
  return {
    ...read('experiment', readExperimentTime, { experimentMs }),
    agentMs: read('agent', (value) => readDuration(value, 10, day), agentMs),
    nightMs: read('night', (value) => readDuration(value, 10, 30 * day), nightMs),
    testsMs: read('tests', (value) => readDuration(value, 10, day), budgetDefaults.testsMs),
    attempts: read('attempts', (value) => readWhole(value, 1, 1_000), budgetDefaults.attempts),
    patience: read('patience', (value) => readWhole(value, 1, 1_000_000), budgetDefaults.patience),
    usd: read('usd', readUsd, budgetDefaults.usd),
    tokensIn: read('tokens_in', readTokens, budgetDefaults.tokensIn),
    tokensOut: read('tokens_out', readTokens, budgetDefaults.tokensOut),
  };
}

const [fewestTimes, mostTimes] = [2, 1_000];

/** `30s`; `10x`: ten times what the start takes; `10x up to 20m`. */
function readExperimentTime(field: Field): Pick<Budget, 'experimentMs' | 'experimentTimes'> {
  const expected = 'a time such as 5m, or 10x for ten times what the start takes';
  const hint = `Write ${field.name}: 30s, 10x, or 10x up to 20m.`;
  const text = readLine(field, expected, hint);
  const [, times, most] = /^(-?[0-9.]+) ?x(?: up to (.+))?$/i.exec(text) ?? [];
  if (times === undefined && /[0-9] ?x/i.test(text)) throw wrongValue(field, expected, hint);
  if (times === undefined) return { experimentMs: readDuration(field, 10, day) };
  const experimentTimes = parseDecimal(times);
  if (experimentTimes === undefined || experimentTimes < fewestTimes || experimentTimes > mostTimes)
    throw wrongValue(field, `${fewestTimes}x to ${mostTimes}x: less would end what is only slow for a moment`, hint);
  const experimentMs = most === undefined ? budgetDefaults.experimentMs : parseDuration(most);
  if (experimentMs === undefined || experimentMs < 10 || experimentMs > day)
    throw wrongValue(field, 'a time from 10ms to 1d after "up to"', hint);
  return { experimentMs, experimentTimes };
}

/** `10x up to 20m`, as a brief spells it. */
export function formatExperimentTime({ experimentMs, experimentTimes }: Budget): string {
  const most = formatDuration(experimentMs);
  if (experimentTimes === undefined) return most;
  return experimentMs === budgetDefaults.experimentMs ? `${experimentTimes}x` : `${experimentTimes}x up to ${most}`;
}

export function readSamples(field: Field): Brief['samples'] {
  const expected = 'a whole number from 1 to 100, or two such as 1..5';
  const hint = 'Write samples: 3, or samples: 1..5 for the fewest and the most.';
  const parts = readLine(field, expected, hint).split('..');
  const min = parseWhole(parts[0] ?? '');
  const max = parseWhole(parts.at(-1) ?? '');
  if (parts.length > 2 || min === undefined || max === undefined || min < 1 || max > 100 || min > max) {
    throw wrongValue(field, expected, hint);
  }
  return { min, max };
}

export function readGuards(field: Field, metric: string): readonly Guard[] {
  const hint = 'Write guards: { params: "<= 1.05x", lines: "<= +40" }.';
  const fields = readMap(field, 'a map of names and bounds', hint);
  return [...fields].map(([name, bound]) => {
    const expected = 'a bound such as "<= 1.05x", "<= +40 best" or "<= 200"';
    if (!isMetricName(name))
      throw wrongKey(bound, `a guard is named ${shown(name)}, expected a name such as lines`, hint);
    if (name === metric) throw wrongValue(bound, 'a guard on another number than the metric', hint);
    const guard = parseGuard(name, readLine(bound, expected, hint));
    if (guard === undefined) throw wrongValue(bound, expected, hint);
    return guard;
  });
}

/** `"<= 1.05x"`, `"<= +40 best"`, `"< 200"` as a guard on `name`, or undefined; formatGuard of the domain is its inverse. */
export function parseGuard(name: string, text: string): Guard | undefined {
  const match = /^(<=?)[ \t]*(\S+)(?:[ \t]+(?:of[ \t]+)?(best|baseline))?$/.exec(text.trim());
  const bound = match?.[2];
  if (match === null || bound === undefined) return undefined;
  const kind = bound.endsWith('x') ? 'x' : bound.startsWith('+') ? '+' : '=';
  const amount = parseDecimal(kind === 'x' ? bound.slice(0, -1) : bound);
  if (amount === undefined || (kind === 'x' && (amount <= 0 || bound.startsWith('+')))) return undefined;
  if (kind === '=' && match[3] !== undefined) return undefined; // A bound of its own is on nobody's number.
  return { name, strict: match[1] === '<', kind, amount, ...(match[3] === 'best' ? { of: 'best' } : {}) };
}

/** The patterns of the paths that an agent may change. */
export function readSandbox(field: Field): readonly string[] {
  const hint = 'Write sandbox: [sandbox/**], or one path for each thing that agents may change.';
  const patterns = readPatterns(field, 'a path such as sandbox/**', hint);
  if (patterns.length === 0) throw wrongValue(field, 'at least one path', hint);
  return patterns;
}

/** The patterns of the files that steer agents and tools and that agents may write: they count from any directory on. */
export const readAllow = (field: Field): readonly string[] =>
  readPatterns(
    field,
    'a pattern such as AGENTS.md',
    'Write allow: [AGENTS.md, .vscode/**], with one pattern for each file that agents may write all the same.',
  );

const readPatterns = (field: Field, expected: string, hint: string): readonly string[] =>
  readList(field, `a list of ${expected.startsWith('a path') ? 'paths' : 'patterns'}`, hint).map((item) => {
    const pattern = tidyPattern(readLine(item, expected, hint));
    return checked(item, pattern, whyNoPattern(pattern), hint);
  });

export function readHarness(field: Field): string {
  const hint = 'Write harness: harness, the directory, or the file, that scores and that no agent may change.';
  return readPath(field, 'a directory such as harness', hint);
}

/** The other paths that a bench needs, or patterns of them. */
export function readInclude(field: Field): readonly string[] {
  const hint = 'Write include: [package.json, data/**], with one path for each file or directory that a bench needs.';
  return readList(field, 'a list of paths', hint).map((item) => {
    const path = tidyPath(readLine(item, 'a path such as package.json', hint));
    return checked(item, path, hasGlob(path) ? whyNoPattern(path) : whyNoPath(path), hint);
  });
}

/** What only stage 2 sees. */
export const readHoldout = (field: Field): readonly string[] =>
  readPatterns(
    field,
    'a path such as harness/answers/**',
    'Write holdout: [harness/score.mjs], with the files of the harness that only the score command needs.',
  );

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
  const stray = holdout.find((pattern) => !fixed.some((path) => mayTouch(pattern, path)));
  if (stray !== undefined) {
    const what = `holdout ${shown(stray)} is neither in the harness nor in include`;
    const example = 'holdout: [harness/score.mjs]';
    const hint = `Name files of the harness that only the score command needs, such as ${example}.`;
    throw problemAt('brief/paths', place, what, hint);
  }
  if (holdout.length > 0 && run === undefined) {
    const what = 'holdout is set, but there is only one stage: the command that scores also runs the candidate';
    const hint = 'Split it: run: makes the output, score: reads it. Or take holdout out.';
    throw problemAt('brief/paths', place, what, hint);
  }
}

/** Refuses a sandbox from which an agent could reach what scores it, what people say, or what it may only read. */
export function refuseOverlaps(brief: Brief, place: Place): void {
  const overlap = findOverlap(brief);
  const hint = 'Name a directory of its own for agents, such as sandbox: [sandbox/**].';
  if (overlap !== undefined) throw problemAt('brief/paths', place, overlap, hint);
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
