import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import type { ProcessLimits } from '../process/launcher.ts';
import type { Cell } from './cell.ts';

/** The ends of what a command in a cell can use up. */
export function limitsOf(cell: Cell): ProcessLimits {
  const granted = readFileSync('/proc/self/limits', 'utf8');
  const atMost = (name: string, wanted: number): number => {
    const hard = Number(new RegExp(`^${name} +\\S+ +(\\d+)`, 'm').exec(granted)?.[1] ?? Number.POSITIVE_INFINITY);
    return Math.floor(Math.min(wanted, hard));
  };
  return {
    memoryBytes: atMost('Max data size', totalmem() * 0.75),
    processes: atMost('Max processes', mostProcesses),
    fileBytes: atMost('Max file size', cell.scratchBytes),
  };
}

/** The same for a command that no shell of ours starts. */
export const withLimits = (limits: ProcessLimits, command: readonly string[]): string[] => [
  ...['prlimit', '--core=0', `--data=${limits.memoryBytes}`, `--nproc=${limits.processes}`],
  ...[`--fsize=${limits.fileBytes}`, '--nice=0', '--', ...command], // A low priority cannot be raised again.
];

/** Threads count too; a training on many cores has several for each. */
const mostProcesses = Math.max(512, 32 * availableParallelism());
