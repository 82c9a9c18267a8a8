import type { Launched, Request } from './launch.ts';
import { runCommand } from './process.ts';

/**
 * A small process that starts commands for a large one. Starting a process costs more the more memory its parent has,
 * and blocks it meanwhile; this one holds next to nothing. It ends with whoever started it.
 */
const running = new Map<number, AbortController>();

process.on('message', (request: Request) => {
  if (request.kind === 'abort') {
    running.get(request.id)?.abort();
    return;
  }
  const { id, command } = request;
  const canceller = new AbortController();
  running.set(id, canceller);
  void runCommand(command, canceller.signal).then((ran) => {
    running.delete(id);
    process.send?.({ id, ran } satisfies Launched);
  });
});

process.on('disconnect', () => {
  for (const canceller of running.values()) canceller.abort();
  process.exit();
});

// A Ctrl-C is for the parent to understand.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('SIGHUP', () => {});
