import { chmodSync, existsSync, readFileSync, utimesSync } from 'node:fs';
import type { Housing } from '../launcher.ts';
import { clearDirectory } from '../used-directory.ts';
import { inBubblewrap } from './bubblewrap.ts';
import type { Cell } from './cell.ts';
import { holderOf, kept, scratchDirs } from './holder.ts';
import { limitsOf, withLimits } from './limits.ts';
import { inNamespaces } from './namespaces.ts';

export type Walls = 'bubblewrap' | 'namespaces';

const builders = { bubblewrap: inBubblewrap, namespaces: inNamespaces };

/** Walls around a launcher's commands: each command has a cell of its own, which is gone when it ends. */
export interface Jail extends Housing {
  /** Where we find a directory that the cells hold, when the launcher runs as `pid`. */
  outside(pid: number, dir: string): string;
}

export function jailOf(walls: Walls, cell: Cell): Jail {
  const holder = holderOf(cell);
  // Its counters, and connections on their way out, would tell the next command of the one before. A network for each
  // command would be dearer than all the rest of its cell, so the launcher is made anew where somebody has used it.
  let unused: string | undefined;
  const isUnused = (pid: number): boolean => {
    const counted = countersOf(pid);
    unused ??= counted; // The first command of a launcher finds a network that nobody can have used.
    return counted !== undefined && counted === unused;
  };
  const outside = (pid: number, dir: string): string => `/proc/${pid}/root${holder.at(dir)}`;
  return {
    launcher: holder.around,
    command: (shell) => builders[walls](cell, holder, shell),
    limits: limitsOf(cell),
    renew: (pid) =>
      (cell.network || isUnused(pid)) &&
      scratchDirs.every((dir) => renewed(outside(pid, dir), kept(cell, dir), 0o1777)) &&
      cell.held.every((dir) => renewed(outside(pid, dir), [], 0o777)),
    outside,
  };
}

/** All that a network counts, as text; undefined when its launcher is gone. */
function countersOf(pid: number): string | undefined {
  try {
    return ['dev', 'snmp', 'snmp6', 'netstat'].map((name) => readCounters(`/proc/${pid}/net/${name}`)).join('');
  } catch {
    return undefined;
  }
}

/** A kernel without IPv6 has no counters for it. */
const readCounters = (file: string): string => (existsSync(file) ? readFileSync(file, 'latin1') : '');

/** Makes a directory as it was when it was new. False when there is so much in it that a new one is cheaper. */
function renewed(dir: string, keep: readonly string[], mode: number): boolean {
  try {
    chmodSync(dir, mode);
    if (!clearDirectory(dir, keep, mostRubbish)) return false;
    utimesSync(dir, 0, 0);
    return true;
  } catch {
    return false;
  }
}

const mostRubbish = 100;

/** The command line of one command in a cell of its own. */
export function inCell(walls: Walls, cell: Cell, command: readonly string[]): string[] {
  const jail = jailOf(walls, cell);
  return [...jail.launcher(jail.command(withLimits(jail.limits, command)))];
}
