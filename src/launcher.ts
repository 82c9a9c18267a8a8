import { closeSync, constants, existsSync, fstatSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { constants as system } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { type Command, type Companion, type Ended, killGroup, type Ran, startCompanion, supervise } from './process.ts';

/**
 * A small shell that starts commands for us, one at a time. Starting a process costs in proportion to the memory of
 * the one that starts it, and stops it meanwhile: node pays three milliseconds for what costs a shell half of one.
 */
export interface Launcher {
  /** Where it keeps its pipes; nothing else may be put there. */
  readonly dir: string;
  /** As `runCommand`; the command gets no input. Undefined when the launcher can no longer be relied on. */
  run(command: Command, signal?: AbortSignal): Promise<Ran | undefined>;
  close(): void;
}

/** With job control every order has a process group of its own, and the shell itself stays out of it. */
const script = `
set -m
exec 3>&1
mkfifo -m 600 stdout stderr || exit 1
echo ready
while IFS= read -r -d '' order; do
  (echo "pid $BASHPID" >&3; exec 3>&-; unset OLDPWD SHLVL; eval "$order") </dev/null >stdout 2>stderr
  echo "exit $?"
done`;

const shells = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'];

/**
 * A launcher with the environment that all its commands share. Undefined where there is no shell for it: then commands
 * are started the dearer way.
 */
export async function openLauncher(dir: string, env: Command['env']): Promise<Launcher | undefined> {
  const shell = process.platform === 'linux' ? shells.find((file) => existsSync(file)) : undefined;
  if (shell === undefined) return undefined;
  mkdirSync(dir, { recursive: true });
  const args = ['--norc', '--noprofile', '-c', script];
  const companion = startCompanion(shell, args, env, { cwd: dir, detached: true });
  companion.stderr.resume();
  const words = hear(companion);
  let sound = true;
  void companion.ended.then(() => {
    sound = false;
  });
  const launcher: Launcher = {
    dir,
    run: async (command, signal) => {
      const pipes = sound ? openPipes(dir) : undefined;
      if (pipes === undefined) return undefined;
      const [stdout, stderr] = pipes;
      companion.stdin.write(`${order(command, dir, env)}\0`);
      const ran = await supervise({ stdout, stderr, ...follow(words, companion) }, command, signal);
      // What still holds the pipes could speak for the next command.
      sound &&= !ran.outlived && ran.notStarted === undefined && ran.signal !== lostLauncher;
      return ran.notStarted === undefined ? ran : undefined;
    },
    close: () => {
      companion.stdin.end();
      rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
    },
  };
  if ((await words.next()) === 'ready') return launcher;
  launcher.close();
  return undefined;
}

/** How a command ended whose launcher is gone, or speaks with another's tongue. */
const lostLauncher = 'the end of its launcher';

/** A launcher that has not told the end of a killed command by then will never tell it. */
const deafMs = 1_000;

/** What the launcher says, line by line; undefined once it is gone. */
interface Words {
  next(): Promise<string | undefined>;
}

function hear({ stdout, ended }: Companion): Words {
  let said = '';
  let gone = false;
  let wake: (() => void) | undefined;
  stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString('latin1');
    wake?.();
  });
  void ended.then(() => {
    gone = true;
    wake?.();
  });
  return {
    next: async () => {
      while (!said.includes('\n') && !gone) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const end = said.indexOf('\n');
      if (end < 0) return undefined;
      const word = said.slice(0, end);
      said = said.slice(end + 1);
      return word;
    },
  };
}

/** A command from its start to its end, as the launcher tells it: its number, then its exit code. */
function follow(words: Words, launcher: Companion): { readonly ended: Promise<Ended>; readonly kill: () => void } {
  let pid: number | undefined;
  let over = false;
  let lastResort: NodeJS.Timeout | undefined;
  const kill = (): void => {
    if (pid !== undefined) killGroup(pid);
    // A command may have stopped or deafened the shell that started it: then that goes too.
    if (!over) lastResort ??= setTimeout(() => launcher.pid !== undefined && killGroup(launcher.pid), deafMs);
  };
  const listen = async (): Promise<Ended> => {
    const first = await words.next();
    pid = numberAfter('pid', first);
    if (lastResort !== undefined) kill();
    const code = numberAfter('exit', pid === undefined ? first : await words.next());
    over = true;
    clearTimeout(lastResort);
    if (code === undefined) return { code, signal: lostLauncher, notStarted: undefined };
    if (pid === undefined) return { code, signal: undefined, notStarted: 'the pipes of its launcher are gone' };
    const signal = code > 128 ? nameOfSignal(code - 128) : undefined;
    return { code: signal === undefined ? code : undefined, signal, notStarted: undefined };
  };
  return { ended: listen(), kill };
}

function numberAfter(tag: 'pid' | 'exit', word: string | undefined): number | undefined {
  const [first, number = ''] = (word ?? '').split(' ');
  const value = first === tag && /^[0-9]{1,9}$/.test(number) ? Number(number) : undefined;
  return tag === 'pid' && value !== undefined && value <= 1 ? undefined : value; // Whoever says so is not our launcher.
}

const nameOfSignal = (number: number): string | undefined =>
  Object.entries(system.signals).find(([, value]) => value === number)?.[0];

/** One order, as short as can be: the shell reads it byte by byte. */
function order({ file, args, cwd, env }: Command, from: string, known: Command['env']): string {
  const fresh = Object.entries(env).filter(([name, value]) => known[name] !== value);
  const variables = fresh.map(([name, value]) => `export ${name}=${quote(value)};`).join('');
  return `${variables}cd ${quote(path.relative(from, cwd))}&&exec -- ${[file, ...args].map(quote).join(' ')}`;
}

const quote = (word: string): string => `'${word.replaceAll('\0', '').replaceAll("'", "'\\''")}'`;

/** Our ends of the pipes. Opened anew for each command, so that one which is gone has closed them for good. */
function openPipes(dir: string): [Readable, Readable] | undefined {
  const opened: number[] = [];
  try {
    for (const name of ['stdout', 'stderr']) {
      const fd = openSync(path.join(dir, name), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
      opened.push(fd);
      if (!fstatSync(fd).isFIFO()) throw new Error('no pipe');
    }
    const [stdout, stderr] = opened.map((fd) => new Socket({ fd, readable: true, writable: false }));
    return [stdout as Socket, stderr as Socket];
  } catch {
    for (const fd of opened) closeSync(fd); // Somebody has been at it.
    return undefined;
  }
}
