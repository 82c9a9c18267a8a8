import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import type { ServerReach } from '../../domain/staff/staff.ts';
import { closeToCells, isWithin, openToCells } from '../../jail/cell.ts';
import { neverStill } from '../../process/pace.ts';
import { type Companion, commandLine, endProcessesIn, killGroup, startCompanion } from '../../process/run-process.ts';
import type { AgentTask } from '../agent-contract.ts';
import {
  atIdlePriority,
  besideMeasurements,
  homelessEnvironment,
  lineInCell,
  outermostOf,
} from '../programs/confinement.ts';
import { belongingsOfLine } from '../programs/program-place.ts';
import {
  formNotice,
  formRequest,
  linesFrom,
  mostAnswerBytes,
  mostMessages,
  readSaid,
  refusal,
  ServerFault,
  type ServerWire,
  tooMuchFromServer,
} from './mcp-messages.ts';

type CommandReach = Extract<ServerReach, { kind: 'command' }>;

/** What a server is told, and where it is held. */
type ServerTask = Pick<AgentTask, 'agent' | 'attempt' | 'dir' | 'cell' | 'mark'>;

/** A server that is a process: a message is a line, on its stdin and from its stdout. It lives as long as one attempt. */
export function stdioWire(reach: CommandReach, task: ServerTask, key: Readonly<Record<string, string>>): ServerWire {
  const server = start(reach, task, key);
  const { onStart, still } = besideMeasurements(task.agent);
  if (server.pid !== undefined) void server.ended.then(onStart?.(server.pid));
  // What left its group dies with its cell; where there is none, it is found by where it stands and what it was told.
  const sweep = (): void => {
    if (task.cell.level !== 'none') closeToCells(task.dir);
    else endProcessesIn(task.dir, (_, environment) => environment.includes(signOf(task)));
  };
  const pending = new Map<number, (answer: { result: unknown } | ServerFault) => void>();
  let [last, heard, messages] = [0, 0, 0];
  let dead: ServerFault | undefined;

  const end = (why: ServerFault): void => {
    dead ??= why;
    if (server.pid !== undefined) killGroup(server.pid);
    for (const settle of pending.values()) settle(dead);
    pending.clear();
  };
  const take = linesFrom((line) => {
    if (pending.size === 0) return; // Nobody has asked anything.
    if (++messages > mostMessages) throw tooMuchFromServer();
    const said = readSaid(line);
    if (said.kind === 'request') server.stdin.write(`${said.reply}\n`);
    if (said.kind !== 'answer') return;
    pending.get(said.id)?.(said.error === undefined ? { result: said.result } : refusal(said.error));
    pending.delete(said.id);
  });
  server.stdout.on('data', (chunk: Buffer) => {
    heard += chunk.length;
    try {
      if (heard > mostAnswerBytes) throw tooMuchFromServer();
      take(chunk);
    } catch (error) {
      end(error instanceof ServerFault ? error : tooMuchFromServer());
    }
  });
  let log = '';
  server.stderr.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString('utf8')).slice(-keptLog);
  });
  void server.ended.then(() => end(new ServerFault('it is not running any more', lastWords(log))));

  return {
    isAddress: false,
    request: (method, params, signal) =>
      new Promise((resolve, reject) => {
        if (dead !== undefined) return reject(dead);
        const id = ++last;
        [heard, messages] = [0, 0];
        const giveUp = (): void => {
          pending.delete(id);
          if (dead === undefined) server.stdin.write(`${formNotice('notifications/cancelled', { requestId: id })}\n`);
          reject(new ServerFault('it did not answer in time'));
        };
        if (signal.aborted) return giveUp();
        signal.addEventListener('abort', giveUp, { once: true });
        pending.set(id, (answer) => {
          signal.removeEventListener('abort', giveUp);
          if (answer instanceof ServerFault) reject(answer);
          else resolve(answer.result);
        });
        server.stdin.write(`${formRequest(id, method, params)}\n`);
      }),
    notify: async (method) => void server.stdin.write(`${formNotice(method)}\n`),
    agree: () => {},
    still: still ?? neverStill,
    close: async () => {
      end(new ServerFault('the attempt is over'));
      await server.ended;
      sweep();
    },
  };
}

const keptLog = 8 * 1024;

/** Why a program ended, of all that it wrote to stderr: its last line that names an error, or else its last. */
function lastWords(log: string): string {
  const lines = log.split('\n').filter((line) => /^\S/.test(line));
  return lines.findLast((line) => /error|exception|cannot|not found|no such|denied/i.test(line)) ?? lines.at(-1) ?? '';
}

/** Tells the processes of one task from all others; the task's mark itself is not for a server to know. */
const signOf = ({ mark }: Pick<AgentTask, 'mark'>): string => createHash('sha256').update(mark).digest('hex');

/** In its bench, which it may read, with a short environment and no network unless the brief gives it one. */
function start({ command, network }: CommandReach, task: ServerTask, key: Readonly<Record<string, string>>): Companion {
  const { dir } = task;
  const { level, shown, hidden } = task.cell;
  const { file, args } = commandLine(command);
  const free = level === 'none';
  const env = {
    ...homelessEnvironment(task, tmpdir()),
    ...(free ? { ORGREPO_SERVER: signOf(task) } : {}),
    ...key,
  };
  const begin = (words: readonly [string, ...string[]]): Companion => {
    const [first, ...rest] = atIdlePriority(words, dir);
    return startCompanion(first, rest, env, { cwd: dir, detached: true });
  };
  if (free) return begin([file, ...args]);
  openToCells(dir);
  // A program in the repository's own bin/ must not bring all of the repository along.
  const needed = belongingsOfLine([file, ...args]).filter((place) => !hidden.some((repo) => isWithin(repo, place)));
  const cell = { shown: [...outermostOf([...shown, ...needed]), dir], hidden, open: [], network };
  return begin(lineInCell(level, cell, dir, [file, ...args]));
}
