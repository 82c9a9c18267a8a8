import { named, pieces, type Spoken } from './spoken.ts';

/** OpenAI's responses, as server-sent events: OpenAI's own API, for us and for other programs. */
export function responsesEvents(spoken: Spoken): readonly string[] {
  const { text, thinking, calls, stop, usage, model } = spoken;
  const response = { id: 'resp_1', object: 'response', created_at: 1, model, parallel_tool_calls: true, tools: [] };
  const items = [
    ...(thinking === undefined ? [] : [reasoningItem(thinking)]),
    ...(text === '' ? [] : [messageItem(text, stop === 'refused')]),
    ...calls.map(callItem),
  ];
  const output = items.map(({ done }) => done);
  const cut = stop === 'length' || stop === 'blocked';
  const end = {
    ...response,
    output,
    status: cut ? 'incomplete' : 'completed',
    incomplete_details: cut ? { reason: stop === 'length' ? 'max_output_tokens' : 'content_filter' } : null,
    usage: usage === undefined ? null : usageForm(usage),
  };
  const events = [
    { type: 'response.created', response: { ...response, output: [], status: 'in_progress', usage: null } },
    ...items.flatMap(({ begin, middle, done }, output_index) => [
      { type: 'response.output_item.added', output_index, item: begin },
      ...middle.map((event) => ({ ...event, output_index, item_id: done.id })),
      { type: 'response.output_item.done', output_index, item: done },
    ]),
    { type: cut ? 'response.incomplete' : 'response.completed', response: end },
  ];
  return events.map((event, sequence_number) => named({ ...event, sequence_number }));
}

interface Item {
  readonly begin: object;
  readonly middle: readonly { readonly type: string; readonly [name: string]: unknown }[];
  readonly done: { readonly id: string; readonly [name: string]: unknown };
}

/** Only what is enciphered is of use to anybody but OpenAI. */
function reasoningItem({ signature }: NonNullable<Spoken['thinking']>): Item {
  const item = { id: 'rs_1', type: 'reasoning', summary: [] };
  return {
    begin: { ...item, status: 'in_progress' },
    middle: [],
    done: { ...item, status: 'completed', encrypted_content: signature },
  };
}

function messageItem(text: string, refused: boolean): Item {
  const kind = refused ? 'refusal' : 'output_text';
  const part = (said: string): object =>
    refused ? { type: kind, refusal: said } : { type: kind, text: said, annotations: [] };
  const item = { id: 'msg_1', type: 'message', role: 'assistant' };
  return {
    begin: { ...item, status: 'in_progress', content: [] },
    middle: [
      { type: 'response.content_part.added', content_index: 0, part: part('') },
      ...pieces(text).map((delta) => ({ type: `response.${kind}.delta`, content_index: 0, delta })),
      { type: `response.${kind}.done`, content_index: 0, [refused ? 'refusal' : 'text']: text },
      { type: 'response.content_part.done', content_index: 0, part: part(text) },
    ],
    done: { ...item, status: 'completed', content: [part(text)] },
  };
}

function callItem({ id, tool, json }: Spoken['calls'][number]): Item {
  const item = { id: `fc_${id}`, type: 'function_call', call_id: id, name: tool };
  return {
    begin: { ...item, status: 'in_progress', arguments: '' },
    middle: [
      ...pieces(json).map((delta) => ({ type: 'response.function_call_arguments.delta', delta })),
      { type: 'response.function_call_arguments.done', arguments: json },
    ],
    done: { ...item, status: 'completed', arguments: json },
  };
}

function usageForm(usage: NonNullable<Spoken['usage']>): object {
  const { tokensIn, tokensOut, cacheRead = 0, cacheWrite = 0, thoughts = 0 } = usage;
  return {
    input_tokens: tokensIn,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: tokensOut,
    output_tokens_details: { reasoning_tokens: thoughts },
    total_tokens: Number(tokensIn) + Number(tokensOut),
  };
}
