import { type ProblemCode, problemAt } from './problem.ts';

/**
 * The bytes of a person's or an agent's file as text. What is not UTF-8 is refused: read all the same, a name would be another
 * one, and a whole page would seem to say nothing.
 */
export function decodeText(bytes: Buffer, file: string, code: ProblemCode): string {
  if (isSixteenBit(bytes))
    throw problemAt(code, { file, line: 1, column: 1 }, 'this looks like UTF-16, expected UTF-8', hint);
  const text = bytes.toString('utf8');
  const at = firstReplaced(text, bytes);
  if (at === undefined) return text;
  const lines = text.slice(0, at).split(/\r\n?|\n/);
  const found = bytes[Buffer.byteLength(text.slice(0, at))] ?? 0;
  const place = { file, line: lines.length, column: (lines.at(-1) ?? '').replace(/^\ufeff/, '').length + 1 };
  throw problemAt(code, place, `the byte 0x${found.toString(16).padStart(2, '0')} is not UTF-8`, hint);
}

const hint = 'Save it as UTF-8.';

/** By its mark, or by the empty half of a first plain letter. */
function isSixteenBit([first, second]: Buffer): boolean {
  const marked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return marked || (second !== undefined && (first === 0) !== (second === 0));
}

/** Where a replacement character stands that the bytes do not have; all before it is as it was written. */
function firstReplaced(text: string, bytes: Buffer): number | undefined {
  let offset = 0;
  let from = 0;
  for (let at = text.indexOf('\ufffd'); at !== -1; at = text.indexOf('\ufffd', from)) {
    offset += Buffer.byteLength(text.slice(from, at));
    if (!bytes.subarray(offset, offset + 3).equals(replacement)) return at;
    offset += replacement.length;
    from = at + 1;
  }
  return undefined;
}

const replacement = Buffer.from('\ufffd');
