import type { AgentChoice, Staff } from '../../domain/staff/staff.ts';
import type { Brief, Budget, Direction } from '../../domain/words/brief.ts';
import { readModelId } from '../../domain/words/model-id.ts';
import { isMetricName } from '../../domain/words/printed-numbers.ts';
import { hasGlob, mayTouch, tidyPath, tidyPattern, whyNoPath, whyNoPattern } from '../../text/paths.ts';
import { type Place, type Problem, type ProblemCode, problemAt, shown } from '../../text/problem.ts';
import { parseCount, parseDecimal } from '../../text/quantity.ts';
import { noPrices } from '../read/brief-caps.ts';
import { budgetDefaults, refuseOverlaps, samplesDefault } from '../read/brief-fields.ts';
import {
  linesBeginning,
  type PlainLine,
  type PlainPage,
  pathsIn,
  readPlainPage,
  requireLine,
  valueAfterColon,
} from './plain-page.ts';

/**
 * A brief in plain sections (Mission, Scope, Workflow, Success metric, Budget, Recovery), for people who would rather
 * write no YAML. What can be enforced is read out of fixed words; the rest is prose for agents.
 */
export function parsePlainBrief(body: string, bodyLine: number, file: string, exists: Exists = () => true): Brief {
  const page = readPlainPage(body, bodyLine, file);
  const metric = readMetric(page);
  const { direction, target } = readTarget(page, metric.place);
  const write = requireLine(page, 'scope', /^write\b/i, 'line "WRITE: /sandbox/"');
  const sandbox = readSandbox(write);
  const harness = 'harness';
  const brief: Brief = {
    metric: metric.name,
    pattern: undefined,
    direction,
    target,
    ...readHalt(page),
    sandbox,
    allow: [],
    harness,
    run: findScript(harness, 'run', exists),
    score: findScore(harness, exists, write.place),
    tests: undefined,
    include: readIncludes(page, sandbox, exists),
    holdout: findHoldout(harness, exists),
    show: [],
    budget: { ...budgetDefaults, ...readTokens(page) },
    caps: {},
    prices: noPrices,
    samples: samplesDefault,
    minEffect: 0,
    guards: [],
    slots: 1,
    ...readPlainStaff(page),
    rehearsal: 'output',
    risk: 'low',
    prose: body,
  };
  refuseOverlaps(brief, write.place);
  refuseNever(page, sandbox);
  return brief;
}

type Exists = (path: string) => boolean;

function readMetric(page: PlainPage): { readonly name: string; readonly place: Place } {
  const line = requireLine(page, 'success metric', /^scalar\s*:/i, 'line "scalar: name = ..."');
  const name = /^[^\s=]*/.exec(valueAfterColon(line))?.[0] ?? '';
  if (isMetricName(name)) return { name, place: line.place };
  const what = `the scalar is ${shown(name)}, expected a name such as waste_pct`;
  throw wrongAt(line, what, 'Write scalar: waste_pct = what it is.');
}

const wrongAt = ({ place }: PlainLine, what: string, hint: string, code: ProblemCode = 'brief/value'): Problem =>
  problemAt(code, place, what, hint);

function readTarget(page: PlainPage, metric: Place): Pick<Brief, 'direction' | 'target'> {
  const [line] = linesBeginning(page, 'success metric', /^target\s*:/i);
  if (line !== undefined) {
    const text = valueAfterColon(line);
    const [, sign, figure = ''] = /^(>=|<=|>|<|≥|≤)\s*(\S+)/.exec(text) ?? [];
    const target = parseDecimal(figure.replace(/[.,;]+$/, ''));
    const hint = 'Write target: >= 0.6 when higher is better, <= 0.6 when lower is.';
    if (sign === undefined || target === undefined)
      throw wrongAt(line, `target is ${shown(text)}, expected a bound such as >= 0.6`, hint);
    const direction = /[>≥]/.test(sign) ? 'maximize' : 'minimize';
    refuseContradiction(page, line, direction);
    return { direction, target };
  }
  const [direction] = directionsIn(page);
  if (direction !== undefined) return { direction, target: undefined };
  const what = 'nothing says whether lower or higher is better';
  throw problemAt('brief/missing', metric, what, 'Add a line such as target: >= 0.6, or the words "lower is better".');
}

/** `if score drops below 0.4, halt …`; `rises above` where lower is better. */
function readHalt(page: PlainPage): { readonly haltAt?: number } {
  const says = /^if (?:the )?\S+ (?:drops|falls|rises|goes) (?:below|under|above|over) (\S+?),? (?:then )?halt\b/i;
  const [line] = linesBeginning(page, 'success metric', says);
  const haltAt = parseDecimal(says.exec(line?.text ?? '')?.[1] ?? '');
  return haltAt === undefined ? {} : { haltAt };
}

/** Which way is better, by the words of the section. */
function directionsIn(page: PlainPage): readonly Direction[] {
  const words = linesBeginning(page, 'success metric', /./).map(({ text }) => text.toLowerCase());
  const says = (signs: RegExp): boolean => words.some((text) => signs.test(text));
  return [
    ...(says(/\blower is better\b|\bminimi[sz]e\b/) ? (['minimize'] as const) : []),
    ...(says(/\bhigher is better\b|\bmaximi[sz]e\b/) ? (['maximize'] as const) : []),
  ];
}

