import { commandNames, loadCommand } from './commands/index.ts';

/** argv -> command -> exit code. The only process.exit and the only top-level catch. */
async function main(argv: readonly string[]): Promise<number> {
  const [first = 'help', ...rest] = argv;
  if (first === '--version' || first === '-V') {
    process.stdout.write(`${__VERSION__}\n`);
    return 0;
  }
  const asksHelp = first === '--help' || first === '-h';
  const startsWithOption = first.startsWith('-') && !asksHelp;
  const { openTerminal } = await import('./commands/terminal.ts');
  const terminal = openTerminal(argv);
  try {
    const { name, args } = startsWithOption
      ? (await import('./commands/arguments.ts')).findCommand(argv, commandNames)
      : { name: asksHelp ? 'help' : first, args: rest };
    const command = await loadCommand(name);
    const { readArguments } = await import('./commands/arguments.ts');
    return await command.run(readArguments(command, args, terminal));
  } catch (error) {
    return terminal.fail(error);
  }
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0); // Whoever read us has heard enough.
});
process.exitCode = await main(process.argv.slice(2));
if (process.stdout.writableLength === 0) process.exit();
process.stdout.end(() => process.exit());
