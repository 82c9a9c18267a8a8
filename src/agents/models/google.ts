import type {
  Content,
  GenerateContentResponse,
  GoogleGenAI,
  Part as GooglePart,
  ThinkingConfig,
  ThinkingLevel,
} from '@google/genai';
import type { Effort } from '../../domain/words/model-id.ts';
import type { ModelAnswer, ModelMessage, Part, ProviderAccess, Question } from './model-contract.ts';
import { type ProviderLine, providerBy } from './model-turn.ts';
import {
  callWith,
  imagesOf,
  nativeOf,
  resultsFirst,
  stopOf,
  sumOfCounts,
  unversioned,
  usageOf,
} from './provider-form.ts';

const place = 'google';

/** Gemini, by Google's own form. */
export const google = providerBy<GoogleGenAI>({
  provider: place,
  keyed: (key) => ({ 'x-goog-api-key': key }),
  needed: [],
  connect,
  turn: async ({ models }, question) => gather(await models.generateContentStream(formOf(question)), question),
  find: ({ models }, model) => models.get({ model }),
});

async function connect(access: ProviderAccess, line: ProviderLine): Promise<GoogleGenAI> {
  const { GoogleGenAI } = await import('@google/genai');
  return new GoogleGenAI({
    apiKey: line.key,
    vertexai: false, // Left out, the environment could send us there.
    // It tries again only when it is told how, so it is told nothing.
    httpOptions: {
      baseUrl: unversioned(access.baseUrl) ?? 'https://generativelanguage.googleapis.com/',
      fetch: line.fetch,
    },
  });
}

function formOf(question: Question) {
  const functionDeclarations = question.tools.map(({ name, description, input }) => ({
    name,
    description,
    parametersJsonSchema: input,
  }));
  return {
    model: question.model,
    contents: question.messages.map(messageForm).filter(({ parts }) => parts?.length !== 0),
    config: {
      maxOutputTokens: question.mostTokens,
      ...(question.effort === undefined ? {} : { thinkingConfig: thinkingOf(question, question.effort) }),
      // The SDK would use tools and ask on by itself.
      automaticFunctionCalling: { disable: true },
      automaticContinuation: false,
      ...(question.system === '' ? {} : { systemInstruction: question.system }),
      ...(question.tools.length === 0 ? {} : { tools: [{ functionDeclarations }] }),
    },
  };
}

/** Gemini 2.5 is told how many tokens its thoughts may take, which are a part of the answer; later ones are told in words. */
function thinkingOf({ model, mostTokens }: Question, effort: Effort): ThinkingConfig {
  if (!model.includes('gemini-2.5')) return { thinkingLevel: effort.toUpperCase() as ThinkingLevel };
  return { thinkingBudget: Math.min({ low: 2_048, medium: 8_192, high: 24_576 }[effort], Math.floor(mostTokens / 2)) };
}

function messageForm(message: ModelMessage): Content {
  if (message.from !== 'model') {
    const { parts } = message;
    // Not every Gemini takes images within a result, so they follow behind all results.
    const shown = imagesOf(parts).map(({ type, data }): GooglePart => ({ inlineData: { mimeType: type, data } }));
    return { role: 'user', parts: [...resultsFirst(parts).flatMap(partForm), ...shown] };
  }
  // Signatures of thoughts hang on the parts they came with.
  return { role: 'model', parts: nativeOf<GooglePart[]>(message, place) ?? message.parts.flatMap(partForm) };
}

/** Ids of calls that Google gave none, and of those it could not read itself: for us only, it must not see them again. */
const nameless = 'nameless-';
const unreadable = 'unreadable-';

