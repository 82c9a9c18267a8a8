import type { Brief, Direction } from '../domain/brief.ts';
import type { Place } from '../domain/problem.ts';
import { budgetDefaults, samplesDefault } from './brief-fields.ts';
import { refuseOverlaps } from './brief-paths.ts';
import { shown } from './clean.ts';
import { isMetricName } from './metric-name.ts';
import { parseCount, parseDecimal } from './number.ts';
import { mayTouch, tidyPath, tidyPattern, whyNoPath, whyNoPattern } from './paths.ts';
import { problemAt } from './problem-at.ts';

/**
 * A brief in plain sections (Mission, Scope, Workflow, Success metric, Budget, Recovery), for people who would rather
 * write no YAML. What can be enforced is read out of fixed words; the rest is prose for agents.
 */
export function parsePlainBrief(body: string, bodyLine: number, file: string, exists: Exists = () => true): Brief {
  const page: Page = { file, lines: sectionsOf(body, bodyLine) };
  const metric = readMetric(page);
  const { direction, target } = readTarget(page, metric.place);
  const write = requireLine(page, 'scope', /^write\b/i, 'line "WRITE: /sandbox/"', '## Scope');
  const sandbox = readSandbox(page, write);
  const place = placeOf(page, write);
  const harness = 'harness';
  const brief: Brief = {
    metric: metric.name,
    direction,
    target,
    sandbox,
    allow: [],
    harness,
    run: findScript(harness, 'run', exists),
    score: findScore(harness, exists, place),
    include: readIncludes(page, sandbox, exists),
    holdout: [],
    show: [],
    budget: { ...budgetDefaults, ...readTokens(page) },
    samples: samplesDefault,
    minEffect: 0,
    guards: [],
    slots: 1,
    juniors: 3,
    staff: { chief: { kind: 'search' }, juniors: [{ kind: 'search' }], checkers: [], critics: [] },
    prose: body,
  };
  refuseOverlaps(brief, place);
  refuseNever(page, sandbox);
  return brief;
}

type Exists = (path: string) => boolean;

interface Page {
  readonly file: string;
  readonly lines: readonly Line[];
}

/** A line of a section, without its bullet. */
interface Line {
  readonly section: string;
  readonly number: number;
  readonly text: string;
}

/** Longer lines are prose: none of what is looked for here needs as much. */
const maxLine = 1000;

const example =
  'Begin program.md with front matter: ---, then metric, direction, sandbox and score, each on its line, then --- again.';

function sectionsOf(body: string, bodyLine: number): readonly Line[] {
  let section = '';
  return body.split('\n').map((line, index) => {
    const text = line.length > maxLine ? '' : line.replace(/^\s*(?:[-*+]\s+)?/, '').trimEnd();
    const heading = /^#{1,6}\s+(\S.*)$/.exec(text)?.[1];
    if (heading !== undefined) section = heading.toLowerCase();
    return { section: heading === undefined ? section : '', number: bodyLine + index, text };
  });
}

const linesOf = (page: Page, section: string, begins: RegExp): readonly Line[] =>
  page.lines.filter((line) => line.section.startsWith(section) && begins.test(line.text));

function requireLine(page: Page, section: string, begins: RegExp, expected: string, heading: string): Line {
  const [line] = linesOf(page, section, begins);
  if (line !== undefined) return line;
  const what = `there is no front matter, and no ${expected} under ${heading}`;
  throw problemAt('brief/missing', { file: page.file, line: 1, column: 1 }, what, example);
}

const placeOf = (page: Page, line: Line): Place => ({ file: page.file, line: line.number, column: 1 });

function readMetric(page: Page): { readonly name: string; readonly place: Place } {
  const line = requireLine(page, 'success metric', /^scalar\s*:/i, 'line "scalar: name = ..."', '## Success metric');
  const name = /^[^\s=]*/.exec(line.text.slice(line.text.indexOf(':') + 1).trim())?.[0] ?? '';
  const place = placeOf(page, line);
  if (isMetricName(name)) return { name, place };
  const what = `the scalar is ${shown(name)}, expected a name such as waste_pct`;
  throw problemAt('brief/value', place, what, 'Write scalar: waste_pct = what it is.');
}

function readTarget(page: Page, metric: Place): { readonly direction: Direction; readonly target: number | undefined } {
  const [line] = linesOf(page, 'success metric', /^target\s*:/i);
  if (line !== undefined) {
    const text = line.text.slice(line.text.indexOf(':') + 1).trim();
    const [, sign, figure = ''] = /^(>=|<=|>|<|≥|≤)\s*(\S+)/.exec(text) ?? [];
    const target = parseDecimal(figure.replace(/[.,;]+$/, ''));
    if (sign !== undefined && target !== undefined) {
      const direction = /[>≥]/.test(sign) ? 'maximize' : 'minimize';
      refuseContradiction(page, line, direction);
      return { direction, target };
    }
    const what = `target is ${shown(text)}, expected a bound such as >= 0.6`;
    throw problemAt(
      'brief/value',
      placeOf(page, line),
      what,
      'Write target: >= 0.6 when higher is better, <= 0.6 when lower is.',
    );
  }
  const [direction] = directionsIn(page);
  if (direction !== undefined) return { direction, target: undefined };
  const what = 'nothing says whether lower or higher is better';
  throw problemAt('brief/missing', metric, what, 'Add a line such as target: >= 0.6, or the words "lower is better".');
}

