import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import type { Cell } from './cell.ts';

/** Puts an end to what a command in a cell can use up: memory of one process, processes, the size of a file. */
export function withLimits(cell: Cell, command: readonly string[]): string[] {
  const granted = readFileSync('/proc/self/limits', 'utf8');
  const limit = (option: string, name: string, wanted: number): string => {
    const hard = Number(new RegExp(`^${name} +\\S+ +(\\d+)`, 'm').exec(granted)?.[1] ?? Number.POSITIVE_INFINITY);
    return `--${option}=${Math.floor(Math.min(wanted, hard))}`;
  };
  return [
    'prlimit',
    '--core=0',
    limit('data', 'Max data size', totalmem() * 0.75),
    limit('nproc', 'Max processes', mostProcesses),
    limit('fsize', 'Max file size', cell.scratchBytes),
    '--',
    ...command,
  ];
}

/** Threads count too; a training on many cores has several for each. */
const mostProcesses = Math.max(512, 32 * availableParallelism());
