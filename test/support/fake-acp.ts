import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A program on the PATH that speaks ACP, and keeps what it was started with and what it was told. */
export interface FakeAcp {
  environment(): Readonly<Record<string, string>>;
  /** The messages that came on its input, over all of its starts. */
  heard(): readonly { readonly method?: string; readonly params?: never; readonly error?: unknown }[];
}

const bin = mkdtempSync(path.join(tmpdir(), 'orgrepo-acp-'));
process.env.PATH = `${bin}:${process.env.PATH}`;
process.once('exit', () => rmSync(bin, { recursive: true, force: true }));

/**
 * `answers` is a piece of JavaScript: the properties of an object with an answer for each method. It has `update(…)`, `ask(method, params)`, which
 * waits for an answer, `print(line)`, and `fs`. By itself it says who it is, opens a session and ends each prompt at once.
 */
export function fakeAcp(name: string, answers: string): FakeAcp {
  const [file, log, env] = ['', '.log', '.env'].map((ending) => path.join(bin, `${name}${ending}`)) as [
    string,
    string,
    string,
  ];
  const script = `#!${process.execPath}
const fs = require('node:fs');
fs.writeFileSync(${JSON.stringify(env)}, JSON.stringify(process.env));
const print = (line) => fs.writeSync(1, line + '\\n');
const say = (message) => print(JSON.stringify({ jsonrpc: '2.0', ...message }));
const update = (update) => say({ method: 'session/update', params: { sessionId: 's1', update } });
const words = (text) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
const waiting = new Map();
const ask = (method, params) => new Promise((resolve) => {
  const id = 'q' + (waiting.size + 1);
  waiting.set(id, resolve);
  say({ id, method, params: { sessionId: 's1', ...params } });
});
const fault = (code, message, data) => { throw { code, message, data }; };
const answers = {
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: ${JSON.stringify(name)}, version: '1.2.3' } }),
  'session/new': () => ({ sessionId: 's1' }),
  'session/prompt': () => ({ stopReason: 'end_turn' }),
  ${answers}
};
require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
  fs.appendFileSync(${JSON.stringify(log)}, line + '\\n');
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(error ?? result);
  try {
    const answer = await answers[method]?.(params);
    if (id !== undefined) say({ id, result: answer ?? {} });
  } catch (error) {
    if (id !== undefined) say({ id, error });
  }
});
`;
  writeFileSync(file, script);
  writeFileSync(log, '');
  chmodSync(file, 0o755);
  return {
    environment: () => JSON.parse(readFileSync(env, 'utf8')),
    heard: () =>
      readFileSync(log, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
  };
}
