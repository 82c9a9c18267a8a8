import {
  type Field,
  type Fields,
  readLine,
  readList,
  readMap,
  refuseUnknownKeys,
  wrongValue,
} from '../../text/field.ts';
import type { PlacedText } from './org-metadata.ts';
import type { DepartmentDraft, PersonDraft, RoleDraft } from './org-structure.ts';

/** `departments:`, each with its goal and its agents. Nobody leads where nobody is named: all report to the person. */
export function readYamlDepartments(field: Field | undefined): {
  readonly roles: readonly RoleDraft[];
  readonly departments: readonly DepartmentDraft[];
} {
  if (field === undefined) return { roles: [], departments: [] };
  const hint = 'Write departments: { research: { goal: find accounts, agents: [market-mapper] } }.';
  const read = [...readMap(field, 'a map of departments', hint)].map(([name, one]) => readDepartment(name, one, hint));
  return { roles: read.flatMap(({ roles }) => roles), departments: read.map(({ department }) => department) };
}

/** `governance.humans:`, each with a role or a name. */
export function readYamlPeople(field: Field | undefined): readonly PersonDraft[] {
  if (field === undefined) return [];
  const hint = 'Write humans: [{ role: board, approves: [payments] }].';
  return readList(field, 'a list of people', hint).map((one) => {
    if (one.value.kind === 'scalar') return { name: readLine(one, 'a name', hint), place: one.place, context: '' };
    const fields = readMap(one, 'a map with role', hint);
    refuseUnknownKeys(fields, ['role', 'name', 'id', 'approves', 'can_pause_any_agent']);
    const named = fields.get('name') ?? fields.get('role');
    if (named === undefined) throw wrongValue(one, 'a role or a name', hint);
    return {
      name: readLine(named, 'a name', hint),
      place: named.place,
      id: said(fields, 'id'),
      approves: said(fields, 'approves'),
      mayPause: said(fields, 'can_pause_any_agent'),
      context: '',
    };
  });
}

function readDepartment(
  name: string,
  field: Field,
  hint: string,
): { readonly department: DepartmentDraft; readonly roles: readonly RoleDraft[] } {
  const fields: Fields =
    field.value.kind === 'list' ? new Map([['agents', field]]) : readMap(field, 'a map with goal and agents', hint);
  refuseUnknownKeys(fields, ['goal', 'agents', 'lead', 'cap']);
  const department: DepartmentDraft = {
    name,
    place: field.keyPlace,
    goal: said(fields, 'goal'),
    cap: said(fields, 'cap'),
    lead: said(fields, 'lead') ?? { text: 'none', place: field.keyPlace },
    context: '',
  };
  const agents = fields.get('agents');
  const items = agents === undefined ? [] : readList(agents, 'a list of agents', hint);
  return { department, roles: items.map((item) => readAgent(item, department, hint)) };
}

function readAgent(field: Field, department: DepartmentDraft, hint: string): RoleDraft {
  const usual = { depth: 4, context: '', department, heads: false, under: undefined };
  const domain: PlacedText = { text: department.name, place: department.place };
  if (field.value.kind !== 'map')
    return { ...usual, name: readLine(field, "an agent's name", hint), place: field.place, domain };
  const { fields } = field.value;
  refuseUnknownKeys(fields, ['name', 'id', 'model', 'domain', 'level', 'count', 'reports_to', 'budget', 'prompt']);
  const named = fields.get('name') ?? fields.get('id');
  if (named === undefined) throw wrongValue(field, 'a name', hint);
  const prompt = fields.get('prompt');
  return {
    ...usual,
    name: readLine(named, "an agent's name", hint),
    place: named.place,
    context: prompt === undefined ? '' : readLine(prompt, 'what the agent is told', hint),
    id: said(fields, 'id'),
    model: said(fields, 'model'),
    domain: said(fields, 'domain') ?? domain,
    level: said(fields, 'level'),
    count: said(fields, 'count'),
    reportsTo: said(fields, 'reports_to'),
    limit: said(fields, 'budget'),
  };
}

/** The value of a key as it would stand in ORG.md: several of them with commas. */
function said(fields: Fields, key: string): PlacedText | undefined {
  const field = fields.get(key);
  if (field === undefined) return undefined;
  const expected = 'a value on one line';
  const hint = `Write ${field.name}: and its value after it.`;
  const items = readList(field, expected, hint).map((item) => readLine(item, expected, hint));
  return { text: items.join(', '), place: field.place, key };
}
