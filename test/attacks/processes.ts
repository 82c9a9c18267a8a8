import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** The processes of a scene: those that carry its number in their words, or stand in its directories. */
export function processesOf(id: string, world: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => belongs(pid, id, world))
    .map(Number);
}

function belongs(pid: string, id: string, world: string): boolean {
  try {
    if (readFileSync(`/proc/${pid}/stat`, 'latin1').match(/\) [ZX] /)) return false;
    if (readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(id)) return true;
    const cwd = readlinkSync(`/proc/${pid}/cwd`);
    return cwd === world || cwd.startsWith(`${world}/`);
  } catch {
    return false; // Gone meanwhile.
  }
}

/** Waits a little for the last of them to go; those that are still there after it have survived. */
export async function survivors(id: string, world: string, graceMs: number): Promise<number[]> {
  let left = processesOf(id, world);
  for (let waited = 0; left.length > 0 && waited < graceMs; waited += 20) {
    await setTimeout(20);
    left = processesOf(id, world);
  }
  return left;
}

/** Ends all of them, and those that they start meanwhile. */
export async function endAll(id: string, world: string): Promise<void> {
  for (let left = processesOf(id, world); left.length > 0; left = processesOf(id, world)) {
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Gone meanwhile.
      }
    }
    await setTimeout(5);
  }
}
