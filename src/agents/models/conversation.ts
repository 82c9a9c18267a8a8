import type { Effort } from '../../domain/words/model-id.ts';
import { isMap } from '../json-value.ts';
import type { Ask, Image, ModelAnswer, ModelMessage, Part, ToolForm } from './model-contract.ts';
import { spokenIn } from './provider-form.ts';
import { openTalk } from './talk-so-far.ts';
import { type LeftOver, leftTeller, mostRepeats, repeatCounter, withWords } from './talk-watch.ts';

/** Something that a model may do, and what it hears of it. */
export interface Tool extends ToolForm {
  /** Of a tool of a server: whose it is, and what it is called there. */
  readonly from?: { readonly server: string; readonly name: string };
  use(input: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ToolResult>;
}

/** What a tool takes: an object of these properties and no others. */
export const inputForm = (
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[] = Object.keys(properties),
): ToolForm['input'] => ({ type: 'object', properties, required, additionalProperties: false });

/** A text that a tool takes; with a list, one of these. */
export const textInput = (description: string, among?: readonly string[]): Readonly<Record<string, unknown>> =>
  among === undefined ? { type: 'string', description } : { type: 'string', enum: [...among], description };

/** `text` is what the model is told; `finish` ends the conversation with what it says of its work. */
export interface ToolResult {
  readonly text: string;
  readonly failed?: boolean;
  readonly images?: readonly Image[];
  readonly finish?: Finish;
}

export interface Finish {
  readonly title: string;
  readonly notes: string;
  /** What else the tool that ended it was told, as it stands. */
  readonly more?: unknown;
}

interface Talk {
  readonly ask: Ask;
  readonly model: string;
  readonly system: string;
  /** What it is told at the beginning, below what other conversations of the night begin with as well. */
  readonly opening: string;
  readonly shared?: readonly string[];
  readonly tools: readonly Tool[];
  /** Whether it may be shown images. Where it refuses them, they are left out from then on. */
  readonly takesImages?: boolean;
  readonly effort?: Effort | undefined;
  /** The most that one answer may have, and how many answers there may be. */
  readonly mostTokens: number;
  readonly mostTurns: number;
  /** What a request may take in bytes. */
  readonly mostBytes: number;
  /** What is left of the attempt besides turns, which the model is told. */
  readonly left: () => LeftOver;
  /** Hears every message as it is said, also when a Fault ends it all; of the model's own, the whole answer. */
  readonly hear?: (message: ModelMessage, answer?: ModelAnswer) => void;
  /** What a model is told, once, that stops without a call; undefined where it may. */
  readonly remind?: () => string | undefined;
  /** Hears of every call as it ends, also of one that nobody could carry out. */
  readonly onCall?: (called: Called) => void;
}

/** How a call of a tool went. The name is what the model said, whether there is such a tool or not. */
export interface Called {
  readonly tool: string;
  readonly failed: boolean;
  readonly ms: number;
  /** How much the model was told of it. */
  readonly bytes: number;
}

/** How a conversation ended. */
type Ending =
  | ({ readonly kind: 'finished' } & Finish)
  /** The model stopped without saying that it was done. These were its last words. */
  | { readonly kind: 'silent'; readonly words: string }
  | { readonly kind: 'broken'; readonly reason: string };

/**
 * A call that cannot be read, or is not what the tool takes, is answered with what is wrong with it, this often; and so is an
 * end that comes beside a call that failed.
 */
const mostRepairs = 2;

/** Talks with a model until it is done: the model asks for tools, is told what came of them, and goes on. Faults are thrown. */
export async function converse(talk: Talk, signal: AbortSignal): Promise<Ending> {
  const { model, system, effort, mostTokens } = talk;
  const tools = talk.tools.map(({ name, description, input }) => ({ name, description, input }));
  const { say, ask } = openTalk({ model, system, tools, effort, mostTokens }, talk);
  const tellLeft = leftTeller(talk.left, talk.mostTurns);
  const shared = (talk.shared ?? []).map((text): Part => ({ kind: 'text', text, isShared: true }));
  say({ from: 'us', parts: [...shared, { kind: 'text', text: `${talk.opening}\n\n${tellLeft(0)}` }] });
  const countRepeats = repeatCounter();
  let [repairs, cutOff, postponed] = [0, 0, 0];
  let { remind } = talk;

  for (let turn = 0; turn < talk.mostTurns; turn++) {
    const answer = await ask(signal);
    say(answer.message, answer);
    if (answer.stop === 'refused') return broken('the model refused');
    const calls = answer.message.parts.filter((part) => part.kind === 'call');
    if (calls.length === 0) {
      if (answer.stop !== 'length') {
        const reminder = remind?.();
        if (reminder === undefined) return { kind: 'silent', words: spokenIn(answer.message.parts).join('\n') };
        say(said(reminder));
        remind = undefined;
        continue;
      }
      cutOff += 1;
      if (cutOff > mostRepairs) return broken(`its answers were cut off ${cutOff} times in a row`);
      say(said('Your answer was cut off. Go on with a shorter one, and use the tools.'));
      continue;
    }
    if (answer.stop !== 'length') cutOff = 0;
    const tried = await Promise.all(calls.map((call) => useWatched(talk, call, answer.stop === 'length', signal)));
    const early = postponed < mostRepairs && endsEarly(tried);
    if (early) postponed += 1;
    const used = early ? tried.map(notYet) : tried;
    const results = used.map(({ part }) => part);
    const repeats = countRepeats(results, calls);
    const again = repeats === mostRepeats - 1 ? 'You did this before, with the same results: do something else.' : '';
    say({ from: 'us', parts: withWords(results, [again, tellLeft(turn + 1)]) });
    const [finish, ...others] = used.flatMap(({ finish }) => finish ?? []);
    if (others.some(({ title }) => title !== finish?.title)) return broken('it ended in two ways at once');
    if (finish !== undefined) return { kind: 'finished', ...finish };
    repairs = used.some(({ malformed }) => malformed) ? repairs + 1 : 0;
    if (repairs > mostRepairs) return broken(`${repairs} calls of tools in a row could not be read`);
    if (repeats >= mostRepeats) return broken(`it did the same thing ${mostRepeats} times with the same result`);
  }
  return broken(`not done after ${talk.mostTurns} turns`);
}

const broken = (reason: string): Ending => ({ kind: 'broken', reason });

const said = (text: string): ModelMessage => ({ from: 'us', parts: [{ kind: 'text', text }] });

/** The model says that it is done before it was told that something else failed. */
const endsEarly = (all: readonly UsedCall[]): boolean =>
  all.some(({ finish }) => finish !== undefined) && all.some(({ part }) => part.failed);

function notYet(used: UsedCall): UsedCall {
  if (used.finish === undefined) return used;
  const text = 'Not yet: another call of the same turn failed. See to it, and say it again.';
  return { part: { ...used.part, text, failed: true }, malformed: false };
}

type Call = Extract<Part, { kind: 'call' }>;
type Result = Extract<Part, { kind: 'result' }>;

interface UsedCall {
  readonly part: Result;
  readonly finish?: Finish | undefined;
  readonly malformed: boolean;
}

async function useWatched(talk: Talk, call: Call, cut: boolean, signal: AbortSignal): Promise<UsedCall> {
  const begun = performance.now();
  const reportCall = (failed: boolean, text: string): void => {
    const [ms, bytes] = [Math.round(performance.now() - begun), Buffer.byteLength(text)];
    talk.onCall?.({ tool: call.tool, failed, ms, bytes });
  };
  try {
    const used = await useTool(talk.tools, call, cut, signal);
    reportCall(used.part.failed, used.part.text);
    return used;
  } catch (error) {
    reportCall(true, '');
    throw error;
  }
}

async function useTool(tools: readonly Tool[], call: Call, cut: boolean, signal: AbortSignal): Promise<UsedCall> {
  const { id, tool: name } = call;
  const result = (text: string, failed: boolean): Result => ({ kind: 'result', id, tool: name, text, failed });
  const tool = tools.find((one) => one.name === name);
  const input = call.input && tool && withIntegers(call.input, tool.input);
  const wrong =
    tool === undefined
      ? `There is no tool ${JSON.stringify(name)}. There are: ${tools.map((one) => one.name).join(', ')}.`
      : wrongInput({ ...call, input }, tool.input);
  if (tool === undefined || wrong !== undefined) {
    const why = cut ? 'Your answer was cut off in the middle of this call: make it smaller.' : (wrong ?? '');
    return { part: result(why, true), malformed: true };
  }
  const used = await tool.use(input ?? {}, signal).catch((error) => refusedBy(error, signal));
  const { text, failed = false, images = [] } = used;
  const part = { ...result(text, failed), ...(images.length === 0 ? {} : { images }) };
  return { part, finish: used.finish, malformed: false };
}

/** Small models say "1" where a tool takes 1. */
function withIntegers(input: NonNullable<Call['input']>, schema: ToolForm['input']): NonNullable<Call['input']> {
  const properties = isMap(schema.properties) ? schema.properties : {};
  const isInteger = (name: string): boolean => isMap(properties[name]) && properties[name].type === 'integer';
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) =>
      isInteger(name) && typeof value === 'string' && /^-?\d+$/.test(value) ? [name, Number(value)] : [name, value],
    ),
  );
}