function partForm(part: Part): GooglePart[] {
  if (part.kind === 'text') return part.text === '' ? [] : [{ text: part.text }];
  if (part.kind === 'result') {
    if (part.id.startsWith(unreadable)) return [{ text: part.text }];
    const response = part.failed ? { error: part.text } : { output: part.text };
    return [{ functionResponse: { ...idForm(part.id), name: part.tool, response } }];
  }
  if (part.input === undefined) return [{ text: part.unread || '(a call that could not be read)' }];
  return [{ functionCall: { ...idForm(part.id), name: part.tool, args: { ...part.input } } }];
}

const idForm = (id: string): { id?: string } => (id.startsWith(nameless) ? {} : { id });

type Chunks = AsyncIterable<GenerateContentResponse>;

async function gather(chunks: Chunks, question: Question): Promise<ModelAnswer | undefined> {
  const said: GooglePart[] = [];
  let finish: string | undefined;
  let blocked = false;
  const models = new Set<string>();
  let usage: GenerateContentResponse['usageMetadata'];
  for await (const chunk of chunks) {
    if (chunk.modelVersion) models.add(chunk.modelVersion);
    usage = chunk.usageMetadata ?? usage;
    const candidate = chunk.candidates?.[0];
    for (const part of candidate?.content?.parts ?? []) add(said, part);
    blocked ||= chunk.promptFeedback?.blockReason !== undefined;
    finish = candidate?.finishReason ?? chunk.promptFeedback?.blockReason ?? finish;
  }
  if (finish === undefined) return undefined;
  const parts = said.flatMap((part, index) => read(part, `${question.messages.length}-${index}`));
  const id = `${unreadable}${question.messages.length}`;
  if (spoilt.has(finish)) parts.push({ kind: 'call', id, tool: '', input: undefined, unread: finish });
  const native = { provider: place, form: said };
  return {
    // Without the calls that cannot be read the parts are no longer what was said.
    message: { from: 'model', parts, ...(parts.some(isUnread) || said.length === 0 ? {} : { native }) },
    stop: stopOf(parts, { refused: blocked || refusals.has(finish), cut: finish === 'MAX_TOKENS' }),
    usage: countOf(usage),
    model: [...models].join(' and ') || undefined,
  };
}

/** Text comes in pieces, which may be joined as long as no signature hangs on them. Thoughts are not for us. */
function add(said: GooglePart[], part: GooglePart): void {
  if (part.thought === true && part.thoughtSignature === undefined) return;
  const before = said.at(-1);
  if (before !== undefined && isPlain(before) && isPlain(part))
    said[said.length - 1] = { text: `${before.text}${part.text}` };
  else said.push(part);
}

const isPlain = (part: GooglePart): boolean => typeof part.text === 'string' && Object.keys(part).length === 1;

function read(part: GooglePart, place: string): Part[] {
  const { functionCall, text } = part;
  if (functionCall === undefined) return text && part.thought !== true ? [{ kind: 'text', text }] : [];
  const call = callWith(functionCall.id || `${nameless}${place}`, functionCall.name ?? '', functionCall.args ?? {});
  return [call.input === undefined ? { ...call, id: `${unreadable}${place}` } : call];
}

const isUnread = (part: Part): boolean => part.kind === 'call' && part.input === undefined;

/** It reads calls itself. Of one that it cannot read it tells only that there was one: the SDK drops the words. */
const spoilt = new Set(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL']);

/** It also stops for a language that it does not speak, and for reasons that it keeps to itself. */
const refusals = new Set('SAFETY RECITATION LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII IMAGE_SAFETY OTHER'.split(' '));

/** It counts the cached ones among those that went in, and thoughts apart from those that came out. */
function countOf(usage: GenerateContentResponse['usageMetadata']): ModelAnswer['usage'] {
  return usageOf({
    tokensIn: sumOfCounts(usage?.promptTokenCount, usage?.toolUsePromptTokenCount ?? 0),
    tokensOut: sumOfCounts(usage?.candidatesTokenCount ?? 0, usage?.thoughtsTokenCount ?? 0),
    cacheRead: usage?.cachedContentTokenCount ?? 0,
    cacheWrite: 0,
  });
}
