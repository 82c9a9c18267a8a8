import type { Charter } from '../../domain/staff/charter.ts';
import { idFrom } from '../../domain/staff/role-name.ts';
import { formatModelId } from '../../domain/words/model-id.ts';
import { shown } from '../../text/clean.ts';
import { type Place, type Problem, problemAt } from '../../text/problem.ts';
import { settingsOf } from '../write/charter-values.ts';
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
  ...org.people.map(({ id, approves }) => [`people.${id}`, `approves ${approves.join(', ')}`] as const),
  ...org.departments.map(({ id, goal }) => [`departments.${id}`, goal ?? 'no goal'] as const),
  ...org.members.map(({ id, level, department, reportsTo, model, domains, context }) => {
    const words = [`L${level}`, department, `under ${reportsTo}`, model && formatModelId(model), ...domains, context];
    return [`agents.${id}`, words.filter(Boolean).join(', ')] as const;
  }),
];
