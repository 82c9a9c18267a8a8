import { wrongSetting } from './check-settings.ts';
import type { Heard, Said, Wire } from './script.ts';

/** Why a provider refuses a request that it can read. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** What the server has said of its thoughts, and wants back as it was. */
export interface Issued {
  readonly signatures: Set<string>;
  readonly thoughts: Map<string, string>;
}

type Fields = Readonly<Record<string, unknown>>;

/** A request is checked as its provider checks it: what goes with what, and whether thoughts come back as they went out. */
export function refusalOf({ wire, model, body }: Heard, issued: Issued): Refusal | undefined {
  const message = checks[wire](body, issued, model) ?? wrongSetting(wire, body, model);
  if (message === undefined) return undefined;
  return { status: message.startsWith('Item with id') ? 404 : 400, message };
}

export function remember(said: Said, wire: Wire, calls: readonly { readonly id: string }[], issued: Issued): void {
  const { thinking } = said;
  if (thinking === undefined) return;
  issued.signatures.add(thinking.signature);
  if (wire === 'openai' && thinking.field === undefined)
    for (const { id } of calls) issued.thoughts.set(id, thinking.text);
}

const checks: Readonly<Record<Wire, (body: Fields, issued: Issued, model: string) => string | undefined>> = {
  anthropic: checkMessages,
  openai: checkChat,
  responses: checkResponses,
  google: checkContents,
};

const listIn = (value: unknown): readonly Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);

function checkChat({ messages, tools, max_tokens, max_completion_tokens }: Fields, { thoughts }: Issued) {
  if (max_tokens !== undefined && max_completion_tokens !== undefined) return 'Setting both limits is not supported.';
  if (listIn(tools).some(({ type, function: of }) => type !== 'function' || of === undefined)) return 'Invalid tools.';
  const all = listIn(messages);
  const waiting = new Set<unknown>();
  for (const [index, { role, content, tool_calls, tool_call_id, reasoning_content }] of all.entries()) {
    if (role === 'tool') {
      if (!waiting.delete(tool_call_id)) return `messages with role 'tool' must follow a message with 'tool_calls'.`;
      continue;
    }
    if (waiting.size > 0) return `An assistant message with 'tool_calls' must be followed by tool messages.`;
    if (role !== 'assistant') continue;
    const calls = listIn(tool_calls);
    if (typeof content !== 'string' && calls.length === 0) return `Invalid value for 'content': expected a string.`;
    for (const { id } of calls) waiting.add(id);
    const wanted = calls.map(({ id }) => thoughts.get(String(id))).find((thought) => thought !== undefined);
    if (typeof reasoning_content !== 'string' && thoughts.size > 0)
      return `Missing \`reasoning_content\` field in the assistant message at message index ${index}.`;
    if (wanted !== undefined && reasoning_content !== wanted)
      return `reasoning_content of message ${index} is another.`;
  }
  return waiting.size === 0 ? undefined : `An assistant message with 'tool_calls' must be followed by tool messages.`;
}

/** Of its own models; what people call their own is taken as it is. */
const isOpenAis = (model: string): boolean => /^(gpt|o\d|codex|chatgpt)/.test(model);
const hasThoughts = (model: string): boolean => /^(o[1-9]|gpt-5|gpt-6|codex)/.test(model) && !model.includes('chat');

function checkResponses(body: Fields, { signatures }: Issued, model: string): string | undefined {
  for (const name of ['messages', 'max_tokens', 'max_completion_tokens', 'stream_options'])
    if (name in body) return `Unsupported parameter: '${name}'.`;
  if (isOpenAis(model) && !hasThoughts(model) && String(body.include).includes('reasoning.encrypted_content'))
    return 'Encrypted content is not supported with this model.';
  for (const { type, name, strict, parameters } of listIn(body.tools)) {
    if (type !== 'function' || strict === false) continue;
    const { properties = {}, required } = (parameters ?? {}) as { properties?: object; required?: string[] };
    if (Object.keys(properties).some((property) => !required?.includes(property)))
      return `Invalid schema for function '${name}': 'required' is required to include every key in properties.`;
  }
  const items = listIn(body.input);
  const called = new Set(items.flatMap(({ type, call_id }) => (type === 'function_call' ? [call_id] : [])));
  const answered = new Set(items.flatMap(({ type, call_id }) => (type === 'function_call_output' ? [call_id] : [])));
  for (const [index, { type, id, summary, encrypted_content }] of items.entries()) {
    // A message that comes whole is taken with its id, as codex sends it; what is only named is looked for.
    if (id !== undefined && body.store === false && (type === 'item_reference' || type === 'reasoning'))
      return `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`;
    if (type !== 'reasoning') continue;
    if (!Array.isArray(summary)) return `Missing required parameter: 'input[${index}].summary'.`;
    if (!signatures.has(String(encrypted_content)))
      return 'The encrypted content could not be verified. Reason: it could not be decrypted or parsed.';
    const next = items[index + 1];
    if (next === undefined || next.type === 'function_call_output' || next.role === 'user')
      return "An item of type 'reasoning' was provided without its required following item.";
  }
  for (const id of answered)
    if (!called.has(id)) return `No tool call found for function call output with call_id ${id}.`;
  for (const id of called) if (!answered.has(id)) return `No tool output found for function call ${id}.`;
  return undefined;
}

function checkMessages({ messages, max_tokens }: Fields, { signatures }: Issued): string | undefined {
  if (typeof max_tokens !== 'number') return 'max_tokens: Field required';
  let waiting: readonly unknown[] = [];
  for (const [index, { role, content }] of listIn(messages).entries()) {
    const blocks = listIn(content);
    const results = blocks.flatMap(({ type, tool_use_id }) => (type === 'tool_result' ? [tool_use_id] : []));
    if (waiting.some((id) => !results.includes(id)))
      return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after`;
    if (results.some((id) => !waiting.includes(id)))
      return `messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks`;
    for (const { type, text, signature } of blocks) {
      if (type === 'text' && String(text).trim() === '') return 'text content blocks must contain non-whitespace text';
      if (type === 'thinking' && (signature === '' || !signatures.has(String(signature))))
        return 'Invalid `signature` in `thinking` block';
    }
    waiting = role === 'assistant' ? blocks.flatMap(({ type, id }) => (type === 'tool_use' ? [id] : [])) : [];
  }
  return waiting.length === 0 ? undefined : '`tool_use` ids were found without `tool_result` blocks immediately after';
}

function checkContents({ contents }: Fields, { signatures }: Issued): string | undefined {
  let calls = 0;
  for (const { role, parts } of listIn(contents)) {
    const all = listIn(parts);
    const results = all.filter(({ functionResponse }) => functionResponse !== undefined).length;
    if (role === 'user' && results !== calls)
      return 'Please ensure that the number of function response parts is equal to the number of function call parts.';
    // A word of Google's own for a call that it never made.
    const isSigned = (one: unknown) => one === 'skip_thought_signature_validator' || signatures.has(String(one));
    if (all.some(({ thoughtSignature: one }) => one !== undefined && !isSigned(one)))
      return 'Thought signature is not valid.';
    calls = role === 'model' ? all.filter(({ functionCall }) => functionCall !== undefined).length : 0;
  }
  return undefined;
}
