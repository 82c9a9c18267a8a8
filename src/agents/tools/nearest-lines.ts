/** The lines of a file that are most like a piece that an edit did not find there, or found several times, with their numbers. */
export function nearestLines(content: string, piece: string): string {
  const lines = content.split('\n');
  const wanted = piece.replace(/^(\s*\n)+|\s+$/g, '').split('\n');
  if (piece.trim() === '') return '';
  const starts = content.includes(piece) ? startsOf(content, piece) : [mostAlike(lines, wanted.slice(0, mostCompared))];
  return starts
    .slice(0, mostPlaces)
    .flatMap((start) => {
      if (start === undefined) return [];
      const from = Math.max(0, start - 1);
      const to = Math.min(lines.length, start + Math.min(wanted.length, mostCompared) + 1);
      return lines.slice(from, to).map((line, at) => `${from + at + 1}\t${line.slice(0, longestLine)}`);
    })
    .join('\n')
    .slice(0, mostText);
}

const mostPlaces = 5;
const mostText = 4_000;
const mostCompared = 8;
const longestLine = 300;
/** A longer file is looked at up to here. */
const mostLines = 20_000;

/** The indexes of the lines in which a piece begins. */
function startsOf(content: string, piece: string): number[] {
  const starts = new Set<number>();
  for (let at = content.indexOf(piece); at >= 0 && starts.size < mostPlaces; at = content.indexOf(piece, at + 1))
    starts.add(content.slice(0, at).split('\n').length - 1);
  return [...starts];
}

/** The line from which on most words are those of the piece; undefined where hardly any are. */
function mostAlike(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const [have, want] = [lines.slice(0, mostLines), wanted].map((all) => all.map(wordsIn));
  let [best, most] = [undefined as number | undefined, 0.3 * wanted.length];
  for (let start = 0; start < (have?.length ?? 0); start++) {
    const alike = (want ?? []).reduce((sum, words, at) => sum + likeness(words, have?.[start + at]), 0);
    if (alike > most) [best, most] = [start, alike];
  }
  return best;
}

const wordsIn = (line: string): ReadonlySet<string> =>
  new Set(line.slice(0, longestLine).match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []);

/** The share of words that two lines have in common. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string> | undefined): number {
  if (b === undefined || a.size + b.size === 0) return 0;
  let common = 0;
  for (const word of a) if (b.has(word)) common += 1;
  return (2 * common) / (a.size + b.size);
}
