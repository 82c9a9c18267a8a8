import type { Housing } from '../launcher.ts';
import { inBubblewrap } from './bubblewrap.ts';
import type { Cell } from './cell.ts';
import { limitsOf, withLimits } from './limits.ts';
import { inNamespaces } from './namespaces.ts';
import { rootHolder } from './root.ts';

export type Walls = 'bubblewrap' | 'namespaces';

const builders = { bubblewrap: inBubblewrap, namespaces: inNamespaces };

/** Walls around a launcher's commands: each command has a cell of its own, which is gone when it ends. */
export interface Jail extends Housing {
  /** Where we find a directory that the cells hold, when the launcher runs as `pid`. */
  outside(pid: number, dir: string): string;
}

export function jailOf(walls: Walls, cell: Cell): Jail {
  const holder = rootHolder(cell);
  return {
    launcher: holder.around,
    command: (shell) => builders[walls](cell, holder, shell),
    limits: limitsOf(cell),
    outside: (pid, dir) => `/proc/${pid}/root${holder.at(dir)}`,
  };
}

/** The command line of one command in a cell of its own. */
export function inCell(walls: Walls, cell: Cell, command: readonly string[]): string[] {
  const jail = jailOf(walls, cell);
  return [...jail.launcher(jail.command(withLimits(jail.limits, command)))];
}
