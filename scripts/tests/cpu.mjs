import { readFileSync } from 'node:fs';

/** Seconds of CPU time of this process and of all that it has waited for; unknown where there is no /proc. */
export function cpuSeconds() {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return (fields[11] + fields[12] + fields[13] + fields[14]) / 100;
  } catch {
    return Number.NaN;
  }
}
