import { learnEnvironment } from '../secrets/known-secrets.ts';
import { findCommand, readArguments } from './kit/arguments.ts';
import type { Command } from './kit/command.ts';
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
