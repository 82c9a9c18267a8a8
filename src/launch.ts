import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Command, type Ran, runCommand } from './process.ts';

export type Request =
  | { readonly kind: 'run'; readonly id: number; readonly command: Command }
  | { readonly kind: 'abort'; readonly id: number };

export interface Launched {
  readonly id: number;
  readonly ran: Ran;
}

/** Runs a command as runCommand does, wherever that may happen. */
export type Launch = (command: Command, signal: AbortSignal) => Promise<Ran>;

export interface Launcher {
  readonly launch: Launch;
  close(): void;
}

/** Starts commands from a small process of our own. When that process dies, commands are started from here again. */
export function openLauncher(): Launcher {
  const file = launcherFile();
  if (file === undefined) return { launch: runCommand, close: () => {} };
  const waiting = new Map<number, { command: Command; signal: AbortSignal; done: (ran: Ran) => void }>();
  let child: ChildProcess | undefined = fork(file, {
    execArgv: ['--max-semi-space-size=1', '--max-old-space-size=128'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let last = 0;
  const lost = (): void => {
    child = undefined;
    for (const { command, signal, done } of waiting.values()) void runCommand(command, signal).then(done);
    waiting.clear();
  };
  child.on('message', ({ id, ran }: Launched) => {
    waiting.get(id)?.done(ran);
    waiting.delete(id);
  });
  child.on('error', lost);
  child.on('exit', lost);
  return {
    launch: (command, signal) => {
      if (child === undefined || signal.aborted) return runCommand(command, signal);
      const id = ++last;
      const abort = (): void => void child?.send({ kind: 'abort', id } satisfies Request);
      signal.addEventListener('abort', abort, { once: true });
      return new Promise((resolve) => {
        const done = (ran: Ran): void => {
          signal.removeEventListener('abort', abort);
          resolve(ran);
        };
        waiting.set(id, { command, signal, done });
        child?.send({ kind: 'run', id, command } satisfies Request);
      });
    },
    close: () => {
      child?.removeAllListeners('exit');
      child?.disconnect();
      child = undefined;
    },
  };
}

/** Beside the bundle's entry, whichever chunk this code has ended up in. */
function launcherFile(): string | undefined {
  return ['./launcher.js', '../launcher.js']
    .map((name) => fileURLToPath(new URL(name, import.meta.url)))
    .find((name) => existsSync(name));
}
