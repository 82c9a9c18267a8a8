import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { inflateSync } from 'node:zlib';
import { startCompanion } from '../../process/run-process.ts';
import { ifThere } from '../../text/problem.ts';
import type { Repo } from '../repo.ts';
import { gitEnvironment, hardened, tryGit } from '../run-git.ts';

/** One object of many, hashed by ourselves. */
export type BulkObject =
  | {
      readonly oid: string;
      readonly kind: 'whole';
      readonly type: string;
      readonly bytes: number;
      /** Empty for files. */
      readonly content: Buffer;
    }
  | { readonly oid: string; readonly kind: 'missing' | 'damaged' }
  /** It can be read, and is not what its id says. */
  | { readonly oid: string; readonly kind: 'other'; readonly id: string };

/** Everything that these ids lead to: commits first. What git remembers about commits beside them is not asked. */
export async function reachableFrom(repo: Repo, tips: Iterable<string>) {
  const args = [
    '-c',
    'core.commitGraph=false',
    'rev-list',
    '--objects',
    '--no-object-names',
    '--missing=print',
    '--stdin',
  ];
  const ran = await tryGit(repo, args, {
    input: `${[...new Set(tips)].join('\n')}\n`,
    env: { GIT_GRAFT_FILE: '/dev/null' },
  });
  const ids = ran.stdout.text.split('\n').flatMap((line) => /^\??([0-9a-f]{40,64})$/.exec(line)?.[1] ?? []);
  /** What git said when it could not go on. */
  const complaint = ran.code === 0 ? undefined : ran.stderr.text.trim() || `git rev-list ended with ${ran.code}`;
  const named = [...(complaint ?? '').matchAll(/\b[0-9a-f]{40,64}\b/g)].map(([id]) => id);
  return { ids: [...new Set([...named, ...ids])], complaint };
}

/** Reads many objects, each once and in no order, and hashes each. */
export async function readBulk(repo: Repo, ids: readonly string[], take: (object: BulkObject) => void): Promise<void> {
  const loose = looseObjects(repo.objectsDir);
  const packed: string[] = [];
  for (const oid of ids) {
    const found = loose.has(oid) ? readLooseObject(repo.objectsDir, oid) : undefined;
    if (found === undefined) packed.push(oid);
    else if (found === 'damaged') take({ oid, kind: 'damaged' });
    else {
      const id = createHash(repo.hash).update(found.bytes).digest('hex');
      const content = found.type === 'blob' ? nothing : Buffer.from(found.content);
      const bytes = found.content.length;
      take(id === oid ? { oid, kind: 'whole', type: found.type, bytes, content } : { oid, kind: 'other', id });
    }
  }
  for (let at = 0; at < packed.length; ) {
    at += await readPacked(repo, packed.slice(at), take);
    const oid = packed[at];
    if (oid === undefined) break;
    take({ oid, kind: 'damaged' }); // Git gave up on it, and ended.
    at += 1;
  }
}

const nothing = Buffer.alloc(0);

function looseObjects(objectsDir: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const dir of readdirSync(objectsDir).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    for (const name of ifThere(() => readdirSync(path.join(objectsDir, dir)), [])) found.add(dir + name); // A gc may have emptied it.
  }
  return found;
}

/** Has git read packed objects; gives how many it answered for. */
async function readPacked(repo: Repo, ids: readonly string[], take: (object: BulkObject) => void): Promise<number> {
  if (ids.length === 0) return 0;
  const args = [...hardened, 'cat-file', '--batch', '--buffer'];
  const companion = startCompanion('git', args, gitEnvironment(repo));
  companion.stderr.resume();
  companion.stdin.end(`${ids.join('\n')}\n`);
  const answers = readAnswers(repo.hash, take);
  for await (const chunk of companion.stdout) answers.hear(chunk as Buffer);
  await companion.ended;
  return answers.count();
}

/** Takes git's answers apart as they come, so that no file need be in memory as a whole. */
function readAnswers(hash: Repo['hash'], take: (object: BulkObject) => void) {
  let count = 0;
  let rest: Buffer = nothing;
  let open:
    | { oid: string; type: string; bytes: number; left: number; sum: ReturnType<typeof createHash>; parts: Buffer[] }
    | undefined;
  const close = (): void => {
    if (open === undefined) return;
    const { oid, type, bytes, sum, parts } = open;
    const id = sum.digest('hex');
    take(id === oid ? { oid, kind: 'whole', type, bytes, content: Buffer.concat(parts) } : { oid, kind: 'other', id });
    open = undefined;
    count += 1;
  };
  const begin = (line: string): void => {
    const [oid = '', type = '', size = ''] = line.split(' ');
    if (type === 'missing') {
      take({ oid, kind: 'missing' });
      count += 1;
    } else
      open = {
        oid,
        type,
        bytes: Number(size),
        left: Number(size),
        sum: createHash(hash).update(`${type} ${size}\0`),
        parts: [],
      };
  };
  const hear = (chunk: Buffer): void => {
    let at = 0;
    const buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    rest = nothing;
    while (at < buffer.length) {
      if (open === undefined) {
        const end = buffer.indexOf(10, at);
        if (end < 0) break;
        begin(buffer.toString('latin1', at, end));
        at = end + 1;
        continue;
      }
      if (open.left > 0) {
        const part = buffer.subarray(at, at + open.left);
        open.sum.update(part);
        if (open.type !== 'blob') open.parts.push(Buffer.from(part));
        open.left -= part.length;
        at += part.length;
        continue;
      }
      at += 1; // The line break behind an object.
      close();
    }
    rest = Buffer.from(buffer.subarray(at));
  };
  return { hear, count: () => count };
}

/**
 * Reads an object's own file strictly: undefined when there is none, `damaged` when it is not as a writer leaves it. Its id is not
 * looked at; `bytes` has the header that is hashed too.
 */
function readLooseObject(objectsDir: string, oid: string) {
  const file = ifThere(() => readFileSync(path.join(objectsDir, oid.slice(0, 2), oid.slice(2))), undefined);
  if (file === undefined) return undefined;
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
