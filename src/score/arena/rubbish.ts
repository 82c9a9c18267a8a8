import { lstatSync, rmdirSync } from 'node:fs';
import { runCommand } from '../../process/run-process.ts';
import { clearDirectory } from '../../process/used-directory.ts';

/**
 * Removes a directory that somebody untrusted has used, without standing still: what is more than a little is removed by
 * another process. What cannot be removed stays.
 */
export async function removeRubbish(dir: string): Promise<void> {
  const stat = lstatSync(dir, { throwIfNoEntry: false });
  if (stat === undefined || (stat.isDirectory() && clearDirectory(dir) && isRemoved(dir))) return;
  if (await run('rm', '-rf', '--', dir)) return;
  await run('chmod', '-R', 'u+rwX', '--', dir); // Somebody has taken away the right to look into it.
  await run('rm', '-rf', '--', dir);
}

function isRemoved(dir: string): boolean {
  try {
    rmdirSync(dir);
    return true;
  } catch {
    return false;
  }
}

const longestMs = 600_000;

async function run(file: string, ...args: string[]): Promise<boolean> {
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin' };
  return (await runCommand({ file, args, cwd: '/', env, deadlineMs: longestMs })).code === 0;
}
