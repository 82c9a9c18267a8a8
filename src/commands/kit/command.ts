import type { JailChoice } from '../../jail/jail.ts';
import type { Look } from '../../terminal/look.ts';
import type { Streams } from '../screen/terminal.ts';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** What the value is called in the help: `--max <n>`. */
  readonly value?: string;
  readonly help: string;
  /** True for an old name that is still accepted and that no help shows. */
  readonly unlisted?: true;
}

/** A verb: how it is typed, and what it does. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** `orgrepo show <n>`: what may follow the verb, where anything may. */
  readonly arguments?: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  readonly examples: readonly string[];
  /** True for a verb that works on when nobody reads its output any more. */
  readonly goesOnUnread?: boolean;
  run(call: VerbCall): Promise<number>;
}

/** One call of a verb: what was typed, and where to answer. stdout carries data, stderr carries talk. */
export interface VerbCall {
  readonly dir: string;
  readonly json: boolean;
  readonly quiet: boolean;
  /** Whether a question may be asked. */
  readonly mayAsk: boolean;
  readonly words: readonly string[];
  flag(name: string): boolean;
  value(name: string): string | undefined;
  /** The jail that the person wants for candidates; undefined for a verb that measures nothing. */
  jail(): JailChoice | undefined;
  readonly look: Look;
  readonly isTerminal: boolean;
  readonly streams: Streams;
  out(text: string): void;
  /** Prints the answer: the value with --json, the text without. */
  answer(value: unknown, text: string): void;
  say(text: string): void;
  /** What must not go unsaid, with --json either. */
  warn(text: string): void;
}

/** What every verb takes. */
export const commonOptions: Readonly<Record<string, Option>> = {
  C: { type: 'string', short: 'C', value: 'dir', help: 'work as if started in this directory' },
  json: { type: 'boolean', help: 'answer in JSON on stdout' },
  'no-input': { type: 'boolean', help: 'never ask anything' },
  'no-color': { type: 'boolean', help: 'no colour' },
  quiet: { type: 'boolean', short: 'q', help: 'no talk on stderr' },
  help: { type: 'boolean', short: 'h', help: 'this help' },
};

/** The help of one verb. */
export function formatCommandHelp(command: Command): string {
  const lines = [
    `orgrepo ${[command.name, ...(command.arguments ?? [])].join(' ')}`,
    '',
    `  ${command.summary}`,
    '',
    ...optionLines(command.options),
    ...(Object.keys(command.options).length > 0 ? [''] : []),
    ...optionLines(commonOptions),
    ...(command.examples.length > 0 ? ['', ...command.examples.map((example) => `  ${example}`)] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function optionLines(options: Readonly<Record<string, Option>>): string[] {
  const listed = Object.entries(options).filter(([, { unlisted }]) => unlisted === undefined);
  return listed.map(([name, option]) => {
    const short = option.short !== undefined && option.short !== name ? `, -${option.short}` : '';
    const value = option.value === undefined ? '' : ` <${option.value}>`;
    const help = option.help.replaceAll('\n', `\n${' '.repeat(27)}`);
    return `  ${`${dashed(name)}${short}${value}`.padEnd(24)} ${help}`;
  });
}

/** An option as it is typed: `-n`, `--max`. */
export const dashed = (name: string): string => (name.length === 1 ? `-${name}` : `--${name}`);
