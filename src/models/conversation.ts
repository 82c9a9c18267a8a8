import type { Answer, Ask, Message, Part, ToolForm, Usage } from './contract.ts';
import { wrongInput } from './tool-input.ts';

/** Something that a model may do, and what it hears of it. */
export interface Tool extends ToolForm {
  use(input: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<Used>;
}

/** `text` is what the model is told; `finish` ends the conversation with what it says of its work. */
export interface Used {
  readonly text: string;
  readonly failed?: boolean;
  readonly finish?: Finish;
}

export interface Finish {
  readonly title: string;
  readonly notes: string;
}

export interface Talk {
  readonly ask: Ask;
  readonly model: string;
  readonly system: string;
  readonly opening: string;
  readonly tools: readonly Tool[];
  /** The most that one answer may have, and how many answers there may be. */
  readonly mostTokens: number;
  readonly mostTurns: number;
}

/** How a conversation ended, with all that was said. */
export interface Talked {
  readonly end:
    | ({ readonly kind: 'finished' } & Finish)
    /** It stopped without saying that it was done; these were its last words. */
    | { readonly kind: 'silent'; readonly words: string }
    | { readonly kind: 'broken'; readonly reason: string };
  readonly messages: readonly Message[];
  readonly turns: number;
  readonly usage: Usage;
  /** The models that the provider says it used. */
  readonly models: readonly string[];
}

/** A call that cannot be read, or is not what the tool takes, is answered with what is wrong with it, this often. */
const mostRepairs = 2;

/** The same call with the same result this often, one after the other, is a model that turns in circles. */
const mostRepeats = 4;

/** Talks with a model until it is done: it asks for tools, hears what came of them, and goes on. Faults are thrown. */
export async function converse(talk: Talk, signal: AbortSignal): Promise<Talked> {
  const messages: Message[] = [{ from: 'us', parts: [{ kind: 'text', text: talk.opening }] }];
  const models = new Set<string>();
  const circles = watchCircles();
  let usage: Usage = { tokensIn: 0, tokensOut: 0, cacheRead: 0, cacheWrite: 0 };
  let [repairs, cutOff, turns] = [0, 0, 0];
  const ended = (end: Talked['end']): Talked => ({ end, messages, turns, usage, models: [...models] });

  while (turns < talk.mostTurns) {
    const answer = await talk.ask(questionOf(talk, messages), signal);
    turns += 1;
    usage = add(usage, answer.usage);
    if (answer.model !== undefined) models.add(answer.model);
    messages.push(answer.message);
    if (answer.stop === 'refused') return ended({ kind: 'broken', reason: 'the model refused' });
    const calls = answer.message.parts.filter((part) => part.kind === 'call');
    if (calls.length === 0) {
      if (answer.stop !== 'length') return ended({ kind: 'silent', words: wordsOf(answer) });
      cutOff += 1;
      if (cutOff > mostRepairs) return ended({ kind: 'broken', reason: `its answers were cut off ${cutOff} times` });
      messages.push(said('Your answer was cut off. Go on with a shorter one, and use the tools.'));
      continue;
    }
    const used = await Promise.all(calls.map((call) => useTool(talk.tools, call, answer.stop === 'length', signal)));
    messages.push({ from: 'us', parts: used.map(({ part }) => part) });
    const finish = used.find(({ finish }) => finish !== undefined)?.finish;
    if (finish !== undefined) return ended({ kind: 'finished', ...finish });
    repairs = used.some(({ malformed }) => malformed) ? repairs + 1 : 0;
    if (repairs > mostRepairs)
      return ended({ kind: 'broken', reason: `${repairs} calls of tools in a row could not be read` });
    if (
      circles(
        used.map(({ part }) => part),
        calls,
      ) >= mostRepeats
    )
      return ended({ kind: 'broken', reason: `it did the same thing ${mostRepeats} times with the same result` });
  }
  return ended({ kind: 'broken', reason: `not done after ${talk.mostTurns} turns` });
}

const said = (text: string): Message => ({ from: 'us', parts: [{ kind: 'text', text }] });

const questionOf = ({ model, system, tools, mostTokens }: Talk, messages: readonly Message[]) => ({
  model,
  system,
  messages: [...messages],
  tools: tools.map(({ name, description, input }) => ({ name, description, input })),
  mostTokens,
});

type Call = Extract<Part, { kind: 'call' }>;
type Result = Extract<Part, { kind: 'result' }>;

async function useTool(
  tools: readonly Tool[],
  call: Call,
  cut: boolean,
  signal: AbortSignal,
): Promise<{ readonly part: Result; readonly finish?: Finish | undefined; readonly malformed: boolean }> {
  const result = (text: string, failed: boolean): Result => ({
    kind: 'result',
    id: call.id,
    tool: call.tool,
    text,
    failed,
  });
  const tool = tools.find(({ name }) => name === call.tool);
  const wrong =
    tool === undefined
      ? `There is no tool ${JSON.stringify(call.tool)}. There are: ${tools.map(({ name }) => name).join(', ')}.`
      : wrongInput(call, tool.input);
  if (tool === undefined || wrong !== undefined) {
    const why = cut ? 'Your answer was cut off in the middle of this call: make it smaller.' : (wrong ?? '');
    return { part: result(why, true), malformed: true };
  }
  const {
    text,
    failed = false,
    finish,
  } = await tool.use(call.input ?? {}, signal).catch((error) => refusedBy(error, signal));
  return { part: result(text, failed), finish, malformed: false };
}

/** What the machine refuses, a name that is too long or a full disk, is the model's news and nobody's crash. */
function refusedBy(error: unknown, signal: AbortSignal): Used {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (signal.aborted || typeof code !== 'string') throw error;
  return { text: `it could not be done: ${code}`, failed: true };
}

/** How often in a row the same calls had the same results. */
function watchCircles(): (results: readonly Result[], calls: readonly Call[]) => number {
  let [last, times] = ['', 0];
  return (results, calls) => {
    const now = JSON.stringify([calls.map(({ tool, input }) => [tool, input]), results.map(({ text }) => text)]);
    times = now === last ? times + 1 : 1;
    last = now;
    return times;
  };
}

const wordsOf = ({ message }: Answer): string =>
  message.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');

const add = (a: Usage, b: Usage | undefined): Usage => ({
  tokensIn: a.tokensIn + (b?.tokensIn ?? 0),
  tokensOut: a.tokensOut + (b?.tokensOut ?? 0),
  cacheRead: a.cacheRead + (b?.cacheRead ?? 0),
  cacheWrite: a.cacheWrite + (b?.cacheWrite ?? 0),
});
