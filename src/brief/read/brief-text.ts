import type { Brief, Budget } from '../../domain/words/brief.ts';
import { formatGuard, type Guard } from '../../domain/words/score.ts';
import { risks } from '../../domain/words/spec.ts';
import {
  type Field,
  type Fields,
  readerOf,
  readNumber,
  readWhole,
  readWord,
  readYes,
  refuseUnknownKeys,
} from '../../text/field.ts';
import { formatFrontMatter, readFrontMatter } from '../../text/front-matter.ts';
import { comparableWords, headingsIn, lineEndOf, linesWithEnds } from '../../text/markdown-lines.ts';
import { type Place, problemAt } from '../../text/problem.ts';
import { formatDuration } from '../../text/quantity.ts';
import { parsePlainBrief } from '../plain/plain-brief.ts';
import { formatCap, formatCaps, formatPrices, noPrices, readBriefCaps, readPrices } from './brief-caps.ts';
import {
  budgetDefaults,
  formatExperimentTime,
  readAllow,
  readBudget,
  readCommand,
  readGuards,
  readHarness,
  readHoldout,
  readInclude,
  readSamples,
  readSandbox,
  readShow,
  readTests,
  refuseIdleHoldout,
  refuseOverlaps,
  samplesDefault,
} from './brief-fields.ts';
import { readMetric, readPattern } from './brief-metric.ts';
import { readAliases } from './brief-models.ts';
import { formatStaff, readStaff, staffKeys } from './brief-staff.ts';

interface BriefOptions {
  /** Whether a path is in the repository; a brief without front matter finds its harness's scripts with it. */
  readonly exists?: (path: string) => boolean;
}

/** program.md as values: from its front matter, or from plain sections where it has none. */
export function parseBrief(text: string, file: string, options: BriefOptions = {}): Brief {
  const { fields, body, bodyLine } = readFrontMatter(text, file, 'brief');
  if (fields === undefined) return parsePlainBrief(body, bodyLine, file, options.exists);
  refuseUnknownKeys(fields, keys);
  const start = { file, line: 1, column: 1 };
  const asked = required(fields, 'metric', lines.metric.example, start);
  const metric = readMetric(asked);
  const { place } = required(fields, 'sandbox', lines.sandbox.example, start);
  const staff = readStaff(fields);
  const { rehearsal, risk, ...others } = readLines(fields, metric, start);
  const logEveryToolCall = readerOf(fields)('log_every_tool_call', readYes, false);
  const brief: Brief = {
    ...{ ...others, pattern: readPattern(asked), staff, rehearsal, risk },
    ...(logEveryToolCall ? { logEveryToolCall } : {}),
    prose: body,
  };
  refuseOverlaps(brief, place);
  refuseIdleHoldout(brief, fields.get('holdout')?.place ?? start);
  return brief;
}

/** A brief with every limit spelt out; parseBrief is its inverse. */
export function formatBrief(brief: Brief): string {
  const written = allLines.map(([part, { write }]) => [
    keyOf(part),
    write === undefined ? brief[part] : write(brief[part]),
  ]);
  const { metric: name, rehearsal, risk, ...others } = Object.fromEntries(written);
  const { logEveryToolCall: log, pattern, staff, prose } = brief;
  const metric = pattern === undefined ? name : { name, pattern };
  return formatFrontMatter(
    { metric, ...others, ...formatStaff(staff), rehearsal, risk, log_every_tool_call: log },
    prose,
  );
}

/** What the front matter says but for the staff. */
type Enforced = Omit<Brief, 'haltAt' | 'pattern' | 'staff' | 'logEveryToolCall' | 'prose'>;

/** A key of the front matter: how its value is read, and how it is written where that differs. Undefined is left out. */
interface Line<T> {
  readonly read: (field: Field, around: { readonly fields: Fields; readonly metric: string }) => T;
  readonly write?: (value: T) => unknown;
}

/** What counts where the key is left out; or an example of a key that must be there. */
type Lines = {
  readonly [Part in keyof Enforced]: Line<Enforced[Part]> & ({ usual: Enforced[Part] } | { example: string });
};

const unlessEmpty = <T>(list: readonly T[]): readonly T[] | undefined => (list.length === 0 ? undefined : list);
const unless = (usual: string) => (value: string) => (value === usual ? undefined : value);

