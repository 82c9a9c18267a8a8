import { type Companion, startCompanion } from '../../process/run-process.ts';
import { hasPlainRefs, lookUpRef } from '../refs/ref-files.ts';
import type { LastSeen } from '../refs/ref-mover.ts';
import { type GitPlace, gitEnvironment, hardened } from '../run-git.ts';
import type { KnownObject, ObjectStore } from './object-store.ts';

/** Reads objects and refs through one long-lived `cat-file`: 0.2 ms a question instead of 4. */
export interface ObjectReader {
  /** The object that a name stands for, or undefined when there is none. */
  read(name: string): Promise<KnownObject | undefined>;
  /** The id that a full ref name stands for now. */
  resolve(ref: string): Promise<string | undefined>;
  has(oid: string): Promise<boolean>;
  /** What an object is and how large, without reading it; undefined when it is not in the repository. */
  describe(oid: string): Promise<{ readonly type: string; readonly bytes: number } | undefined>;
  close(): Promise<void>;
}

/** An object as git tells it; the content is empty where only the size was asked for. */
type Answer = KnownObject & { readonly bytes: number };

type Waiting = {
  readonly contents: boolean;
  readonly done: (object: Answer | undefined) => void;
  readonly fail: (error: Error) => void;
};

/** `nameOf` says under which name a ref is to be looked for. */
export function openReader(
  place: GitPlace,
  store: ObjectStore,
  nameOf: (ref: string) => string,
  seen: LastSeen,
): ObjectReader {
  let companion: Companion | undefined;
  let waiting: Waiting[] = [];
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let needed = 0;

  const start = (): Companion => {
    const started = startCompanion('git', [...hardened, 'cat-file', '--batch-command'], gitEnvironment(place));
    started.stdout.on('data', (chunk: Buffer) => {
      pending.push(chunk);
      pendingBytes += chunk.length;
      if (pendingBytes >= needed) drain();
    });
    void started.ended.then(() => {
      companion = undefined;
      const left = waiting;
      waiting = [];
      pending = [];
      pendingBytes = 0;
      needed = 0;
      for (const one of left) one.fail(new Error('git cat-file ended while it was asked'));
    });
    return started;
  };

  const drain = (): void => {
    let buffer = pending.length === 1 ? (pending[0] as Buffer) : Buffer.concat(pending);
    needed = 0;
    while (waiting.length > 0) {
      const newline = buffer.indexOf(10);
      if (newline < 0) break;
      const [oid = '', type = '', size = ''] = buffer.toString('utf8', 0, newline).split(' ');
      const one = waiting[0] as Waiting;
      const known = type === 'blob' || type === 'tree' || type === 'commit' || type === 'tag';
      const end = known && one.contents ? newline + 1 + Number(size) + 1 : newline + 1;
      if (buffer.length < end) {
        needed = end;
        break;
      }
      waiting.shift();
      const content = known && one.contents ? Buffer.from(buffer.subarray(newline + 1, end - 1)) : Buffer.alloc(0);
      buffer = buffer.subarray(end);
      one.done(known ? { oid, type, content, bytes: Number(size) } : undefined);
    }
    pending = buffer.length === 0 ? [] : [buffer];
    pendingBytes = buffer.length;
  };

  const ask = (command: 'contents' | 'info', name: string): Promise<Answer | undefined> =>
    new Promise((done, fail) => {
      companion ??= start();
      waiting.push({ contents: command === 'contents', done, fail });
      companion.stdin.write(`${command} ${name}\n`);
    });

  const plainFiles = hasPlainRefs(place.gitDir);
  const lookUp = (name: string): string | undefined => {
    const id = plainFiles && name.startsWith('refs/') ? lookUpRef(place.gitDir, name) : undefined;
    if (id === 'absent') return seen.idOf(name) ?? id; // Lost, and made again with the next move.
    if (id !== undefined) seen.see(name, id);
    return id;
  };
  const read = async (asked: string): Promise<KnownObject | undefined> => {
    const name = nameOf(asked);
    const id = lookUp(name) ?? name;
    if (id === 'absent') return undefined;
    const at = store.recall(id);
    if (at !== undefined) return at;
    const found = await ask('contents', id);
    if (found !== undefined) store.learn(found);
    return found;
  };

  return {
    read,
    resolve: async (ref) => {
      const name = nameOf(ref);
      const id = lookUp(name) ?? (await ask('info', name))?.oid;
      return id === 'absent' ? undefined : id;
    },
    has: async (oid) => store.recall(oid) !== undefined || (await ask('info', oid)) !== undefined,
    describe: async (oid) => {
      const at = store.recall(oid);
      return at === undefined ? ask('info', oid) : { type: at.type, bytes: at.content.length };
    },
    close: async () => {
      companion?.stdin.end();
      await companion?.ended;
    },
  };
}
