import type { Brief } from '../../domain/words/brief.ts';
import { formatGuard } from '../../domain/words/score.ts';
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
  readAllow,
  readBudget,
  readCommand,
  readGuards,
  readHarness,
  readHoldout,
  readInclude,
  readMetric,
  readSamples,
  readSandbox,
  readShow,
  refuseIdleHoldout,
  refuseOverlaps,
  samplesDefault,
} from './brief-fields.ts';
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
  const read = readerOf(fields);
  const metric = readMetric(required(fields, 'metric', start));
  const sandbox = required(fields, 'sandbox', start);
  const staff = readStaff(fields);
  const brief: Brief = {
    metric,
    direction: readWord(required(fields, 'direction', start), ['minimize', 'maximize']),
    target: read('target', (field) => readNumber(field, { example: '3.0' }), undefined),
    sandbox: readSandbox(sandbox),
    allow: read('allow', readAllow, []),
    harness: read('harness', readHarness, 'harness'),
    run: read('run', readCommand, undefined),
    score: readCommand(required(fields, 'score', start)),
    include: read('include', readInclude, []),
    holdout: read('holdout', readHoldout, []),
    show: read('show', readShow, []),
    budget: read('budget', readBudget, budgetDefaults),
    caps: read('caps', readBriefCaps, {}),
    prices: read('prices', (field) => readPrices(field, readAliases(fields)), noPrices),
    samples: read('samples', readSamples, samplesDefault),
    minEffect: read('min_effect', (field) => readNumber(field, { min: 0, example: '0.01' }), 0),
    guards: read('guards', (field) => readGuards(field, metric), []),
    slots: read('slots', (field) => readWhole(field, 1, 256), 1),
    juniors: read('juniors', (field) => readWhole(field, 1, 64), 3),
    staff,
    rehearsal: read('rehearsal', (field) => readWord(field, ['output', 'score']), 'output'),
    risk: read('risk', (field) => readWord(field, risks), 'low'),
    ...(read('log_every_tool_call', readYes, false) ? { logEveryToolCall: true } : {}),
    prose: body,
  };
  refuseOverlaps(brief, sandbox.place);
  refuseIdleHoldout(brief, fields.get('holdout')?.place ?? start);
  return brief;
}

/** A brief with every limit spelt out; parseBrief is its inverse. */
export function formatBrief(brief: Brief): string {
  const { budget, samples } = brief;
  const fields: Readonly<Partial<Record<Key, unknown>>> = {
    metric: brief.metric,
    direction: brief.direction,
    target: brief.target,
    sandbox: brief.sandbox,
    allow: brief.allow.length === 0 ? undefined : brief.allow,
    harness: brief.harness,
    run: brief.run,
    score: brief.score,
    include: brief.include.length === 0 ? undefined : brief.include,
    holdout: brief.holdout.length === 0 ? undefined : brief.holdout,
    show: brief.show.length === 0 ? undefined : brief.show,
    budget: {
      experiment: formatDuration(budget.experimentMs),
      agent: formatDuration(budget.agentMs),
      night: formatDuration(budget.nightMs),
      ...formatCap(budget),
      attempts: budget.attempts,
      patience: budget.patience,
    },
    caps: formatCaps(brief.caps),
    prices: formatPrices(brief.prices),
    samples: `${samples.min}..${samples.max}`,
    min_effect: brief.minEffect,
    guards:
      brief.guards.length === 0
        ? undefined
        : Object.fromEntries(brief.guards.map((guard) => [guard.name, formatGuard(guard)])),
    slots: brief.slots,
    juniors: brief.juniors,
    ...formatStaff(brief.staff),
    rehearsal: brief.rehearsal === 'output' ? undefined : brief.rehearsal,
    risk: brief.risk === 'low' ? undefined : brief.risk,
    log_every_tool_call: brief.logEveryToolCall,
  };
  return formatFrontMatter(fields, brief.prose);
}

const keys = [
  'metric',
  'direction',
  'target',
  'sandbox',
  'allow',
  'harness',
  'run',
  'score',
  'include',
  'holdout',
  'show',
  'budget',
  'caps',
  'prices',
  'samples',
  'min_effect',
  'guards',
  'slots',
  'juniors',
  'rehearsal',
  'risk',
  ...staffKeys,
] as const;

type Key = (typeof keys)[number];

const examples = {
  metric: 'metric: waste_pct',
  direction: 'direction: minimize',
  sandbox: 'sandbox: [sandbox/**]',
  score: 'score: node harness/score.mjs',
} as const;

function required(fields: Fields, key: keyof typeof examples, start: Place): Field {
  const field = fields.get(key);
  if (field !== undefined) return field;
  throw problemAt(
    'brief/missing',
    start,
    `${key} is missing from the front matter`,
    `Add a line such as ${examples[key]}`,
  );
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
