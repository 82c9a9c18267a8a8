import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ServerReach } from '../../domain/staff/staff.ts';
import { closeToCells, openToCells } from '../../jail/cell.ts';
import { neverStill } from '../../process/pace.ts';
import { type Companion, commandLine, endProcessesIn, killGroup, startCompanion } from '../../process/run-process.ts';
import type { AgentTask } from '../agent-contract.ts';
import { atIdlePriority, besideMeasurements, homelessEnvironment, lineInCell } from '../programs/confinement.ts';
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
} from './mcp-messages.ts';

/** A server at an address: every message is a POST, and the answer comes as JSON or as a stream of events. */
export function httpWire(url: string, key: string | undefined): Wire {
  let last = 0;
  let session: string | undefined;
  let version: string | undefined;
  const headers = (): Record<string, string> => ({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(session === undefined ? {} : { 'mcp-session-id': session }),
    ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
  });
  // Whoever sends us elsewhere would be given the key as well.
  const send = (method: 'POST' | 'DELETE', signal: AbortSignal, body: string | null = null): Promise<Response> =>
    fetch(url, { method, headers: headers(), body, redirect: 'error', signal });

  return {
    request: async (method, params, signal) => {
      const id = ++last;
      try {
        const response = await send('POST', signal, formRequest(id, method, params));
        const told = response.headers.get('mcp-session-id');
        if (told !== null && /^[\x21-\x7e]{1,256}$/.test(told)) session = told;
        if (!response.ok) {
          await response.body?.cancel();
          throw new ServerFault(`it answered with status ${response.status}`);
        }
        return await answerIn(response, id);
      } catch (error) {
        if (error instanceof ServerFault) throw error;
        throw new ServerFault(signal.aborted ? 'it did not answer in time' : `it cannot be reached: ${causeOf(error)}`);
      }
    },
    notify: async (method) => {
      const farewell = AbortSignal.timeout(farewellMs);
      const response = await send('POST', farewell, formNotice(method)).catch(() => undefined);
      await response?.body?.cancel();
    },
    agree: (agreed) => {
      version = agreed;
    },
    still: neverStill,
    close: async () => {
      if (session === undefined) return;
      const response = await send('DELETE', AbortSignal.timeout(farewellMs)).catch(() => undefined);
      await response?.body?.cancel();
    },
  };
}

/** What nobody waits for an answer to is not waited for. */
const farewellMs = 1_000;

async function answerIn(response: Response, id: number): Promise<unknown> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  let found: { readonly result: unknown } | undefined;
  const take = (text: string): void => {
    const said = readSaid(text);
    if (said.kind !== 'answer' || said.id !== id) return;
    if (said.error !== undefined) throw refusal(said.error);
    found = { result: said.result };
  };
  const pieces: Uint8Array[] = [];
  const hear = isStream ? eventsFrom(take) : (piece: Uint8Array): void => void pieces.push(piece);
  let heard = 0;
  for await (const piece of response.body ?? []) {
    heard += piece.length;
    if (heard > mostAnswerBytes) throw tooMuchFromServer();
    hear(piece);
    if (found !== undefined) break; // It may keep the stream open for as long as it likes.
  }
  if (!isStream) take(Buffer.concat(pieces).toString('utf8'));
  if (found === undefined) throw new ServerFault('it gave no answer that can be read');
  return found.result;
}

/** The data of each event: its lines until an empty one. */
function eventsFrom(take: (text: string) => void): (chunk: Uint8Array) => void {
  let data: string[] = [];
  return linesFrom((line) => {
    if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
    if (line !== '') return;
    if (data.length > 0) take(data.join('\n'));
    data = [];
  });
}

const causeOf = (error: unknown): string => {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const { code, message } = cause instanceof Error ? (cause as NodeJS.ErrnoException) : { code: '', message: '' };
  return code || message || 'no reason was given';
};

type CommandReach = Extract<ServerReach, { kind: 'command' }>;

/** What a server is told, and where it is held. */
type ServerTask = Pick<AgentTask, 'agent' | 'attempt' | 'dir' | 'held' | 'mark'>;

/** A server that is a process: a message is a line, on its stdin and from its stdout. It lives as long as one attempt. */
export function stdioWire(reach: CommandReach, task: ServerTask, key: Readonly<Record<string, string>>): Wire {
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
function start({ command, network }: CommandReach, task: ServerTask, key: Readonly<Record<string, string>>): Companion {
  const { dir } = task;
  const { level, shown, hidden } = task.held;
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
  const program = path.isAbsolute(file) ? [file] : [];
  const cell = { shown: [...shown, dir, ...program], hidden, open: [], network };
  return begin(lineInCell(level, cell, dir, [file, ...args]));
}
