import type { Writable } from 'node:stream';
import type { AnyMessage, RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import { isMap, parseJson } from '../json-value.ts';
import type { Usage } from '../models/model-contract.ts';
import { type Json, jsonOf, usageFromCounts } from '../programs/json-lines.ts';
import { linesFrom, mostMessages } from '../tools/mcp-messages.ts';

/** A conversation with a program that speaks ACP: one session, one prompt. The SDK is loaded with the first of them. */

/** What a program asks to be allowed. */
export interface AcpPermission {
  /** `execute`, `edit`, `fetch`: what kind of tool it is. */
  readonly kind: string;
  readonly input: Readonly<Record<string, unknown>> & { readonly title: string };
}

export interface AcpErrand {
  readonly dir: string;
  /** Left out, it is only asked who it is. */
  readonly prompt: string | undefined;
  readonly model: string | undefined;
  readonly allows: (asked: AcpPermission) => Promise<boolean>;
  /** Is told what the program says of its work, while it works. */
  readonly hear: (update: Json) => void;
}

export type AcpEnd =
  | {
      readonly kind: 'done';
      /** `gemini-cli 0.61.0`, as it calls itself; empty where it does not say. */
      readonly who: string;
      readonly stop: string | undefined;
      readonly usage: Usage | undefined;
    }
  /** `why` is undefined where the program has ended, and how it ended says more. */
  | { readonly kind: 'broken'; readonly hasBegun: boolean; readonly why: string | undefined; readonly printed: string };

export type AcpTalk = ReturnType<typeof openAcpTalk>;

export function openAcpTalk(errand: AcpErrand) {
  const wire = openWire(errand.hear);
  const progress: Progress = { hasBegun: false, cancel: () => {} };
  const done = converse(wire.stream, errand, progress).catch(
    (error): AcpEnd => ({
      kind: 'broken',
      hasBegun: progress.hasBegun,
      why: wire.isClosed() ? wire.whyClosed() : wordsOf(error),
      printed: wire.printed(),
    }),
  );
  return {
    begin: wire.begin,
    hear: wire.hear,
    /** The program has ended, or is waited for no longer. */
    close: wire.close,
    hasBegun: (): boolean => progress.hasBegun,
    /** Asks the program to stop; it may still say what it used. */
    cancel: (): void => progress.cancel(),
    done,
  };
}

interface Progress {
  /** Whether it was given its prompt: from then on it may have asked its model. */
  hasBegun: boolean;
  cancel: () => void;
}

async function converse(stream: Wire['stream'], errand: AcpErrand, progress: Progress): Promise<AcpEnd> {
  const { client, methods, PROTOCOL_VERSION } = await import('@agentclientprotocol/sdk');
  const { agent } = client({ name: 'orgrepo' })
    .onRequest(methods.client.session.requestPermission, ({ params }) => answerTo(params, errand))
    .connect(stream);
  const ask: AskAcp = async (method, params) => jsonOf(await agent.request<unknown, unknown>(method, params));
  const { initialize, session } = methods.agent;
  const hello = await ask(initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'orgrepo', version: __VERSION__ },
  });
  const version = hello.at('protocolVersion').value;
  if (version !== PROTOCOL_VERSION)
    throw new Error(`it speaks version ${JSON.stringify(version)} of ACP, and orgrepo speaks ${PROTOCOL_VERSION}`);
  const names = ['name', 'version'].map((key) => hello.at('agentInfo', key).text ?? '');
  const who = names.join(' ').trim();
  if (errand.prompt === undefined) return { kind: 'done', who, stop: undefined, usage: undefined };
  const begin = (): Promise<Json> => ask(session.new, { cwd: errand.dir, mcpServers: [] });
  const opened = await begin().catch(async (error) => {
    const login = hello.at('authMethods').list.find((one) => /api.?key/i.test(`${one.at('id').text}`));
    if (codeOf(error) !== loginWanted || login === undefined) throw error;
    await ask(methods.agent.authenticate, { methodId: login.at('id').text });
    return begin();
  });
  const sessionId = opened.at('sessionId').text ?? '';
  if (errand.model !== undefined) await chooseModel(ask, opened, sessionId, errand.model);
  progress.cancel = () => void agent.notify(session.cancel, { sessionId }).catch(() => {});
  progress.hasBegun = true;
  const answer = await ask(session.prompt, { sessionId, prompt: [{ type: 'text', text: errand.prompt }] });
  const usage = tellsPart.test(who) ? undefined : usageOf(answer.at('usage'));
  return { kind: 'done', who, stop: answer.at('stopReason').text, usage };
}

/** Programs that report the tokens of their last answer only: a part of a sum is not counted as the sum. */
const tellsPart = /^opencode\b/i;

type AskAcp = (method: string, params: unknown) => Promise<Json>;

/** The code with which a program says that it wants a login. */
const loginWanted = -32000;

