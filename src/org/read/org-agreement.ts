import type { Charter } from '../../domain/staff/charter.ts';
import { idFrom } from '../../domain/staff/role-name.ts';
import { formatModelId } from '../../domain/words/model-id.ts';
import { type Place, type Problem, problemAt, shown } from '../../text/problem.ts';
import { settingsOf } from '../write/charter-values.ts';
import { buildChart } from './org-chart.ts';
import { fromPlace, type OrgNotes } from './org-metadata.ts';
import type { ChartDraft } from './org-structure.ts';
import type { YamlOrg } from './org-yaml.ts';

/**
 * Refuses an org.yaml that says anything else than the ORG.md beside it, which counts; ORG.md may say more. Gives the warning that one of
 * the two has to go.
 */
export function refuseOtherFile(md: Charter, yaml: Charter, said: YamlOrg): Problem {
  const others = new Map(valuesOf(md));
  const places = new Map(placesIn(yaml, said));
  for (const [what, here] of new Map(valuesOf(yaml))) {
    const [place, there] = [places.get(what), others.get(what) || undefined];
    if (place?.file !== 'org.yaml' || here === there) continue;
    const differ = there === undefined ? 'said here, and not in' : `${shown(here)} here, and ${shown(there)} in`;
    throw problemAt('org/value', place, `${what} is ${differ} ORG.md`, keepOne);
  }
  const alone = md.members.find(({ id }) => yaml.members.length > 0 && !places.has(`agents.${id}`));
  if (alone !== undefined) throw problemAt('org/structure', alone.place, `org.yaml has no agent ${alone.id}`, keepOne);
  const what = 'org.yaml says the same beside it: keep one of them; the next release refuses two';
  return problemAt('org/structure', { file: 'ORG.md', line: 1, column: 1 }, what, keepOne);
}

const keepOne = 'Keep one of the two files.';

/** Where org.yaml says what has no place in a charter or is known by it. */
const placesIn = (
  yaml: Charter,
  { name, mission, log, models, chart }: YamlOrg,
): readonly (readonly [string, Place])[] => [
  ...settingsOf(yaml).map(({ what, from }): [string, Place] => [what, placeOf(from)]),
  ...yaml.others.map((other) => [other.name, other.place] as const),
  ...(name === undefined ? [] : [['name', name.place] as const]),
  ...(mission === undefined ? [] : [['mission', mission.place] as const]),
  ...(log === undefined ? [] : [['log_every_tool_call', log.place] as const]),
  ...[...models].map(([model, { place }]) => [`models.${model}`, place] as const),
  ...(chart.people.length === 0 ? [] : yaml.people.map(({ id, place }) => [`people.${id}`, place] as const)),
  ...yaml.departments.map(({ id, place }) => [`departments.${id}`, place] as const),
  ...yaml.members.map(({ id, place }) => [`agents.${id}`, place] as const),
];

/** `org.yaml:5` */
function placeOf(from: string): Place {
  const [file = '', line] = from.split(':');
  return { file, line: Number(line) };
}

/** All that an org can say in YAML, by name. */
const valuesOf = (org: Charter): readonly (readonly [what: string, value: string])[] => [
  ['name', idFrom(org.name) ?? org.name],
  ['mission', org.mission],
  ['log_every_tool_call', String(org.logEveryToolCall)],
  ...[...org.models].map(([name, model]) => [`models.${name}`, formatModelId(model)] as const),
  ...org.others.map(({ name, text }) => [name, text] as const),
  ...settingsOf(org).map(({ what, value }) => [what, value] as const),
  ...org.people.map(
    ({ id, approves, addresses }) => [`people.${id}`, `approves ${[...approves, ...addresses].join(', ')}`] as const,
  ),
  ...org.departments.map(({ id, goal }) => [`departments.${id}`, goal ?? 'no goal'] as const),
  ...org.members.map(({ id, level, department, reportsTo, model, effort, domains, context }) => {
    const asked = [model && formatModelId(model), effort && `effort ${effort}`];
    const words = [`L${level}`, department, `under ${reportsTo}`, ...asked, ...domains, context];
    return [`agents.${id}`, words.filter(Boolean).join(', ')] as const;
  }),
];

/**
 * Where the keys above ORG.md name agents or people too, the headings count. Refuses keys that name others, or put an agent into
 * another department; warns of keys that name the same.
 */
export function refuseOtherNames(headings: ChartDraft, keys: ChartDraft, notes: OrgNotes): void {
  const people = headings.people.length > 0 ? headings.people : keys.people;
  const [ofHeadings, ofKeys] = [beginningOf(headings), beginningOf(keys)];
  if (ofHeadings !== undefined && ofKeys !== undefined) {
    const { members } = buildChart({ ...headings, people }, notes.file);
    const { members: others } = buildChart({ ...keys, people }, notes.file);
    refuseOtherAgents(others, members, ofHeadings);
    refuseOtherAgents(members, others, ofKeys);
    notes.warn(saidTwice('agents', ofKeys, ofHeadings));
  }
  const [first] = headings.people;
  if (first === undefined || keys.people[0] === undefined) return;
  const names = new Set(headings.people.map(({ name }) => idFrom(name)));
  const other = keys.people.find(({ name }) => !names.has(idFrom(name)));
  if (other !== undefined) {
    const what = `${shown(other.name)} is a person here, and not at ${fromPlace(first.place)}`;
    throw problemAt('org/structure', other.place, what, keepOnePlace);
  }
  notes.warn(saidTwice('people', keys.people[0].place, first.place));
}

const keepOnePlace = 'Name agents and people in one of the two places.';

const beginningOf = ({ departments, roles }: ChartDraft): Place | undefined => [...departments, ...roles][0]?.place;

type Named = Pick<Charter['members'][number], 'id' | 'department' | 'place'>;

function refuseOtherAgents(these: readonly Named[], those: readonly Named[], beginning: Place): void {
  const others = new Map(those.map((member) => [member.id, member]));
  for (const { id, department = 'none', place } of these) {
    const other = others.get(id);
    if (other !== undefined && (other.department ?? 'none') === department) continue;
    const what =
      other === undefined
        ? `agent ${shown(id)} is named here, and not at ${fromPlace(beginning)}`
        : `the department of ${shown(id)} is ${department} here, and ${other.department ?? 'none'} at ${fromPlace(other.place)}`;
    throw problemAt('org/structure', place, what, keepOnePlace);
  }
}

function saidTwice(which: 'agents' | 'people', keys: Place, headings: Place): Problem {
  const what = `the ${which} of the headings are named here too, and the headings count (${fromPlace(headings)})`;
  return problemAt('org/structure', keys, `${what}; the next release refuses both`, keepOnePlace);
}
