import type { Look } from '../../terminal/look.ts';
import type { Streams } from '../screen/terminal.ts';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** What the value is called in the help: `--max <n>`. */
  readonly value?: string;
  readonly help: string;
}

/** A verb: how it is typed, and what it does. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** `orgrepo show <n>`: what may follow the verb. */
  readonly arguments: readonly string[];
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
  readonly look: Look;
  readonly isTerminal: boolean;
  readonly streams: Streams;
  out(text: string): void;
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
