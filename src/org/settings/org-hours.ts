import { clock } from '../../domain/rules/stopping-rules.ts';
import type { WorkingHours } from '../../domain/staff/charter.ts';
import { orElse, problemAt, shown } from '../../text/problem.ts';
import { type Facts, fromPlace, knownKeys, type OrgFact, type OrgNotes } from '../read/org-metadata.ts';
import { plainWords } from '../read/org-sections.ts';
import { wrongSaid } from '../read/org-values.ts';

export const hoursKeys = knownKeys({
  active_hours: ['hours', 'working_hours'],
  timezone: ['time_zone', 'zone'],
  off_hours_behavior: ['off_hours_behaviour', 'off_hours'],
  exceptions: ['exception'],
});

/** `### Working Hours`; undefined where work goes on all day. `orgZone` is the time zone that Identity names. */
export function readHours(facts: Facts, orgZone: OrgFact | undefined, notes: OrgNotes): WorkingHours | undefined {
  const active = facts.get('active_hours');
  const off = facts.get('off_hours_behavior');
  if (off !== undefined && !/\b(?:queue|wait|pause|hold|nothing|idle|stop)\b/i.test(off.text)) {
    const what = `outside of the hours work waits, whatever ${shown(off.text)} means`;
    notes.warn(problemAt('org/value', off.place, what, 'Write - **Off-hours behavior:** queue tasks'));
  }
  if (active === undefined || /^(?:24\s*\/\s*7|always|all day)\b/i.test(plainWords(active.text))) return undefined;
  const exceptions = facts.get('exceptions');
  const after = partsOfHours(active)[3] ?? '';
  if (!/^(?:\([^()]*\))?$/.test(after) && !isZone(after)) {
    const expected = 'the same hours for every day, such as 08:00-22:00 (Europe/Vienna)';
    const hint = `Take ${shown(after)} out: no day has hours of its own.`;
    notes.refuse(wrongSaid('Active hours', active, expected, hint));
  }
  return {
    ...timesOf(active),
    zone: zoneOf(active, facts.get('timezone') ?? orgZone),
    criticalAnyway: exceptions !== undefined && /\bcritical\b/i.test(exceptions.text),
    origin: fromPlace(active.place),
  };
}

export function formatHours({ from, to, zone, criticalAnyway }: WorkingHours): readonly string[] {
  return [
    `- **Active hours:** ${clock(from)}-${clock(to)} (${zone})`,
    ...(criticalAnyway ? ['- **Exceptions:** critical priority tasks process 24/7'] : []),
  ];
}

function timesOf(fact: OrgFact): { readonly from: number; readonly to: number } {
  const [, begin = '', end = ''] = partsOfHours(fact);
  const [from, to] = [minutesOf(begin), minutesOf(end)];
  const expected = 'two times from 00:00 to 24:00, such as 08:00-22:00';
  if (from === undefined || to === undefined || from === to || from === 1440)
    throw wrongSaid('Active hours', fact, expected, 'Write - **Active hours:** 08:00-22:00 (Europe/Vienna)');
  if (to < from && from < 13 * 60 && [begin, end].some((time) => /^[0-9]{1,2}$/.test(time))) {
    const meant = `hours that mean one thing, and ${end} may be before dawn or in the afternoon`;
    const overMidnight = `${clock((from + 12 * 60) % 1440)}-${clock(to)} over midnight`;
    throw wrongSaid('Active hours', fact, meant, `Write ${clock(from)}-${clock(to + 12 * 60)}, or ${overMidnight}.`);
  }
  return { from, to };
}

/** When they begin and end, and what stands behind. */
const partsOfHours = (fact: OrgFact): readonly string[] =>
  /^(\S{1,8}(?:\s?[ap]m)?)\s*(?:-|–|—|to)\s*(\S{1,8}(?:\s?[ap]m)?)(?:\s+(.*)|$)/i.exec(spaced(fact)) ?? [];

/** With blanks round the dash, so that `08:00-22:00` is two words; `a.m.` is `am`. */
const spaced = (fact: OrgFact): string =>
  plainWords(fact.text)
    .replace(/(?<![a-z])([ap])\.m\.?/gi, '$1m')
    .replace(/(?<=[0-9m])\s*[-–—]\s*(?=[0-9])/i, ' - ');

function minutesOf(text: string): number | undefined {
  const [, hour = '', minute = '0', half] = /^([0-9]{1,2})(?::([0-9]{2}))?\s?([ap]m)?$/i.exec(text) ?? [];
  if (hour === '' || Number(minute) > 59) return undefined;
  if (half !== undefined) {
    if (Number(hour) < 1 || Number(hour) > 12) return undefined;
    return ((Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)) * 60 + Number(minute);
  }
  const minutes = Number(hour) * 60 + Number(minute);
  return minutes <= 1440 ? minutes : undefined;
}

/** `(Europe/Vienna)`; `(org timezone)` is what Identity says, and UTC where it says nothing. */
function zoneOf(fact: OrgFact, elsewhere: OrgFact | undefined): string {
  const after = partsOfHours(fact)[3] ?? '';
  const inside = /\(([^()]{1,60})\)/.exec(after)?.[1]?.trim() ?? (isZone(after) ? after : undefined);
  const named = inside === undefined || /\btime ?zone\b|\blocal\b/i.test(inside) ? undefined : inside;
  const said = named === undefined ? elsewhere : { ...fact, text: named };
  if (said === undefined) return 'UTC';
  const zone = zoneCalled(plainWords(said.text));
  if (zone !== undefined) return zone;
  const hint = 'Write (Europe/Vienna) after the hours.';
  throw wrongSaid('the time zone', said, 'a name such as Europe/Vienna or UTC', hint);
}

const isZone = (words: string): boolean => zoneCalled(words) !== undefined;

const zoneCalled = (words: string): string | undefined =>
  orElse(() => new Intl.DateTimeFormat('en', { timeZone: words }).resolvedOptions().timeZone, undefined);
