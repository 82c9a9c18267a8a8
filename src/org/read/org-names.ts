import type { Person } from '../../domain/staff/charter.ts';
import { idFrom, sameName, singular } from '../../domain/staff/role-name.ts';
import { isAgentName, isTaken } from '../../domain/staff/staff.ts';
import { firstUnclean, type Place, problemAt, shown } from '../../text/problem.ts';
import { inYaml, type PlacedText, refuseTwin } from './org-metadata.ts';
import { plainWords } from './org-sections.ts';
import type { ChartDraft, PartDraft, RoleDraft } from './org-structure.ts';
import { readWholeSaid, readYesNo, splitList } from './org-values.ts';

/** More of one role than this are a slip of the hand. */
const maxCount = 100;
const maxName = 80;

/** One of the agents of a role: `Frontend Worker 2`. */
export interface Named {
  readonly draft: RoleDraft;
  readonly id: string;
  readonly name: string;
  readonly index: number;
  readonly count: number;
}

/** The agents of a role. With a `Count`, be it 1, they are numbered: raising it later renames nobody. */
export function namesOfRole(draft: RoleDraft): readonly Named[] {
  const said = draft.said.get('count');
  if (said === undefined) return [{ draft, ...named(draft, ''), index: 1, count: 1 }];
  const count = readWholeSaid(said, 'Count', 1, maxCount);
  return Array.from({ length: count }, (_, at) => ({ draft, ...named(draft, ` ${at + 1}`), index: at + 1, count }));
}

function named({ name, place, said }: RoleDraft, number: string): Pick<Named, 'id' | 'name'> {
  const one = said.has('count') ? singular(name) : name;
  const usual = idOf(one, place, said.get('id'));
  const whole = `${usual}${number.replace(' ', '-')}`;
  if (!isAgentName(whole) || isTaken(whole)) {
    const what = `${shown(name)} would have the id ${shown(whole)}, ${why(whole)}`;
    throw problemAt('org/structure', said.get('id')?.place ?? place, what, askIn(place));
  }
  return { id: whole, name: `${one}${number}` };
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

/** Somebody runs orgrepo, also where a file names nobody. */
export const somebody = (file: string): Person => ({
  id: 'human-principal',
  name: 'Human Principal',
  approves: ['*'],
  mayPause: true,
  addresses: [],
  context: '',
  place: { file, line: 1, column: 1 },
});

const maxPeople = 100;

/** The people of an org: those with a heading, those that somebody reports to, and always one. */
export function readPeople({ people, roles }: ChartDraft, file: string): readonly Person[] {
  const found: Person[] = [];
  for (const person of people) {
    const one = personOf(person);
    if (found.length >= maxPeople)
      throw problemAt('org/structure', one.place, `these are more than ${maxPeople} people`, 'Name those who decide.');
    refuseTwin(shown(one.name), found.find(({ id }) => id === one.id)?.place, one.place, 'Keep one of the two.');
    found.push(one);
  }
  for (const { said } of roles) {
    const reportsTo = said.get('reports_to');
    const words = plainWords(reportsTo?.text ?? '');
    if (reportsTo === undefined || !isPersonName(words) || personIn(found, words) !== undefined) continue;
    const name = personName(words);
    found.push({ ...somebody(file), id: idOf(name, reportsTo.place), name, place: reportsTo.place });
  }
  return found.length === 0 ? [somebody(file)] : found;
}

/** Whether these words name a person: `Human Principal`, `Alice (Human)`. */
export const isPersonName = (words: string): boolean =>
  /\bhuman principal\b|\(\s*human\b|^(?:the )?human$/i.test(words);

/** `Me (Human Principal)` is called Me. */
export function personName(words: string): string {
  const bare = words
    .slice(0, 300)
    .replace(/\s*\([^()]*\bhuman\b[^()]*\)/gi, '')
    .trim();
  return bare === '' || /^(?:the )?human(?: principal)?$/i.test(bare) ? 'Human Principal' : bare;
}

/** The person that these words mean; `Human Principal` alone means the first. */
export function personIn(people: readonly Person[], words: string): Person | undefined {
  const named = people.find(({ name, id }) => sameName(name, personName(words)) || id === words);
  return named ?? (isPersonName(words) && personName(words) === 'Human Principal' ? people[0] : undefined);
}

function personOf({ name, place, said, context }: PartDraft): Person {
  const [approves, mayPause, addresses] = ['approves', 'may_pause', 'git'].map((key) => said.get(key));
  const acts = approves === undefined ? ['*'] : splitList(plainWords(approves.text));
  return {
    id: idOf(name, place, said.get('id')),
    name,
    approves: acts.map((one) => (/^(?:everything|all|\*)$/i.test(one) ? '*' : one)),
    mayPause: mayPause === undefined || readYesNo(mayPause, 'Can pause'),
    addresses: addresses === undefined ? [] : readAddresses(addresses),
    context,
    place,
  };
}

/** `ada@example.org, ada@home.example`: as git has them. */
function readAddresses({ text, place }: PlacedText): readonly string[] {
  const found = splitList(plainWords(text)).map((one) => one.replace(/^<|>$/g, '').toLowerCase());
  const wrong = found.length === 0 ? '' : found.find((one) => !/^[^\s@<>]+@[^\s@<>]+$/.test(one));
  if (wrong === undefined) return found;
  throw problemAt(
    'org/value',
    place,
    `Git is ${shown(wrong || text)}, expected addresses`,
    'Write what `git config user.email` prints: - **Git:** ada@example.org',
  );
}
