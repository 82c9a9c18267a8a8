import {
  acts,
  type Department,
  type Member,
  type Permissions,
  type Permitted,
  type Setting,
} from '../../domain/staff/charter.ts';
import { idFrom } from '../../domain/staff/role-name.ts';
import { didYouMean, problemAt, shown } from '../../text/problem.ts';
import { keyLineOf, type OrgNotes, type PlacedText, splitWhy } from '../read/org-metadata.ts';
import { type Item, plainWords } from '../read/org-sections.ts';
import { wrongSaid } from '../read/org-values.ts';
import { isSaid, saidSetting } from './org-settings.ts';

/** As the specification's table of levels has it, and as its own example says of creating. */
const defaultPermissions: Permissions = {
  create: { value: 7, from: 'default' },
  spawn: { value: 7, from: 'default' },
  review: { value: 6, from: 'default' },
  delegate: { value: 6, from: 'default' },
  escalate: { value: 0, from: 'default' },
};

/** Above every level: nobody may. */
const nobody = 11;

/** `**L7+ can spawn agents** — leads can grow their team`, an item each. */
export function readPermissions(items: readonly Item[], notes: OrgNotes): Permissions {
  const permissions: Record<Permitted, Setting<number>> = { ...defaultPermissions };
  for (const item of items) {
    const { place } = item;
    const rule = ruleOf(item);
    if (rule === undefined) {
      const what = `no permission is read out of ${shown(plainWords(item.head))}: agents only read it`;
      notes.warn(problemAt('org/value', place, what, 'Write - L7+ can spawn agents, or All agents can escalate.'));
      continue;
    }
    const { act, level, why } = rule;
    if (level > 10 && level !== nobody)
      throw problemAt('org/value', place, `L${level} is not a level, expected 1 to 10`, 'Write - L7+ can spawn agents');
    const before = permissions[act];
    if (isSaid(before)) {
      const what = `who can ${act} is said twice, first at ${before.from}`;
      throw problemAt('org/key', place, what, 'Keep one of the two.');
    }
    permissions[act] = saidSetting(level, { text: '', why, place });
  }
  return permissions;
}

export const isPermission = (item: Item): boolean => ruleOf(item) !== undefined;

/** What an act is done to, where it has to be named. */
const objects: Readonly<Partial<Record<Permitted, string>>> = { create: ' tasks', spawn: ' agents' };

export const formatPermissions = (permissions: Permissions): readonly string[] =>
  acts
    .filter((act) => isSaid(permissions[act]))
    .map((act) => {
      const { value, why } = permissions[act];
      const who = value === 0 ? 'All agents' : value === nobody ? 'Nobody' : `L${value}+`;
      return `- **${who} can ${act}${objects[act] ?? ''}**${why === undefined ? '' : ` — ${why}`}`;
    });

function ruleOf(
  item: Item,
): { readonly act: Permitted; readonly level: number; readonly why: string | undefined } | undefined {
  const { value, why } = splitWhy(plainWords(item.head));
  const [, who = '', number, verb = ''] =
    /^(l(?:evel )?\s?([0-9]{1,3})(?:\+| and above| or above)?|all(?: agents)?|everybody|everyone|anyone|nobody|no one|no agent)\s+(?:can|may)\s+([a-z]+)/i.exec(
      value,
    ) ?? [];
  const act = acts.find((one) => one === verb.toLowerCase());
  if (act === undefined) return undefined;
  const level = number !== undefined ? Number(number) : /^no/i.test(who) ? nobody : 0;
  return { act, level, why };
}

/** What `### Department Caps` says, before anybody knows which departments there are. */
export interface StatedCaps {
  readonly departments: readonly StatedCap[];
  readonly any: Setting<number> | undefined;
}

interface StatedCap {
  readonly name: string;
  /** The id of the department that would be called so. */
  readonly id: string;
  readonly said: PlacedText;
}

