import { type Command, commonOptions, dashed } from './command.ts';
import { offerForOption, offersForWords, type WordOffer } from './offers.ts';

/** What could stand in the place of the last word of a line. */
export interface LineToComplete {
  /** Where orgrepo would work: what `-C` says. */
  readonly dir: string | undefined;
  /** What all words to offer begin with; a shell puts it before each of them. */
  readonly prefix: string;
  /** What the rest of the word begins with so far. */
  readonly typed: string;
  readonly offers: readonly WordOffer[];
  /** Options, each with what it does. */
  readonly options: ReadonlyMap<string, string>;
  /** Words that stand on the line already. */
  readonly used: ReadonlySet<string>;
}

/** Reads a line as it stands before the cursor, without the name of the program. The last word may be empty. */
export async function readTypedLine(
  line: readonly string[],
  find: (verb: string) => (() => Promise<Command>) | undefined,
): Promise<LineToComplete> {
  const all = joinEquals(line);
  const [words, current] = [all.slice(0, -1), all.at(-1) ?? ''];
  const at = words.findIndex((word, index) => !word.startsWith('-') && words[index - 1] !== '-C');
  const load = at === -1 ? undefined : find(words[at] ?? '');
  const command = await load?.();
  const known = { ...command?.options, ...commonOptions };
  const directory = words.findIndex((word) => /^-C/.test(word));
  const dir = directory === -1 ? undefined : words[directory]?.slice(2) || words[directory + 1];
  const wanted = { dir, prefix: '', typed: current, offers: [], options: new Map(), used: new Set(words) };
  const verb = command ?? { name: '' };
  const takesValue = (word: string): string | undefined => {
    const name = word.replace(/^--?/, '');
    return word.startsWith('-') && known[name]?.type === 'string' && dashed(name) === word ? name : undefined;
  };
  const before = takesValue(words.at(-1) ?? '');
  if (before !== undefined) return { ...wanted, offers: [offerForOption(verb, before)] };
  const [, option, typed = ''] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
  const assigned = option === undefined ? undefined : takesValue(option);
  if (assigned !== undefined) {
    return { ...wanted, prefix: `${option}=`, typed, offers: [offerForOption(verb, assigned)] };
  }
  if (current.startsWith('-')) {
    const listed = Object.entries(known).filter(([, { unlisted }]) => unlisted !== true);
    return { ...wanted, options: new Map(listed.map(([name, { help }]) => [dashed(name), help])) };
  }
  if (at === -1) return { ...wanted, offers: ['verbs'] };
  if (command === undefined) return wanted;
  const places = words
    .slice(at + 1)
    .filter((word, index, own) => !word.startsWith('-') && takesValue(own[index - 1] ?? '') === undefined);
  const isFull =
    places.length >= (command.arguments?.length ?? 0) && command.arguments?.at(-1)?.endsWith('...]') !== true;
  return isFull ? wanted : { ...wanted, offers: offersForWords(command) };
}

/** bash makes three words of `--format=org`. */
function joinEquals(line: readonly string[]): readonly string[] {
  const words = line.filter((word, index) => !(word === '=' && index < line.length - 1));
  return words.at(-1) === '=' ? [...words.slice(0, -1), ''] : words;
}
