import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ServerReach } from '../../domain/staff/staff.ts';
import { closeToCells, openToCells } from '../../jail/cell-owner.ts';
import { neverStill } from '../../process/alarms.ts';
import { type Companion, commandLine, endProcessesIn, killGroup, startCompanion } from '../../process/run-process.ts';
import type { AgentTask } from '../agent-contract.ts';
import { atIdlePriority, besideMeasurements, environmentOf, lineInCell } from '../programs/confinement.ts';
import {
  formNotice,
  formRequest,
  linesFrom,
  mostAnswerBytes,
  mostMessages,
  readSaid,
  refusal,
  ServerFault,
  tooMuchFromServer,
  type Wire,
} from './mcp-wire.ts';

/** What a server is told, and where it is held. */
export type ServerTask = Pick<AgentTask, 'agent' | 'attempt' | 'dir' | 'held' | 'mark'>;

/** A server that is a process: a message is a line, on its stdin and from its stdout. It lives as long as one attempt. */
export function stdioWire(
  reach: Extract<ServerReach, { kind: 'command' }>,
  task: ServerTask,
  key: Readonly<Record<string, string>>,
): Wire {
  const server = start(reach, task, key);
  const { onStart, still } = besideMeasurements(task.agent);
  if (server.pid !== undefined) void server.ended.then(onStart?.(server.pid));
  // What left its group dies with its cell; where there is none, it is found by where it stands and what it was told.
  const sweep = (): void => {
    if (task.held.level !== 'none') closeToCells(task.dir);
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
  server.stderr.resume(); // What it has to say to people is nothing for a model, and a full pipe would stop it.
  void server.ended.then(() => end(new ServerFault('it is not running any more')));

  return {
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

/** Tells the processes of one task from all others; the task's mark itself is not for a server to know. */
const signOf = ({ mark }: Pick<AgentTask, 'mark'>): string => createHash('sha256').update(mark).digest('hex');

/** In its bench, which it may read, with a short environment and no network unless the brief gives it one. */
function start(
  { command, network }: Extract<ServerReach, { kind: 'command' }>,
  task: ServerTask,
  key: Readonly<Record<string, string>>,
): Companion {
  const { dir, held } = task;
  const { level, shown, hidden } = held;
  const { file, args } = commandLine(command);
  const free = level === 'none';
  const env = {
    ...environmentOf(task, free ? (process.env.HOME ?? tmpdir()) : '/tmp', free ? tmpdir() : '/tmp'),
    ...(free ? { ORGREPO_SERVER: signOf(task) } : {}),
    ...key,
  };
  const place = { cwd: dir, detached: true };
  const begin = (words: readonly [string, ...string[]]): Companion => {
    const [first, ...rest] = atIdlePriority(words, dir);
    return startCompanion(first, rest, env, place);
  };
  if (level === 'none') return begin([file, ...args]);
  openToCells(dir);
  const program = path.isAbsolute(file) ? [file] : [];
  return begin(
    lineInCell(level, { shown: [...shown, dir, ...program], hidden, open: [], network }, dir, [file, ...args]),
  );
}
