import type { Counts, Heard, Said } from './script.ts';

/** A said thing with everything decided that a script may leave out, before it takes any wire's form. */
export interface Spoken {
  readonly text: string;
  readonly thinking: Said['thinking'];
  readonly calls: readonly {
    readonly id: string;
    readonly index: number;
    readonly tool: string;
    readonly json: string;
  }[];
  readonly stop: NonNullable<Said['stop']>;
  readonly usage: Counts | undefined;
  readonly model: string;
}

export function speak(said: Said, heard: Heard): Spoken {
  const text = said.stop === 'blocked' ? '' : (said.text ?? '');
  const calls = (said.calls ?? []).map(({ tool, input, id, index }, place) => ({
    id: id ?? `call_${heard.turn}_${place}`,
    index: index ?? place,
    tool,
    json: typeof input === 'string' ? input : JSON.stringify(input),
  }));
  return {
    text,
    thinking: said.thinking,
    calls,
    stop: said.stop ?? (calls.length > 0 ? 'calls' : 'done'),
    usage:
      said.usage === 'none'
        ? undefined
        : (said.usage ?? reckon(JSON.stringify(heard.body), `${said.thinking?.text ?? ''}${text}`, calls)),
    model: said.model ?? heard.model,
  };
}

function reckon(asked: string, text: string, calls: Spoken['calls']): Counts {
  const out = text.length + calls.reduce((sum, { tool, json }) => sum + tool.length + json.length, 0);
  return { tokensIn: Math.ceil(asked.length / 4), tokensOut: Math.max(1, Math.ceil(out / 4)) };
}

/** In pieces, as a model speaks; a text without end in larger ones, or nobody would hear the end of it. */
export const pieces = (text: string): readonly string[] =>
  text.match(new RegExp(`[\\s\\S]{1,${Math.max(12, Math.ceil(text.length / 1_000))}}`, 'g')) ?? [];

/** The rest of a count, where it is one. */
export const less = (count: number | string, part = 0): number | string =>
  typeof count === 'number' ? count - part : count;

/** Server-sent events with a name, and without one. */
export const named = (event: { readonly type: string; readonly [name: string]: unknown }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
export const unnamed = (event: unknown): string => `data: ${JSON.stringify(event)}\n\n`;
