import { less, named, pieces, type Spoken } from './spoken.ts';

/** Anthropic's messages, as server-sent events. */
export function anthropicEvents({ text, thinking, calls, stop, usage, model }: Spoken): readonly string[] {
  const { tokensIn = 0, tokensOut = 0, cacheRead, cacheWrite, thoughts } = usage ?? {};
  const counted = {
    input_tokens: less(tokensIn, (cacheRead ?? 0) + (cacheWrite ?? 0)),
    cache_read_input_tokens: cacheRead ?? null,
    cache_creation_input_tokens: cacheWrite ?? null,
  };
  const details = { output_tokens_details: { thinking_tokens: thoughts ?? 0 } };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], stop_reason: null };
  const blocks = [
    ...(thinking === undefined ? [] : [thinkingBlock(thinking)]),
    ...(text === '' ? [] : [textBlock(text)]),
    ...calls.map(callBlock),
  ];
  return [
    named({
      type: 'message_start',
      message: { ...message, ...(usage === undefined ? {} : { usage: { ...counted, output_tokens: 1 } }) },
    }),
    named({ type: 'ping' }),
    ...blocks.flatMap(({ start, deltas }, index) => [
      named({ type: 'content_block_start', index, content_block: start }),
      ...deltas.map((delta) => named({ type: 'content_block_delta', index, delta })),
      named({ type: 'content_block_stop', index }),
    ]),
    named({
      type: 'message_delta',
      delta: { stop_reason: reasons[stop], stop_sequence: null, stop_details: null },
      ...(usage === undefined ? {} : { usage: { output_tokens: tokensOut, ...details } }),
    }),
    named({ type: 'message_stop' }),
  ];
}

const reasons: Readonly<Record<Spoken['stop'], string>> = {
  done: 'end_turn',
  calls: 'tool_use',
  length: 'max_tokens',
  refused: 'refusal',
  blocked: 'refusal',
};

interface Block {
  readonly start: object;
  readonly deltas: readonly object[];
}

const textBlock = (text: string): Block => ({
  start: { type: 'text', text: '', citations: null },
  deltas: pieces(text).map((piece) => ({ type: 'text_delta', text: piece })),
});

const thinkingBlock = ({ text, signature }: NonNullable<Spoken['thinking']>): Block => ({
  start: { type: 'thinking', thinking: '', signature: '' },
  deltas: [
    ...pieces(text).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
    { type: 'signature_delta', signature },
  ],
});

const callBlock = ({ id, tool, json }: Spoken['calls'][number]): Block => ({
  start: { type: 'tool_use', id, name: tool, input: {}, caller: { type: 'direct' } },
  deltas: ['', ...pieces(json)].map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
});

export const anthropicError = (status: number, message: string): object => ({
  type: 'error',
  error: { type: errors[status] ?? 'api_error', message },
  request_id: 'req_1',
});

const errors: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};
