import { isMap, parseJson } from '../json-value.ts';
import type { Part } from './model-contract.ts';

type Call = Extract<Part, { kind: 'call' }>;

/** A call from what the model said of its input, read or unread. Models say nothing where there is nothing to say. */
export function callFrom(id: string, tool: string, said: string): Call {
  return callOf(id, tool, said.trim() === '' ? {} : parseJson(said), said);
}

/** A call whose input was read on its way to us. */
export function callWith(id: string, tool: string, input: unknown): Call {
  return callOf(id, tool, input, isDeeper(input, mostDepth) ? '(nested too deeply)' : (JSON.stringify(input) ?? ''));
}

/** No tool takes an input with more levels. */
export const mostDepth = 100;

const callOf = (id: string, tool: string, input: unknown, said: string): Call =>
  isMap(input) && !isDeeper(input, mostDepth)
    ? { kind: 'call', id, tool, input }
    : { kind: 'call', id, tool, input: undefined, unread: said };

/** What is given back to the model as its own input. Providers take objects only, also where it said something else. */
export const inputOf = (call: Call): Readonly<Record<string, unknown>> => call.input ?? { unread: call.unread ?? '' };

/** What is wrong with a call, in words for the model; undefined when the tool can take it. */
export function wrongInput(
  { tool, input, unread }: Call,
  schema: Readonly<Record<string, unknown>>,
): string | undefined {
  if (input === undefined)
    return `The input of ${tool} could not be read as a JSON object: ${JSON.stringify((unread ?? '').slice(0, 200))}`;
  const properties = isMap(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? (schema.required as readonly string[]) : [];
  const missing = required.find((name) => input[name] === undefined);
  if (missing !== undefined) return `${tool} needs ${missing}.`;
  const odd = Object.entries(properties).find(
    ([name, property]) => input[name] !== undefined && isMap(property) && !isOfType(input[name], property.type),
  );
  if (odd !== undefined) return `${tool} wants ${odd[0]} to be ${isMap(odd[1]) ? odd[1].type : ''}.`;
  return undefined;
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'string' || type === 'boolean' || type === 'number') return typeof value === type;
  return true;
}

/**
 * Whether a value holds others in others, further down than so many levels. Whoever says one nested without end means to
 * break us: what is read without a word, JSON.stringify and every walk through it would overflow the stack for.
 */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
