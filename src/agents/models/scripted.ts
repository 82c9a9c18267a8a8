import { Problem } from '../../text/problem.ts';
import { isMap } from '../json-value.ts';
import type { Ask, ModelAnswer, Part, Question } from './model-contract.ts';
import { spokenIn } from './provider-form.ts';

/**
 * Answers from a file, to try an org without a key: a list of conversations, of which the first is played whose `when`
 * stands in the first text for the model, all of it. It has no memory: how many answers it has given in a
 * conversation is to be read off that conversation.
 *
 *   { "conversations": [ { "when": ["try 1"], "turns": [
 *       { "calls": [ { "tool": "edit", "input": { "path": "sandbox/x", "old": "1", "new": "2" } } ] },
 *       { "calls": [ { "tool": "finish", "input": { "title": "two instead of one" } } ] } ] } ] }
 */
interface Script {
  readonly conversations: readonly { readonly when: readonly string[]; readonly turns: readonly Turn[] }[];
}

interface Turn {
  readonly text?: string;
  readonly calls?: readonly { readonly tool: string; readonly input: Readonly<Record<string, unknown>> }[];
}

export function askScripted(text: string, file: string): Ask {
  const script = parseScript(text, file);
  return async (question) => answerOf(question, turnFor(script, question));
}

function turnFor({ conversations }: Script, { system, messages }: Question): Turn {
  const firstText = `${system}\n${spokenIn(messages[0]?.parts ?? []).join('\n')}`;
  const played = conversations.find(({ when }) => when.every((words) => firstText.includes(words)));
  const given = messages.filter(({ from }) => from === 'model').length;
  return played?.turns[given] ?? { text: 'The script says nothing here.' };
}

function answerOf(question: Question, { text, calls = [] }: Turn): ModelAnswer {
  const turn = question.messages.length;
  const parts: Part[] = [
    ...(text === undefined ? [] : [{ kind: 'text', text } as const]),
    ...calls.map(({ tool, input }, at) => ({ kind: 'call', id: `call-${turn}-${at}`, tool, input }) as const),
  ];
  return {
    message: { from: 'model', parts },
    stop: calls.length > 0 ? 'calls' : 'done',
    usage: {
      tokensIn: tokensOf(JSON.stringify([question.system, question.messages, question.tools])),
      tokensOut: tokensOf(JSON.stringify(parts)),
      cacheRead: 0,
      cacheWrite: 0,
    },
    model: question.model,
  };
}

/** About as many as a model would count, so that a scripted night looks like a real one in the books. */
const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4);

export function parseScript(text: string, file: string): Script {
  const wrong = (what: string): Problem =>
    new Problem(
      'script/value',
      `${file}: ${what}`,
      'Write { "conversations": [ { "when": ["try 1"], "turns": [ { "calls": [ … ] } ] } ] }.',
      { file },
    );
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (error) {
    throw wrong(`it is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isMap(read) || !Array.isArray(read.conversations)) throw wrong('it has no list of conversations');
  return {
    conversations: read.conversations.map((one: unknown, at) => {
      if (!isMap(one) || !Array.isArray(one.turns)) throw wrong(`conversation ${at + 1} has no list of turns`);
      const when = one.when ?? [];
      if (!Array.isArray(when) || !when.every((words) => typeof words === 'string'))
        throw wrong(`when of conversation ${at + 1} is no list of texts`);
      return {
        when,
        turns: one.turns.map((turn: unknown, turnAt) =>
          readTurn(turn, () =>
            wrong(
              `turn ${turnAt + 1} of conversation ${at + 1} has neither text nor calls, or calls without tool and input`,
            ),
          ),
        ),
      };
    }),
  };
}

function readTurn(turn: unknown, wrong: () => Problem): Turn {
  if (!isMap(turn)) throw wrong();
  const { text, calls = [] } = turn;
  if (text !== undefined && typeof text !== 'string') throw wrong();
  if (!Array.isArray(calls) || (text === undefined && calls.length === 0)) throw wrong();
  return {
    ...(text === undefined ? {} : { text }),
    calls: calls.map((call: unknown) => {
      if (!isMap(call) || typeof call.tool !== 'string' || !isMap(call.input ?? {})) throw wrong();
      return { tool: call.tool, input: (call.input ?? {}) as Record<string, unknown> };
    }),
  };
}
