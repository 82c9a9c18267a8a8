/** The known name that a person most likely meant, or undefined when none is close. */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  const wanted = plain(word);
  if (wanted.length === 0 || wanted.length > 64) return undefined;
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of names) {
    const distance = distanceBetween(wanted, plain(name));
    if (distance <= Math.max(1, Math.floor(name.length / 3)) && (best === undefined || distance < best.distance)) {
      best = { name, distance };
    }
  }
  return best?.name;
}

/** The hint that names it, or another where none is close. */
export function didYouMean(word: string, names: readonly string[], otherwise: string): string {
  const near = nearestName(word, names);
  return near === undefined ? otherwise : `Did you mean ${near}?`;
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Edits to turn one word into the other; two neighbouring letters changing places count as one. */
function distanceBetween(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY;
