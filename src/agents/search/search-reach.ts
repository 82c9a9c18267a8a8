import { findSites, isPlainText, type SandboxFile } from './search-sites.ts';

/** What the search agent can change in a sandbox. */
export interface SearchReach {
  readonly numbers: number;
  /** Operators, and words such as true or false. */
  readonly choices: number;
  /** The files with something to change, and the first and the last line of it. */
  readonly files: readonly { readonly file: string; readonly from: number; readonly to: number }[];
  /** True where all of it are numbers in sentences: they say something to a reader, and seldom move a score. */
  readonly isProse: boolean;
  /** `3 numbers in prompt.txt:3-4`; `41 numbers and 2 choices in 7 files, such as a.py:3-90`. */
  readonly words: string;
}

export function reachOf(files: readonly SandboxFile[]): SearchReach {
  const found = files
    .map(({ path, text }) => ({ path, text, sites: findSites(path, text) }))
    .filter(({ sites }) => sites.length > 0);
  const all = found.flatMap(({ sites }) => sites);
  const choices = all.filter(({ kind }) => kind === 'choice').length;
  const where = found.map(({ path, sites }) => ({
    file: path,
    from: sites[0]?.line ?? 0,
    to: sites.at(-1)?.line ?? 0,
  }));
  const reach = { numbers: all.length - choices, choices, files: where };
  return {
    ...reach,
    isProse: found.length > 0 && found.every(({ path, text, sites }) => isProse(path, text, sites.length)),
    words: reachInWords(reach),
  };
}

/** Of twenty words in a text fewer than two are something to change. */
function isProse(path: string, text: string, sites: number): boolean {
  const words = text.match(/[A-Za-z\u0080-\u00ff]{2,}/g)?.length ?? 0;
  return isPlainText(path) && words >= 20 && sites < words / 10;
}

/** More files than these are counted. */
const mostFiles = 3;

function reachInWords({ numbers, choices, files }: Pick<SearchReach, 'numbers' | 'choices' | 'files'>): string {
  const what = [
    ...(numbers === 0 ? [] : [`${numbers} number${numbers === 1 ? '' : 's'}`]),
    ...(choices === 0 ? [] : [`${choices} choice${choices === 1 ? '' : 's'}`]),
  ];
  const where = files.map(({ file, from, to }) => `${file}:${from}${from === to ? '' : `-${to}`}`);
  const place = files.length > mostFiles ? `${files.length} files, such as ${where[0]}` : where.join(', ');
  return files.length === 0 ? 'nothing' : `${what.join(' and ')} in ${place}`;
}
