import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { startOf } from '../../process/run-process.ts';

/** Whether a gc runs in this repository, by git's own lock. One that was killed has left its lock behind. */
export function isCollecting(gitDir: string): boolean {
  const [pid = '', host = ''] = readLock(gitDir).trim().split(/\s+/);
  return pid !== '' && !(host === hostname() && startOf(Number(pid)) === '');
}

function readLock(gitDir: string): string {
  try {
    return readFileSync(path.join(gitDir, 'gc.pid'), 'latin1');
  } catch {
    return '';
  }
}
