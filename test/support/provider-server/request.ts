import type { IncomingMessage } from 'node:http';
import type { Heard, Wire } from './script.ts';

/** Reads a request of any of the wire formats; undefined when its path is none of theirs. */
export async function readRequest(request: IncomingMessage, turn: number): Promise<Heard | undefined> {
  const path = request.url ?? '';
  const wire = wireOf(path);
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  if (wire === undefined) return undefined;
  const body = JSON.parse(text) as Record<string, unknown>;
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const asked = /models\/([^:]+):/.exec(path)?.[1] ?? String(body.model);
  return { wire, path, headers, key: keyIn(headers), model: asked, body, told: toldIn(wire, body), turn };
}

function wireOf(path: string): Wire | undefined {
  const [place = '', query = ''] = path.split('?');
  if (place === '/v1/messages') return 'anthropic';
  if (place === '/v1/chat/completions') return 'openai';
  if (place === '/v1/responses') return 'responses';
  if (/^\/v1beta\/models\/[^/]+:streamGenerateContent$/.test(place) && query.includes('alt=sse')) return 'google';
  return undefined;
}

export const keyIn = (headers: Readonly<Record<string, string>>): string | undefined =>
  headers.authorization?.replace(/^Bearer /, '') ?? headers['x-api-key'] ?? headers['x-goog-api-key'];

const listOf: Readonly<Record<Wire, string>> = {
  anthropic: 'messages',
  openai: 'messages',
  responses: 'input',
  google: 'contents',
};

function toldIn(wire: Wire, body: Readonly<Record<string, unknown>>): string {
  const list = body[listOf[wire]];
  if (!Array.isArray(list)) return typeof list === 'string' ? list : '';
  const ofModel = list.findLastIndex(
    (each) => each.role === 'assistant' || each.role === 'model' || each.type === 'function_call',
  );
  const since = list.slice(ofModel + 1).filter((each) => each.role !== 'system' && each.role !== 'developer');
  return wordsIn(since).join('\n');
}

function wordsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(wordsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (typeof inner !== 'string') return wordsIn(inner);
    return ['text', 'content', 'output', 'error'].includes(name) ? [inner] : [];
  });
}
