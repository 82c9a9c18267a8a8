import { readFileSync, writeFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { execa } from 'execa';

/** What a stream said: its first and last part, because a candidate may print ten gigabytes. */
export interface Said {
  readonly text: string;
  readonly bytes: number;
}

/** How a command ended. A failed command is a result, never an exception. */
export interface Ran {
  readonly code: number | undefined;
  readonly signal: string | undefined;
  readonly stdout: Said;
  readonly stderr: Said;
  readonly ms: number;
  readonly timedOut: boolean;
  /** Why the command could not be started at all. */
  readonly notStarted: string | undefined;
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment of the child; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly deadlineMs: number;
  readonly input?: string | Buffer;
  /** How much of each stream's beginning is kept; the last MiB is always kept. */
  readonly keepBytes?: number;
  /** Where to note the child's group, so that a restart can end what a killed orgrepo left running. */
  readonly pidFile?: string;
}

const keptBytes = 1024 * 1024;

/** Runs a command in a process group of its own and ends the whole group at the deadline or when cancelled. */
export async function runCommand(command: Command, signal?: AbortSignal): Promise<Ran> {
  const started = performance.now();
  const child = execa(command.file, [...command.args], {
    cwd: command.cwd,
    env: command.env,
    extendEnv: false,
    buffer: false,
    reject: false,
    cleanup: false,
    detached: true,
    ...(command.input === undefined ? { stdin: 'ignore' as const } : { input: command.input }),
  });
  const pid = child.pid;
  if (pid !== undefined && command.pidFile !== undefined) writeFileSync(command.pidFile, `${pid} ${startOf(pid)}\n`);
  const end = (): void => {
    if (pid !== undefined) killGroup(pid);
  };
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    end();
  }, command.deadlineMs);
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted) end();
  const stdout = listen(child.stdout, command.keepBytes ?? keptBytes);
  const stderr = listen(child.stderr, keptBytes);
  const result = await child;
  clearTimeout(timer);
  signal?.removeEventListener('abort', end);
  end(); // Whatever the command left in its group has no business after it.
  return {
    code: result.exitCode,
    signal: result.signal,
    stdout: stdout(),
    stderr: stderr(),
    ms: performance.now() - started,
    timedOut,
    notStarted: pid === undefined ? (result.originalMessage ?? 'it could not be started') : undefined,
  };
}

/** A person's command line: started directly when it is plain words, by the shell when it needs one. */
export function commandLine(line: string): { readonly file: string; readonly args: readonly string[] } {
  const words = line.trim().split(/\s+/);
  const plain = words.every((word) => /^[\w./:@%+,=-]+$/.test(word)) && !words[0]?.includes('=');
  return plain ? { file: words[0] ?? '', args: words.slice(1) } : { file: '/bin/sh', args: ['-c', line] };
}

/** A process that stays: git's batch commands. */
export interface Companion {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly ended: Promise<unknown>;
}

export function startCompanion(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Companion {
  const child = execa(file, [...args], { env, extendEnv: false, buffer: false, reject: false, stdin: 'pipe' });
  child.stdin.on('error', () => {}); // A companion that died is noticed by `ended`; the broken pipe adds nothing.
  return { stdin: child.stdin, stdout: child.stdout, stderr: child.stderr, ended: child };
}

/** Ends the group that a pid file names, unless the system has given that number to somebody else since. */
export function endLeftover(pidFile: string): boolean {
  const [pid, start] = readFileSync(pidFile, 'utf8').trim().split(' ');
  if (pid === undefined || start === undefined || startOf(Number(pid)) !== start) return false;
  killGroup(Number(pid));
  return true;
}

/** When a process began, in the kernel's ticks: together with its number an identity. Empty when it is gone. */
export function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return isAlive(pid) ? 'alive' : '';
  }
}

function isAlive(pid: number): boolean {
  if (process.platform === 'linux') return false; // There /proc has the last word.
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}

function listen(stream: Readable, most: number): () => Said {
  const head: Buffer[] = [];
  let tail: Buffer[] = [];
  let headBytes = 0;
  let tailBytes = 0;
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (headBytes < most) {
      head.push(chunk);
      headBytes += chunk.length;
      return;
    }
    tail.push(chunk);
    tailBytes += chunk.length;
    if (tailBytes > 2 * keptBytes) {
      tail = [Buffer.concat(tail).subarray(-keptBytes)];
      tailBytes = keptBytes;
    }
  });
  return () => {
    const cut = bytes - headBytes - tailBytes;
    const gap = cut > 0 ? [Buffer.from(`\n… ${cut} bytes left out …\n`)] : [];
    return { text: Buffer.concat([...head, ...gap, ...tail]).toString('utf8'), bytes };
  };
}
