import { type AgentChoice, everybodyIn, type Staff } from '../../domain/staff/staff.ts';
import { formatModelId, type ModelId, type NotAModel, readModelId } from '../../domain/words/model-id.ts';
import { type Field, type Fields, readLine, readMap, wrongValue } from '../../text/field.ts';

/** The person's own words for models, each with what it means and where that is said. */
export type Aliases = ReadonlyMap<string, { readonly model: string; readonly field: Field }>;

const example = 'claude-sonnet-4-6';
const expected = `a pinned model such as ${example}`;

/**
 * `models: { fast: claude-haiku-4-5-20251001 }`. Names of a server of one's own are taken as they are, so what is no pinned
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
