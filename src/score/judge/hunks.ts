/** A run of lines that differs between two texts: lines `from` to `to` of the one stand for those of the other. */
export interface Hunk {
  readonly before: { readonly from: number; readonly to: number };
  readonly after: { readonly from: number; readonly to: number };
}

/** Texts that differ in more places than this are taken as one change: nobody takes that apart line by line. */
const mostEdits = 2_000;

/** Lines with their ends, so that a last line without one is a line of its own kind. */
export const hunkLines = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** Where two texts differ, in order: by a shortest script of edits, each unbroken run of which is a hunk. */
export function hunksBetween(before: readonly string[], after: readonly string[]): readonly Hunk[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let [b, a] = [before.length, after.length];
  while (b > start && a > start && before[b - 1] === after[a - 1]) {
    b--;
    a--;
  }
  if (b === start && a === start) return [];
  const same = commonLines(before.slice(start, b), after.slice(start, a));
  const hunks: Hunk[] = [];
  let [nextBefore, nextAfter] = [start, start];
  for (const [x, y] of [...same.map(([x, y]) => [x + start, y + start] as const), [b, a] as const]) {
    if (x > nextBefore || y > nextAfter)
      hunks.push({ before: { from: nextBefore, to: x }, after: { from: nextAfter, to: y } });
    [nextBefore, nextAfter] = [x + 1, y + 1];
  }
  return hunks;
}

/** The later text with one hunk left as it was before. */
export const withoutHunk = (before: readonly string[], after: readonly string[], hunk: Hunk): string =>
  [
    ...after.slice(0, hunk.after.from),
    ...before.slice(hunk.before.from, hunk.before.to),
    ...after.slice(hunk.after.to),
  ].join('');

/** Pairs of equal lines that a shortest edit script leaves alone, by the greedy algorithm of Myers. */
function commonLines(a: readonly string[], b: readonly string[]): readonly (readonly [number, number])[] {
  const reach = new Map<number, number>([[1, 0]]);
  const history: ReadonlyMap<number, number>[] = [];
  for (let edits = 0; edits <= Math.min(a.length + b.length, mostEdits); edits++) {
    history.push(new Map(reach));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const down = diagonal === -edits || (diagonal !== edits && at(reach, diagonal - 1) < at(reach, diagonal + 1));
      let x = down ? at(reach, diagonal + 1) : at(reach, diagonal - 1) + 1;
      let y = x - diagonal;
      while (x < a.length && y < b.length && a[x] === b[y]) {
        x++;
        y++;
      }
      reach.set(diagonal, x);
      if (x >= a.length && y >= b.length) return traceBack(history, a.length, b.length);
    }
  }
  return [];
}

function traceBack(history: readonly ReadonlyMap<number, number>[], endA: number, endB: number) {
  const same: (readonly [number, number])[] = [];
  let [x, y] = [endA, endB];
  for (let edits = history.length - 1; edits >= 0; edits--) {
    const reach = history[edits] as ReadonlyMap<number, number>;
    const diagonal = x - y;
    const down = diagonal === -edits || (diagonal !== edits && at(reach, diagonal - 1) < at(reach, diagonal + 1));
    const from = down ? diagonal + 1 : diagonal - 1;
    const [startX, startY] = [at(reach, from), at(reach, from) - from];
    const [slideX, slideY] = edits === 0 ? [0, 0] : down ? [startX, startY + 1] : [startX + 1, startY];
    while (x > slideX && y > slideY) {
      x--;
      y--;
      same.push([x, y]);
    }
    [x, y] = [startX, startY];
  }
  return same.reverse();
}

const at = (reach: ReadonlyMap<number, number>, diagonal: number): number => reach.get(diagonal) ?? -1;
