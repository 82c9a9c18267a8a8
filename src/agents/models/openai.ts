import type { OpenAI } from 'openai';
import type { ModelAnswer, ModelMessage, Part, ProviderAccess, Question } from './model-contract.ts';
import { bearer, type ProviderLine, providerBy } from './model-turn.ts';
import { callFrom, imagesOf, inputOf, nativeOf, spokenIn, stopOf, usageOf } from './provider-form.ts';
import { readWritten } from './written-calls.ts';

type Chat = OpenAI.ChatCompletionMessageParam;
type Chunk = OpenAI.ChatCompletionChunk;
type CallDelta = OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall;

const place = 'openai';

/** Everything that speaks OpenAI's chat completions, by its base URL: Ollama, vLLM, llama.cpp, DeepSeek, most gateways. */
export const openai = providerBy<OpenAI>({
  provider: place,
  keyed: bearer,
  needed: [],
  connect: connectOpenAi,
  turn: async ({ chat }, question) => gather(await chat.completions.create(formOf(question)), question),
  find: ({ models }, model) => models.retrieve(model),
});

export async function connectOpenAi(access: ProviderAccess, line: ProviderLine): Promise<OpenAI> {
  const { OpenAI } = await import('openai');
  return new OpenAI({
    apiKey: line.key,
    baseURL: access.baseUrl ?? 'https://api.openai.com/v1',
    adminAPIKey: null, // What is left out here is looked for in the environment.
    organization: null,
    project: null,
    webhookSecret: null,
    fetch: line.fetch,
    maxRetries: 0,
    logLevel: 'off',
  });
}

function formOf(question: Question): OpenAI.ChatCompletionCreateParamsStreaming {
  // OpenAI's newer models refuse the old word for the limit, and Ollama does not know the new one: it would never stop.
  const isNew = /(^|\/)(o\d|gpt-[5-9])/.test(question.model);
  const system: Chat[] = question.system === '' ? [] : [{ role: 'system', content: question.system }];
  return {
    model: question.model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [...system, ...withThoughts(question.messages.flatMap(messageForms))],
    ...{ [isNew ? 'max_completion_tokens' : 'max_tokens']: question.mostTokens },
    ...(question.effort === undefined ? {} : { reasoning_effort: question.effort }),
    ...(question.tools.length === 0 ? {} : { tools: question.tools.map(toolForm) }),
  };
}

const toolForm = ({ name, description, input }: Question['tools'][number]): OpenAI.ChatCompletionTool => ({
  type: 'function',
  function: { name, description, parameters: { ...input } },
});

/** Of a model that thinks, DeepSeek wants thoughts back with every message of the model's, with one that had none too. */
function withThoughts(messages: readonly Chat[]): Chat[] {
  if (!messages.some((message) => 'reasoning_content' in message)) return [...messages];
  return messages.map((message) => (message.role === 'assistant' ? { reasoning_content: '', ...message } : message));
}

/** Each result is a message of its own, in front of what else we say; that one failed can only be said in words. */
function messageForms(message: ModelMessage): Chat[] {
  const { from, parts } = message;
  const text = spokenIn(parts).join('\n\n');
  if (from === 'model') return nativeOf<Chat[]>(message, place) ?? modelForms(text, parts);
  const results = parts.flatMap((part): Chat[] =>
    part.kind === 'result'
      ? [{ role: 'tool', tool_call_id: part.id, content: part.failed ? `Failed: ${part.text}` : part.text }]
      : [],
  );
  // A result holds words alone, so images follow behind all results.
  const shown = imagesOf(parts).map(({ type, data }) => ({
    type: 'image_url' as const,
    image_url: { url: `data:${type};base64,${data}` },
  }));
  const words = text || (shown.length > 0 ? 'The images of the results above, in their order.' : '');
  if (words === '') return results;
  const content = shown.length === 0 ? words : [{ type: 'text' as const, text: words }, ...shown];
  return [...results, { role: 'user', content }];
}

