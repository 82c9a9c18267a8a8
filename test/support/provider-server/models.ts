import type { IncomingMessage, ServerResponse } from 'node:http';
import { anthropicError } from './anthropic-wire.ts';
import { openaiError } from './chat-wire.ts';
import { googleError } from './google-wire.ts';
import { keyIn } from './request.ts';
import type { Wire } from './script.ts';

/** Somebody asks whether there is a model. */
export interface Sought {
  /** OpenAI has two: its list of all models, and what counts the tokens of a response. */
  readonly wire: Wire;
  readonly model: string;
  readonly key: string | undefined;
}

/** With which status it is answered; undefined when the server has no such place, as many of one's own. */
export type Seek = (sought: Sought) => number | undefined;

/** Undefined when it is no such request. Anthropic and OpenAI have the same place, and only one of them has versions. */
export async function readSought(request: IncomingMessage): Promise<Sought | undefined> {
  const { method, url = '', headers } = request;
  const key = keyIn(headers as Record<string, string>);
  if (method === 'POST' && url === '/v1/responses/input_tokens') {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    return { wire: 'responses', model: JSON.parse(text).model, key };
  }
  const [, version, model] = /^\/(v1|v1beta)\/models\/([^/:?]+)$/.exec(url.split('?')[0] ?? '') ?? [];
  if (method !== 'GET' || model === undefined) return undefined;
  const wire = version === 'v1beta' ? 'google' : headers['anthropic-version'] === undefined ? 'openai' : 'anthropic';
  return { wire, model: decodeURIComponent(model), key };
}

export function answerSought({ wire, model }: Sought, status: number, response: ServerResponse): void {
  const error = { anthropic: anthropicError, openai: openaiError, responses: openaiError, google: googleError }[wire];
  const body = status === 200 ? forms[wire](model) : error(status, `the script says ${status} to ${model}`);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const forms: Readonly<Record<Sought['wire'], (model: string) => object>> = {
  anthropic: (id) => ({ type: 'model', id, display_name: id, created_at: '2026-01-01T00:00:00Z' }),
  openai: (id) => ({ object: 'model', id, created: 1, owned_by: 'somebody' }),
  responses: () => ({ object: 'response.input_tokens', input_tokens: 2 }),
  google: (id) => ({ name: `models/${id}`, displayName: id, supportedGenerationMethods: ['generateContent'] }),
};
