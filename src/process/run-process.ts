import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, lchownSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { execa } from 'execa';
import { orElse } from '../text/problem.ts';
import { type CapturedOutput, keptBytes, pipeNames, type Voice, voiceOf } from './captured-output.ts';
import { listenForSilence, neverStill, type StandingStill, setAlarm } from './pace.ts';

/** How a command ended. A failed command is a result, never an exception. */
export interface Ran extends Ended {
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
  readonly ms: number;
  readonly timedOut: boolean;
  /** True when it was ended because it said nothing for too long. */
  readonly silent: boolean;
  /** True when something that outlived the command held its output open. */
  readonly outlived: boolean;
}

export interface ProcessCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment of the child; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly deadlineMs: number;
  /** After so long without a word on either stream it is ended too. */
  readonly silenceMs?: number;
  readonly input?: string | Buffer;
  /** Is given its stdin, which stays open, to write to while it runs. In place of `input`. */
  readonly converse?: (stdin: Writable) => void;
  /** How much of each stream's beginning is kept; the last MiB is always kept. */
  readonly keepBytes?: number;
  /** Is told all that is said on stdout, of which only the ends are kept. */
  readonly hear?: (chunk: Buffer) => void;
  /** Is told all that is said on both streams; at true the command is ended. */
  readonly endsOn?: ((chunk: Buffer, stream: 'stdout' | 'stderr') => boolean) | undefined;
  /** Is told the number of its first process; the answer is told when that has ended. */
  readonly onStart?: (pid: number) => () => void;
  /** How long it has stood still: neither deadline nor silence count that. */
  readonly still?: StandingStill;
}

/** Runs a command in a process group of its own and ends the whole group at the deadline or when cancelled. */
export function runCommand(command: ProcessCommand, signal?: AbortSignal): Promise<Ran> {
  const started = startOnce(command);
  const forget = started.pid === undefined ? undefined : command.onStart?.(started.pid);
  void started.ended.then(forget);
  return supervise(started, command, signal);
}

/** A command that runs, in this process or in a launcher. */
interface StartedProcess {
  readonly stdout: Voice;
  readonly stderr: Voice;
  /** Resolves when the command's own process is gone; its children may still hold the streams. */
  readonly ended: Promise<Ended>;
  kill(): void;
}

export interface Ended {
  readonly code: number | undefined;
  readonly signal: string | undefined;
  /** Why the command could not be started at all. */
  readonly notStarted: string | undefined;
}

/**
 * How long after a command's end its output is waited for: what left its group may hold the pipes for as long as it lives. In
 * steps, because timers come before what is there to be read: we may have stood still ourselves, and looked at nothing yet.
 */
const grace = { steps: 10, stepMs: 20 };

/** Listens to a command, keeps its deadline, and leaves nothing of its group behind. */
export async function supervise(started: StartedProcess, command: ProcessCommand, signal?: AbortSignal): Promise<Ran> {
  const begun = performance.now();
  const endOn = (stream: 'stdout' | 'stderr', chunk: Buffer): void => {
    if (command.endsOn?.(chunk, stream) === true) started.kill();
  };
  const stdout = started.stdout.listen(command.keepBytes ?? keptBytes, (chunk) => {
    command.hear?.(chunk);
    endOn('stdout', chunk);
  });
  const stderr = started.stderr.listen(keptBytes, (chunk) => endOn('stderr', chunk));
  let timedOut = false;
  const still = command.still ?? neverStill;
  const silence = listenForSilence(command.silenceMs, still, [stdout, stderr], started.kill);
  const turnOff = setAlarm(command.deadlineMs, still, () => {
    timedOut = true;
    started.kill();
  });
  signal?.addEventListener('abort', started.kill, { once: true });
  if (signal?.aborted) started.kill();
  const ended = await started.ended;
  turnOff();
  const silent = silence.end();
  signal?.removeEventListener('abort', started.kill);
  started.kill(); // Whatever the command left in its group has no business after it.
  let outlived = false;
  let steps = 0;
  const cut = setInterval(() => {
    if (++steps < grace.steps) return;
    outlived = true;
    started.stdout.cut();
    started.stderr.cut();
  }, grace.stepMs);
  if (ended.notStarted === undefined) await Promise.all([stdout.over(), stderr.over()]);
  else for (const voice of [started.stdout, started.stderr]) voice.cut();
  clearInterval(cut);
  const ms = performance.now() - begun;
  return { ...ended, stdout: stdout.said(), stderr: stderr.said(), ms, timedOut, silent, outlived };
}

