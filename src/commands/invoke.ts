import path from 'node:path';
import { parseArgs } from 'node:util';
import { learnEnvironment } from '../secrets/known-secrets.ts';
import { formatJson } from '../terminal/visible.ts';
import { nearestName, Problem } from '../text/problem.ts';
import { type Command, commonOptions, dashed, formatCommandHelp, type VerbCall } from './kit/command.ts';
import type { Terminal } from './screen/terminal.ts';
import { loadCommand } from './verb-list.ts';

/** One call of orgrepo: argv and a terminal in, the exit code out. Nothing here ends the process, so tests call it too. */
export async function invoke(
  argv: readonly string[],
  terminal: Terminal,
  began: (command: Command) => void = () => {},
): Promise<number> {
  const [first = 'help', ...rest] = argv;
  try {
    learnEnvironment();
    const { name, args } = first.startsWith('-') ? findCommand(argv) : { name: first, args: rest };
    const command = await loadCommand(name);
    began(command);
    const call = readArguments(command, args, terminal);
    return call === undefined ? 0 : await command.run(call);
  } catch (error) {
    return terminal.fail(error);
  }
}

/** Reads what was typed after a verb; anything it does not know is wrong usage. With `--help` there is nothing left to do. */
function readArguments(command: Command, args: readonly string[], terminal: Terminal): VerbCall | undefined {
  const options = { ...commonOptions, ...command.options };
  const { values, positionals } = parse(command, args);
  if (values.help === true) {
    terminal.out(formatCommandHelp(command));
    return undefined;
  }
  const many = command.arguments.at(-1)?.endsWith('...]') === true;
  const most = many ? Number.POSITIVE_INFINITY : command.arguments.length;
  const least = command.arguments.filter((name) => !name.startsWith('[')).length;
  const wrong =
    positionals.length > most
      ? `orgrepo ${command.name}: ${JSON.stringify(positionals[most])} is one argument too many`
      : positionals.length < least && `orgrepo ${command.name} needs ${command.arguments[positionals.length]}`;
  if (wrong !== false)
    throw new Problem('usage/argument', wrong, `It goes: orgrepo ${[command.name, ...command.arguments].join(' ')}`);
  const value = (name: string): string | undefined => {
    if (!(name in options)) throw new Error(`orgrepo ${command.name} has no option ${name}`);
    const given = values[name];
    return typeof given === 'string' ? given : undefined;
  };
  return {
    ...terminal,
    dir: path.resolve(terminal.streams.dir, value('C') ?? '.'),
    json: values.json === true,
    quiet: values.quiet === true,
    mayAsk:
      values['no-input'] !== true &&
      terminal.isTerminal &&
      process.env.CI === undefined &&
      process.env.ORGREPO_NO_INPUT === undefined,
    words: positionals,
    flag: (name) => values[name] === true,
    value,
    answer: (answered, text) => terminal.out(values.json === true ? `${formatJson(answered)}\n` : text),
    warn: terminal.say,
    say: (text) => {
      if (values.quiet !== true && values.json !== true) terminal.say(text);
    },
  };
}

/** The verb when options stand before it: `orgrepo -C dir status`, `orgrepo --help`. */
function findCommand(argv: readonly string[]): { name: string; args: readonly string[] } {
  const at = argv.findIndex((word, index) => !word.startsWith('-') && argv[index - 1] !== '-C');
  const name = argv[at];
  if (name !== undefined) return { name, args: [...argv.slice(0, at), ...argv.slice(at + 1)] };
  return { name: 'help', args: argv.filter((word) => word !== '--help' && word !== '-h') };
}

/** `--max -3` and `replay -1` give values that are wrong, not options: who typed it is told what is expected. */
function withNegatives(args: readonly string[], options: Command['options']): string[] {
  const words: string[] = [];
  const negatives: string[] = [];
  for (const word of args) {
    const before = words.at(-1) ?? '';
    const takesValue = options[before.replace(/^--?/, '')]?.type === 'string';
    if (!/^-[0-9]/.test(word) || words.includes('--')) words.push(word);
    else if (takesValue) words[words.length - 1] = before.startsWith('--') ? `${before}=${word}` : before + word;
    else negatives.push(word);
  }
  return negatives.length === 0 ? words : [...words, '--', ...negatives];
}

function parse(command: Command, args: readonly string[]): { values: Record<string, unknown>; positionals: string[] } {
  const options = { ...commonOptions, ...command.options };
  const spelled = Object.fromEntries(
    Object.entries(options).map(([name, { type, short }]) => [name, short === undefined ? { type } : { type, short }]),
  );
  try {
    return parseArgs({ args: withNegatives(args, options), options: spelled, allowPositionals: true, strict: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const unknown = /Unknown option '(--?([^']+))'/.exec(message);
    const refuse = (what: string, hint: string | undefined): Problem =>
      new Problem('usage/option', `orgrepo ${command.name}${what}`, hint ?? `See: orgrepo ${command.name} --help`);
    if (unknown !== null) {
      const near = nearestName(unknown[2] ?? '', Object.keys(options));
      throw refuse(` has no option ${unknown[1]}`, near && `Did you mean ${dashed(near)}?`);
    }
    const name = /^Option '.*?--([^' ]+) <value>' argument (missing|is ambiguous)/.exec(message)?.[1] ?? '';
    const valueless = options[name];
    if (valueless === undefined) throw refuse(`: ${message.split('.')[0]}`, undefined);
    const typed = `${dashed(name)} needs a value: ${dashed(name)} <${valueless.value ?? 'value'}>`;
    throw refuse(`: ${typed}`, `It says: ${valueless.help}`);
  }
}
