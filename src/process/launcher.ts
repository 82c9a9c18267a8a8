import { existsSync, rmSync } from 'node:fs';
import { constants as system } from 'node:os';
import path from 'node:path';
import { openPipes } from './captured-output.ts';
import {
  type Companion,
  type Ended,
  killGroup,
  makePipes,
  type ProcessCommand,
  quote,
  type Ran,
  startCompanion,
  supervise,
} from './run-process.ts';

/**
 * A small shell that starts commands for us, one at a time. Starting a process costs in proportion to the memory of
 * the one that starts it, and stops it meanwhile: node pays three milliseconds for what costs a shell half of one.
 */
export interface Launcher {
  /** Where it keeps its pipes; nothing else may be put there. */
  readonly dir: string;
  readonly pid: number | undefined;
  /** As `runCommand`; the command gets no input. Undefined when the launcher can no longer be relied on. */
  run(command: ProcessCommand, signal?: AbortSignal): Promise<Ran | undefined>;
  /** The output of the last command is not needed any more: the next one can be prepared while nobody waits for it. */
  prepare(): void;
  close(): void;
}

/** Walls around commands. */
export interface Housing {
  /** The command line of a launcher that speaks as ours does, and starts this for each command. */
  readonly launcher: (cell: readonly string[]) => readonly string[];
  /** The command line of a shell behind the walls. */
  readonly command: (shell: readonly string[]) => readonly string[];
  readonly limits: ProcessLimits;
  /** Whether what a command wrote is there until the next one is prepared: then somebody says when it may be. */
  readonly holds: boolean;
  /** The user that commands run as, when that is another than the one that runs orgrepo. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
  /** False when something is left of a command that no renewal takes away. */
  checkSound(launcher: number): boolean;
}

/** What a command in a housing may use up: memory of one process, processes, the size of a file. */
export interface ProcessLimits {
  readonly memoryBytes: number;
  readonly processes: number;
  readonly fileBytes: number;
}

/**
 * The launcher where there are no walls. With job control every order has a process group of its own, and the shell itself stays out of it. The process that will carry
 * an order out is started at a first word, while nobody waits: in a housing the walls are put up by then. A pipe that is gone
 * would be made a file by opening it: nobody is to take the silence for an answer. Opened for both ways, one that nobody
 * listens to any more does not keep us waiting.
 */
const freeScript = `
set -m
echo ready
while IFS= read -r -d '' word; do
  (
    echo "pid $BASHPID"
    IFS= read -r -d '' order || exit 1
    exec 3>&1 </dev/null 1<>stdout 2<>stderr
    [[ -p /dev/stdout && -p /dev/stderr ]] || exit 1
    echo go >&3
    exec 3>&-
    unset OLDPWD SHLVL
    eval "$order"
  )
  echo "exit $?"
done`;

/** The first word. Where it is taken for an order, because somebody was killed before he took his own, it does nothing. */
const nextWord = ':\0';

/**
 * What bash does before it lets anybody untrusted in: the process that started orgrepo may have left files open, which we pass on;
 * and when the machine runs out of memory, this is where it shall take some.
 */
export const clearRoom = `for fd in /proc/self/fd/*; do fd=\${fd##*/}; ((fd > 2)) && eval "exec $fd>&-"; done; echo 1000 > /proc/self/oom_score_adj`;

/**
 * The first process behind the walls. It closes its own pipes before it carries an order out: what it starts can
 * reach all that it holds.
 */
const wardenScript = ({ memoryBytes, processes, fileBytes }: ProcessLimits): string => `
${clearRoom}
ulimit -c 0 -d ${Math.floor(memoryBytes / 1024)} -u ${processes} -f ${Math.floor(fileBytes / 1024)} || exit 1
IFS= read -r -d '' order || exit 1
echo go
exec </dev/null >/dev/null 2>&1 8>"$1/stdout" 9>"$1/stderr"
unset OLDPWD SHLVL
eval "$order"
exit $?`;

const shells = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'];

/**
 * A launcher with the environment that all its commands share. Undefined where there is no shell for it: then commands
 * are started the dearer way.
 */
