import { sameName } from '../../domain/staff/role-name.ts';
import { shown } from '../../text/clean.ts';
import { type Place, problemAt } from '../../text/problem.ts';
import type { BuiltChart } from './org-chart.ts';
import { fromPlace, type PlacedText } from './org-metadata.ts';
import type { YamlOrg } from './org-yaml.ts';

/** The front matter of ORG.md and org.yaml as one; what both say must be the same. */
export function joinYaml(front: YamlOrg, file: YamlOrg): YamlOrg {
  const models = new Map(front.models);
  for (const [name, { model, place }] of file.models) {
    const first = front.models.get(name);
    if (first !== undefined && (first.model.id !== model.id || first.model.provider !== model.provider))
      throw differ(`the model ${name}`, model.id, place, first.model.id, first.place);
    models.set(name, { model, place });
  }
  const log = front.log ?? file.log;
  if (front.log !== undefined && file.log !== undefined && front.log.value !== file.log.value)
    throw differ(
      'log_every_tool_call',
      String(file.log.value),
      file.log.place,
      String(front.log.value),
      front.log.place,
    );
  const [budget, chart] = [front.budget, front.chart];
  const total = sameText('monthly_compute', budget.total, file.budget.total);
  const singleAct = sameText('max_single_action_without_approval', budget.singleAct, file.budget.singleAct);
  const tools = sameText('monthly_tools', budget.tools, file.budget.tools);
  const chartOf = (one: YamlOrg): Place | undefined => one.chart.departments[0]?.place ?? one.chart.people[0]?.place;
  const [frontPlace, filePlace] = [chartOf(front), chartOf(file)];
  if (frontPlace !== undefined && filePlace !== undefined)
    throw problemAt('org/structure', filePlace, `who there is is said here and at ${fromPlace(frontPlace)}`, bothHint);
  return {
    ...keyed('name', sameText('the name', front.name, file.name)),
    ...keyed('mission', sameText('the mission', front.mission, file.mission)),
    ...keyed('culture', sameText('the culture', front.culture, file.culture)),
    ...keyed('sdlc', sameText('the SDLC', front.sdlc, file.sdlc)),
    budget: { ...keyed('total', total), ...keyed('singleAct', singleAct), ...keyed('tools', tools) },
    models,
    chart: frontPlace === undefined ? file.chart : chart,
    ...(log === undefined ? {} : { log }),
    others: [...front.others, ...file.others],
  };
}

/** One of two that say the same; an error that names both places where they do not. */
export function sameText(
  what: string,
  first: PlacedText | undefined,
  second: PlacedText | undefined,
): PlacedText | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  if (first.text === second.text || sameName(first.text, second.text)) return first;
  throw differ(what, second.text, second.place, first.text, first.place);
}

/** Refuses a chart of ORG.md's headings and one of org.yaml's departments that are not the same people in the same places. */
export function refuseOtherChart(headings: BuiltChart, yaml: BuiltChart): void {
  for (const [one, other] of [
    [yaml, headings],
    [headings, yaml],
  ] as const) {
    const ids = new Map(other.members.map((member) => [member.id, member] as const));
    for (const { id, department, place } of one.members) {
      const same = ids.get(id);
      const elsewhere = other.members[0]?.place ?? other.departments[0]?.place ?? place;
      if (same === undefined) {
        const what = `the agent ${shown(id)} is in this chart, and not in the one at ${fromPlace(elsewhere)}`;
        throw problemAt('org/structure', place, what, bothHint);
      }
      if (same.department !== department)
        throw differ(`the department of ${id}`, department ?? 'none', place, same.department ?? 'none', same.place);
    }
  }
}

const bothHint = 'Say it in one of the two places, or the same in both.';

function differ(what: string, here: string, place: Place, there: string, first: Place) {
  const words = `${what} is ${shown(here)} here and ${shown(there)} at ${fromPlace(first)}`;
  return problemAt('org/value', place, words, bothHint);
}

const keyed = <Key extends string>(key: Key, said: PlacedText | undefined): { readonly [Each in Key]?: PlacedText } =>
  (said === undefined ? {} : { [key]: said }) as { readonly [Each in Key]?: PlacedText };
