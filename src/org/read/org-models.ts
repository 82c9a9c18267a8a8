import type { Member } from '../../domain/staff/charter.ts';
import { formatModelId, type ModelId, readModelId } from '../../domain/words/model-id.ts';
import { type Problem, problemAt, shown } from '../../text/problem.ts';
import type { BuiltChart } from './org-chart.ts';
import type { CharterOptions } from './org-file.ts';
import type { OrgNotes, PlacedText } from './org-metadata.ts';
import { plainWords } from './org-sections.ts';

/** What names of models mean here: the org's own, from ORG.md's front matter or org.yaml, and what the options say. */
export interface ModelNames extends Pick<CharterOptions, 'models' | 'elsewhere' | 'priceOf'> {
  readonly own: ReadonlyMap<string, ModelId>;
}

type Placed = BuiltChart['members'][number];

/** Everybody with their models. `usual` is what counts for a role that names none. */
export function giveModels(
  { members, departments, wishes }: BuiltChart,
  { usual, names }: { readonly usual?: ModelId | undefined; readonly names?: ModelNames },
  notes: OrgNotes,
): readonly Member[] {
  const found = new Map<string, ModelId | undefined>();
  const byId = new Map(members.map((member) => [member.id, member] as const));
  const leads = new Map(departments.map(({ id, lead }) => [id, lead] as const));
  const leadOf = (member: Placed): string | undefined => {
    const lead = leads.get(member.department ?? '');
    return lead === undefined || lead === member.id ? member.reportsTo : lead;
  };
  // Whoever is as its lead has the lead's, which comes first; `below` are those who wait for it.
  const resolve = (member: Placed | undefined, below: readonly Placed[], names: ModelNames): ModelId | undefined => {
    if (member === undefined) return usual;
    if (found.has(member.id)) return found.get(member.id);
    const wish = wishes.get(member.id);
    if (below.includes(member))
      throw noModel(wish, 'goes round in a circle of leads', 'Name the model of one of them.');
    const own = (): ModelId | undefined => (wish === undefined ? usual : modelOf(wish, names, notes));
    const lead = byId.get(leadOf(member) ?? '');
    const model = isAsLead(wish) ? resolve(lead, [...below, member], names) : own();
    found.set(member.id, model);
    return model;
  };
  return members.map((member) => {
    const wish = wishes.get(member.id);
    return {
      ...member,
      model: names && resolve(member, [], names),
      modelWords: wish === undefined ? undefined : plainWords(wish.text),
    };
  });
}

const isAsLead = (wish: PlacedText | undefined): boolean =>
  wish !== undefined && /^same[- ]as[- ]lead$/i.test(plainWords(wish.text));

/** The model of whoever names none: what stands right under Structure, or the entry called default or primary. */
export function usualModel(usual: PlacedText | undefined, names: ModelNames, notes: OrgNotes): ModelId | undefined {
  if (usual !== undefined) return modelOf(usual, names, notes);
  return names.own.get('default') ?? names.own.get('primary');
}

/** What one name means: an entry of the maps, a pinned id, or the best of the maps in one respect. */
function modelOf(wish: PlacedText, names: ModelNames, notes: OrgNotes): ModelId | undefined {
  const words = plainWords(wish.text);
  const named = entry(words, names);
  if (named !== undefined) return named;
  if (/^(?:cheapest|fastest)$/i.test(words)) return byPrice(wish, words.toLowerCase(), names, notes);
  const pinned = readModelId(words, names.elsewhere ?? false);
  if (typeof pinned === 'object') return pinned;
  const why = {
    empty: 'is empty',
    'unknown provider': 'is no model that is known, and no name that models gives one',
    latest: 'changes with time, and two nights could not be compared',
    alias: 'may mean another model tomorrow',
    outside: 'is no file of this repository',
  }[pinned];
  if (pinned === 'outside') throw noModel(wish, why, 'Write scripted:models/chief.json, and commit that file.');
  throw noModel(wish, why, frontMatterHint(wish, words));
}

function entry(words: string, names: ModelNames): ModelId | undefined {
  const own = names.own.get(words) ?? names.own.get(words.toLowerCase());
  if (own !== undefined) return own;
  const text = names.models?.get(words) ?? names.models?.get(words.toLowerCase());
  const model = text === undefined ? undefined : readModelId(text, names.elsewhere ?? false);
  return typeof model === 'object' ? model : undefined;
}

/** Of all models that have a name here, the one with the least price; who is fast nobody tells us, and small ones are both. */
function byPrice(wish: PlacedText, words: string, names: ModelNames, notes: OrgNotes): ModelId {
  const brief = [...(names.models?.values() ?? [])].map((text) => readModelId(text, names.elsewhere ?? false));
  const models = [...names.own.values(), ...brief.filter((model) => typeof model === 'object')];
  const priced = models.map((model) => ({ model, price: names.priceOf?.(model) }));
  const known = priced.filter((one): one is { model: ModelId; price: number } => one.price !== undefined);
  const [first] = models;
  if (first !== undefined && models.every((model) => formatModelId(model) === formatModelId(first))) return first;
  if (models.length === 0)
    throw noModel(wish, 'chooses among the models that have a name, and there are none', frontMatterHint(wish, words));
  if (known.length < models.length) {
    const unknown = priced.find(({ price }) => price === undefined)?.model;
    const whose = unknown === undefined ? 'a model' : shown(formatModelId(unknown));
    throw noModel(wish, `cannot be told: nobody knows what ${whose} costs`, frontMatterHint(wish, words));
  }
  const best = known.reduce((least, one) => (one.price < least.price ? one : least)).model;
  if (words === 'fastest') {
    const what = `fastest is taken to be the cheapest, ${formatModelId(best)}: nobody measures speed`;
    notes.warn(problemAt('org/value', wish.place, what, `Write models: { fastest: ${best.id} } to say which it is.`));
  }
  return best;
}

function noModel(wish: PlacedText | undefined, why: string, hint: string): Problem {
  const place = wish?.place ?? { file: 'ORG.md', line: 1, column: 1 };
  return problemAt('org/value', place, `Model ${shown(plainWords(wish?.text ?? ''))} ${why}`, hint);
}

const frontMatterHint = ({ place }: PlacedText, words: string): string => {
  const name = /^[\w./-]{1,60}$/.test(words) ? words : 'its-name';
  const line = `models: { ${name}: its pinned id, such as claude-sonnet-4-6 }`;
  return /\.md$/i.test(place.file) ? `Begin ${place.file} with three lines: ---, ${line}, ---.` : `Add ${line}.`;
};
