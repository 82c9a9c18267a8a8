import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface Process {
  readonly pid: number;
  /** When it began, in the kernel's ticks: with the number an identity. */
  readonly start: string;
  readonly command: string;
}

/** The processes that stand in a directory or name it on their command line. Empty where there is no /proc. */
export function processesIn(dir: string): Process[] {
  return numbers().flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      const cwd = readlinkSync(`/proc/${pid}/cwd`);
      if (pid === process.pid || !(isIn(dir, cwd) || command.includes(dir))) return [];
      return [{ pid, start: startOf(pid), command }];
    } catch {
      return []; // Gone meanwhile, or a zombie.
    }
  });
}

function numbers(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

const isIn = (dir: string, cwd: string): boolean =>
  cwd === dir || cwd.startsWith(`${dir}/`) || cwd === `${dir} (deleted)`;

function startOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}
