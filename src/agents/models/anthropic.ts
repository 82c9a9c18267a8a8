import type { Anthropic } from '@anthropic-ai/sdk';
import { isMap } from '../json-value.ts';
import type { ModelAnswer, ModelMessage, Part, ProviderAccess, Question } from './model-contract.ts';
import { bearer, type ProviderLine, providerBy } from './model-turn.ts';
import {
  callFrom,
  callWith,
  inputOf,
  nativeOf,
  resultsFirst,
  stopOf,
  sumOfCounts,
  unversioned,
  usageOf,
} from './provider-form.ts';

const place = 'anthropic';

/** Claude, by Anthropic's own form. */
export const anthropic = providerBy<Anthropic>({
  provider: place,
  keyed: bearer,
  needed: ['anthropic-version'],
  connect,
  turn: async ({ messages }, question) => gather(await quietly(() => messages.create(formOf(question))), question),
  find: ({ models }, model) => models.retrieve(model),
});

async function connect(access: ProviderAccess, line: ProviderLine): Promise<Anthropic> {
  const { Anthropic } = await import('@anthropic-ai/sdk');
  return new Anthropic({
    apiKey: line.key,
    baseURL: unversioned(access.baseUrl) ?? 'https://api.anthropic.com',
    webhookKey: null,
    fetch: line.fetch,
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
  });
}

/**
 * When a model will be gone; undefined where that is not known. The SDK's list is its own, but it warns of what is on it before it
 * asks, so here it is made to warn, and nobody is asked.
 */
export async function endOfAnthropic(model: string): Promise<string | undefined> {
  const fetch = () => Promise.reject(new Error('nobody is asked'));
  const client = await connect({ key: '', baseUrl: undefined }, { key: 'none', fetch });
  let warning = '';
  const asked = quietly(
    () => client.messages.create({ model, max_tokens: 1, messages: [], stream: true }),
    (words) => {
      warning += words;
    },
  );
  await asked.catch(() => {});
  return /end-of-life on ([^\n]+)/.exec(warning)?.[1]?.trim();
}

/** The SDK warns of old models on the console, whatever its log level, at every call; it does so before it gives the promise back. */
function quietly<T>(call: () => T, hear: (words: string) => void = () => {}): T {
  const { warn } = console;
  console.warn = (words: unknown) => hear(String(words));
  try {
    return call();
  } finally {
    console.warn = warn;
  }
}

/**
 * Everything up to a mark is read from the cache the next time: tools with system, what other attempts begin with, and the
 * conversation so far. There may be four marks; what is shorter than the model's least (1,024 tokens or more) is not kept, and costs
 * nothing.
 */
const marked = { cache_control: { type: 'ephemeral' } } as const;

function formOf(question: Question): Anthropic.MessageCreateParamsStreaming {
  const messages = question.messages.map(messageForm).filter(({ content }) => content.length > 0);
  const lastOfUs = messages.findLast(({ role }) => role === 'user')?.content;
  if (lastOfUs !== undefined) lastOfUs.push({ ...(lastOfUs.pop() as Anthropic.TextBlockParam), ...marked });
  const tools = question.tools.map(
    ({ name, description, input }): Anthropic.Tool => ({
      ...{ name, description, input_schema: { ...input, type: 'object' as const } },
    }),
  );
  return {
    model: question.model,
    max_tokens: question.mostTokens,
    stream: true,
    messages,
    ...thinkingOf(question),
    ...(isBlank(question.system) ? {} : { system: [{ type: 'text', text: question.system, ...marked }] }),
    ...(tools.length === 0 ? {} : { tools }),
  };
}

/** Models from 4.6 on decide themselves when to think, and are told how hard; those before are told how many tokens it may take. */
function thinkingOf({ model, effort, mostTokens }: Question): Partial<Anthropic.MessageCreateParamsStreaming> {
  if (effort === undefined || mostTokens < 2 * leastThinking) return {};
  if (/claude-[a-z]+-(4-([6-9]|[1-9]\d)|[5-9])(?!\d)/.test(model))
    return { thinking: { type: 'adaptive' }, output_config: { effort } };
  const budget_tokens = Math.min({ low: 2_048, medium: 8_192, high: 24_000 }[effort], mostTokens - leastThinking);
  return { thinking: { type: 'enabled', budget_tokens } };
}

/** Anthropic takes no smaller budget, and there must be as much room again for the answer. */
const leastThinking = 1_024;

function messageForm(message: ModelMessage) {
  if (message.from !== 'model')
    return { role: 'user', content: resultsFirst(message.parts).flatMap(partForm) } as const;
  // Thinking has to come back as it was, with its signature, and between the same blocks.
  const own = nativeOf<Anthropic.ContentBlockParam[]>(message, place);
  return { role: 'assistant', content: own ?? message.parts.flatMap(partForm) } as const;
}

