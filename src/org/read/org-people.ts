import type { Person } from '../../domain/staff/charter.ts';
import { sameName } from '../../domain/staff/role-name.ts';
import { shown } from '../../text/clean.ts';
import { problemAt } from '../../text/problem-at.ts';
import { idOf } from './org-names.ts';
import { plainWords } from './org-sections.ts';
import { type ChartDraft, isPersonName, type PersonDraft, personName } from './org-structure.ts';
import { readYesNo, splitList } from './org-values.ts';

/** Somebody runs orgrepo, also where a file names nobody. */
export const somebody = (file: string): Person => ({
  id: 'human-principal',
  name: 'Human Principal',
  approves: ['*'],
  mayPause: true,
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
    const before = found.find(({ id }) => id === one.id);
    if (before !== undefined) {
      const what = `${shown(one.name)} is there twice, first on line ${before.place.line ?? 1}`;
      throw problemAt('org/structure', one.place, what, 'Keep one of the two.');
    }
    found.push(one);
  }
  for (const { reportsTo } of roles) {
    const words = plainWords(reportsTo?.text ?? '');
    if (reportsTo === undefined || !isPersonName(words) || personIn(found, words) !== undefined) continue;
    const name = personName(words);
    found.push({ ...somebody(file), id: idOf(name, reportsTo.place), name, place: reportsTo.place });
  }
  return found.length === 0 ? [somebody(file)] : found;
}

/** The person that these words mean; `Human Principal` alone means the first. */
export function personIn(people: readonly Person[], words: string): Person | undefined {
  const named = people.find(({ name, id }) => sameName(name, personName(words)) || id === words);
  return named ?? (isPersonName(words) && personName(words) === 'Human Principal' ? people[0] : undefined);
}

function personOf(draft: PersonDraft): Person {
  const approves = draft.approves === undefined ? ['*'] : splitList(plainWords(draft.approves.text));
  return {
    id: idOf(draft.name, draft.place, draft.id),
    name: draft.name,
    approves: approves.map((one) => (/^(?:everything|all|\*)$/i.test(one) ? '*' : one)),
    mayPause: draft.mayPause === undefined || readYesNo('Can pause', draft.mayPause),
    context: draft.context,
    place: draft.place,
  };
}
