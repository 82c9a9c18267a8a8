import type { Department, Member, Setting } from '../../domain/staff/charter.ts';
import { idFrom } from '../../domain/staff/role-name.ts';
import { shown } from '../../text/clean.ts';
import { didYouMean, problemAt } from '../../text/problem.ts';
import { keyLineOf, type OrgNotes, type PlacedText, splitWhy } from '../read/org-metadata.ts';
import { type Item, plainWords } from '../read/org-sections.ts';
import { wrongSaid } from '../read/org-values.ts';
import { saidSetting } from './org-settings.ts';

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