function partForm(part: Part): Anthropic.ContentBlockParam[] {
  if (part.kind === 'text')
    return isBlank(part.text) ? [] : [{ type: 'text', text: part.text, ...(part.isShared && marked) }];
  if (part.kind === 'call') return [{ type: 'tool_use', id: part.id, name: part.tool, input: inputOf(part) }];
  // A failure that says nothing is refused.
  const text = part.text === '' ? '(nothing)' : part.text;
  const images = (part.images ?? []).map(({ type, data }) => ({
    type: 'image' as const,
    source: { type: 'base64' as const, media_type: type, data },
  }));
  const content = images.length === 0 ? text : [{ type: 'text' as const, text }, ...images];
  return [{ type: 'tool_result', tool_use_id: part.id, content, is_error: part.failed }];
}

/** A text of nothing but blanks is refused. */
const isBlank = (text: string): boolean => text.trim() === '';

/** A block as it grows: what the model says of a tool's input comes in pieces that are no JSON until the last one. */
interface Growing {
  block: Anthropic.ContentBlock;
  json: string;
}

type Events = AsyncIterable<Anthropic.RawMessageStreamEvent>;

async function gather(events: Events, question: Question): Promise<ModelAnswer | undefined> {
  const blocks = new Map<number, Growing>();
  let start: Anthropic.Message | undefined;
  let end: Anthropic.RawMessageDeltaEvent | undefined;
  let whole = false;
  for await (const event of events) {
    if (event.type === 'message_start') start = event.message;
    if (event.type === 'content_block_start') blocks.set(event.index, { block: event.content_block, json: '' });
    if (event.type === 'content_block_delta') grow(blocks.get(event.index), event.delta);
    if (event.type === 'message_delta') end = event;
    if (event.type === 'message_stop') whole = true;
  }
  if (start === undefined || end === undefined || !whole) return undefined;
  const said = [...blocks.values()].flatMap((each, index) => read(each, `${question.messages.length}-${index}`));
  const parts = said.flatMap(({ part }) => part ?? []);
  const reason = end.delta.stop_reason;
  const native = { provider: place, form: said.map(({ block }) => block) };
  return {
    message: { from: 'model', parts, native },
    stop: stopOf(parts, {
      refused: reason === 'refusal',
      cut: reason === 'max_tokens' || reason === 'model_context_window_exceeded',
    }),
    usage: countOf(start.usage, end.usage),
    model: start.model,
  };
}

function grow(growing: Growing | undefined, delta: Anthropic.RawContentBlockDelta): void {
  const block = growing?.block;
  if (growing === undefined || block === undefined) return;
  if (delta.type === 'input_json_delta') growing.json += delta.partial_json;
  if (delta.type === 'text_delta' && block.type === 'text') block.text += delta.text;
  if (delta.type === 'thinking_delta' && block.type === 'thinking') block.thinking += delta.thinking;
  if (delta.type === 'signature_delta' && block.type === 'thinking') block.signature += delta.signature;
}

type Read = { readonly block: Anthropic.ContentBlockParam; readonly part?: Part };

function read({ block, json }: Growing, place: string): Read[] {
  if (block.type === 'text') {
    return isBlank(block.text) ? [] : [{ block, part: { kind: 'text', text: block.text } }];
  }
  // Thoughts that were cut off have no signature, and are refused.
  if (block.type === 'thinking' && block.signature === '') return [];
  if (block.type !== 'tool_use') return [{ block: block as Anthropic.ContentBlockParam }];
  // Gateways that do not stream the input give all of it at once.
  const whole = json === '' && isMap(block.input);
  const id = block.id || `call-${place}`;
  const part = whole ? callWith(id, block.name, block.input) : callFrom(id, block.name, json);
  return [{ block: { ...block, id: part.id, input: inputOf(part) }, part }];
}

/** It counts what the cache saves apart. The end counts everything again where it counts at all. */
function countOf(
  start: Anthropic.Usage | undefined,
  end: Anthropic.MessageDeltaUsage | undefined,
): ModelAnswer['usage'] {
  const cacheRead = end?.cache_read_input_tokens ?? start?.cache_read_input_tokens ?? 0;
  const cacheWrite = end?.cache_creation_input_tokens ?? start?.cache_creation_input_tokens ?? 0;
  return usageOf({
    tokensIn: sumOfCounts(end?.input_tokens ?? start?.input_tokens, cacheRead, cacheWrite),
    tokensOut: end?.output_tokens,
    cacheRead,
    cacheWrite,
  });
}