/** Started by hand and not through execa: git is called often enough for execa's comforts to be felt. */
function startOnce(command: ProcessCommand): StartedProcess & { readonly pid: number | undefined } {
  const { file, args, cwd, env, input, converse } = command;
  const child = spawn(file, args, {
    cwd,
    env,
    detached: true,
    stdio: [input === undefined && converse === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.on('error', () => {}); // A command need not read what it is given.
  if (converse === undefined) child.stdin?.end(input);
  else if (child.stdin !== null) converse(child.stdin);
  const ended = new Promise<Ended>((resolve) => {
    child.on('error', ({ message }) => {
      if (child.pid === undefined) resolve({ code: undefined, signal: undefined, notStarted: message });
    });
    child.on('exit', (code, ended) =>
      resolve({ code: code ?? undefined, signal: ended ?? undefined, notStarted: undefined }),
    );
  });
  const kill = (): void => {
    if (child.pid !== undefined) killGroup(child.pid);
  };
  const [stdout, stderr] = [voiceOf(child.stdout as Readable), voiceOf(child.stderr as Readable)];
  return { pid: child.pid, stdout, stderr, ended, kill };
}

/** A person's command line: started directly when it is plain words, by the shell when it needs one. */
export function commandLine(line: string): { readonly file: string; readonly args: readonly string[] } {
  const words = line.trim().split(/\s+/);
  const plain = words.every((word) => /^[\w./:@%+,=-]+$/.test(word)) && !words[0]?.includes('=');
  return plain ? { file: words[0] ?? '', args: words.slice(1) } : { file: '/bin/sh', args: ['-c', line] };
}

/** A word as a shell reads it back. */
export const quote = (word: string): string => `'${word.replaceAll('\0', '').replaceAll("'", "'\\''")}'`;

/** A process that stays: git's batch commands. */
export interface Companion {
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly ended: Promise<unknown>;
}

export function startCompanion(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  place: { readonly cwd?: string; readonly detached?: boolean } = {},
): Companion {
  const child = execa(file, [...args], {
    env,
    extendEnv: false,
    buffer: false,
    reject: false,
    stdin: 'pipe',
    ...place,
  });
  child.stdin.on('error', () => {}); // A companion that died is noticed by `ended`; the broken pipe adds nothing.
  return { pid: child.pid, stdin: child.stdin, stdout: child.stdout, stderr: child.stderr, ended: child };
}

/**
 * Ends what runs with its working directory inside `dir` and is ours by that directory and its environment: what a killed
 * orgrepo left behind. Linux only.
 */
export function endProcessesIn(dir: string, isOurs: (cwd: string, environment: string) => boolean = () => true): void {
  for (const pid of existsSync('/proc/self/cwd') ? readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)) : []) {
    try {
      const cwd = readlinkSync(`/proc/${pid}/cwd`).replace(/ \(deleted\)$/, '');
      if (cwd !== dir && !cwd.startsWith(`${dir}/`)) continue;
      if (isOurs(cwd, readFileSync(`/proc/${pid}/environ`, 'latin1'))) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // Gone meanwhile, or somebody else's.
    }
  }
}

/** Removes a directory although somebody may have taken away the right to look into it. What cannot be removed stays. */
export function removeTree(dir: string): void {
  try {
    rmSync(dir, { recursive: true, force: true });
  } catch {
    // A directory that is too deep for a path, or locked: rm goes down step by step.
    spawnSync('chmod', ['-R', 'u+rwX', '--', dir], { stdio: 'ignore', env: bareEnvironment() });
    spawnSync('rm', ['-rf', '--', dir], { stdio: 'ignore', env: bareEnvironment() });
  }
}

/**
 * Makes the named pipes of a launcher, in a directory that nobody else on this machine can enter: what is written to them is
 * taken for the output of a harness. Where commands run as another user, the pipes belong to that user.
 */
export function makePipes(dir: string, owner: { readonly uid: number; readonly gid: number } | undefined): void {
  mkdirSync(dir, { recursive: true });
  chmodSync(dir, 0o700);
  spawnSync('mkfifo', ['-m', '600', '--', ...pipeNames], { cwd: dir, stdio: 'ignore', env: bareEnvironment() });
  if (owner === undefined) return;
  for (const place of [...pipeNames.map((name) => path.join(dir, name)), dir]) lchownSync(place, owner.uid, owner.gid);
}

/** The keys in ours are nobody else's. */
const bareEnvironment = (): Record<string, string> => ({ PATH: process.env.PATH ?? '/usr/bin:/bin' });

/**
 * When a process began, in the kernel's ticks: together with its number an identity. Empty when it is gone, also where nobody has
 * asked yet how it ended: in a container that may never happen.
 */
export function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return /[ZXx]/.test(state) ? '' : (fields[18] ?? '');
  } catch {
    return isAlive(pid) ? 'alive' : '';
  }
}

/** On Linux /proc has the last word. */
const isAlive = (pid: number): boolean => process.platform !== 'linux' && orElse(() => process.kill(pid, 0), false);

export function killGroup(pid: number): void {
  if (!Number.isSafeInteger(pid) || pid <= 1) throw new Error(`${pid} is no process group of ours`); // 0 is our own, 1 is everybody.
  orElse(() => process.kill(-pid, 'SIGKILL'), false); // It may be gone already.
}
