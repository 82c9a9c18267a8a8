import type { Person } from '../../domain/staff/charter.ts';
import { idFrom, singular } from '../../domain/staff/role-name.ts';
import { isAgentName, isTaken } from '../../domain/staff/staff.ts';
import { firstUnclean, type Place, problemAt, shown } from '../../text/problem.ts';
import { randomFrom } from '../../text/random.ts';
import { inYaml, type PlacedText, paragraphs } from './org-metadata.ts';
import type { PartDraft, RoleDraft } from './org-structure.ts';
import { readWholeSaid } from './org-values.ts';

/** More of one role than this are a slip of the hand. */
const maxCount = 100;
const maxName = 200;

/** A heading of the form `Mr. Krabs — Owner`. */
export interface TitledHeading {
  readonly whole: string;
  /** `Owner`. */
  readonly title: string;
}

/** A heading's name, and its title where it has one: after a dash with blanks around it, long or short. */
export function splitHeading(words: string): Pick<PartDraft, 'name' | 'heading'> {
  const [, name = '', title = ''] = /^(\S.*?)\s+(?:—|–|--?)\s+(\S.*)$/u.exec(words) ?? [];
  return idFrom(name) === undefined ? { name: words } : { name, heading: { whole: words, title } };
}

/**
 * Headings that share their first part, such as `Engineer — Backend` and `Engineer — Frontend`: there the name is all of it.
 * `others` are the ids of whom else there is.
 */
export function sharedHeadings<Draft extends PartDraft>(
  drafts: readonly Draft[],
  others: readonly string[] = [],
): ReadonlySet<Draft> {
  const counts = new Map<string | undefined, number>(others.map((id) => [id, 1]));
  for (const draft of drafts) counts.set(bareId(draft), (counts.get(bareId(draft)) ?? 0) + 1);
  return new Set(drafts.filter((draft) => draft.heading !== undefined && (counts.get(bareId(draft)) ?? 0) > 1));
}

const bareId = ({ name, said }: PartDraft): string | undefined => idFrom(said.has('count') ? singular(name) : name);

/** One of the agents of a role: `Frontend Worker 2`. */
export interface Named {
  readonly draft: RoleDraft;
  readonly id: string;
  readonly name: string;
  /** The role's name, its own title and its context, which begins with that. */
  readonly role: string;
  readonly context: string;
  readonly index: number;
  readonly count: number;
}

/** The agents of all roles, in their order. With a `Count`, be it 1, they are numbered: raising it later renames nobody. */
export function* namesOfRoles(roles: readonly RoleDraft[], people: readonly Pick<Person, 'id'>[]): Generator<Named> {
  const shared = sharedHeadings(
    roles,
    people.map(({ id }) => id),
  );
  const called = new Map(roles.map((draft) => [draft, callDraft(draft, shared.has(draft))] as const));
  const ids = idsOfRoles(called);
  for (const [draft, { name: role, context }] of called) {
    const said = draft.said.get('count');
    const count = said === undefined ? 1 : readWholeSaid(said, 'Count', 1, maxCount);
    for (let index = 1; index <= count; index++) {
      const [name, number] = said === undefined ? [role, ''] : [`${singular(role)} ${index}`, `-${index}`];
      const id = `${ids.get(draft) ?? ''}${number}`;
      refuseUnfitId(draft, id);
      yield { draft, id, name, role, context, index, count };
    }
  }
}

/** What somebody is called, and what agents read: the title first. An id that is that of the whole heading says that it is the name. */
export function callDraft(draft: PartDraft, isShared: boolean): Pick<PartDraft, 'name' | 'context'> {
  const { name, heading, context } = draft;
  if (heading === undefined) return { name, context };
  if (isShared || hasIdOfWhole(draft, heading)) return { name: heading.whole, context };
  return { name, context: paragraphs(heading.title, context) };
}

