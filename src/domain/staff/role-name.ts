/** `Frontend Workers` as `Frontend Worker`: the name of one of several. */
export function singular(name: string): string {
  const [, before = '', last = ''] = /^(.*?)([\p{L}\p{N}]*)$/su.exec(name) ?? [];
  return before + singularWord(last);
}

/** Words that end in s and are not many of anything. */
const already = /(?:ss|us|is|ics|ops|news|sales|series)$/i;

function singularWord(word: string): string {
  if (word.length < 4 || !/[^s]s$/i.test(word) || already.test(word)) return word;
  if (/[^aeiou]ies$/i.test(word)) return `${word.slice(0, -3)}y`;
  return /(?:ch|sh|ss|x|z)es$/i.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}

/**
 * `Engineering Lead` as `engineering-lead`: what branches, directories and authors can be called. Undefined where a name gives
 * none, or is a path or an option in disguise: somebody who writes `../../etc` should not find an agent called etc.
 */
export function idFrom(name: string): string | undefined {
  const bare = name.replace(/^[^\p{L}\p{N}./~\\-]+/u, '');
  if (/^[-./~\\]|\.\.|\\|\/\//.test(bare)) return undefined;
  const plain = /^[\x20-\x7e]*$/.test(bare) ? bare.toLowerCase() : withoutMarks(bare).toLowerCase();
  // A letter that has no Latin form would be lost without a word, and two names could become one.
  if (/[^\P{L}a-z]/u.test(plain)) return undefined;
  const id = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
  if (id === '') return undefined;
  return /^[a-z]/.test(id) ? id : `agent-${id}`;
}

/** `Süd` as `Sud`. */
const withoutMarks = (name: string): string => name.normalize('NFKD').replace(/\p{Mark}+/gu, '');

/** Whether two people would say that these are the same name. */
export const sameName = (one: string, other: string): boolean => {
  const [a, b] = [idFrom(one), idFrom(other)];
  return a !== undefined && a === b;
};

/** What a role's name says of its level: the highest word counts, except that a junior of anything is a junior. */
export function levelByName(name: string): number | undefined {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const levels = words.map(levelOfWord).filter((level) => level !== undefined);
  const least = Math.min(...levels);
  // Somebody between two readings gets the one with fewer rights.
  return levels.length === 0 ? undefined : least <= juniorLevel ? least : Math.max(...levels);
}

/**
 * Where neither a line nor a word says it: the lead of a department that its own heading opens stands where C-level does,
 * H5 and below are helpers, and everybody else is a worker.
 */
export const levelByDepth = (depth: number, headsDepartment: boolean): number =>
  headsDepartment ? 9 : depth >= 5 ? juniorLevel : 4;

/** From here on a name says that somebody leads. */
export const leadLevel = 7;
const juniorLevel = 2;

const wordsOfLevel: Readonly<Record<number, string>> = {
  10: 'coo cto ceo cfo cio cmo cpo cro cso ciso chief',
  9: 'vp director talent',
  7: 'lead manager',
  6: 'senior principal',
  4: 'worker engineer agent',
  2: 'junior assistant',
  1: 'intern',
};
const levels = new Map(
  Object.entries(wordsOfLevel).flatMap(([level, words]) =>
    words.split(' ').map((word) => [word, Number(level)] as const),
  ),
);

function levelOfWord(word: string): number | undefined {
  const small = word.toLowerCase();
  return levels.get(small) ?? (small.endsWith('s') ? levels.get(small.slice(0, -1)) : undefined);
}
