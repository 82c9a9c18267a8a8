import { showPath } from '../../text/file-name.ts';
import type { HashName } from '../repo.ts';

/** One line of a tree exactly as its bytes have it. */
export interface RawEntry {
  readonly mode: string;
  readonly oid: string;
  /** For people to read. */
  readonly name: string;
  /** The name's bytes, one character each: two names are the same when these are. */
  readonly key: string;
}

/** The entries of a tree in their order, or undefined when the bytes are no tree. */
export function parseRawTree(content: Buffer, hash: HashName): RawEntry[] | undefined {
  const idBytes = hash === 'sha256' ? 32 : 20;
  const entries: RawEntry[] = [];
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const end = space < 0 ? -1 : content.indexOf(0, space);
    const next = end + 1 + idBytes;
    if (end < 0 || next > content.length) return undefined;
    const key = content.toString('latin1', space + 1, end);
    entries.push({
      mode: content.toString('latin1', at, space),
      oid: content.toString('hex', end + 1, next),
      name: isPlain.test(key) ? key : content.toString('utf8', space + 1, end),
      key,
    });
    at = next;
  }
  return entries;
}

const isPlain = /^[\x20-\x7e]*$/;

/** What git itself never writes into a tree, each as the end of "a directory ...". */
export function rawTreeFaults(entries: readonly RawEntry[]): string[] {
  const faults = entries.length === 0 ? ['without files'] : [];
  const seen = new Set<string>();
  let last = '';
  for (const { mode, key, name } of entries) {
    if (key === '' || key === '.' || key === '..' || key.includes('/'))
      faults.push(`with the name "${showPath(name)}"`);
    if (seen.has(key)) faults.push(`with two entries named ${showPath(name)}`);
    const order = mode === '40000' ? `${key}/` : key; // Git sorts a directory as if its name ended in a slash.
    if (order < last) faults.push(`whose entries are out of order at ${showPath(name)}`);
    seen.add(key);
    last = order;
  }
  return faults;
}
