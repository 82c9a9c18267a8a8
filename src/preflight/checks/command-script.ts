import { tidyPath, whyNoPath } from '../../text/paths.ts';

/** The file of the repository that a command starts, and whether it is started itself or handed to an interpreter. */
export interface Script {
  readonly path: string;
  readonly direct: boolean;
}

/** `node harness/run.mjs`, `./harness/score.sh`, `uv run train.py`; undefined where that cannot be told for certain. */
export function scriptOf(command: string): Script | undefined {
  const words = plainWords(command);
  const [program = ''] = words;
  if (program.includes('/')) return ownFile(program, true);
  const after = scriptAfter(words);
  return after === undefined ? undefined : ownFile(after, false);
}

/** The first words of a command, up to what a shell would read as more than words. */
function plainWords(command: string): readonly string[] {
  const words = command.trim().split(/\s+/);
  const special = words.findIndex((word) => !/^[\w./:@%+,=-]+$/.test(word));
  const plain = special === -1 ? words : words.slice(0, special);
  const first = plain.findIndex((word) => !/^\w+=/.test(word)); // Variables may be set before the command.
  return first === -1 ? [] : plain.slice(first);
}

const interpreters =
  /^(?:node|nodejs|bun|tsx|python(?:[23](?:\.\d+)?)?|sh|bash|dash|zsh|ksh|ruby|perl|php|lua|julia|Rscript)$/;
const starters: readonly (readonly string[])[] = [
  ['uv', 'run'],
  ['deno', 'run'],
  ['npx', 'tsx'],
];

/** The word after the interpreter. One after an option may be the option's value, so nothing is said of that. */
function scriptAfter(words: readonly string[]): string | undefined {
  const starter = starters.find((each) => each.every((word, index) => words[index] === word));
  const rest = starter === undefined ? words : words.slice(starter.length);
  const [first = '', second] = rest;
  if (interpreters.test(first)) return second?.startsWith('-') ? undefined : second;
  return starter !== undefined && /\.\w+$/.test(first) ? first : undefined;
}

function ownFile(word: string, direct: boolean): Script | undefined {
  const path = tidyPath(word);
  return whyNoPath(path) === undefined ? { path, direct } : undefined;
}