/** What is wrong with a call, in words for the model; undefined when the tool can take it. */
function wrongInput({ tool, input, unread }: Call, schema: Readonly<Record<string, unknown>>): string | undefined {
  if (input === undefined)
    return `The input of ${tool} could not be read as a JSON object: ${JSON.stringify((unread ?? '').slice(0, 200))}`;
  const properties = isMap(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? (schema.required as readonly string[]) : [];
  const missing = required.find((name) => input[name] === undefined);
  if (missing !== undefined) return `${tool} needs ${missing}.`;
  // What a server's tool need not be given, it may also be given as nothing.
  const isGiven = (name: string): boolean =>
    input[name] !== undefined && !(input[name] === null && schema.additionalProperties === true);
  const odd = Object.entries(properties).find(
    ([name, property]) => isGiven(name) && isMap(property) && !isOfType(input[name], property.type),
  );
  if (odd !== undefined) return `${tool} wants ${odd[0]} to be ${isMap(odd[1]) ? odd[1].type : ''}.`;
  return undefined;
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'string' || type === 'boolean' || type === 'number') return typeof value === type;
  return true;
}

/** What the machine refuses, a name that is too long or a full disk, is the model's news and nobody's crash. */
function refusedBy(error: unknown, signal: AbortSignal): ToolResult {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (signal.aborted || typeof code !== 'string') throw error;
  return { text: `it could not be done: ${code}`, failed: true };
}
