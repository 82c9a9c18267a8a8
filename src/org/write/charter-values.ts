import { acts, type Charter, type SdlcGate, type Setting } from '../../domain/staff/charter.ts';
import { formatDuration } from '../../text/duration.ts';
import { formatQuantity } from '../read/org-values.ts';
import { formatHours } from '../settings/org-hours.ts';

/** One value of the org, for people: `culture.escalation` is `immediate`, said in `ORG.md:12`. */
export interface ShownSetting {
  readonly what: string;
  readonly value: string;
  /** `ORG.md:12`, `preset startup`, `default`, `--culture`. */
  readonly from: string;
  readonly why?: string | undefined;
}

/** Everything that culture, SDLC and policies decide, with where it was said. */
export function settingsOf(charter: Charter): readonly ShownSetting[] {
  return [...cultureOf(charter), ...sdlcOf(charter), ...policiesOf(charter), ...auditOf(charter)];
}

/** What of an org can change, by name: its settings, departments, people, playbooks and prose. Agents are told by the plan. */
export function charterValues(charter: Charter): ReadonlyMap<string, string> {
  const { departments, people, playbooks, others } = charter;
  const roles = new Map(charter.members.map(({ role, context }) => [role.name, context]));
  const prose: readonly (readonly [string, string])[] = [
    ['org', [charter.mission, charter.identity].filter((text) => text !== '').join('\n\n')],
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
    ...people.map(
      ({ id, approves }) =>
        [`people.${id}`, approves.length === 0 ? 'a person' : `approves ${approves.join(', ')}`] as const,
    ),
    ...playbooks.map(({ name, steps }) => [`playbooks.${name}`, steps.join('; ')] as const),
    ...prose.flatMap(([name, text]) => (text === '' ? [] : [[`prose.${name}`, text] as const])),
  ]);
}

function cultureOf({ culture }: Charter): readonly ShownSetting[] {
  return [
    ...presetOf('culture', culture.preset),
    shown('culture.communication', culture.communication),
    shown('culture.escalation', culture.escalation),
    shown('culture.progress', culture.progress),
    shown('culture.ack', culture.ack, yesNo),
    shown('culture.ack_within', culture.ackWithinMs, formatDuration),
    shown('culture.hierarchy', culture.hierarchy, ({ min, max }) => (min === max ? `${max}` : `${min} to ${max}`)),
  ];
}

function sdlcOf({ sdlc }: Charter): readonly ShownSetting[] {
  return [
    ...presetOf('sdlc', sdlc.preset),
    shown('sdlc.branching', sdlc.branching),
    shown('sdlc.branch_naming', sdlc.branchNaming, (value) => value ?? 'free'),
    shown('sdlc.direct_push', sdlc.directPush, yesNo),
    shown('sdlc.pull_requests', sdlc.pullRequests),
    shown('sdlc.target', sdlc.target, (value) => value ?? 'the trunk'),
    shown('sdlc.review', sdlc.review, yesNo),
    shown('sdlc.most_lines', sdlc.mostLines, ({ soft, hard }) => `${soft ?? 'any'} soft, ${hard ?? 'any'} hard`),
    shown('sdlc.pre_merge', sdlc.preMerge, gatesInWords),
    shown('sdlc.verification', sdlc.verification),
    shown('sdlc.workspace', sdlc.workspace),
  ];
}

function policiesOf({ policies, departments }: Charter): readonly ShownSetting[] {
  const { budget, permissions, anyDepartment, hours, named } = policies;
  const maybe = <T>(what: string, setting: Setting<T> | undefined, words: (value: T) => string): ShownSetting[] =>
    setting === undefined ? [] : [shown(what, setting, words)];
  return [
    ...maybe('policies.budget.per_agent', budget.perAgent, formatQuantity),
    ...maybe('policies.budget.total', budget.total, formatQuantity),
    shown('policies.budget.period', budget.period),
    shown('policies.budget.alert_at', budget.alertAt, (value) => `${Math.round(value * 100)} %`),
    shown('policies.budget.overage', budget.overage),
    ...maybe('policies.budget.single_act', budget.singleAct, (value) => `$${value}`),
    ...maybe('policies.budget.tools', budget.tools, (value) => `$${value} a month`),
    ...acts.map((act) =>
      shown(`policies.permissions.${act}`, permissions[act], (least) => (least === 0 ? 'everybody' : `L${least}+`)),
    ),
    ...maybe('policies.caps.any_department', anyDepartment, (value) => `${value} agents`),
    ...departments.flatMap(({ id, cap }) => maybe(`policies.caps.${id}`, cap, (value) => `${value} agents`)),
    ...(hours === undefined
      ? []
      : [
          {
            what: 'policies.hours',
            value: formatHours(hours)
              .map((line) => line.replace(/^- \*\*.*?:\*\* /, ''))
              .join('; '),
            from: hours.origin,
          },
        ]),
    ...named.flatMap(({ name, items }) =>
      items.map(({ key, value, place }) => ({
        what: `policies.${name}${key === undefined ? '' : `.${key}`}`,
        value,
        from: `${place.file}:${place.line ?? 1}`,
      })),
    ),
  ];
}

/** How long people want things kept is a promise that git keeps: nothing in orgrepo takes any of it away. */
const auditOf = ({ others }: Charter): readonly ShownSetting[] =>
  others
    .filter(({ name }) => name === retention)
    .map(({ name, text, place }) => ({
      what: name,
      value: `${text} days; everything is kept in git, and nothing is deleted before or after that`,
      from: `${place.file}:${place.line ?? 1}`,
    }));

const retention = 'governance.audit.retain_for_days';

const presetOf = (part: string, preset: Setting<string | undefined>): readonly ShownSetting[] => [
  shown(`${part}.preset`, preset, (value) => value ?? 'none'),
];

function shown<T>(what: string, setting: Setting<T>, words: (value: T) => string = String): ShownSetting {
  const { value, from, why } = setting;
  return { what, value: words(value), from, ...(why === undefined ? {} : { why }) };
}

const yesNo = (value: boolean): string => (value ? 'yes' : 'no');

const gatesInWords = (gates: readonly SdlcGate[]): string =>
  gates.map(({ words, command }) => command ?? words).join(', ') || 'nothing';