/** Which way is better, by the words of the section. */
function directionsIn(page: Page): readonly Direction[] {
  const words = linesOf(page, 'success metric', /./).map(({ text }) => text.toLowerCase());
  const says = (signs: RegExp): boolean => words.some((text) => signs.test(text));
  return [
    ...(says(/\blower is better\b|\bminimi[sz]e\b/) ? (['minimize'] as const) : []),
    ...(says(/\bhigher is better\b|\bmaximi[sz]e\b/) ? (['maximize'] as const) : []),
  ];
}

/** `target: >= 0.6` beside the words "lower is better": one of the two is not what was meant. */
function refuseContradiction(page: Page, target: Line, direction: Direction): void {
  const said = directionsIn(page);
  if (said.length !== 1 || said[0] === direction) return;
  const better = direction === 'maximize' ? 'higher' : 'lower';
  const what = `the target says that ${better} is better, and the words beside it say ${said[0]}`;
  throw problemAt(
    'brief/value',
    placeOf(page, target),
    what,
    'Turn the sign of the target round, or change the words.',
  );
}

function readSandbox(page: Page, write: Line): readonly string[] {
  const patterns = pathsIn(write.text).map((path) => {
    const last = path.slice(path.lastIndexOf('/') + 1);
    return tidyPattern(last === '' || /[.*]/.test(last) ? path : `${path}/`);
  });
  const hint = 'Write WRITE: /sandbox/, with a slash before each path that agents may change.';
  if (patterns.length === 0) {
    throw problemAt('brief/paths', placeOf(page, write), 'WRITE names no path', hint);
  }
  for (const pattern of patterns) {
    const wanted = whyNoPattern(pattern);
    if (wanted === undefined) continue;
    throw problemAt('brief/paths', placeOf(page, write), `WRITE names ${shown(pattern)}, expected ${wanted}`, hint);
  }
  return patterns;
}

/** Paths among words: they begin with a slash (the repository's root), stand in backticks, or end in `.ext` or `/`. */
function pathsIn(text: string): readonly string[] {
  const words = text.slice(text.indexOf(':') + 1).match(/`[^`]+`|[^\s,;]+/g) ?? [];
  return words.flatMap((word) => {
    const ticked = /^`(.*)`$/.exec(word)?.[1];
    const path = (ticked ?? word.replace(/[.:)\]"']+$/, '').replace(/^[("'[]+/, '')).trim();
    const isPath =
      ticked !== undefined ||
      /^\/[^/]|^(?!e\.g$|i\.e$)[^:]*[^:/.]\.[A-Za-z][A-Za-z0-9]{0,7}$|[^:/]\/(?:\*\*)?$/.test(path);
    return isPath
      ? [
          path
            .replace(/^\//, '')
            .replace(dates, '*')
            .replace(/<[^<>/]*>|\{[^{}/]*\}/g, '*'),
        ]
      : [];
  });
}

/** `YYYY-WW`, `YYYY-MM-DD`: a file for each date. */
const dates = /(?:YYYY|YY|MM|DD|WW|HH)(?:[-_.]?(?:YYYY|YY|MM|DD|WW|HH))*/g;

function readIncludes(page: Page, sandbox: readonly string[], exists: Exists): readonly string[] {
  const paths = linesOf(page, 'scope', /^read\b/i).flatMap((line) => pathsIn(line.text).map(tidyPath));
  return paths.filter(
    (path) => whyNoPath(path) === undefined && exists(path) && !sandbox.some((pattern) => mayTouch(pattern, path)),
  );
}

function refuseNever(page: Page, sandbox: readonly string[]): void {
  for (const line of linesOf(page, 'scope', /^never\b/i)) {
    for (const path of pathsIn(line.text).map(tidyPath)) {
      const pattern = sandbox.find((each) => mayTouch(each, path));
      if (pattern === undefined) continue;
      const what = `NEVER names ${shown(path)}, and WRITE lets agents change ${shown(pattern)}`;
      throw problemAt('brief/paths', placeOf(page, line), what, 'Take it out of one of the two.');
    }
  }
}

function readTokens(page: Page): { readonly tokensIn?: number; readonly tokensOut?: number } {
  const text = linesOf(page, 'budget', /./)
    .map((line) => line.text)
    .join('\n');
  const tokensIn = parseCount(/\b([0-9]{1,12}(?:\.[0-9]{1,6})?[kKmM]?)\s{1,9}input tokens/i.exec(text)?.[1] ?? '');
  const tokensOut = parseCount(/\b([0-9]{1,12}(?:\.[0-9]{1,6})?[kKmM]?)\s{1,9}output tokens/i.exec(text)?.[1] ?? '');
  return { ...(tokensIn === undefined ? {} : { tokensIn }), ...(tokensOut === undefined ? {} : { tokensOut }) };
}

const interpreters = { mjs: 'node', js: 'node', sh: 'sh', py: 'python3' } as const;

function findScript(harness: string, name: string, exists: Exists): string | undefined {
  const found = Object.entries(interpreters).find(([ending]) => exists(`${harness}/${name}.${ending}`));
  return found === undefined ? undefined : `${found[1]} ${harness}/${name}.${found[0]}`;
}

function findScore(harness: string, exists: Exists, place: Place): string {
  const score = findScript(harness, 'score', exists);
  if (score !== undefined) return score;
  const what = `there is no ${harness}/score.mjs (nor .js, .sh, .py) to score with`;
  const hint = `Write ${harness}/score.mjs so that it prints the scalar, such as "waste_pct: 3.2", and commit it.`;
  throw problemAt('harness/missing', place, what, hint);
}
