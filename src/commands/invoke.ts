import path from 'node:path';
import { parseArgs } from 'node:util';
import { learnEnvironment } from '../secrets/known-secrets.ts';
import { formatJson } from '../terminal/visible.ts';
import { nearestName, Problem } from '../text/problem.ts';
import { type Command, commonOptions, dashed, formatCommandHelp, type VerbCall } from './kit/command.ts';
import { readJail } from './kit/options.ts';
import type { Terminal } from './screen/terminal.ts';

/** Every verb and the file it is in. A file is loaded when its verb is typed. */
const verbs: Readonly<Record<string, () => Promise<Command>>> = {
  apply: async () => (await import('./verbs/decide/apply.ts')).command,
  approve: async () => (await import('./verbs/decide/decide.ts')).approve,
  attack: async () => (await import('./verbs/work/attack.ts')).command,
  compare: async () => (await import('./verbs/work/compare.ts')).command,
  completion: async () => (await import('./verbs/work/completion.ts')).completionOf(verbs, findVerb),
  demo: async () => (await import('./verbs/work/run.ts')).demo,
  deny: async () => (await import('./verbs/decide/decide.ts')).deny,
  doctor: async () => (await import('./verbs/work/doctor.ts')).command,
  export: async () => (await import('./verbs/read/export.ts')).command,
  freeze: async () => (await import('./verbs/decide/freeze.ts')).freeze,
  help: async () => (await import('./verbs/work/help.ts')).helpOnVerbs(verbs, findVerb),
  init: async () => (await import('./verbs/work/init.ts')).command,
  land: async () => (await import('./verbs/decide/land.ts')).command,
  log: async () => (await import('./verbs/read/log.ts')).command,
  pause: async () => (await import('./verbs/decide/steer.ts')).pause,
  plan: async () => (await import('./verbs/work/plan.ts')).command,
  replay: async () => (await import('./verbs/read/replay.ts')).command,
  report: async () => (await import('./verbs/read/report.ts')).command,
  resume: async () => (await import('./verbs/decide/steer.ts')).resume,
  run: async () => (await import('./verbs/work/run.ts')).run,
  show: async () => (await import('./verbs/read/show.ts')).command,
  status: async () => (await import('./verbs/read/status.ts')).command,
  stop: async () => (await import('./verbs/decide/steer.ts')).stop,
  submit: async () => (await import('./verbs/decide/submit.ts')).command,
  thaw: async () => (await import('./verbs/decide/freeze.ts')).thaw,
  verify: async () => (await import('./verbs/read/verify.ts')).command,
};

/** Names that are still accepted and that no help lists. */
const oldNames = new Map([
  ['ab-test', 'compare'],
  ['morning', 'report'],
]);

export const commandNames: readonly string[] = Object.keys(verbs);

/** One call of orgrepo: argv and a terminal in, the exit code out. Nothing here ends the process, so tests call it too. */
export async function invoke(
  argv: readonly string[],
  terminal: Terminal,
  began: (command: Command) => void = () => {},
): Promise<number> {
  const [first = 'help', ...rest] = argv;
  try {
    learnEnvironment();
    const { name, args } = first.startsWith('-') ? verbAfterOptions(argv) : { name: first, args: rest };
    const command = await loadCommand(name);
    began(command);
    const call = readArguments(command, args, terminal);
    return call === undefined ? 0 : await command.run(call);
  } catch (error) {
    return terminal.fail(error);
  }
}

function findVerb(name: string): (() => Promise<Command>) | undefined {
  const verb = oldNames.get(name) ?? name;
  return Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
}

async function loadCommand(name: string): Promise<Command> {
  const load = findVerb(name);
  if (load !== undefined) return load();
  const near = nearestName(name, commandNames);
  const hint = near === undefined ? 'See what there is: orgrepo help' : `Did you mean: orgrepo ${near}`;
  throw new Problem('usage/command', `there is no command ${JSON.stringify(name)}`, hint);
}

/** Reads the words after a verb; undefined with `--help`, which leaves nothing to do. An unknown word is wrong usage. */
function readArguments(command: Command, args: readonly string[], terminal: Terminal): VerbCall | undefined {
  const options = { ...commonOptions, ...command.options };
  const { values, positionals } = parse(command.name, options, args);
  if (values.help === true) {
    terminal.out(terminal.look.typed(formatCommandHelp(command)));
    return undefined;
  }
  refuseWrongCount(command, positionals);
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
    jail: () => ('jail' in options ? readJail(value('jail')) : undefined),
    answer: (answered, text) => terminal.out(values.json === true ? `${formatJson(answered)}\n` : text),
    warn: terminal.say,
    say: (text) => {
      if (values.quiet !== true && values.json !== true) terminal.say(text);
    },
  };
}

function refuseWrongCount({ name: verb, arguments: known = [] }: Command, words: readonly string[]): void {
  const many = known.at(-1)?.endsWith('...]') === true;
  const least = known.filter((name) => !name.startsWith('[')).length;
  const tooMany = !many && words.length > known.length;
  if (!tooMany && words.length >= least) return;
  throw new Problem(
    'usage/argument',
    tooMany
      ? `orgrepo ${verb}: ${JSON.stringify(words[known.length])} is one argument too many`
      : `orgrepo ${verb} needs ${known[words.length]}`,
    `Usage: orgrepo ${[verb, ...known].join(' ')}`,
  );
}

/** The verb where options come before it: `orgrepo -C dir status`, `orgrepo --help`. */
function verbAfterOptions(argv: readonly string[]): { name: string; args: readonly string[] } {
  const at = argv.findIndex((word, index) => !word.startsWith('-') && argv[index - 1] !== '-C');
  const name = argv[at];
  if (name !== undefined) return { name, args: argv.toSpliced(at, 1) };
  return { name: 'help', args: argv.filter((word) => word !== '--help' && word !== '-h') };
}

/** `--max -3` and `replay -1` give values that are wrong, not options, so the person reads what is expected. */
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

function parse(
  verb: string,
  options: Command['options'],
  args: readonly string[],
): { values: Record<string, unknown>; positionals: string[] } {
  try {
    return parseArgs({ args: withNegatives(args, options), options, allowPositionals: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const unknown = /Unknown option '(--?([^']+))'/.exec(message);
    const refuse = (what: string, hint: string | undefined): Problem =>
      new Problem('usage/option', `orgrepo ${verb}${what}`, hint ?? `See: orgrepo ${verb} --help`);
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
