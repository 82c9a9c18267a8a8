import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import type { NewObject } from '../src/git/objects/tree.ts';

/** Writes many objects as one pack: a past of a hundred thousand experiments is too much for a file each. */
export interface PackWriter {
  add(object: NewObject): string;
  /** Gives the pack to a repository; git itself checks it and writes its index. */
  giveTo(dir: string): void;
}

const types = { commit: 1, tree: 2, blob: 3 };

export function openPack(): PackWriter {
  const file = path.join(tmpdir(), `orgrepo-pack-${process.pid}`);
  const out = openSync(file, 'w+');
  const known = new Set<string>();
  let waiting: Buffer[] = [header(0)];
  let bytes = 0;
  const flush = (): void => {
    writeSync(out, Buffer.concat(waiting));
    waiting = [];
    bytes = 0;
  };
  return {
    add: ({ oid, type, content }) => {
      if (known.has(oid)) return oid;
      known.add(oid);
      waiting.push(sizeOf(types[type], content.length), deflateSync(content, { level: 1 }));
      bytes += content.length;
      if (bytes > 1 << 22) flush();
      return oid;
    },
    giveTo: (dir) => {
      flush();
      writeSync(out, header(known.size), 0, 12, 0);
      const end = sumOf(out);
      writeSync(out, end.sum, 0, 20, end.size);
      closeSync(out);
      const input = openSync(file, 'r');
      const ran = spawnSync('git', ['index-pack', '--stdin'], { cwd: dir, stdio: [input, 'ignore', 'inherit'] });
      closeSync(input);
      rmSync(file);
      if (ran.status !== 0) throw new Error('git index-pack failed');
    },
  };
}

function header(count: number): Buffer {
  const bytes = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  bytes.writeUInt32BE(count, 8);
  return bytes;
}

/** The type and the size, seven bits at a time but four in the first byte. */
function sizeOf(type: number, size: number): Buffer {
  const bytes: number[] = [];
  let rest = size >> 4;
  let byte = (type << 4) | (size & 15);
  while (rest > 0) {
    bytes.push(byte | 128);
    byte = rest & 127;
    rest >>= 7;
  }
  return Buffer.from([...bytes, byte]);
}

function sumOf(fd: number): { sum: Buffer; size: number } {
  const sum = createHash('sha1');
  const chunk = Buffer.allocUnsafe(1 << 20);
  let size = 0;
  for (let read = -1; read !== 0; size += read) {
    read = readSync(fd, chunk, 0, chunk.length, size);
    sum.update(chunk.subarray(0, read));
  }
  return { sum: sum.digest(), size };
}
