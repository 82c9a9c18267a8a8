import type { OtherSection } from '../../domain/staff/charter.ts';
import { type ModelId, readModelId } from '../../domain/words/model-id.ts';
import {
  type Field,
  type Fields,
  readLine,
  readList,
  readMap,
  readWhole,
  readYes,
  refuseUnknownKeys,
  type Value,
  wrongKey,
  wrongValue,
} from '../../text/field.ts';
import type { Place } from '../../text/problem.ts';
import type { YamlBudget } from '../settings/org-budget.ts';
import type { PlacedText } from './org-metadata.ts';
import { splitHeading } from './org-names.ts';
import type { ChartDraft, PartDraft, RoleDraft } from './org-structure.ts';

/** What org.yaml says, or the front matter of ORG.md with the same keys. Everything may be left out. */
export interface YamlOrg extends Readonly<Partial<Record<(typeof texts)[number], PlacedText | undefined>>> {
  readonly budget: YamlBudget;
  readonly models: ReadonlyMap<string, { readonly model: ModelId; readonly place: Place }>;
  readonly chart: ChartDraft;
  readonly log?: { readonly value: boolean; readonly place: Place } | undefined;
  readonly others: readonly OtherSection[];
}

const texts = ['name', 'mission', 'culture', 'sdlc'] as const;

export const emptyYaml: YamlOrg = {
  budget: {},
  models: new Map(),
  chart: { roles: [], departments: [], people: [], context: '' },
  others: [],
};

/** The keys of org.yaml as values. What the specification puts under `org:` may stand at the top too. */
export function readOrgYaml(fields: Fields, elsewhere: boolean): YamlOrg {
  refuseUnknownKeys(fields, ['org', ...keys]);
  const org = fields.get('org');
  const inner: Fields =
    org === undefined ? new Map() : readMap(org, 'a map with name and mission', 'Write org: { name: acme }.', keys);
  const all = new Map(inner);
  for (const [key, field] of fields) {
    if (key === 'org') continue;
    const first = inner.get(key);
    if (first !== undefined) {
      const what = `${key} is set twice, first on line ${first.keyPlace.line}`;
      throw wrongKey(field, what, 'Keep one of the two.');
    }
    all.set(key, field);
  }
  const { people, log, others: audit } = readGovernance(all.get('governance'));
  const { roles, departments } = readYamlDepartments(all.get('departments'));
  const compliance = all.get('compliance');
  return {
    ...Object.fromEntries(texts.map((key) => [key, saidOf(all.get(key), `a ${key}`)])),
    budget: readBudget(all.get('budget')),
    models: readModels(all.get('models'), elsewhere),
    chart: { roles, departments, people, context: '' },
    log,
    others: [...audit, ...(compliance === undefined ? [] : [kept(compliance)])],
  };
}

const keys = ['name', 'mission', 'culture', 'sdlc', 'budget', 'models', 'departments', 'governance', 'compliance'];

const saidOf = (field: Field | undefined, expected: string): PlacedText | undefined =>
  field && {
    text: readLine(field, expected, `Write ${field.name}: followed by ${expected}.`),
    place: field.place,
    key: field.name.replace(/^.*\./, ''),
  };

function readBudget(field: Field | undefined): YamlBudget {
  if (field === undefined) return {};
  const keys = ['monthly_compute', 'monthly_tools', 'max_single_action_without_approval'];
  const fields = readMap(field, 'a map with monthly_compute', 'Write budget: { monthly_compute: 12000 }.', keys);
  const amount = (key: string): PlacedText | undefined => saidOf(fields.get(key), 'an amount in dollars such as 12000');
  return {
    total: amount('monthly_compute'),
    singleAct: amount('max_single_action_without_approval'),
    tools: amount('monthly_tools'),
  };
}

function readModels(field: Field | undefined, elsewhere: boolean): YamlOrg['models'] {
  if (field === undefined) return new Map();
  const example = 'claude-sonnet-4-6';
  const hint = `Write models: { primary: ${example} }.`;
  const fields = readMap(field, 'a map of names and pinned models', hint);
  return new Map(
    [...fields].map(([name, value]) => {
      const model = readModelId(readLine(value, 'a pinned model', hint), elsewhere);
      if (typeof model === 'object') return [name, { model, place: value.place }] as const;
      if (model === 'outside')
        throw wrongValue(value, 'a file of this repository', 'Write scripted:models/chief.json, and commit that file.');
      const dated = 'Name it with its date or version: "latest" and bare names change their meaning.';
      throw wrongValue(value, `a pinned model such as ${example}`, dated);
    }),
  );
}

function readGovernance(field: Field | undefined): Pick<YamlOrg, 'log' | 'others'> & Pick<ChartDraft, 'people'> {
  if (field === undefined) return { people: [], others: [] };
  const hint = 'Write governance: { humans: [{ role: board }] }.';
  const fields = readMap(field, 'a map with humans and audit', hint, ['humans', 'audit']);
  const audit = fields.get('audit');
  const auditHint = 'Write audit: { log_every_tool_call: true }.';
  const rules = audit && readMap(audit, 'a map', auditHint, ['log_every_tool_call', 'retain_for_days']);
  const [log, days] = [rules?.get('log_every_tool_call'), rules?.get('retain_for_days')];
  if (days !== undefined) readWhole(days, 1, 36_500); // Kept for ever: git forgets nothing that a ref leads to.
  return {
    people: readYamlPeople(fields.get('humans')),
    log: log && { value: readYes(log), place: log.place },
    others: days === undefined ? [] : [kept(days)],
  };
}

