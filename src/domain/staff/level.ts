/** What a role's name says of its level: the highest word counts, except that a junior of anything is a junior. */
export function levelByName(name: string): number | undefined {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const levels = words.map(levelOfWord).filter((level) => level !== undefined);
  const least = Math.min(...levels);
  // Somebody between two readings gets the one with fewer rights.
  return levels.length === 0 ? undefined : least <= juniorLevel ? least : Math.max(...levels);
}

/**
 * Where neither a line nor a word says it: who leads the department that its own heading opens stands where C-level does,
 * H5 and below are helpers, and everybody else is a worker.
 */
export const levelByDepth = (depth: number, headsDepartment: boolean): number =>
  headsDepartment ? 9 : depth >= 5 ? juniorLevel : 4;

/** From here on a name says that somebody leads. */
export const leadLevel = 7;
const juniorLevel = 2;

const levels: ReadonlyMap<string, number> = new Map([
  ...(['coo', 'cto', 'ceo', 'cfo', 'cio', 'cmo', 'cpo', 'cro', 'cso', 'ciso', 'chief'].map((word) => [word, 10]) as [
    string,
    number,
  ][]),
  ['vp', 9],
  ['director', 9],
  ['talent', 9],
  ['lead', 7],
  ['manager', 7],
  ['senior', 6],
  ['principal', 6],
  ['worker', 4],
  ['engineer', 4],
  ['agent', 4],
  ['junior', 2],
  ['assistant', 2],
  ['intern', 1],
]);

function levelOfWord(word: string): number | undefined {
  const small = word.toLowerCase();
  return levels.get(small) ?? (small.endsWith('s') ? levels.get(small.slice(0, -1)) : undefined);
}
