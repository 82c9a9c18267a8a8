import { acts, type Charter, type Setting } from '../../domain/staff/charter.ts';
import { fromPlace, paragraphs } from '../read/org-metadata.ts';
import { budgetLines } from '../settings/org-budget.ts';
import { cultureLines } from '../settings/org-culture.ts';
import { formatHours } from '../settings/org-hours.ts';
import { sdlcLines } from '../settings/org-sdlc.ts';
import { type ShownSetting, showLines, showSetting } from '../settings/org-settings.ts';

/** Everything that culture, SDLC and policies decide, with where it was said. */
export function settingsOf(charter: Charter): readonly ShownSetting[] {
  const { culture, sdlc, others } = charter;
  return [
    ...presetOf('culture', culture.preset),
    ...showLines('culture', cultureLines, culture),
    ...presetOf('sdlc', sdlc.preset),
    ...showLines('sdlc', sdlcLines, sdlc),
    ...policiesOf(charter),
    ...others.filter(({ name }) => name === retention).map(retained),
  ];
}

/** What of an org can change, by name: its settings, departments, people, playbooks and prose. The plan lists agents by itself. */
export function charterValues(charter: Charter): ReadonlyMap<string, string> {
  const { departments, people, playbooks, others } = charter;
  const roles = new Map(charter.members.map(({ role, context }) => [role.name, context]));
  const prose: readonly (readonly [string, string])[] = [
    ['org', paragraphs(charter.mission, charter.identity)],
    ['culture', charter.culture.context],
    ['sdlc', charter.sdlc.context],
    ['policies', charter.policies.context],
    ...charter.policies.named.map(({ name, context }) => [name, context] as const),
    ...departments.map(({ name, context, goal }) => [name, [goal ?? '', context].join('\n').trim()] as const),
    ...roles,
    ...others.flatMap(({ name, text }) => (name === retention ? [] : [[name, text] as const])),
  ];
  return new Map([
    ...settingsOf(charter).map(({ what, value }) => [what, value] as const),
    ...departments.map(
      ({ id, lead }) => [`departments.${id}`, lead === undefined ? 'nobody leads it' : `led by ${lead}`] as const,
    ),
    ...people.map(({ id, approves, addresses }) => {
      const words = [approves.length === 0 ? 'a person' : `approves ${approves.join(', ')}`, ...addresses];
      return [`people.${id}`, words.join(', ')] as const;
    }),
    ...playbooks.map(({ name, steps }) => [`playbooks.${name}`, steps.join('; ')] as const),
    ...prose.flatMap(([name, text]) => (text === '' ? [] : [[`prose.${name}`, text] as const])),
  ]);
}

const presetOf = (part: string, preset: Setting<string | undefined>): readonly ShownSetting[] =>
  showSetting(`${part}.preset`, preset, (value) => value ?? 'none');

function policiesOf({ policies, departments }: Charter): readonly ShownSetting[] {
  const { budget, permissions, anyDepartment, hours, named } = policies;
  const agents = (value: number): string => `${value} agents`;
  return [
    ...showLines('policies.budget', budgetLines, budget),
    ...acts.flatMap((act) =>
      showSetting(`policies.permissions.${act}`, permissions[act], (least) =>
        least === 0 ? 'everybody' : `L${least}+`,
      ),
    ),
    ...showSetting('policies.caps.any_department', anyDepartment, agents),
    ...departments.flatMap(({ id, cap }) => showSetting(`policies.caps.${id}`, cap, agents)),
    ...showSetting('policies.hours', hours && { value: hours, from: hours.origin }, (value) =>
      formatHours(value)
        .map((line) => line.replace(/^- \*\*.*?:\*\* /, ''))
        .join('; '),
    ),
    ...named.flatMap(({ name, items }) =>
      items.map(({ key, value, place }) => ({
        what: `policies.${name}${key === undefined ? '' : `.${key}`}`,
        value,
        from: fromPlace(place),
      })),
    ),
  ];
}

const retention = 'governance.audit.retain_for_days';

/** How long people want things kept is a promise that git keeps: orgrepo deletes none of it. */
const retained = ({ name, text, place }: Charter['others'][number]): ShownSetting => ({
  what: name,
  value: `${text} days; everything is kept in git, and nothing is deleted before or after that`,
  from: fromPlace(place),
});
