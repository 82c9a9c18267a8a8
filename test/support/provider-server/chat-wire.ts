import { pieces, type Spoken, unnamed } from './spoken.ts';

/** OpenAI's chat completions, as server-sent events. */
export function chatEvents({ text, thinking, calls, stop, usage, model }: Spoken): readonly string[] {
  const chunk = (rest: object): string =>
    unnamed({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, ...rest });
  const choice = (delta: object, finish_reason: string | null = null): string =>
    chunk({ choices: [{ index: 0, delta, finish_reason, logprobs: null }] });
  const field = stop === 'refused' ? 'refusal' : 'content';
  return [
    choice({ role: 'assistant', content: '', refusal: null }),
    ...pieces(thinking?.text ?? '').map((piece) =>
      choice({ content: null, [thinking?.field ?? 'reasoning_content']: piece }),
    ),
    ...pieces(text).map((piece) => choice({ [field]: piece })),
    ...calls.flatMap(callDeltas).map((delta) => choice({ tool_calls: [delta] })),
    choice({}, reasons[stop]),
    ...(usage === undefined ? [] : [chunk({ choices: [], usage: usageForm(usage) })]),
    'data: [DONE]\n\n',
  ];
}

const reasons: Readonly<Record<Spoken['stop'], string>> = {
  done: 'stop',
  calls: 'tool_calls',
  length: 'length',
  refused: 'stop',
  blocked: 'content_filter',
};

function callDeltas({ id, index, tool, json }: Spoken['calls'][number]): readonly object[] {
  return [
    { index, id, type: 'function', function: { name: tool, arguments: '' } },
    ...pieces(json).map((piece) => ({ index, function: { arguments: piece } })),
  ];
}

function usageForm(usage: NonNullable<Spoken['usage']>): object {
  const { tokensIn, tokensOut, cacheRead = 0, cacheWrite = 0, thoughts = 0 } = usage;
  return {
    prompt_tokens: tokensIn,
    completion_tokens: tokensOut,
    total_tokens: Number(tokensIn) + Number(tokensOut),
    prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    completion_tokens_details: { reasoning_tokens: thoughts },
  };
}

/** Of chat completions and of responses. */
export const openaiError = (status: number, message: string): object => ({
  error: { message, param: null, ...(errors[status] ?? { type: 'server_error', code: null }) },
});

const errors: Readonly<Record<number, object>> = {
  400: { type: 'invalid_request_error', code: null },
  401: { type: 'invalid_request_error', code: 'invalid_api_key' },
  403: { type: 'invalid_request_error', code: 'unsupported_country_region_territory' },
  404: { type: 'invalid_request_error', code: 'model_not_found' },
  429: { type: 'requests', code: 'rate_limit_exceeded' },
};
