import type { OpenAI } from 'openai';
import type { ModelAnswer, ModelMessage, Part, Question } from './model-contract.ts';
import { bearer, providerBy } from './model-turn.ts';
import { callFrom, inputOf, nativeOf, resultsFirst, stopOf, usageOf } from './provider-form.ts';

type Item = OpenAI.Responses.ResponseInputItem;
type Said = OpenAI.Responses.ResponseOutputItem;

const place = 'responses';

/** OpenAI itself, by its Responses: some of its models have no other API, and only here do thoughts come back to a model. */
export const responses = providerBy<OpenAI>({
  provider: 'openai',
  keyed: bearer,
  needed: [],
  connect: async (...where) => (await import('./openai.ts')).connectOpenAi(...where),
  turn: async ({ responses }, question) => gather(await responses.create(formOf(question)), question),
  // Its list has models of all APIs; counting tokens is free, and is of this one.
  find: async ({ models, responses }, model) => {
    await models.retrieve(model);
    await responses.inputTokens.count({ model, input: 'Hello.' });
  },
});

/** Models that think; others refuse to be asked for their thoughts. */
const thinks = /^(ft:)?(o\d|gpt-([5-9]|\d\d)(?!.*-chat)|codex-)/;

function formOf(question: Question): OpenAI.Responses.ResponseCreateParamsStreaming {
  return {
    model: question.model,
    stream: true,
    store: false, // What it thought comes to us, enciphered, and stays with nobody else.
    ...(thinks.test(question.model) ? { include: ['reasoning.encrypted_content'] } : {}),
    ...(question.system === '' ? {} : { instructions: question.system }),
    input: question.messages.flatMap(itemForms),
    max_output_tokens: question.mostTokens,
    ...(question.effort === undefined ? {} : { reasoning: { effort: question.effort } }),
    ...(question.tools.length === 0 ? {} : { tools: question.tools.map(toolForm) }),
  };
}

const toolForm = ({ name, description, input }: Question['tools'][number]): OpenAI.Responses.FunctionTool => ({
  ...{ type: 'function', name, description, parameters: { ...input } },
  strict: false, // Strict, it takes no tool with an input that may be left out.
});

function itemForms(message: ModelMessage): Item[] {
  const own = nativeOf<Item[]>(message, place);
  return own ?? resultsFirst(message.parts).flatMap((part) => partForm(part, message.from));
}

function partForm(part: Part, from: ModelMessage['from']): Item[] {
  if (part.kind === 'text')
    return part.text === '' ? [] : [{ role: from === 'model' ? 'assistant' : 'user', content: part.text }];
  if (part.kind === 'result') {
    const text = part.failed ? `Failed: ${part.text}` : part.text;
    const shown = (part.images ?? []).map(
      ({ type, data }) => ({ type: 'input_image', detail: 'auto', image_url: `data:${type};base64,${data}` }) as const,
    );
    const output = shown.length === 0 ? text : [{ type: 'input_text', text } as const, ...shown];
    return [{ type: 'function_call_output', call_id: part.id, output }];
  }
  return [{ type: 'function_call', call_id: part.id, name: part.tool, arguments: JSON.stringify(inputOf(part)) }];
}

type Events = AsyncIterable<OpenAI.Responses.ResponseStreamEvent>;

async function gather(events: Events, question: Question): Promise<ModelAnswer | undefined> {
  let end: OpenAI.Responses.Response | undefined;
  for await (const event of events) {
    if (event.type === 'error') throw brokenBy(event);
    if (event.type === 'response.failed') throw brokenBy(event.response.error ?? { message: 'it failed' });
    if (event.type === 'response.completed' || event.type === 'response.incomplete') end = event.response;
  }
  if (end === undefined) return undefined;
  const { output, incomplete_details: cut } = end;
  const parts = output.flatMap((item, index) => read(item, `call-${question.messages.length}-${index}`));
  const isRead = parts.every((part) => part.kind !== 'call' || part.input !== undefined);
  const refused = cut?.reason === 'content_filter' || output.some(isRefusal);
  return {
    // A call that cannot be read goes back as something that it takes.
    message: { from: 'model', parts, ...(isRead && { native: { provider: place, form: returnable(output) } }) },
    stop: stopOf(parts, { refused, cut: cut?.reason === 'max_output_tokens' }),
    usage: countOf(end.usage),
    model: end.model || undefined,
  };
}

/** In the form in which an SDK tells of an error. */
const brokenBy = (said: { readonly message: string; readonly code?: string | null }): Error =>
  Object.assign(new Error(said.message), { error: said });

function read(item: Said, id: string): Part[] {
  if (item.type === 'function_call') return [callFrom(item.call_id || id, item.name, item.arguments)];
  if (item.type !== 'message') return [];
  const text = item.content.map((part) => (part.type === 'refusal' ? part.refusal : part.text)).join('');
  return text === '' ? [] : [{ kind: 'text', text }];
}

const isRefusal = (item: Said): boolean =>
  item.type === 'message' && item.content.some(({ type }) => type === 'refusal');

/**
 * What it said, as it takes it back. Nothing was stored, so an id would be looked for in vain, and so would thoughts that did not
 * come with their content; thoughts that led to nothing are refused.
 */
function returnable(output: readonly Said[]): readonly object[] {
  const end = output.findLastIndex(({ type }) => type !== 'reasoning') + 1;
  return output.slice(0, end).flatMap((item) => {
    if (item.type === 'reasoning' && !item.encrypted_content) return [];
    const { id: _, status: __, ...rest } = item as Said & { status?: unknown };
    return [rest];
  });
}

/** It counts the cached ones among those that went in, and thoughts among those that came out. */
function countOf(usage: OpenAI.Responses.ResponseUsage | undefined): ModelAnswer['usage'] {
  return usageOf({
    tokensIn: usage?.input_tokens,
    tokensOut: usage?.output_tokens,
    cacheRead: usage?.input_tokens_details?.cached_tokens ?? 0,
    cacheWrite: usage?.input_tokens_details?.cache_write_tokens ?? 0,
  });
}
