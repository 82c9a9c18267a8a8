/** Reads OpenSSH's binary form, in which each string has its length before it. Undefined stands for a text that ends too early. */
export interface WireReader {
  /** The next string, without its length. */
  string(): Buffer | undefined;
  text(): string | undefined;
  bytes(count: number): Buffer | undefined;
  /** True when everything has been read. */
  isDone(): boolean;
}

export function readWire(content: Buffer): WireReader {
  let at = 0;
  const bytes = (count: number): Buffer | undefined => {
    if (at + count > content.length) return undefined;
    at += count;
    return content.subarray(at - count, at);
  };
  const string = (): Buffer | undefined => {
    const length = bytes(4)?.readUInt32BE();
    return length === undefined ? undefined : bytes(length);
  };
  return { string, text: () => string()?.toString('latin1'), bytes, isDone: () => at === content.length };
}

/** A string with its length before it. */
export function wireString(content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** A positive number without the zero that keeps its first bit from being a sign, and at least `size` bytes long. */
export function unsigned(number: Buffer, size = 0): Buffer {
  let from = 0;
  while (from < number.length - 1 && number[from] === 0) from += 1;
  const bare = number.subarray(from);
  return bare.length >= size ? bare : Buffer.concat([Buffer.alloc(size - bare.length), bare]);
}
