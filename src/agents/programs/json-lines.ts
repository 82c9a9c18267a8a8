import type { Provider } from '../../domain/words/model-id.ts';
import type { Ran } from '../../process/run-process.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { isMap, parseJson } from '../json-value.ts';
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
  /** As it was said. */
  readonly value: unknown;
}

/** The objects among the lines, one on each; other lines are left out. */
export function jsonLines(text: string): readonly Json[] {
  return text.split('\n').flatMap((line) => {
    const value = line.startsWith('{') ? parseJson(line) : undefined;
    return value === undefined ? [] : [jsonOf(value)]; // Cut off by a kill, or by us because it was too much.
  });
}

export function jsonOf(value: unknown): Json {
  const isObject = isMap(value);
  const inside = (key: string): Json => (isObject && Object.hasOwn(value, key) ? jsonOf(value[key]) : none);
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
    value,
  };
}

const none: Json = {
  ...{ at: () => none, text: undefined, number: undefined, isTrue: false },
  ...{ list: [], entries: [], value: undefined },
};

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

/** The same where a program has all four beside each other, by the names it gives them. */
export const usageAt = (used: Json | undefined, plain: string, out: string, read = '', wrote = ''): Usage | undefined =>
  usageFromCounts(used?.at(plain).number, used?.at(out).number, used?.at(read).number, used?.at(wrote).number);

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

/** The last thing that was said; empty where nothing was. */
export const lastText = (lines: readonly (string | undefined)[]): string => textsIn(lines).at(-1) ?? '';

export const lastLine = (text: string): string => lastText(text.split('\n')).trim();

/** Why a process did not do its work, in words; undefined where it ended as it should. */
export function howItFailed(who: string, ran: Ran, complaint?: string): string | undefined {
  const seconds = Math.round(ran.ms / 1000);
  if (ran.silent) return `${who} fell silent, and was stopped after ${seconds} s`;
  if (ran.timedOut) return `${who} was not done after ${seconds} s`;
  if (ran.code === 0 && complaint === undefined) return undefined;
  return `${who} ended with ${ran.code ?? ran.signal}`;
}

/** Where programs that ask every provider look for a key. */
export const providerKeys: Readonly<Record<Provider, string>> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  google: 'GEMINI_API_KEY',
  scripted: 'NONE',
};

/** No line is held at greater length, nor more of all of them. */
const longestLine = 16 * 1024 * 1024;
const mostText = 32 * 1024 * 1024;

/**
 * Takes the JSON lines of a program whose `type` is one of these, while it speaks: of what it printed only the first and last
 * part are kept.
 */
export function takeLines(types: readonly string[]) {
  const kept: string[] = [];
  let [pieces, size, keptSize, lost] = [[] as Buffer[], 0, 0, false];
  const keep = (line: string): void => {
    const taken = types.some((type) => line.includes(`"${type}"`)) ? shortened(line, types) : undefined;
    if (taken === undefined) return;
    keptSize += taken.length;
    if (keptSize > mostText) lost = true;
    else kept.push(taken);
  };
  const add = (piece: Buffer): void => {
    size += piece.length;
    if (size <= longestLine || pieces.length === 0) pieces.push(piece);
  };
  const endLine = (): void => {
    const line = Buffer.concat(pieces).toString('utf8');
    if (size <= longestLine) keep(line);
    else if (mayCount(line, types)) lost = true;
    [pieces, size] = [[], 0];
  };
  return {
    hear: (chunk: Buffer): void => {
      let from = 0;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
        add(chunk.subarray(from, at));
        endLine();
        from = at + 1;
      }
      add(chunk.subarray(from));
    },
    /** One JSON object a line, in the order in which they were said; long texts in them are shortened. */
    text: (): string => {
      endLine(); // The last one need not have an end.
      return kept.map((line) => `${line}\n`).join('');
    },
    isEmpty: (): boolean => kept.length === 0,
    /** True if a line that may have counted is missing, so the rest is not the whole sum. */
    lost: (): boolean => lost,
  };
}

/** By its beginning, where a program says what a line is; one that does not say may be anything. */
function mayCount(line: string, types: readonly string[]): boolean {
  const [, type] = /^\{\s*"type"\s*:\s*"([^"]*)"/.exec(line) ?? [];
  return line.startsWith('{') && (type === undefined || types.includes(type));
}

/** Undefined for a line of another type, and for one that is no JSON: cut off by a kill. */
function shortened(line: string, types: readonly string[]): string | undefined {
  try {
    const value: unknown = JSON.parse(line, (_, inside) => (typeof inside === 'string' ? shortText(inside) : inside));
    return isMap(value) && types.some((type) => type === value.type) ? JSON.stringify(value) : undefined;
  } catch {
    return undefined;
  }
}

const longestText = 32 * 1024;

/** Its beginning and its end, from which titles and notes are made. */
function shortText(text: string): string {
  if (text.length <= longestText) return text;
  const said = hideSecrets(text); // Before it is cut: half a secret is not known again.
  return said.length <= longestText ? said : `${said.slice(0, longestText / 2)}\n…\n${said.slice(-longestText / 2)}`;
}