const lines = {
  metric: { read: readMetric, example: 'waste_pct' },
  direction: { read: (field) => readWord(field, ['minimize', 'maximize']), example: 'minimize' },
  target: { read: (field) => readNumber(field, { example: '3.0' }), usual: undefined },
  sandbox: { read: readSandbox, example: '[sandbox/**]' },
  allow: { read: readAllow, usual: [], write: unlessEmpty },
  harness: { read: readHarness, usual: 'harness' },
  run: { read: readCommand, usual: undefined },
  score: { read: readCommand, example: 'node harness/score.mjs' },
  tests: { read: readTests, usual: undefined },
  include: { read: readInclude, usual: [], write: unlessEmpty },
  holdout: { read: readHoldout, usual: [], write: unlessEmpty },
  show: { read: readShow, usual: [], write: unlessEmpty },
  budget: { read: readBudget, usual: budgetDefaults, write: formatBudget },
  caps: { read: readBriefCaps, usual: {}, write: formatCaps },
  prices: { read: (field, { fields }) => readPrices(field, readAliases(fields)), usual: noPrices, write: formatPrices },
  samples: { read: readSamples, usual: samplesDefault, write: ({ min, max }) => `${min}..${max}` },
  minEffect: { read: (field) => readNumber(field, { min: 0, example: '0.01' }), usual: 0 },
  guards: { read: (field, { metric }) => readGuards(field, metric), usual: [], write: formatGuards },
  slots: { read: (field) => readWhole(field, 1, 256), usual: 1 },
  juniors: { read: (field) => readWhole(field, 1, 64), usual: 3 },
  rehearsal: { read: (field) => readWord(field, ['output', 'score']), usual: 'output', write: unless('output') },
  risk: { read: (field) => readWord(field, risks), usual: 'low', write: unless('low') },
} satisfies Lines;

const allLines = Object.entries(lines as Lines) as unknown as readonly (readonly [keyof Enforced, AnyLine])[];
type AnyLine = Line<unknown> & { readonly usual?: unknown; readonly example?: string };

/** `min_effect` says `minEffect`. */
const keyOf = (part: string): string => part.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const keys = [...allLines.map(([part]) => keyOf(part)), ...staffKeys];

const readLines = (fields: Fields, metric: string, start: Place): Enforced =>
  Object.fromEntries(
    allLines.map(([part, { read, usual, example }]) => {
      const key = keyOf(part);
      const field = example === undefined ? fields.get(key) : required(fields, key, example, start);
      return [part, field === undefined ? usual : read(field, { fields, metric })];
    }),
  ) as unknown as Enforced;

function required(fields: Fields, key: string, example: string, start: Place): Field {
  const field = fields.get(key);
  if (field !== undefined) return field;
  const what = `${key} is missing from the front matter`;
  throw problemAt('brief/missing', start, what, `Add a line such as ${key}: ${example}`);
}

function formatBudget(budget: Budget): Readonly<Record<string, unknown>> {
  const { agentMs, nightMs, testsMs, attempts, patience } = budget;
  const [agent, night] = [agentMs, nightMs].map(formatDuration);
  const experiment = formatExperimentTime(budget);
  const tests = testsMs === budgetDefaults.testsMs ? {} : { tests: formatDuration(testsMs) };
  return { experiment, agent, night, ...tests, ...formatCap(budget), attempts, patience };
}

function formatGuards(guards: readonly Guard[]): Readonly<Record<string, string>> | undefined {
  return guards.length === 0 ? undefined : Object.fromEntries(guards.map((one) => [one.name, formatGuard(one)]));
}

/** What a brief enforces, key by key, as it would be written: `budget.night` is `8h`. For telling two briefs apart. */
export function briefValues(brief: Brief): ReadonlyMap<string, string> {
  const { fields } = readFrontMatter(formatBrief({ ...brief, prose: '' }), 'program.md', 'brief');
  return new Map(valuesIn(fields ?? new Map()));
}

function valuesIn(fields: Fields): readonly (readonly [string, string])[] {
  return [...fields.values()].flatMap(({ name, value }) => {
    if (value.kind === 'map') return valuesIn(value.fields);
    if (value.kind === 'list')
      return [[name, value.items.map((item) => (item.value.kind === 'scalar' ? item.value.text : '')).join(', ')]];
    return value.kind === 'scalar' ? [[name, value.text]] : [];
  });
}

/** Where what a night has taught is written down: under a heading of its own it is part of no section that is enforced. */
const heading = 'What was learned';

/** A brief with one line more for agents to read, and every other byte as it was. */
export function addBriefLine(text: string, line: string): string {
  const end = lineEndOf(text);
  const lines = linesWithEnds(text);
  const headings = headingsIn(lines);
  const own = headings.find(({ title }) => comparableWords(title) === comparableWords(heading));
  const next = headings.find(({ index }) => own !== undefined && index > own.index);
  let at = next?.index ?? lines.length;
  while (at > 0 && (lines[at - 1] ?? '').trim() === '') at -= 1;
  const before = lines.slice(0, at).join('');
  const open = before.endsWith('\n') ? '' : end;
  const under = own === undefined ? `${end}## ${heading}${end}${end}` : own.index === at - 1 ? end : '';
  return `${before}${open}${under}- ${line}${end}${lines.slice(at).join('')}`;
}
