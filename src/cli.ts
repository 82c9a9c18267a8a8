/** argv -> command -> exit code. */
async function main(argv: readonly string[]): Promise<number> {
  if (argv[0] === '--version' || argv[0] === '-V') {
    process.stdout.write(`${__VERSION__}\n`);
    return 0;
  }
  const { openTerminal } = await import('./commands/screen/terminal.ts');
  const { startedAs } = await import('./commands/screen/started-as.ts');
  const { commandNames, invoke } = await import('./commands/invoke.ts');
  const { stdin, stdout, stderr, env } = process;
  const [dir, script] = [process.cwd(), process.argv[1] ?? ''];
  const program = [process.execPath, script] as const;
  const started = (where: string | undefined): string => startedAs({ script, dir, env }, where);
  const terminal = openTerminal(argv, { stdin, stdout, stderr, dir, program, startedAs: started }, commandNames);
  // An error thrown where nobody waits for it is a bug like any other: shown without secrets, and with its code.
  process.on('uncaughtException', (error) => process.exit(terminal.fail(error)));
  return invoke(argv, terminal, (command) => {
    goesOnUnread = command.goesOnUnread === true;
  });
}

let goesOnUnread = false;

/** The reader has heard enough, or the terminal is gone. A night goes on all the same; a listing need not. */
function readerLeft(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
  if (!goesOnUnread) process.exit(0);
}

process.stdout.on('error', readerLeft);
process.stderr.on('error', readerLeft);
process.exitCode = await main(process.argv.slice(2));
if (process.stdout.writableLength === 0) process.exit();
process.stdout.end(() => process.exit());
