import { chmodSync, lstatSync, readdirSync, rmSync } from 'node:fs';

/**
 * Removes all that somebody untrusted has left in a directory, whatever it is called, but what is to be kept. False when
 * something is still there, or there is more of it than is worth the time.
 */
export function clearDirectory(dir: string, keep: readonly string[] = [], most = Number.POSITIVE_INFINITY): boolean {
  const left = (): Buffer[] =>
    readdirSync(dir, { encoding: 'buffer' }).filter((name) => !keep.some((kept) => Buffer.from(kept).equals(name)));
  try {
    const names = left();
    if (names.length > most) return false;
    for (const name of names) rmSync(Buffer.concat([Buffer.from(`${dir}/`), name]), { recursive: true, force: true });
    return names.length === 0 || left().length === 0;
  } catch {
    return false;
  }
}

/** Whoever owns a directory can lock himself out of it; we own it too. */
export function unlockDirectory(dir: string): void {
  const stat = lstatSync(dir, { throwIfNoEntry: false });
  if (stat?.isDirectory() && (stat.mode & 0o700) !== 0o700) chmodSync(dir, 0o755);
}
