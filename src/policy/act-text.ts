import type { Act } from '../domain/rules/act.ts';

/** What a commit message would lose: controls, and what turns the direction of a line. */
const unsafe = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** An act on one line, the same for the same act: what is decided on, hashed and written down. */
export const formatAct = (act: Act): string =>
  JSON.stringify(act).replace(unsafe, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The same read back; undefined when it is none. Whether there is such an act is for the schema to say. */
export function parseAct(text: string): Act | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return isAct(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function isAct(value: unknown): value is Act {
  if (!isMap(value)) return false;
  const { act, principal, resource, context, texts = {}, numbers = {}, approved, unfit = '' } = value;
  if (typeof act !== 'string' || typeof unfit !== 'string' || !isTexts(approved)) return false;
  if (!isMap(principal) || typeof principal.id !== 'string' || !isMap(resource) || typeof resource.id !== 'string')
    return false;
  if (principal.kind === 'agent') {
    const { role, department, level, trust, domains } = principal;
    if (typeof role !== 'string' || typeof department !== 'string' || !isTexts(domains)) return false;
    if (typeof level !== 'number' || typeof trust !== 'number') return false;
  } else if (principal.kind !== 'person') return false;
  return isMap(context) && isMapOf(texts, 'string') && isMapOf(numbers, 'number');
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isMapOf = (value: unknown, type: 'string' | 'number'): boolean =>
  isMap(value) && Object.values(value).every((one) => typeof one === type);
const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');
