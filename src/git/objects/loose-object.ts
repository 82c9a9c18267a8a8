import { readFileSync } from 'node:fs';
import path from 'node:path';
import { inflateSync } from 'node:zlib';

/** An object that has a file of its own, as the file spells it; its id is not looked at. */
export interface LooseObject {
  readonly type: string;
  /** With the header that is hashed too. */
  readonly bytes: Buffer;
  readonly content: Buffer;
}

/** Reads an object's own file strictly: undefined when there is none, `damaged` when it is not as a writer leaves it. */
export function readLooseObject(objectsDir: string, oid: string): LooseObject | 'damaged' | undefined {
  let file: Buffer;
  try {
    file = readFileSync(path.join(objectsDir, oid.slice(0, 2), oid.slice(2)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const bytes = stored(file) ?? inflated(file);
  if (bytes === undefined) return 'damaged';
  const end = bytes.indexOf(0);
  const [, type, size] = /^(blob|tree|commit|tag) (0|[1-9][0-9]*)$/.exec(bytes.toString('latin1', 0, end)) ?? [];
  if (type === undefined || Number(size) !== bytes.length - end - 1) return 'damaged';
  return { type, bytes, content: bytes.subarray(end + 1) };
}

/** One block that is not compressed: what git/objects/object-store.ts writes, and most objects are. Zlib would take ten times as long. */
function stored(file: Buffer): Buffer | undefined {
  if (file.length < 11 || file.readUInt16BE(0) !== 0x7801 || file[2] !== 1) return undefined;
  const length = file.readUInt16LE(3);
  return file.readUInt16LE(5) === (~length & 0xffff) && file.length === length + 11 && hasSum(file)
    ? file.subarray(7, file.length - 4)
    : undefined;
}

function hasSum(file: Buffer): boolean {
  let [low, high] = [1, 0];
  for (let at = 7; at < file.length - 4; at++) {
    low = (low + (file[at] ?? 0)) % 65_521;
    high = (high + low) % 65_521;
  }
  return file.readUInt32BE(file.length - 4) === high * 65_536 + low;
}

/** Nothing may stand behind the stream, and the bits that a block of stored bytes leaves unused are zero. */
function inflated(file: Buffer): Buffer | undefined {
  try {
    const read = inflateSync(file, { info: true }) as unknown as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    const isPlain = ((file[2] ?? 0) & 0b110) !== 0 || ((file[2] ?? 0) & 0b11111000) === 0;
    return read.engine.bytesWritten === file.length && isPlain ? read.buffer : undefined;
  } catch {
    return undefined;
  }
}
