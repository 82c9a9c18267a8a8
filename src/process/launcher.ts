import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { follow, hear, lostLauncher, makePipes, type Owner, openPipes } from './launcher-words.ts';
import { killGroup, type ProcessCommand, quote, type Ran, startCompanion, supervise } from './run-process.ts';

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
  /** Whatever the last command wrote is no longer needed: the next one can be prepared while nobody waits for it. */
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
  /** Whom commands run as, when that is not whoever runs orgrepo. */
  readonly owner: Owner | undefined;
  /** False when something is left of a command that no renewal takes away. */
  isSound(launcher: number): boolean;
}

/** What a command in a housing may use up: memory of one process, processes, the size of a file. */
export interface ProcessLimits {
  readonly memoryBytes: number;
  readonly processes: number;
  readonly fileBytes: number;
}

/**
 * The launcher where there are no walls. With job control every order has a process group of its own, and the shell itself stays out of it. Whoever will carry
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
 * What bash does before it lets anybody untrusted in: whoever started orgrepo may have left files open, which we pass on;
 * and when the machine runs out of memory, this is where it shall take some.
 */
export const clearRoom = `for fd in /proc/self/fd/*; do fd=\${fd##*/}; ((fd > 2)) && eval "exec $fd>&-"; done; echo 1000 > /proc/self/oom_score_adj`;

/**
 * The first process behind the walls. It forgets whom it speaks with before it does what it is told: what it starts can
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
  const said = hear(companion);
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
      if (sound && companion.pid !== undefined) sound = housing?.isSound(companion.pid) ?? true;
      const pipes = sound ? openPipes(dir) : undefined;
      if (pipes === undefined) return undefined;
      const [stdout, stderr] = pipes;
      const words =
        housing === undefined
          ? order(command, path.relative(dir, command.cwd), env, 'exec -- ')
          : order(command, command.cwd, env, '', ' >&8 2>&9 8>&- 9>&-'); // The warden stays, and says nothing itself.
      launcher.prepare();
      companion.stdin.write(`${words}\0`);
      prepared = false;
      if (housing?.holds !== true) launcher.prepare();
      const followed = follow(said, companion, housing !== undefined);
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
  if ((await said.next()) === 'ready') {
    launcher.prepare();
    return launcher;
  }
  launcher.close();
  return undefined;
}

/** One order, as short as can be: the shell reads it byte by byte. */
function order(
  { file, args, env }: ProcessCommand,
  place: string,
  known: ProcessCommand['env'],
  how: string,
  end = '',
): string {
  const fresh = Object.entries(env).filter(([name, value]) => known[name] !== value);
  const variables = fresh.map(([name, value]) => `export ${name}=${quote(value)};`).join('');
  return `${variables}cd ${quote(place)}&&${how}${[file, ...args].map(quote).join(' ')}${end}`;
}
