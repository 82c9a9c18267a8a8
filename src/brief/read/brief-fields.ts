import type { Brief, Budget } from '../../domain/words/brief.ts';
import type { Guard } from '../../domain/words/guard.ts';
import { shown } from '../../text/clean.ts';
import { formatDuration } from '../../text/duration.ts';
import {
  type Field,
  readDuration,
  readLine,
  readMap,
  readNumber,
  readWhole,
  readWord,
  refuseUnknownKeys,
  wrongValue,
} from '../../text/field.ts';
import { parseWhole } from '../../text/number.ts';
import { problemAt } from '../../text/problem-at.ts';
import { readTokens, readUsd } from './brief-caps.ts';
import { parseGuard } from './guard-text.ts';
import { isMetricName } from './metric-name.ts';

const second = 1_000;
const hour = 3_600 * second;
const day = 24 * hour;

export const budgetDefaults: Budget = {
  experimentMs: 300 * second,
  agentMs: 600 * second,
  nightMs: 8 * hour,
  attempts: 5,
  patience: 25,
  usd: undefined,
  tokensIn: undefined,
  tokensOut: undefined,
};

/** Enough pairs for a noisy metric; a deterministic one needs the first alone. */
export const samplesDefault: Brief['samples'] = { min: 1, max: 8 };

export function readMetric(field: Field): string {
  const expected = 'a name such as waste_pct';
  const hint = 'Use the name that the harness prints: letters, digits, _ . and -, at most 64 of them.';
  const name = readLine(field, expected, hint);
  if (!isMetricName(name)) throw wrongValue(field, expected, hint);
  return name;
}

export const readDirection = (field: Field): Brief['direction'] => readWord(field, ['minimize', 'maximize']);

export const readTarget = (field: Field): number => readNumber(field, { example: '3.0' });

export const readMinEffect = (field: Field): number => readNumber(field, { min: 0, example: '0.01' });

export const readSlots = (field: Field): number => readWhole(field, 1, 256);

export const readYes = (field: Field): boolean => readWord(field, ['true', 'false']) === 'true';

export const readJuniors = (field: Field): number => readWhole(field, 1, 64);

export const readCommand = (field: Field): string =>
  readLine(
    field,
    `a command such as node harness/${lastPart(field.name)}.mjs`,
    'Write the command on one line, as in a shell.',
  );

const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

const budgetKeys = ['experiment', 'agent', 'night', 'usd', 'tokens_in', 'tokens_out', 'attempts', 'patience'];

export function readBudget(field: Field): Budget {
  const { experimentMs, agentMs, nightMs } = budgetDefaults;
  const example = [experimentMs, agentMs, nightMs].map(formatDuration);
  const hint = `Write budget: { experiment: ${example[0]}, agent: ${example[1]}, night: ${example[2]} }.`;
  const fields = readMap(field, 'a map of limits', hint);
  refuseUnknownKeys(fields, budgetKeys);
  const read = <T>(key: string, reader: (value: Field) => T, otherwise: T): T => {
    const value = fields.get(key);
    return value === undefined ? otherwise : reader(value);
  };
  return {
    experimentMs: read('experiment', (value) => readDuration(value, 10, day), experimentMs),
    agentMs: read('agent', (value) => readDuration(value, 10, day), agentMs),
    nightMs: read('night', (value) => readDuration(value, 10, 30 * day), nightMs),
    attempts: read('attempts', (value) => readWhole(value, 1, 1_000), budgetDefaults.attempts),
    patience: read('patience', (value) => readWhole(value, 1, 1_000_000), budgetDefaults.patience),
    usd: read('usd', readUsd, budgetDefaults.usd),
    tokensIn: read('tokens_in', readTokens, budgetDefaults.tokensIn),
    tokensOut: read('tokens_out', readTokens, budgetDefaults.tokensOut),
  };
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
    if (!isMetricName(name)) {
      throw problemAt(
        'brief/key',
        bound.keyPlace,
        `a guard is named ${shown(name)}, expected a name such as lines`,
        hint,
      );
    }
    if (name === metric) throw wrongValue(bound, 'a guard on another number than the metric', hint);
    const guard = parseGuard(name, readLine(bound, expected, hint));
    if (guard === undefined) throw wrongValue(bound, expected, hint);
    return guard;
  });
}
