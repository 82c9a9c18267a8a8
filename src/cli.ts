/** argv -> command -> exit code. The only top-level catch. */
async function main(argv: readonly string[]): Promise<number> {
  const [first = 'help', ...rest] = argv;
  if (first === '--version' || first === '-V') {
    process.stdout.write(`${__VERSION__}\n`);
    return 0;
  }
  const { openTerminal } = await import('./commands/terminal.ts');
  const terminal = openTerminal(argv);
  // What is thrown where nobody waits for it is a bug like any other: told without secrets, and with its code.
  process.on('uncaughtException', (error) => process.exit(terminal.fail(error)));
  try {
    const { findCommand, readArguments } = await import('./commands/arguments.ts');
    const { loadCommand } = await import('./commands/index.ts');
    const { name, args } = first.startsWith('-') ? findCommand(argv) : { name: first, args: rest };
    const command = await loadCommand(name);
    goesOnUnread = command.goesOnUnread === true;
    return await command.run(readArguments(command, args, terminal));
  } catch (error) {
    return terminal.fail(error);
  }
}

let goesOnUnread = false;

/** Whoever read us has heard enough, or the terminal is gone. A night goes on all the same; a listing need not. */
function readerLeft(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
  if (!goesOnUnread) process.exit(0);
}

process.stdout.on('error', readerLeft);
process.stderr.on('error', readerLeft);
process.exitCode = await main(process.argv.slice(2));
if (process.stdout.writableLength === 0) process.exit();
process.stdout.end(() => process.exit());
