/** Bytes to look for, and whose they are. */
export interface Needle {
  readonly bytes: Uint8Array;
  readonly name: string;
}

/** Where a needle stands. */
export interface Hit {
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

/** Looks for many needles in one go. */
export type NeedleSearch = ReturnType<typeof searchFor>;

/** A search for less would find it everywhere. */
export const shortestNeedle = 8;

/**
 * As Wu and Manber do it: three bytes at a time, and what they cannot be the end of is skipped, mostly as much as the
 * shortest needle is long. It costs the same whether there are nine needles or nine hundred; a search of its own for each
 * (`indexOf`) reads 240 MB a second with five secrets and 14 with a hundred.
 */
export function searchFor(needles: readonly Needle[]) {
  const window = Math.min(250, ...needles.map(({ bytes }) => bytes.length));
  if (window < shortestNeedle) throw new Error(`a needle of ${window} bytes is too short to look for`);
  const grams = needles.length * (window - 2);
  const bits = Math.min(20, Math.max(14, Math.ceil(Math.log2(grams * 16)))); // Few of the table's places are taken.
  const farthest = window - 2;
  const skips = new Uint8Array(2 ** bits).fill(farthest);
  const endings = new Map<number, Needle[]>();
  for (const needle of needles) {
    for (let at = 0; at + 3 <= window; at++) {
      const gram = gramAt(needle.bytes, at, bits);
      skips[gram] = Math.min(skips[gram] as number, window - 3 - at);
    }
    const ending = gramAt(needle.bytes, window - 3, bits);
    endings.set(ending, [...(endings.get(ending) ?? []), needle]);
  }
  for (const list of endings.values()) list.sort((a, b) => b.bytes.length - a.bytes.length);

  /** The first hit between two places of these bytes, and of those that begin there the longest. */
  const next = (bytes: Uint8Array, from: number, to: number): Hit | undefined => {
    for (let at = from + window - 3; at + 3 <= to; ) {
      const gram = gramAt(bytes, at, bits);
      const skip = skips[gram] as number;
      if (skip > 0) {
        at += skip;
        continue;
      }
      const start = at - window + 3;
      for (const { bytes: needle, name } of endings.get(gram) ?? [])
        if (start + needle.length <= to && stands(needle, bytes, start))
          return { from: start, to: start + needle.length, name };
      at += 1;
    }
    return undefined;
  };
  /** How long the longest needle is. */
  const longest = Math.max(...needles.map(({ bytes }) => bytes.length));
  return { longest, next };
}

function gramAt(bytes: Uint8Array, at: number, bits: number): number {
  const three = (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16);
  return Math.imul(three, 0x9e3779b1) >>> (32 - bits);
}

function stands(needle: Uint8Array, bytes: Uint8Array, at: number): boolean {
  for (let index = 0; index < needle.length; index++) if (needle[index] !== bytes[at + index]) return false;
  return true;
}

/**
 * Copies bytes without blanks, line breaks and zeros, and with what percent signs and backslashes stand for in their
 * place: base64 in lines of any width, UTF-16, percent-encoding and JSON's escapes, in any mixture, all come out as one
 * and the same. Stops when the target is full; no escape is ever taken apart. Gives where to go on reading, and how many bytes
 * stand in the target; `origins` has for each of them where what it was read from begins and ends.
 */
export function loosen(
  bytes: Uint8Array,
  from: number,
  target: Uint8Array,
  length: number,
  origins?: Readonly<Record<'from' | 'to', Int32Array>>,
): Readonly<Record<'next' | 'length', number>> {
  const full = target.length - mostBytes;
  let next = from;
  while (next < bytes.length && length <= full) {
    const byte = bytes[next] as number;
    const kind = kinds[byte];
    const begun = next;
    const before = length;
    if (kind === plain) {
      target[length++] = byte;
      next += 1;
      if (origins === undefined) continue; // Nearly every byte: this is all that is done for it.
    } else if (kind === blank) {
      next += 1;
      continue;
    } else {
      const { code, read } = kind === percent ? percentAt(bytes, next) : escapeAt(bytes, next);
      next += read;
      length = put(code, read, target, length);
    }
    origins?.from.fill(begun, before, length);
    origins?.to.fill(next, before, length);
  }
  return { next, length };
}

/** The most that one character becomes. */
const mostBytes = 3;

const plain = 0;
const blank = 1;
const percent = 2;
const backslash = 3;
const kinds = new Uint8Array(256);
for (const byte of [0, 9, 10, 11, 12, 13, 32]) kinds[byte] = blank;
kinds[0x25] = percent;
kinds[0x5c] = backslash;

/** The character or byte that is meant, and how many bytes were read for it. */
type Meant = Readonly<Record<'code' | 'read', number>>;

function percentAt(bytes: Uint8Array, at: number): Meant {
  const code = hexAt(bytes, at + 1, 2);
  return code === undefined ? { code: 0x25, read: 1 } : { code, read: 3 };
}

function escapeAt(bytes: Uint8Array, at: number): Meant {
  const after = bytes[at + 1];
  const code =
    after === 0x75 ? hexAt(bytes, at + 2, 4) : after === 0x78 ? hexAt(bytes, at + 2, 2) : escapes.get(after ?? 0);
  if (code === undefined) return { code: 0x5c, read: 1 };
  return { code, read: after === 0x75 ? 6 : after === 0x78 ? 4 : 2 };
}

/** What stands behind a backslash, and what it means: a quote, a slash or a backslash itself, or a blank of some kind. */
const escapes = new Map([
  ...[...'"\'/\\'].map((character) => [character.charCodeAt(0), character.charCodeAt(0)] as const),
  ...[...'nrt'].map((character) => [character.charCodeAt(0), 0x20] as const),
]);

function hexAt(bytes: Uint8Array, at: number, digits: number): number | undefined {
  let code = 0;
  for (let index = at; index < at + digits; index++) {
    const digit = hexDigits[bytes[index] ?? 0] as number;
    if (digit > 15) return undefined;
    code = code * 16 + digit;
  }
  return code;
}

const hexDigits = new Uint8Array(256).fill(255);
for (const [value, character] of [...'0123456789abcdef'].entries()) {
  hexDigits[character.charCodeAt(0)] = value;
  hexDigits[character.toUpperCase().charCodeAt(0)] = value;
}

/** Only `\u0041`, which takes six bytes to say, stands for a character; all the others stand for a byte. */
function put(code: number, read: number, target: Uint8Array, length: number): number {
  if (code < 0x80 || read < 6) {
    if (kinds[code] !== blank) target[length++] = code;
  } else if (code < 0x800) {
    target[length++] = 0xc0 | (code >> 6);
    target[length++] = 0x80 | (code & 0x3f);
  } else {
    target[length++] = 0xe0 | (code >> 12);
    target[length++] = 0x80 | ((code >> 6) & 0x3f);
    target[length++] = 0x80 | (code & 0x3f);
  }
  return length;
}
