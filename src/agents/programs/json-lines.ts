import type { Usage } from '../models/model-contract.ts';

/** A value out of what a program printed: nobody has promised what it looks like. */
export interface Json {
  at(key: string, ...path: readonly string[]): Json;
  readonly text: string | undefined;
  /** A count of tokens or an amount of money: finite, and not negative. */
  readonly number: number | undefined;
  readonly isTrue: boolean;
  readonly list: readonly Json[];
  readonly entries: readonly (readonly [string, Json])[];
}

/** The objects among the lines, one on each; what is none of them is left out. */
export function jsonLines(text: string): readonly Json[] {
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return [];
    try {
      return [jsonOf(JSON.parse(line))];
    } catch {
      return []; // Cut off by a kill, or by us because it was too much.
    }
  });
}

function jsonOf(value: unknown): Json {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const inside = (key: string): Json =>
    isObject && Object.hasOwn(value, key) ? jsonOf(Reflect.get(value, key)) : none;
  return {
    at: (key, ...path) => path.reduce((json, next) => json.at(next), inside(key)),
    text: typeof value === 'string' ? value : undefined,
    number: typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined,
    isTrue: value === true,
    get list() {
      return Array.isArray(value) ? value.map(jsonOf) : [];
    },
    get entries() {
      return isObject ? Object.keys(value).map((key) => [key, inside(key)] as const) : [];
    },
  };
}

const none: Json = { at: () => none, text: undefined, number: undefined, isTrue: false, list: [], entries: [] };

export const isOfType =
  (...types: readonly string[]) =>
  (line: Json): boolean =>
    types.includes(line.at('type').text ?? '');

/** Counts that name the cached part beside the rest, as one. Undefined when one of the two that matter is not told. */
export function usageFromCounts(
  plainIn: number | undefined,
  tokensOut: number | undefined,
  cacheRead = 0,
  cacheWrite = 0,
): Usage | undefined {
  if (plainIn === undefined || tokensOut === undefined) return undefined;
  return { tokensIn: plainIn + cacheRead + cacheWrite, tokensOut, cacheRead, cacheWrite };
}

/** Undefined when there is none, or one of them is not told: part of a sum is no sum. */
export function addUsage(all: readonly (Usage | undefined)[]): Usage | undefined {
  const known = all.filter((usage) => usage !== undefined);
  if (known.length === 0 || known.length < all.length) return undefined;
  return known.reduce((sum, usage) => ({
    tokensIn: sum.tokensIn + usage.tokensIn,
    tokensOut: sum.tokensOut + usage.tokensOut,
    cacheRead: sum.cacheRead + usage.cacheRead,
    cacheWrite: sum.cacheWrite + usage.cacheWrite,
  }));
}

export function addMoney(all: readonly (number | undefined)[]): number | undefined {
  const known = all.filter((usd) => usd !== undefined);
  return known.length === 0 || known.length < all.length ? undefined : known.reduce((sum, usd) => sum + usd);
}

export const textsIn = (lines: readonly (string | undefined)[]): readonly string[] =>
  lines.filter((line) => line !== undefined && line.trim() !== '') as readonly string[];