/** What has no meaning for us, in a line. */
const kept = (field: Field): OtherSection => ({ name: field.name, text: inWords(field.value), place: field.keyPlace });

function inWords(value: Value): string {
  if (value.kind === 'scalar') return value.text;
  if (value.kind === 'list') return `[${value.items.map((item) => inWords(item.value)).join(', ')}]`;
  if (value.kind === 'nothing') return '';
  return `{ ${[...value.fields].map(([key, field]) => `${key}: ${inWords(field.value)}`).join(', ')} }`;
}

/** `departments:`, each with its goal and its agents. Nobody leads where nobody is named: all report to the person. */
function readYamlDepartments(field: Field | undefined): Pick<ChartDraft, 'roles' | 'departments'> {
  if (field === undefined) return { roles: [], departments: [] };
  const hint = 'Write departments: { research: { goal: find accounts, agents: [market-mapper] } }.';
  const read = [...readMap(field, 'a map of departments', hint)].map(([name, one]) => readDepartment(name, one, hint));
  return { roles: read.flatMap(({ roles }) => roles), departments: read.map(({ department }) => department) };
}

/** `governance.humans:`, each with a role or a name. */
function readYamlPeople(field: Field | undefined): readonly PartDraft[] {
  if (field === undefined) return [];
  const hint = 'Write humans: [{ role: board, approves: [payments] }].';
  return readList(field, 'a list of people', hint).map((one) => {
    if (one.value.kind === 'scalar')
      return { name: readLine(one, 'a name', hint), place: one.place, said: new Map(), context: '' };
    const keys = ['role', 'name', 'id', 'approves', 'can_pause_any_agent', 'git'];
    const fields = readMap(one, 'a map with role', hint, keys);
    const named = fields.get('name') ?? fields.get('role');
    if (named === undefined) throw wrongValue(one, 'a role or a name', hint);
    const said = saidIn(fields, ['id', 'approves', 'can_pause_any_agent', 'git']);
    return { name: readLine(named, 'a name', hint), place: named.place, said, context: '' };
  });
}

function readDepartment(name: string, field: Field, hint: string) {
  const fields: Fields =
    field.value.kind === 'list'
      ? new Map([['agents', field]])
      : readMap(field, 'a map with goal and agents', hint, ['goal', 'agents', 'lead', 'cap']);
  const place = field.keyPlace;
  const said = saidIn(fields, ['goal', 'cap', 'lead']);
  if (!said.has('lead')) said.set('lead', { text: 'none', place });
  const department: PartDraft = { name, place, said, context: '' };
  const agents = fields.get('agents');
  const items = agents === undefined ? [] : readList(agents, 'a list of agents', hint);
  return { department, roles: items.map((item) => readAgent(item, department, hint)) };
}

function readAgent(field: Field, department: PartDraft, hint: string): RoleDraft {
  const usual = { depth: 4, context: '', department, heads: false, under: undefined };
  const domain: PlacedText = { text: department.name, place: department.place };
  if (field.value.kind !== 'map') {
    const name = splitHeading(readLine(field, "an agent's name", hint));
    return { ...usual, ...name, place: field.place, said: new Map([['domain', domain]]) };
  }
  const { fields } = field.value;
  refuseUnknownKeys(fields, [
    'name',
    'id',
    'model',
    'effort',
    'domain',
    'level',
    'count',
    'reports_to',
    'budget',
    'prompt',
  ]);
  const named = fields.get('name') ?? fields.get('id');
  if (named === undefined) throw wrongValue(field, 'a name', hint);
  const prompt = fields.get('prompt');
  return {
    ...usual,
    ...splitHeading(readLine(named, "an agent's name", hint)),
    place: named.place,
    context: prompt === undefined ? '' : readLine(prompt, 'what the agent reads', hint),
    said: new Map([
      ['domain', domain],
      ...saidIn(fields, ['id', 'model', 'effort', 'domain', 'level', 'count', 'reports_to', 'budget']),
    ]),
  };
}

/** Keys that ORG.md calls otherwise. */
const renamed: Readonly<Record<string, string>> = { can_pause_any_agent: 'may_pause', budget: 'limit' };

/** The values of keys as they would stand in ORG.md: several of one key with commas. */
function saidIn(fields: Fields, keys: readonly string[]): Map<string, PlacedText> {
  const found = new Map<string, PlacedText>();
  for (const key of keys) {
    const field = fields.get(key);
    if (field === undefined) continue;
    const expected = 'a value on one line';
    const hint = `Write ${field.name}: and its value after it.`;
    const items = readList(field, expected, hint).map((item) => readLine(item, expected, hint));
    found.set(renamed[key] ?? key, { text: items.join(', '), place: field.place, key });
  }
  return found;
}
