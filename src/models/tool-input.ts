import type { Part } from './contract.ts';

type Call = Extract<Part, { kind: 'call' }>;

/** A call from what the model said of its input, read or unread. Models say nothing where there is nothing to say. */
export function callFrom(id: string, tool: string, said: string): Call {
  const input = said.trim() === '' ? {} : read(said);
  return isInput(input)
    ? { kind: 'call', id, tool, input }
    : { kind: 'call', id, tool, input: undefined, unread: said };
}

export const isInput = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What is given back to the model as its own input. Providers take objects only, also where it said something else. */
export const inputOf = (call: Call): Readonly<Record<string, unknown>> => call.input ?? { unread: call.unread ?? '' };

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