function modelForms(text: string, parts: readonly Part[]): Chat[] {
  const calls = parts.filter((part) => part.kind === 'call');
  if (text === '' && calls.length === 0) return [];
  const tool_calls = calls.map((call) => ({
    id: call.id,
    type: 'function' as const,
    function: { name: call.tool, arguments: JSON.stringify(inputOf(call)) },
  }));
  return [{ role: 'assistant', content: text || null, ...(calls.length === 0 ? {} : { tool_calls }) }];
}

interface Growing {
  readonly index: number;
  id: string;
  tool: string;
  json: string;
}

async function gather(chunks: AsyncIterable<Chunk>, question: Question): Promise<ModelAnswer | undefined> {
  const calls: Growing[] = [];
  let text = '';
  const thoughts: Partial<Record<(typeof thoughtFields)[number], string>> = {};
  let refusal = '';
  let finish: string | undefined;
  const models = new Set<string>();
  let usage: Chunk['usage'];
  for await (const chunk of chunks) {
    if (chunk.model) models.add(chunk.model); // Some servers leave it out of some.
    usage = chunk.usage ?? usage;
    const choice = chunk.choices?.[0];
    text += choice?.delta?.content ?? '';
    refusal += choice?.delta?.refusal ?? '';
    for (const field of thoughtFields) {
      const thought = (choice?.delta as Readonly<Record<string, unknown>> | undefined)?.[field];
      // Some servers say an empty one of a model that does not think, and refuse to hear it.
      if (typeof thought === 'string' && `${field}${thought}` !== 'reasoning')
        thoughts[field] = `${thoughts[field] ?? ''}${thought}`;
    }
    for (const delta of choice?.delta?.tool_calls ?? []) growCall(calls, delta);
    finish = choice?.finish_reason ?? finish;
  }
  if (finish === undefined) return undefined;
  const id = (index: number): string => `call-${question.messages.length}-${index}`;
  const written = readWritten(text, calls.length > 0 ? [] : question.tools, id);
  const said = written.text + refusal;
  const parts: Part[] = [
    ...(said === '' ? [] : [{ kind: 'text', text: said } as const]),
    ...calls.map((call, index) => callFrom(call.id || id(index), call.tool, call.json)),
    ...written.calls,
  ];
  const native = Object.keys(thoughts).length > 0 && {
    native: { provider: place, form: modelForms(said, parts).map((message) => ({ ...message, ...thoughts })) },
  };
  return {
    message: { from: 'model', parts, ...native },
    ...(written.looksWritten && { writesCalls: true }),
    stop: stopOf(parts, { refused: refusal !== '' || finish === 'content_filter', cut: finish === 'length' }),
    usage: countOf(usage),
    model: [...models].join(' and ') || undefined,
  };
}

/** What a model thinks, as DeepSeek and most servers call it, and as vLLM, Ollama and OpenRouter do. */
const thoughtFields = ['reasoning_content', 'reasoning'] as const;

/** Pieces of one call have its index, and only the first has an id. Some servers give every call the index 0. */
function growCall(calls: Growing[], { index, id, function: part }: CallDelta): void {
  const known = calls.findLast((call) => call.index === index && (!id || id === call.id));
  if (known !== undefined) known.json += part?.arguments ?? '';
  else calls.push({ index, id: id ?? '', tool: part?.name ?? '', json: part?.arguments ?? '' });
}

/** It counts the cached ones among those that went in, and thoughts among those that came out. */
function countOf(usage: Chunk['usage']): ModelAnswer['usage'] {
  return usageOf({
    tokensIn: usage?.prompt_tokens,
    tokensOut: usage?.completion_tokens,
    cacheRead: usage?.prompt_tokens_details?.cached_tokens ?? 0,
    cacheWrite: usage?.prompt_tokens_details?.cache_write_tokens ?? 0,
  });
}