/** `target: >= 0.6` beside the words "lower is better": one of the two is not what was meant. */
function refuseContradiction(page: PlainPage, target: PlainLine, direction: Direction): void {
  const said = directionsIn(page);
  if (said.length !== 1 || said[0] === direction) return;
  const better = direction === 'maximize' ? 'higher' : 'lower';
  const what = `the target says that ${better} is better, and the words beside it say ${said[0]}`;
  throw wrongAt(target, what, 'Turn the sign of the target round, or change the words.');
}

function readSandbox(write: PlainLine): readonly string[] {
  const patterns = pathsIn(write.text).map((path) => {
    const last = path.slice(path.lastIndexOf('/') + 1);
    return tidyPattern(last === '' || /[.*]/.test(last) ? path : `${path}/`);
  });
  const hint = 'Write WRITE: /sandbox/, with a slash before each path that agents may change.';
  if (patterns.length === 0) throw wrongAt(write, 'WRITE names no path', hint, 'brief/paths');
  for (const pattern of patterns) {
    const wanted = whyNoPattern(pattern);
    if (wanted !== undefined)
      throw wrongAt(write, `WRITE names ${shown(pattern)}, expected ${wanted}`, hint, 'brief/paths');
  }
  return patterns;
}

/** What agents READ, and what the workflow has them look at and NEVER does not name, where it is there. */
function readIncludes(page: PlainPage, sandbox: readonly string[], exists: Exists): readonly string[] {
  const never = pathsOf(page, 'scope', /^never\b/i);
  const looked = pathsOf(page, 'workflow', /./).filter((path) => !never.some((one) => mayTouch(one, path)));
  const paths = new Set([...pathsOf(page, 'scope', /^read\b/i), ...looked]);
  return [...paths].filter(
    (path) =>
      whyNoPath(path) === undefined &&
      !hasGlob(path) &&
      exists(path) &&
      !sandbox.some((pattern) => mayTouch(pattern, path)),
  );
}

const pathsOf = (page: PlainPage, section: string, begins: RegExp): readonly string[] =>
  linesBeginning(page, section, begins).flatMap((line) => pathsIn(line.text).map(tidyPath));

function refuseNever(page: PlainPage, sandbox: readonly string[]): void {
  for (const line of linesBeginning(page, 'scope', /^never\b/i)) {
    for (const path of pathsIn(line.text).map(tidyPath)) {
      const pattern = sandbox.find((each) => mayTouch(each, path));
      if (pattern === undefined) continue;
      const what = `NEVER names ${shown(path)}, and WRITE lets agents change ${shown(pattern)}`;
      throw wrongAt(line, what, 'Take it out of one of the two.', 'brief/paths');
    }
  }
}

function readTokens(page: PlainPage): Pick<Budget, 'tokensIn' | 'tokensOut'> {
  const lines = linesBeginning(page, 'budget', /./).map(({ text }) => text);
  const tokens = (words: RegExp): number | undefined => parseCount(words.exec(lines.join('\n'))?.[1] ?? '');
  return {
    tokensIn: tokens(/\b([0-9]{1,12}(?:\.[0-9]{1,6})?[kKmM]?)\s{1,9}input tokens/i),
    tokensOut: tokens(/\b([0-9]{1,12}(?:\.[0-9]{1,6})?[kKmM]?)\s{1,9}output tokens/i),
  };
}

const interpreters = { mjs: 'node', js: 'node', sh: 'sh', py: 'python3' } as const;

function findScript(harness: string, name: string, exists: Exists): string | undefined {
  const found = Object.entries(interpreters).find(([ending]) => exists(`${harness}/${name}.${ending}`));
  return found === undefined ? undefined : `${found[1]} ${harness}/${name}.${found[0]}`;
}

/** With two stages the judge is the second one's alone, and so is what lies in harness/holdout/. */
function findHoldout(harness: string, exists: Exists): readonly string[] {
  const score = findScript(harness, 'score', exists)?.split(' ')[1];
  if (findScript(harness, 'run', exists) === undefined || score === undefined) return [];
  return [score, ...(exists(`${harness}/holdout`) ? [`${harness}/holdout/**`] : [])];
}

function findScore(harness: string, exists: Exists, place: Place): string {
  const score = findScript(harness, 'score', exists);
  if (score !== undefined) return score;
  const what = `there is no ${harness}/score.mjs (nor .js, .sh, .py) to score with`;
  const hint = `Write ${harness}/score.mjs so that it prints the scalar, such as "waste_pct: 3.2", and commit it.`;
  throw problemAt('harness/missing', place, what, hint);
}

/** The staff under a plain brief: the model that its budget names, as one agent; the embedded agents where it names none. */
function readPlainStaff(page: PlainPage): { readonly juniors: number; readonly staff: Staff } {
  const choice = readModelLine(page);
  const staff = (one: AgentChoice): Staff => ({ chief: one, juniors: [one], checkers: [], critics: [] });
  return choice === undefined ? { juniors: 3, staff: staff({ kind: 'search' }) } : { juniors: 1, staff: staff(choice) };
}

/** `Model: claude-sonnet-4-6-2026-01-08 (pinned; never "latest").` */
function readModelLine(page: PlainPage): AgentChoice | undefined {
  const [line] = linesBeginning(page, 'budget', /^model\s*:/i);
  if (line === undefined) return undefined;
  const [name = ''] = valueAfterColon(line).match(/[^\s,;()"'`]+/) ?? [];
  const model = readModelId(name.replace(/[.]+$/, ''), false);
  if (typeof model === 'object') return { kind: 'api', model, baseUrl: undefined };
  const what = `Model is ${shown(name)}, expected a pinned model such as claude-sonnet-4-6`;
  throw wrongAt(line, what, 'Name the dated id, with anthropic/, openai/ or google/ before it.');
}
