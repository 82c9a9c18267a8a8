import type { Person } from '../../domain/staff/charter.ts';
import { sameName } from '../../domain/staff/role-name.ts';
import { problemAt, shown } from '../../text/problem.ts';
import { type PlacedText, paragraphs, refuseTwin } from './org-metadata.ts';
import { idOf, splitHeading } from './org-names.ts';
import { plainWords } from './org-sections.ts';
import type { ChartDraft, PartDraft } from './org-structure.ts';
import { readYesNo, splitList } from './org-values.ts';

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
    const { name } = personHeading(words, '');
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

/** A person's heading, which may have a title too: `Ada — Founder (Human)`. */
export function personHeading(words: string, context: string): Pick<PartDraft, 'name' | 'context' | 'heading'> {
  const { name, heading } = splitHeading(words);
  if (heading === undefined) return { name: personName(words), context, heading };
  const [called, title] = [personName(name), personName(heading.title)];
  const isAlone = title === 'Human Principal';
  if (called === 'Human Principal' && !isAlone) return { name: title, context, heading: undefined };
  return { name: called, context: isAlone ? context : paragraphs(title, context), heading: undefined };
}

/** The person that these words mean; `Human Principal` alone means the first. */
export function personIn(people: readonly Person[], words: string): Person | undefined {
  const named = people.find(({ name, id }) => sameName(name, personHeading(words, '').name) || id === words);
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