function hasIdOfWhole({ name, said }: PartDraft, { whole }: TitledHeading): boolean {
  const given = said.get('id')?.text.replaceAll('`', '').trim();
  if (given === undefined || !given.startsWith(`${idFrom(name)}-`)) return false;
  const id = idFrom(said.has('count') ? singular(whole) : whole) ?? '';
  return id.startsWith(given) || id.startsWith(given.replace(/-[a-z0-9]{4}$/, '-'));
}

/** The id of each role, without a number. A long one is shortened; where that makes it another's, it gets signs of its own. */
function idsOfRoles(called: ReadonlyMap<RoleDraft, Pick<PartDraft, 'name'>>): ReadonlyMap<RoleDraft, string> {
  const ids = [...called].map(([draft, { name }]) => {
    const isCounted = draft.said.has('count');
    const given = draft.said.get('id');
    const id = idOf(isCounted ? singular(name) : name, draft.place, given);
    const most = given === undefined ? (isCounted ? 28 : 32) : id.length;
    return { draft, id, most, short: shorten(id, most) };
  });
  const roles = new Map<string, number>();
  for (const { short } of ids) roles.set(unnumbered(short), (roles.get(unnumbered(short)) ?? 0) + 1);
  return new Map(
    ids.map(({ draft, id, most, short }) => {
      const isAlone = id === short || roles.get(unnumbered(short)) === 1;
      return [draft, isAlone ? short : `${shorten(id, most - 5)}-${signsOf(id)}`] as const;
    }),
  );
}

const unnumbered = (id: string): string => id.replace(/-[0-9]+$/, '');

/** At most so many characters, and where that leaves half of them, no part of a word. */
function shorten(id: string, most: number): string {
  if (id.length <= most) return id;
  const cut = id.slice(0, most);
  const words = id[most] === '-' ? cut : cut.replace(/-[^-]*$/, '');
  return (words.length * 2 >= most ? words : cut).replace(/-$/, '');
}

/** Four signs that follow from a text alone. */
const signsOf = (text: string): string =>
  randomFrom(text)
    .below(36 ** 4)
    .toString(36)
    .padStart(4, '0');

function refuseUnfitId({ name, place, said }: RoleDraft, id: string): void {
  if (isAgentName(id) && !isTaken(id)) return;
  const what = `${shown(name)} would have the id ${shown(id)}, ${why(id)}`;
  throw problemAt('org/structure', said.get('id')?.place ?? place, what, askIn(place));
}

const askIn = (place: Place): string =>
  `Give it one of at most 28 small letters, digits and dashes: ${inYaml(place) ? 'id: web-lead' : '- **Id:** web-lead'}`;

const why = (id: string): string =>
  isTaken(id)
    ? 'which is what people, their benches or orgrepo itself are called'
    : `expected at most 32 letters, digits and dashes, not ${id.length}`;

/** The id that a line gives, or else the one that the name does. */
export function idOf(name: string, place: Place, given?: PlacedText | undefined, hint = askIn(place)): string {
  refuseName(name, place);
  if (given !== undefined) {
    const id = given.text.replaceAll('`', '').trim();
    if (isAgentName(id) && !/-$|--/.test(id)) return id;
    throw problemAt('org/value', given.place, `Id is ${shown(id)}, expected letters, digits and dashes`, hint);
  }
  const id = idFrom(name);
  if (id !== undefined) return id;
  const found = name === '' ? 'a heading without a name' : shown(name);
  throw problemAt('org/structure', place, `${found} gives no id that a branch or a directory can have`, hint);
}

function refuseName(name: string, place: Place): void {
  const wrong = (what: string, hint: string) => problemAt('org/structure', place, `${shown(name)} ${what}`, hint);
  const unclean = firstUnclean(name);
  if (unclean !== undefined) throw wrong(`holds ${unclean}, which no name may`, 'Take that character out.');
  if (name.length > maxName) throw wrong(`has ${name.length} characters, expected at most ${maxName}`, 'Shorten it.');
}
