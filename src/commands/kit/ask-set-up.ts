import { type Option, select, text } from '@clack/prompts';
import type { Offered } from '../../setup/project-offers.ts';
import type { Chooser } from '../../setup/set-up.ts';
import type { VerbCall } from './command.ts';

/** Something to choose, and where it was found. */
interface Choice<T> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

/** Asks a person, five questions at the most, each with what was found in the project. Loaded when the first is asked. */
export function askChoices({ streams }: VerbCall): Chooser {
  const terminal = { input: streams.stdin, output: streams.stderr as NodeJS.WriteStream };

  const choose = <T>(message: string, choices: readonly Choice<T>[]): Promise<T> =>
    unlessCancelled(select({ message, options: choices as Option<T>[], ...terminal }));

  const write = async (message: string, usual: string | undefined, empty: string): Promise<string> => {
    const validate = (typed: string | undefined) => ((typed ?? '').trim() === '' ? empty : undefined);
    const initial = usual === undefined ? {} : { initialValue: usual };
    return (await unlessCancelled<string>(text({ message, ...initial, validate, ...terminal }))).trim();
  };

  return {
    asks: true,
    score: async ({ scores }) => {
      const message = 'Which command prints the score of your project?';
      const chosen = scores.length === 0 ? other : await choose(message, [...scores.map(choiceOf), another]);
      return chosen === other ? write(message, undefined, 'For example: python3 tests/evaluate.py') : chosen;
    },
    edit: async ({ edits: [first] }) => {
      const message = `Which files may agents edit?${first === undefined ? '' : ` (${first.origin})`}`;
      const typed = await write(message, first?.value, 'For example: src/rank.py, or src/**');
      return typed.split(',').map((one) => one.trim());
    },
    metric: async (printed) => {
      const choices = printed.slice(0, mostShown).map((one) => ({
        value: one,
        label: `${one.name} ${one.value}`,
        hint: one.pattern === undefined ? 'on a line of its own' : one.line.slice(0, 60),
      }));
      const [only] = printed;
      return printed.length === 1 && only !== undefined ? only : choose('Which number is to get better?', choices);
    },
    direction: (metric, likely) => {
      const lower = { value: 'minimize', label: 'lower is better' } as const;
      const higher = { value: 'maximize', label: 'higher is better' } as const;
      const choices = likely === 'maximize' ? [higher, lower] : [lower, higher];
      return choose<'minimize' | 'maximize'>(`Which way is ${metric} better?`, choices);
    },
    tests: async ({ tests }) => {
      const message = 'Which tests must pass before a win counts?';
      const none = { value: '', label: 'none' };
      const chosen = tests.length === 0 ? other : await choose(message, [...tests.map(choiceOf), none, another]);
      if (chosen !== other) return chosen === '' ? undefined : chosen;
      const typed = await optional(message);
      return typed === '' ? undefined : typed;
    },
  };

  async function optional(message: string): Promise<string> {
    const typed = await unlessCancelled<string | undefined>(text({ message: `${message} (empty: none)`, ...terminal }));
    return (typed ?? '').trim();
  }
}

const mostShown = 12;

const other = 'another command';

const another: Choice<string> = { value: other, label: other };

const choiceOf = ({ value, origin }: Offered): Choice<string> => ({ value, label: value, hint: origin });

/** Ctrl-C and Escape end all of it, as they end any program. Nothing has been written. */
async function unlessCancelled<T>(asked: Promise<unknown>): Promise<T> {
  const answer = await asked;
  if (typeof answer !== 'symbol') return answer as T;
  process.kill(process.pid, 'SIGINT');
  return new Promise<T>(() => {});
}