export async function openLauncher(
  dir: string,
  env: ProcessCommand['env'],
  housing?: Housing,
): Promise<Launcher | undefined> {
  const shell = process.platform === 'linux' ? shells.find((file) => existsSync(file)) : undefined;
  if (shell === undefined) return undefined;
  const bash = (script: string): string[] => [shell, '--norc', '--noprofile', '-c', script, 'launcher'];
  makePipes(dir, housing?.owner);
  const [file = '', ...args] =
    housing === undefined
      ? bash(freeScript)
      : housing.launcher(housing.command([...bash(wardenScript(housing.limits)), dir]));
  const companion = startCompanion(file, args, env, { cwd: dir, detached: true });
  companion.stderr.resume();
  const nextLine = readLines(companion);
  let sound = true;
  let gone = false;
  let prepared = false;
  void companion.ended.then(() => {
    sound = false;
    gone = true; // Its number may be somebody else's by now.
  });
  const launcher: Launcher = {
    dir,
    pid: companion.pid,
    prepare: () => {
      if (!prepared) companion.stdin.write(nextWord);
      prepared = true;
    },
    run: async (command, signal) => {
      if (sound && companion.pid !== undefined) sound = housing?.checkSound(companion.pid) ?? true;
      const pipes = sound ? openPipes(dir) : undefined;
      if (pipes === undefined) return undefined;
      const [stdout, stderr] = pipes;
      launcher.prepare();
      companion.stdin.write(order(command, env, dir, housing !== undefined));
      prepared = false;
      if (housing?.holds !== true) launcher.prepare();
      const followed = follow(nextLine, companion, housing !== undefined);
      const ran = await supervise({ stdout, stderr, ...followed }, command, signal);
      // What still holds the pipes could speak for the next command, and an order that nobody took could be taken for its.
      sound &&= followed.wasTaken() && !ran.outlived && ran.notStarted === undefined && ran.signal !== lostLauncher;
      return ran.notStarted === undefined ? ran : undefined;
    },
    close: () => {
      companion.stdin.end();
      if (housing !== undefined && companion.pid !== undefined && !gone) killGroup(companion.pid);
      rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
    },
  };
  if ((await nextLine()) === 'ready') {
    launcher.prepare();
    return launcher;
  }
  launcher.close();
  return undefined;
}

/** One order, as short as can be: the shell reads it byte by byte. */
function order({ file, args, env, cwd }: ProcessCommand, known: ProcessCommand['env'], dir: string, housed: boolean) {
  const fresh = Object.entries(env).filter(([name, value]) => known[name] !== value);
  const variables = fresh.map(([name, value]) => `export ${name}=${quote(value)};`).join('');
  const words = [file, ...args].map(quote).join(' ');
  // The first process behind the walls stays, and must not hold the pipes itself.
  if (housed) return `${variables}cd ${quote(cwd)}&&${words} >&8 2>&9 8>&- 9>&-\0`;
  return `${variables}cd ${quote(path.relative(dir, cwd))}&&exec -- ${words}\0`;
}

/** How a command ended whose launcher is gone, or says what no launcher says. */
const lostLauncher = 'the end of its launcher';

/** A launcher that has not reported the end of a killed command by then will never report it. */
const deafMs = 1_000;

/** What the launcher says, line by line; undefined once it is gone. */
function readLines({ stdout, ended }: Companion): () => Promise<string | undefined> {
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
  return async () => {
    while (!said.includes('\n') && !gone) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const end = said.indexOf('\n');
    if (end < 0) return undefined;
    const line = said.slice(0, end);
    said = said.slice(end + 1);
    return line;
  };
}

/** A command from its start to its end, as the launcher tells it: its number, then its exit code. */
function follow(nextLine: () => Promise<string | undefined>, launcher: Companion, housed: boolean) {
  let pid: number | undefined;
  let begun = false;
  let killed = false;
  let over = false;
  let lastResort: NodeJS.Timeout | undefined;
  const endLauncher = (): void => void (launcher.pid !== undefined && killGroup(launcher.pid));
  const kill = (): void => {
    killed = true;
    if (pid !== undefined) killGroup(pid);
    if (over) return;
    if (housed)
      endLauncher(); // Everything behind its walls ends with it.
    // A command may have stopped or deafened the shell that started it: then that goes too.
    else lastResort ??= setTimeout(endLauncher, deafMs);
  };
  const listen = async (): Promise<Ended> => {
    const first = await nextLine();
    pid = housed ? undefined : numberAfter('pid', first);
    if (lastResort !== undefined) kill();
    const second = pid === undefined ? first : await nextLine();
    begun = second === 'go';
    const code = numberAfter('exit', begun ? await nextLine() : second);
    over = true;
    clearTimeout(lastResort);
    if (code === undefined) return { code, signal: lostLauncher, notStarted: undefined };
    if (!begun && !killed) return { code, signal: undefined, notStarted: 'its launcher could not start it' };
    const signal = code > 128 ? nameOfSignal(code - 128) : undefined;
    return { code: signal === undefined ? code : undefined, signal, notStarted: undefined };
  };
  // An order that was killed before the shell read it is still to be read.
  return { ended: listen(), kill, wasTaken: () => begun };
}

function numberAfter(tag: 'pid' | 'exit', line: string | undefined): number | undefined {
  const [first, number = ''] = (line ?? '').split(' ');
  const value = first === tag && /^[0-9]{1,9}$/.test(number) ? Number(number) : undefined;
  return tag === 'pid' && value !== undefined && value <= 1 ? undefined : value; // A process that says so is not our launcher.
}

const nameOfSignal = (number: number): string | undefined =>
  Object.entries(system.signals).find(([, value]) => value === number)?.[0];
