import { statfsSync } from 'node:fs';

/**
 * Whether git could not write because there is no space left. Of objects it says so itself; of the lock of a ref it only says
 * that it could not be written, and the file system is asked.
 */
export function isDiskFull(gitDir: string, said: string): boolean {
  if (said.includes('No space left')) return true;
  return (
    /\b(?:couldn't|could not|cannot|unable to|failed to) (?:write|close|create|lock|update)\b/i.test(said) &&
    isFull(gitDir)
  );
}

/** Less than this is taken by whoever comes first. */
const leastBytes = 256 * 1024;

function isFull(dir: string): boolean {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(dir);
    return bavail * bsize < leastBytes || (files > 0 && ffree === 0); // Some file systems count no files.
  } catch {
    return false;
  }
}
