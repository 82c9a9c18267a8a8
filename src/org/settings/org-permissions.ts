import {
  acts,
  type Department,
  type Member,
  type Permissions,
  type Permitted,
  type Setting,
} from '../../domain/staff/charter.ts';
import { idFrom } from '../../domain/staff/role-name.ts';
import { didYouMean, type Place, type Problem, problemAt, shown } from '../../text/problem.ts';
import { keyLineOf, type OrgNotes, type PlacedText, splitWhy } from '../read/org-metadata.ts';
import { splitHeading } from '../read/org-names.ts';
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

/** `**L7+ can create tasks and spawn agents** — leads can grow their team`, an item each. */
export function readPermissions(items: readonly Item[], notes: OrgNotes): Permissions {
  const permissions: Record<Permitted, Setting<number>> = { ...defaultPermissions };
  const rules = items.flatMap((item) => ruleOf(item) ?? noteUnread(item, notes));
  for (const { act, level, why, place } of rules) {
    if (level > 10 && level !== nobody)
      throw problemAt('org/value', place, `L${level} is not a level, expected 1 to 10`, 'Write - L7+ can spawn agents');
    if (act === undefined) continue;
    const before = permissions[act];
    if (isSaid(before)) throw saidTwice(act, before, place);
    permissions[act] = saidSetting(level, { text: '', why, place });
  }
  for (const { also, level, why, place } of rules)
    for (const word of also) {
      const act = actCalled(word);
      const before = act && permissions[act];
      if (act === undefined || before === undefined) noteUnreadWord(word, place, notes);
      else if (!isSaid(before)) permissions[act] = saidSetting(level, { text: '', why, place });
      else if (before.value !== level) notes.refuse(saidTwice(act, before, place));
    }
  return permissions;
}

function saidTwice(act: Permitted, before: Setting<number>, place: Place): Problem {
  return problemAt('org/key', place, `who can ${act} is said twice, first at ${before.from}`, 'Keep one of the two.');
}

/** What is written in bold is meant to hold. */
function noteUnread({ head, place }: Item, notes: OrgNotes): readonly [] {
  const what = `no permission is read out of ${shown(plainWords(head))}: agents only read it`;
  const hint = 'Write - L7+ can spawn agents, or All agents can escalate. For other acts: docs/policies.md.';
  const problem = problemAt('org/value', place, what, hint);
  if (isBold(head)) notes.refuse(problem);
  else notes.warn(problem);
  return [];
}

const isBold = (head: string): boolean => /^(?:\*\*|__)/.test(head);

function noteUnreadWord(words: string, place: Place, notes: OrgNotes): void {
  const what = `no permission is read out of ${shown(words)}, which stands beside others: agents only read it`;
  notes.warn(problemAt('org/value', place, what, `The acts are ${acts.join(', ')}. For others: docs/policies.md.`));
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

/** Who may do something: what the first verb says, and what stands beside it. */
interface PermissionRule {
  readonly act: Permitted | undefined;
  /** Further acts, in words: `approve work`. */
  readonly also: readonly string[];
  readonly level: number;
  readonly why: string | undefined;
  readonly place: Place;
}

function ruleOf({ head, place }: Item): PermissionRule | undefined {
  const { value, why } = splitWhy(plainWords(head));
  const [, who = '', number, what = ''] =
    /^(l(?:evel )?\s?([0-9]{1,3})(?:\+| and above| or above)?|all(?: agents)?|everybody|everyone|anyone|nobody|no one|no agent)\s+(?:can|may)\s+(.{1,200})$/i.exec(
      value,
    ) ?? [];
  const [first = '', ...others] = what.split(/\s*(?:,|;|&|\/|\band\b|\bor\b)\s*/i).filter((one) => one !== '');
  if (actCalled(first) === undefined) return undefined;
  const act = acts.find((one) => one === verbOf(first));
  const level = number !== undefined ? Number(number) : /^no/i.test(who) ? nobody : 0;
  return { act, also: act === undefined ? [first, ...others] : others, level, why, place };
}

const verbOf = (words: string): string => /^(?:(?:can|may) )?([a-z]*)/i.exec(words)?.[1]?.toLowerCase() ?? '';

/** The act that a verb is, by its own name or another. */
function actCalled(words: string): Permitted | undefined {
  const others: Readonly<Record<string, Permitted>> = {
    approve: 'review',
    reject: 'review',
    hire: 'spawn',
    assign: 'delegate',
  };
  const verb = verbOf(words);
  return acts.find((one) => one === verb) ?? (Object.hasOwn(others, verb) ? others[verb] : undefined);
}

/** What `### Department Caps` says, before anybody knows which departments there are. */
export interface StatedCaps {
  readonly departments: readonly StatedCap[];
  readonly any: Setting<number> | undefined;
}

interface StatedCap {
  readonly name: string;
  /** The ids of departments that could be meant, the likeliest first. */
  readonly ids: readonly string[];
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
      departments.push({ name, ids: idsFor(name), said });
    } else {
      const what = `no cap is read out of ${shown(words)}: agents only read it`;
      const problem = problemAt('org/value', place, what, 'Write - Engineering: max 10 agents');
      if (isBold(item.head)) notes.refuse(problem);
      else notes.warn(problem);
    }
  }
  return { departments, any };
}

/** `The Kitchen (Food)` is called so, or `The Kitchen`; so is `The Kitchen — Food`. */
const idsFor = (name: string): readonly string[] =>
  [name, splitHeading(name).name, name.replace(/\s*\([^()]*\)$/, '')].flatMap((words) => idFrom(words) ?? []);

/** `No department can exceed 15 agents`. */
export const isCapOfAll = ({ head }: Item): boolean =>
  /^no department (?:can|may) (?:exceed|have more than) [0-9]/i.test(plainWords(head));

export const isCap = (item: Item): boolean => isCapOfAll(item) || /[0-9]/.test(keyLineOf(item)?.value ?? '');

/** Departments with their caps. One that is over its own, as the file stands, is refused. */
export function giveCaps(
  departments: readonly Omit<Department, 'cap'>[],
  own: ReadonlyMap<string, PlacedText>,
  caps: StatedCaps,
  members: readonly Pick<Member, 'department'>[],
): readonly Department[] {
  const ids = new Set(departments.map(({ id }) => id));
  const capped = caps.departments.map((cap) => ({ ...cap, id: cap.ids.find((id) => ids.has(id)) }));
  const unknown = capped.find(({ id }) => id === undefined);
  if (unknown !== undefined) throw noSuchDepartment(unknown, departments);
  return departments.map((department) => {
    const { id } = department;
    const listed = capped.flatMap((one) => (one.id === id ? [one.said] : []));
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

function noSuchDepartment({ name, said }: StatedCap, departments: readonly Pick<Department, 'name'>[]): Problem {
  const names = departments.map((one) => one.name);
  const hint = didYouMean(name, names, 'Name a department of ## Structure, or take the line out.');
  return problemAt('org/structure', said.place, `there is no department ${shown(name)} to cap`, hint);
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
