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
import { fromPlace, keyLineOf, type OrgNotes, type PlacedText, splitWhy } from '../read/org-metadata.ts';
import { type Item, plainWords } from '../read/org-sections.ts';
import { wrongSaid } from '../read/org-values.ts';
import { isSaid, saidSetting } from './org-settings.ts';

/** As the specification's table of levels has it, and as its own example says of creating. */
export const defaultPermissions: Permissions = {
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
  const found = new Map<Permitted, Setting<number>>();
  for (const item of items) {
    const place = { file: notes.file, line: item.line, column: item.column };
    const rule = ruleOf(item);
    if (rule === undefined) {
      const what = `no permission is read out of ${shown(plainWords(item.head))}: agents are told of it`;
      notes.warn(problemAt('org/value', place, what, 'Write - L7+ can spawn agents, or All agents can escalate.'));
      continue;
    }
    const { act, level, why } = rule;
    if (level > 10 && level !== nobody)
      throw problemAt('org/value', place, `L${level} is no level, expected 1 to 10`, 'Write - L7+ can spawn agents');
    const before = found.get(act);
    if (before !== undefined)
      throw problemAt(
        'org/key',
        place,
        `who can ${act} is said twice, first at ${before.from}`,
        'Keep one of the two.',
      );
    found.set(act, { value: level, ...(why === undefined ? {} : { why }), from: fromPlace(place) });
  }
  const of = (act: Permitted): Setting<number> => found.get(act) ?? defaultPermissions[act];
  return {
    create: of('create'),
    spawn: of('spawn'),
    review: of('review'),
    delegate: of('delegate'),
    escalate: of('escalate'),
  };
}

export const isPermission = (item: Item): boolean => ruleOf(item) !== undefined;

const objects: Readonly<Record<Permitted, string>> = {
  create: 'create tasks',
  spawn: 'spawn agents',
  review: 'review',
  delegate: 'delegate',
  escalate: 'escalate',
};

export const formatPermissions = (permissions: Permissions): readonly string[] =>
  acts
    .filter((act) => isSaid(permissions[act]))
    .map((act) => {
      const { value, why } = permissions[act];
      const who = value === 0 ? 'All agents' : value === nobody ? 'Nobody' : `L${value}+`;
      return `- **${who} can ${objects[act]}**${why === undefined ? '' : ` — ${why}`}`;
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
  readonly departments: readonly { readonly name: string; readonly said: PlacedText }[];
  readonly any: Setting<number> | undefined;
}

export const noCaps: StatedCaps = { departments: [], any: undefined };

/** `Engineering: max 10 agents`, and `No department can exceed 15 agents without human approval`. */
export function readStatedCaps(items: readonly Item[], notes: OrgNotes): StatedCaps {
  const departments: { readonly name: string; readonly said: PlacedText }[] = [];
  let any: Setting<number> | undefined;
  for (const item of items) {
    const place = { file: notes.file, line: item.line, column: item.column };
    const words = plainWords(item.head);
    const line = keyLineOf(item);
    const most = /^no department (?:can|may) (?:exceed|have more than) ([0-9]{1,9}) agents?/i.exec(words)?.[1];
    if (most !== undefined) any = saidSetting(capOf({ text: most, place }), { text: most, place });
    else if (line !== undefined && /[0-9]/.test(line.value)) {
      const { value, why } = splitWhy(line.value);
      const at = { ...place, column: item.column + line.offset };
      departments.push({
        name: plainWords(line.label),
        said: { text: value, ...(why === undefined ? {} : { why }), place: at },
      });
    } else {
      const what = `no cap is read out of ${shown(words)}: agents are told of it`;
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
  const listed = new Map<string, PlacedText[]>();
  for (const { name, said } of caps.departments) {
    const id = idFrom(name) ?? '';
    const others = listed.get(id);
    if (others === undefined) listed.set(id, [said]);
    else others.push(said);
  }
  const sizes = new Map<string, number>();
  for (const { department } of members)
    if (department !== undefined) sizes.set(department, (sizes.get(department) ?? 0) + 1);
  return departments.map((department) => {
    const said = [...[own.get(department.id)].filter((one) => one !== undefined), ...(listed.get(department.id) ?? [])];
    const [first] = said;
    const cap = first === undefined ? undefined : saidSetting(capOf(first), first);
    const other = said.find((one) => capOf(one) !== cap?.value);
    if (other !== undefined) {
      const what = `the cap of ${shown(department.name)} is ${shown(other.text)} here and ${cap?.value} at ${cap?.from}`;
      throw problemAt('org/value', other.place, what, 'Keep one of the two.');
    }
    refuseOver(department, sizes.get(department.id) ?? 0, cap, first, caps.any);
    return { ...department, cap };
  });
}

function refuseOver(
  department: Omit<Department, 'cap'>,
  size: number,
  cap: Setting<number> | undefined,
  said: PlacedText | undefined,
  any: Setting<number> | undefined,
): void {
  const most = cap ?? any; // A cap of its own above the one for all is a person's word.
  if (most === undefined || size <= most.value) return;
  const what = `${shown(department.name)} has ${size} agents, and ${most.from} allows ${most.value}`;
  throw problemAt('org/structure', said?.place ?? department.place, what, 'Lower a Count of it, or raise its cap.');
}

function refuseUnknown(departments: readonly { readonly id: string; readonly name: string }[], caps: StatedCaps): void {
  const ids = new Set(departments.map(({ id }) => id));
  for (const { name, said } of caps.departments) {
    if (ids.has(idFrom(name) ?? '')) continue;
    const names = departments.map((department) => department.name);
    const hint = didYouMean(name, names, 'Name a department of ## Structure, or take the line out.');
    throw problemAt('org/structure', said.place, `there is no department ${shown(name)} to cap`, hint);
  }
}

function capOf(said: PlacedText): number {
  const figure = /^(?:max(?:imum)?\.?|at most|up to|<=|≤)?\s*([0-9]{1,9})(?:\s*agents?)?$/i.exec(
    plainWords(said.text),
  )?.[1];
  const value = Number(figure ?? Number.NaN);
  if (value >= 1 && value <= 1_000) return value;
  throw wrongSaid(
    'the cap',
    said,
    'agents from 1 to 1000, such as max 10 agents',
    said.key === undefined ? 'Write - Engineering: max 10 agents' : `Write ${said.key}: 10`,
  );
}

/** The cap for all, as a line; each department says its own under its heading. */
export const formatAnyCap = (any: Setting<number>): string =>
  `- No department can exceed ${any.value} agents without human approval`;