/** `Engineering: max 10 agents`, and `No department can exceed 15 agents without human approval`. */
export function readStatedCaps(items: readonly Item[], notes: OrgNotes): StatedCaps {
  const departments: StatedCap[] = [];
  let any: Setting<number> | undefined;
  for (const item of items) {
    const { place } = item;
    const words = plainWords(item.head);
    const line = keyLineOf(item);
    const most = /^no department (?:can|may) (?:exceed|have more than) ([0-9]{1,9}) agents?/i.exec(words)?.[1];
    if (most !== undefined) any = saidSetting(capOf({ text: most, place }), { text: most, place });
    else if (line !== undefined && /[0-9]/.test(line.value)) {
      const { value: text, why } = splitWhy(line.value);
      const name = plainWords(line.label);
      const said = { text, why, place: { ...place, column: place.column + line.offset } };
      departments.push({ name, id: idFrom(name) ?? '', said });
    } else {
      const what = `no cap is read out of ${shown(words)}: agents only read it`;
      notes.warn(problemAt('org/value', place, what, 'Write - Engineering: max 10 agents'));
    }
  }
  return { departments, any };
}

export const isCap = (item: Item): boolean =>
  /^no department (?:can|may) (?:exceed|have more than) [0-9]/i.test(plainWords(item.head)) ||
  /[0-9]/.test(keyLineOf(item)?.value ?? '');

/** Departments with their caps. One that is over its own, as the file stands, is refused. */
export function giveCaps(
  departments: readonly Omit<Department, 'cap'>[],
  own: ReadonlyMap<string, PlacedText>,
  caps: StatedCaps,
  members: readonly Pick<Member, 'department'>[],
): readonly Department[] {
  refuseUnknown(departments, caps);
  return departments.map((department) => {
    const { id } = department;
    const listed = caps.departments.flatMap((one) => (one.id === id ? [one.said] : []));
    const said = [...[own.get(id)].filter((one) => one !== undefined), ...listed];
    const [first] = said;
    const cap = first === undefined ? undefined : saidSetting(capOf(first), first);
    const other = said.find((one) => capOf(one) !== cap?.value);
    if (other !== undefined) {
      const what = `the cap of ${shown(department.name)} is ${shown(other.text)} here and ${cap?.value} at ${cap?.from}`;
      throw problemAt('org/value', other.place, what, 'Keep one of the two.');
    }
    const size = members.filter((member) => member.department === id).length;
    const most = cap ?? caps.any; // A cap of its own above the one for all is a person's word.
    if (most !== undefined && size > most.value) {
      const what = `${shown(department.name)} has ${size} agents, and ${most.from} allows ${most.value}`;
      throw problemAt(
        'org/structure',
        first?.place ?? department.place,
        what,
        'Lower a Count of it, or raise its cap.',
      );
    }
    return { ...department, cap };
  });
}

function refuseUnknown(departments: readonly Pick<Department, 'id' | 'name'>[], caps: StatedCaps): void {
  const ids = new Set(departments.map(({ id }) => id));
  const unknown = caps.departments.find(({ id }) => !ids.has(id));
  if (unknown === undefined) return;
  const names = departments.map(({ name }) => name);
  const hint = didYouMean(unknown.name, names, 'Name a department of ## Structure, or take the line out.');
  const what = `there is no department ${shown(unknown.name)} to cap`;
  throw problemAt('org/structure', unknown.said.place, what, hint);
}

function capOf(said: PlacedText): number {
  const figure = /^(?:max(?:imum)?\.?|at most|up to|<=|≤)?\s*([0-9]{1,9})(?:\s*agents?)?$/i.exec(
    plainWords(said.text),
  )?.[1];
  const value = Number(figure ?? Number.NaN);
  if (value >= 1 && value <= 1_000) return value;
  const hint = said.key === undefined ? 'Write - Engineering: max 10 agents' : `Write ${said.key}: 10`;
  throw wrongSaid('the cap', said, 'agents from 1 to 1000, such as max 10 agents', hint);
}

/** The cap for all, as a line; each department says its own under its heading. */
export const formatAnyCap = (any: Setting<number>): string =>
  `- No department can exceed ${any.value} agents without human approval`;
