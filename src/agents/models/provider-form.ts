import { isMap, parseJson } from '../json-value.ts';
import type { Image, ModelAnswer, ModelMessage, Part, Usage } from './model-contract.ts';

/* What the files of the providers share: how an answer is read, and how a message is given back. */

/** A provider's own form of what a model said; undefined of what another one said, or without such a form. */
export function nativeOf<Form>({ native }: ModelMessage, provider: string): Form | undefined {
  const own = native as { readonly provider: string; readonly form: Form } | undefined;
  return own?.provider === provider ? own.form : undefined;
}

/** What is said in words. */
export const spokenIn = (parts: readonly Part[]): readonly string[] =>
  parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));

/** What is shown besides words. */
export const imagesOf = (parts: readonly Part[]): readonly Image[] =>
  parts.flatMap((part) => (part.kind === 'result' ? (part.images ?? []) : []));

/** The same message for a model that only reads. */
export const withoutImages = (message: ModelMessage): ModelMessage => ({
  ...message,
  parts: message.parts.map((part) => {
    const left = imagesOf([part]).length;
    if (part.kind !== 'result' || left === 0) return part;
    return { ...part, images: [], text: `${part.text}\n[images left out, because this model is shown none: ${left}]` };
  }),
});

/** Providers take the results of calls only in front of everything else. */
export const resultsFirst = (parts: readonly Part[]): readonly Part[] => [
  ...parts.filter(({ kind }) => kind === 'result'),
  ...parts.filter(({ kind }) => kind !== 'result'),
];

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

/**
 * Tells whether values are nested deeper than this many levels. A value nested without end parses, but JSON.stringify and
 * every walk through it would overflow the stack.
 */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** Why an answer ended. An answer that has calls waits for tools, whatever its provider calls that. */
export function stopOf(
  parts: readonly Part[],
  { refused, cut }: { readonly refused: boolean; readonly cut: boolean },
): ModelAnswer['stop'] {
  if (refused) return 'refused';
  if (cut) return 'length';
  return parts.some(({ kind }) => kind === 'call') ? 'calls' : 'done';
}

/**
 * The usage that a provider counted, or undefined if it cannot be right: money is computed from it, so a value that is not
 * a number is not made into one. A count that a provider leaves out because it is zero comes here as zero.
 */
export function usageOf(counted: { readonly [Name in keyof Usage]: unknown }): Usage | undefined {
  const { tokensIn, tokensOut, cacheRead, cacheWrite } = counted;
  if (!isCount(tokensIn) || !isCount(tokensOut) || !isCount(cacheRead) || !isCount(cacheWrite)) return undefined;
  return cacheRead + cacheWrite > tokensIn ? undefined : { tokensIn, tokensOut, cacheRead, cacheWrite };
}

/** The sum of counts, and NaN if one of them is not a count. */
export const sumOfCounts = (...counts: readonly unknown[]): number =>
  counts.reduce<number>((sum, count) => (isCount(count) ? sum + count : Number.NaN), 0);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** The same address serves all languages; only OpenAI's SDK puts no version before its places by itself. */
export const unversioned = (baseUrl: string | undefined): string | undefined => baseUrl?.replace(/\/v1(beta)?$/, '');
