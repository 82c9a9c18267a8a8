import { existsSync, readFileSync } from 'node:fs';
import type { Housing } from '../process/launcher.ts';
import { inBubblewrap } from './bubblewrap.ts';
import type { Cell } from './cell.ts';
import { holderOf } from './cell-holder.ts';
import { limitsOf, withLimits } from './cell-limits.ts';
import { cellUser, isRoot } from './cell-owner.ts';
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
    launcher: (cell) => holder.around('loop', cell),
    command: (shell) => builders[walls](cell, holder, shell),
    limits: limitsOf(cell),
    holds: cell.held.length > 0,
    owner: isRoot() ? cellUser() : undefined,
    isSound: (pid) => cell.network || isUnused(pid),
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

/** The command line of one command in a cell of its own. */
export function inCell(walls: Walls, cell: Cell, command: readonly string[]): string[] {
  const holder = holderOf(cell);
  return holder.around('once', builders[walls](cell, holder, withLimits(limitsOf(cell), command)));
}
