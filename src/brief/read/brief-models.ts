import { type AgentChoice, everybodyIn, type Staff } from '../../domain/staff/staff.ts';
import { formatModelId, type ModelId, type NotAModel, readModelId } from '../../domain/words/model-id.ts';
import { type Field, type Fields, readLine, readMap, wrongValue } from '../../text/field.ts';
import { readFrontMatter } from '../../text/front-matter.ts';
import type { Place } from '../../text/problem.ts';
import { pricedModel } from './brief-caps.ts';

/** The person's own words for models, each with what it means and where that is said. */
export type Aliases = ReadonlyMap<string, { readonly model: string; readonly field: Field }>;

const example = 'claude-sonnet-4-6';
const expected = `a pinned model such as ${example}`;

/**
 * `models: { fast: claude-haiku-4-5-20251001 }`. Names of a server of one's own are taken as they are, so what is not a pinned
 * model is refused here only where nobody asks such a server.
 */
export function readAliases(fields: Fields): Aliases {
  const field = fields.get('models');
  if (field === undefined) return new Map();
  const hint = 'Write models: { fast: claude-haiku-4-5-20251001 }, and then model: fast.';
  const elsewhere = asksElsewhere(fields);
  return new Map(
    [...readMap(field, 'a map of words and pinned models', hint)].map(([word, value]) => {
      const model = readLine(value, 'a pinned model', hint);
      const read = readModelId(model, elsewhere, word === model);
      if (typeof read !== 'object') throw notPinned(value, read, model);
      return [word, { model, field: value }];
    }),
  );
}

const asksElsewhere = (fields: Fields): boolean =>
  [...fields].some(([name, { value }]) => {
    if (name === 'base_url') return true;
    if (!['chief', 'junior', 'checker', 'critics'].includes(name)) return false;
    const roles = value.kind === 'list' ? value.items.map((item) => item.value) : [value];
    return roles.some((role) => role.kind === 'map' && role.fields.has('base_url'));
  });

/** What `model:` names. A word that is given itself as its meaning is the person's promise that it never means another. */
export function readModel(field: Field, aliases: Aliases, elsewhere: boolean): ModelId {
  const text = readLine(field, expected, `Write ${field.name}: ${example}.`);
  const alias = aliases.get(text);
  const model = readModelId(alias?.model ?? text, elsewhere, alias?.model === text);
  if (typeof model === 'object') return model;
  throw notPinned(alias?.field ?? field, model, alias?.model ?? text);
}

function notPinned(field: Field, read: NotAModel, text: string) {
  const why = {
    empty: expected,
    'unknown provider': `${expected}, with its provider before it: anthropic/, openai/ or google/`,
    latest: `${expected}: what is latest changes, and two nights could not be compared`,
    alias: `${expected}: a name without its date or version may mean another model tomorrow`,
    outside: 'a file of this repository',
  }[read];
  if (read === 'outside') return wrongValue(field, why, 'Write scripted:models/chief.json, and commit that file.');
  const promise = read === 'alias' ? ` Where it never means another: models: { ${text}: ${text} }.` : '';
  return wrongValue(field, why, `Name the dated id, or give a word a meaning: models: { fast: ${example} }.${promise}`);
}

/** The promises that a staff needs to be read again. */
export function formatPromises(staff: Staff): Readonly<Record<string, string>> | undefined {
  const names = everybodyIn(staff).flatMap(promised);
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, name]));
}

function promised(choice: AgentChoice): readonly string[] {
  if (!('model' in choice) || choice.model === undefined) return [];
  const name = formatModelId(choice.model);
  return typeof readModelId(name, choice.baseUrl !== undefined) === 'object' ? [] : [name];
}

/**
 * Where a brief says something, for a Problem that is only found when the harness has run: `score`, `guards` and the
 * name of one, or `holdout` and which of them it is, from 0 on. What it leaves to a default stands nowhere, so the file's beginning is named, or the key around it.
 */
export function placeIn(text: string, file: string, ...path: readonly [string, ...string[]]): Place {
  const { fields } = readFrontMatter(text, file, 'brief');
  if (fields === undefined) return placeInProse(text, file, path[0]);
  let within = fields;
  let place: Place = { file, line: 1, column: 1 };
  for (const [depth, key] of path.entries()) {
    const field: Field | undefined = within.get(key);
    if (field === undefined) break;
    place = depth === 0 && path.length === 1 ? field.place : field.keyPlace;
    const item = field.value.kind === 'list' ? field.value.items[Number(path[depth + 1])] : undefined;
    if (item !== undefined) return item.place;
    if (field.value.kind !== 'map') break;
    within = field.value.fields;
  }
  return place;
}

/** The name by which a brief gives the price of a model, as it is written there, and where. */
export function priceIn(text: string, file: string, id: string): { readonly name: string; readonly place: Place } {
  const { fields } = readFrontMatter(text, file, 'brief');
  const prices = fields?.get('prices')?.value;
  const names = prices?.kind === 'map' ? [...prices.fields.keys()] : [];
  const name = (fields && names.find((one) => pricedModel(one, readAliases(fields)) === id)) ?? id;
  return { name, place: placeIn(text, file, 'prices', name) };
}

/** The words that a plain brief has for a key. */
const plainWords: Readonly<Record<string, RegExp>> = {
  metric: /^\s*(?:[-*+]\s+)?scalar\s*:/i,
  target: /^\s*(?:[-*+]\s+)?target\s*:/i,
  direction: /^\s*(?:[-*+]\s+)?target\s*:|\b(?:lower|higher) is better\b|\b(?:mini|maxi)mi[sz]e\b/i,
  sandbox: /^\s*(?:[-*+]\s+)?write\b/i,
  budget: /\b(?:in|out)put tokens\b/i,
  model: /^\s*(?:[-*+]\s+)?model\s*:/i,
};

function placeInProse(text: string, file: string, key: string): Place {
  const words = plainWords[key];
  const line = words === undefined ? -1 : text.split(/\r\n?|\n/).findIndex((each) => words.test(each.slice(0, 1000)));
  return { file, line: Math.max(line, 0) + 1, column: 1 };
}
