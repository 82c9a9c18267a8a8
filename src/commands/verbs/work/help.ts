import { formatJson } from '../../../terminal/visible.ts';
import { Problem } from '../../../text/problem.ts';
import type { Command } from '../../kit/command.ts';
import { topics } from '../../kit/help-topics.ts';
import { formatCommandHelp } from '../../kit/usage.ts';

export const command: Command = {
  name: 'help',
  summary: 'Help on orgrepo, a command or a topic.',
  arguments: ['[command or topic]'],
  options: { all: { type: 'boolean', help: 'every command' } },
  examples: ['npx orgrepo help run', 'npx orgrepo help exit-codes'],
  run: async (call) => {
    const [word] = call.words;
    const text = await helpOn(word, call.flag('all'));
    call.out(call.json ? `${formatJson({ schema: 'orgrepo/help@1', on: word, text })}\n` : text);
    return 0;
  },
};

async function helpOn(word: string | undefined, all: boolean): Promise<string> {
  const { commandNames, loadCommand } = await import('../../verb-list.ts');
  if (word === undefined) return all ? allCommands(commandNames, loadCommand) : shortHelp();
  if (Object.hasOwn(topics, word)) return topics[word] ?? '';
  if (commandNames.includes(word)) return formatCommandHelp(await loadCommand(word));
  throw new Problem(
    'usage/argument',
    `there is no help on ${JSON.stringify(word)}`,
    `Topics: ${Object.keys(topics).join(', ')}. Commands: orgrepo help --all`,
  );
}

function shortHelp(): string {
  return `orgrepo ${__VERSION__}   a small AI organisation inside a git repository. Evening: run. Morning: report.

  npx orgrepo demo             60 second tour. No key. Nothing leaves this machine.
  npx orgrepo init             set this repository up
  npx orgrepo run              start; stops by itself (budget, time or no progress)
  npx orgrepo report           what happened, what was learned, what needs you

Most used   init  demo  doctor  plan  run  status  report  show  land
All         orgrepo help --all        Manual  orgrepo help ${Object.keys(topics).join(' | ')}
`;
}

async function allCommands(names: readonly string[], load: (name: string) => Promise<Command>): Promise<string> {
  const commands = await Promise.all(names.map(load));
  const unique = [...new Set(commands)];
  const lines = unique.map((one) => `  ${[one.name, ...one.arguments].join(' ').padEnd(28)} ${one.summary}`);
  return `${lines.join('\n')}\n\n  orgrepo <command> --help tells the options of one.\n`;
}
