import { type Hit, loosen, type Needle, type NeedleSearch, searchFor, shortestNeedle } from './needles.ts';

/** A value that must not be shown, and the name under which it may be spoken of. */
export interface Secret {
  readonly name: string;
  readonly value: string;
}

/** A value of fewer characters is not looked for: it would be found everywhere, and can be guessed in a minute. */
export const shortestSecret = 8;

/** Knows some secrets in all their usual spellings. */
export interface Scanner {
  /** The name of a secret that these bytes or this text hold; undefined when there is none. */
  find(content: Uint8Array | string): string | undefined;
  /** The text with `[secret NAME]` where a secret stood; the very same text when there is none. */
  hide(text: string): string;
}

/** Built once and asked often. Undefined when there is no secret that can be looked for. */
export function scannerFor(secrets: readonly Secret[]): Scanner | undefined {
  const values = new Map<string, string>();
  for (const { name, value } of secrets)
    if (value.length >= shortestSecret && !values.has(value)) values.set(value, name);
  const needles = [...values].flatMap(([value, name]) => needlesFor(value.replace(/\p{Surrogate}/gu, '\ufffd'), name));
  return needles.length === 0 ? undefined : scannerWith(searchFor(needles));
}

/**
 * What must be looked for, in bytes as they are and in loosened ones, to find every spelling of a value: the value itself,
 * and of the spellings, loosened, those that hold none of the others.
 */
function needlesFor(value: string, name: string): Needle[] {
  const plain = new TextEncoder().encode(value);
  const known = [latin1(plain)];
  const needles: Needle[] = [{ bytes: plain, name }];
  for (const spelled of spellingsOf(value)) {
    const loose = loosened(spelled);
    const bytes = loose.length < shortestNeedle ? spelled : loose;
    const text = latin1(bytes);
    if (known.some((needle) => text.includes(needle))) continue;
    known.push(text);
    needles.push({ bytes, name });
  }
  return needles;
}

function loosened(bytes: Uint8Array): Uint8Array {
  const target = new Uint8Array(bytes.length + 3);
  return target.slice(0, loosen(bytes, 0, target, 0).length);
}

/** So much is loosened at a time: what the processor has at hand. */
const pieceBytes = 32 * 1024;

function scannerWith(search: NeedleSearch): Scanner {
  const keep = search.longest - 1;
  const piece = new Uint8Array(keep + pieceBytes);

  const findLoose = (bytes: Uint8Array): string | undefined => {
    for (let next = 0, length = 0; next < bytes.length; ) {
      ({ next, length } = loosen(bytes, next, piece, length));
      const hit = search.next(piece, 0, length);
      if (hit !== undefined) return hit.name;
      piece.copyWithin(0, Math.max(0, length - keep), length); // The beginning of one that goes on in the next piece.
      length = Math.min(keep, length);
    }
    return undefined;
  };
  const find = (bytes: Uint8Array): string | undefined => search.next(bytes, 0, bytes.length)?.name ?? findLoose(bytes);

  return {
    find: (content) => find(typeof content === 'string' ? encoder.encode(content) : content),
    hide: (text) => {
      if (text.length < shortestNeedle) return text; // Most of what a harness says.
      const bytes = Buffer.from(text);
      if (find(bytes) === undefined) return text;
      const parts: Uint8Array[] = [];
      let done = 0;
      for (const { from, to, name } of joined(allHits(search, bytes))) {
        parts.push(bytes.subarray(done, from), encoder.encode(`[secret ${name}]`));
        done = to;
      }
      return Buffer.concat([...parts, bytes.subarray(done)]).toString();
    },
  };
}

const encoder = new TextEncoder();

function allHits(search: NeedleSearch, bytes: Uint8Array): Hit[] {
  const { target, from, to, length } = loosenedWhole(bytes);
  const loose = hitsIn(search, target, length).map((hit) => ({
    from: from[hit.from] as number,
    to: to[hit.to - 1] as number,
    name: hit.name,
  }));
  return [...hitsIn(search, bytes, bytes.length), ...loose];
}

function loosenedWhole(bytes: Uint8Array) {
  const size = bytes.length + 3;
  const [target, from, to] = [new Uint8Array(size), new Int32Array(size), new Int32Array(size)];
  return { target, from, to, length: loosen(bytes, 0, target, 0, { from, to }).length };
}

function hitsIn(search: NeedleSearch, bytes: Uint8Array, length: number): Hit[] {
  const hits: Hit[] = [];
  for (let hit = search.next(bytes, 0, length); hit !== undefined; hit = search.next(bytes, hit.from + 1, length))
    hits.push(hit);
  return hits;
}

/** Hits in their order, those that overlap as one. */
function joined(hits: readonly Hit[]): Hit[] {
  const spans: Hit[] = [];
  for (const hit of hits.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const last = spans.at(-1);
    if (last === undefined || hit.from >= last.to) spans.push(hit);
    else if (hit.to > last.to) spans[spans.length - 1] = { ...last, to: hit.to };
  }
  return spans;
}

/** The ways in which a value is usually written: as it is, and as people, tools and protocols encode it. No lone surrogates. */
function spellingsOf(value: string): Uint8Array[] {
  const bytes = new TextEncoder().encode(value);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0'));
  const texts = [
    value,
    ...base64Cores(bytes),
    hex.join(''),
    hex.join('').toUpperCase(),
    ...percentEncodings(value, hex),
    ...jsonEscapes(value),
    value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`),
    value.replace(/[&<>"']/g, (character) => entities[character] ?? character),
  ];
  const spelled = [...new Set(texts)].map((text) => new TextEncoder().encode(text));
  return [...spelled, utf16(value, true), utf16(value, false)];
}

/**
 * What is sure to stand in base64 of anything that holds these bytes, however many stand before them: the characters
 * that are made of these bits alone, for each of the three places in a group. Padding is never among them. In both
 * alphabets, where they differ.
 */
function base64Cores(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((before) => {
    const padded = new Uint8Array(before + bytes.length);
    padded.set(bytes, before);
    const first = Math.ceil((before * 8) / 6);
    const core = btoa(latin1(padded)).slice(first, Math.floor((padded.length * 8) / 6));
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Each byte as a character. */
function latin1(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

function percentEncodings(value: string, hex: readonly string[]): string[] {
  const full = hex.map((pair) => `%${pair}`).join('');
  const least = encodeURIComponent(value);
  const lower = least.replace(/%../g, (code) => code.toLowerCase());
  return [full, full.toUpperCase(), least, lower, encodeURI(value), least.replaceAll('%20', '+')];
}

function jsonEscapes(value: string): string[] {
  const quoted = JSON.stringify(value).slice(1, -1);
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const full = value.replace(/[\s\S]/g, escaped);
  const ascii = quoted.replace(/[^\x20-\x7e]/g, escaped);
  const upper = full.replace(/\\u..../g, (code) => `\\u${code.slice(2).toUpperCase()}`);
  const twice = JSON.stringify(quoted).slice(1, -1); // A line of JSON that is quoted in another, as logs do.
  return [twice, quoted, quoted.replaceAll('/', '\\/'), ascii, ascii.replaceAll('/', '\\/'), full, upper];
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

function utf16(value: string, little: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(value.length * 2));
  for (let at = 0; at < value.length; at++) view.setUint16(at * 2, value.charCodeAt(at), little);
  return new Uint8Array(view.buffer);
}