/**
 * Where a program offers a choice of models, the brief's is taken: as an option of the session, or in the way of programs that are
 * older than those. Where it offers none, its own command line says it.
 */
async function chooseModel(ask: AskAcp, opened: Json, sessionId: string, model: string): Promise<void> {
  const isMeant = (name: string | undefined): boolean => name === model || name?.endsWith(`/${model}`) === true;
  const option = opened.at('configOptions').list.find((one) => one.at('category').text === 'model');
  if (option !== undefined) {
    const values = option.at('options').list.flatMap((one) => [one, ...one.at('options').list]);
    const value = values.map((one) => one.at('value').text).find(isMeant);
    if (value === undefined) throw new Error(`it does not offer the model ${model}`);
    await ask('session/set_config_option', { sessionId, configId: option.at('id').text, value });
    return;
  }
  const offered = opened.at('models', 'availableModels').list.map((one) => one.at('modelId').text);
  if (offered.length > 0) await ask('session/set_model', { sessionId, modelId: offered.find(isMeant) ?? model });
}

/** At once, because nobody is there to be asked. */
async function answerTo(
  { toolCall, options }: RequestPermissionRequest,
  { allows }: AcpErrand,
): Promise<RequestPermissionResponse> {
  const { kind, title, rawInput, locations } = toolCall;
  const path = locations?.[0]?.path;
  const input = { ...(isMap(rawInput) ? rawInput : {}), ...(path ? { path } : {}), title: title ?? '' };
  const isAllowed = await allows({ kind: kind ?? 'other', input });
  const wanted = isAllowed ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  const [option] = wanted.flatMap((word) => options.filter((one) => one.kind === word));
  return { outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' } };
}

/** What was cached and what was thought come on top, or are a part of what was read and said: the sum tells. Without one they count. */
function usageOf(used: Json): Usage | undefined {
  const [all, out, total] = ['inputTokens', 'outputTokens', 'totalTokens'].map((name) => used.at(name).number);
  const [read = 0, wrote = 0, thoughts = 0] = ['cachedReadTokens', 'cachedWriteTokens', 'thoughtTokens'].map(
    (name) => used.at(name).number,
  );
  if (all === undefined || out === undefined) return undefined;
  const ways = [all, all - read - wrote].flatMap((plain) => [out + thoughts, out].map((said) => ({ plain, said })));
  const isSum = (plain: number, said: number): boolean => plain >= 0 && plain + read + wrote + said === total;
  const { plain, said } = ways.find(({ plain, said }) => isSum(plain, said)) ?? { plain: all, said: out + thoughts };
  return usageFromCounts(plain, said, read, wrote);
}

type Wire = ReturnType<typeof openWire>;

/** A message is a line. Only what belongs to the conversation reaches the SDK, which would print the rest on our stderr. */
function openWire(hear: (update: Json) => void) {
  const asked = new Set<unknown>();
  let [printed, isClosed, requests] = ['', false, 0];
  let whyClosed: string | undefined;
  let open: (stdin: Writable) => void;
  const stdin = new Promise<Writable>((resolve) => {
    open = resolve;
  });
  let inward: ReadableStreamDefaultController<AnyMessage>;
  const readable = new ReadableStream<AnyMessage>({
    start: (controller) => {
      inward = controller;
    },
  });
  const writable = new WritableStream<AnyMessage>({
    write: async (message) => {
      if ('method' in message && 'id' in message) asked.add(message.id);
      (await stdin).write(`${JSON.stringify(message)}\n`);
    },
  });
  const close = (why?: string): void => {
    if (isClosed) return;
    [isClosed, whyClosed] = [true, why];
    inward.close();
  };
  const take = linesFrom((line) => {
    const message = parseJson(line);
    if (isClosed) return;
    if (isMap(message) && 'method' in message && 'id' in message && ++requests > mostMessages)
      return close('it asked more than anybody can answer');
    if (!isMap(message)) printed ||= line.trim();
    else if (message.method === 'session/update') hear(jsonOf(message.params).at('update'));
    else if ('id' in message && ('method' in message || asked.delete(message.id)))
      inward.enqueue(message as unknown as AnyMessage);
  });
  return {
    stream: { readable, writable },
    begin: (to: Writable): void => open(to),
    hear: (chunk: Buffer): void => {
      try {
        take(chunk);
      } catch {
        close('it said more than anybody can read');
      }
    },
    close,
    isClosed: (): boolean => isClosed,
    whyClosed: (): string | undefined => whyClosed,
    /** The first line that was no message. */
    printed: (): string => printed,
  };
}

const codeOf = (error: unknown): unknown => (isMap(error) ? error.code : undefined);

/** What a program answered in place of a result. */
function wordsOf(error: unknown): string {
  const { message = String(error), data } = isMap(error) ? error : {};
  const more = jsonOf(data);
  const details = more.text ?? more.at('details').text ?? more.at('message').text ?? '';
  return [String(message), details].filter((words) => words !== '').join(': ');
}
