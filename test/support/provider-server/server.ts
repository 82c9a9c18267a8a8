import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type Issued, refusalOf } from './check-request.ts';
import { answerSought, readSought, type Seek, type Sought } from './models.ts';
import { play, refuse } from './play.ts';
import { readRequest } from './request.ts';
import type { Counts, Heard, Reply, Step, Wire } from './script.ts';

/** What the server has said in full, as it counted it. Lies and what was cut off are not among it. */
export interface Tally {
  readonly turns: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface ProviderServer {
  /** What a person would give as the base URL for this wire. */
  readonly baseUrl: (wire: Wire) => string;
  /** Every request, oldest first. */
  readonly heard: readonly Heard[];
  /** Every model that was asked for without a question. */
  readonly sought: readonly Sought[];
  /** Every answer that was said in full, with what it counted, lies included. */
  readonly said: readonly { readonly heard: Heard; readonly counts: Counts }[];
  /** Of one wire, or of all of them. */
  readonly tally: (wire?: Wire) => Tally;
  /** Steps after those that are still to be played. */
  readonly add: (...steps: readonly Step[]) => void;
  readonly close: () => Promise<void>;
}

interface ServerOptions {
  /** How long a model takes before it says anything. */
  readonly delayMs?: number;
  /** The wires that the server has; all, when it is left out. */
  readonly has?: readonly Wire[];
}

/**
 * A server on this machine that speaks the providers' wire formats and plays a script to whoever asks, a step for each
 * request: the real SDKs, with nobody at the other end. A script that is one function is asked for every step.
 * `seek` says which models there are: all, when it is left out. Requests are checked as the provider does, and refused without
 * a step. It keeps no process alive.
 */
export async function startProviderServer(
  script: readonly Step[] | Reply = [],
  seek: Seek = () => 200,
  { delayMs = 0, has }: ServerOptions = {},
): Promise<ProviderServer> {
  const steps = typeof script === 'function' ? [] : [...script];
  const heard: Heard[] = [];
  const asked: Sought[] = [];
  const said: { readonly heard: Heard; readonly counts: Counts }[] = [];

  const issued: Issued = { signatures: new Set(), thoughts: new Map() };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url === '/oauth/token') return void response.writeHead(401).end(); // No login is renewed here.
    const sought = await readSought(request);
    const found = sought && seek(sought);
    if (sought !== undefined) asked.push(sought);
    if (sought !== undefined && found !== undefined) return answerSought(sought, found, response);
    const one = await readRequest(request, heard.length + 1);
    if (one === undefined || has?.includes(one.wire) === false)
      return void response.writeHead(404, { 'content-type': 'text/plain' }).end('no such place');
    heard.push(one);
    if (delayMs > 0) await wait(delayMs);
    const refusal = refusalOf(one, issued);
    if (refusal !== undefined) return refuse(refusal, one, response);
    const step = typeof script === 'function' ? script : (steps.shift() ?? scriptIsOver);
    const counts = await play(typeof step === 'function' ? step(one) : step, one, response, issued);
    if (counts !== undefined) said.push({ heard: one, counts });
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.destroy(error));
  });
  server.on('connection', (socket) => socket.unref());
  // It has no web sockets, and says so in the way after which nobody asks again.
  server.on('upgrade', (_, socket) => socket.end('HTTP/1.1 426 Upgrade Required\r\nConnection: close\r\n\r\n'));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  server.unref();
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    baseUrl: (wire) => (wire === 'openai' || wire === 'responses' ? `${origin}/v1` : origin),
    heard,
    sought: asked,
    said,
    tally: (wire) =>
      tallyOf(said.filter((each) => wire === undefined || each.heard.wire === wire).map(({ counts }) => counts)),
    add: (...more) => void steps.push(...more),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

const scriptIsOver: Step = { fault: 'status', status: 400, body: { error: { message: 'the script is over' } } };

function tallyOf(all: readonly Counts[]): Tally {
  const sum = (name: keyof Counts): number =>
    all.map((counts) => Number(counts[name])).reduce((total, count) => (count > 0 ? total + count : total), 0);
  return {
    turns: all.length,
    tokensIn: sum('tokensIn'),
    tokensOut: sum('tokensOut'),
    cacheRead: sum('cacheRead'),
    cacheWrite: sum('cacheWrite'),
  };
}
