import type { Housing } from '../launcher.ts';
import { inBubblewrap, plainHolder } from './bubblewrap.ts';
import type { Cell } from './cell.ts';
import { withLimits } from './limits.ts';
import { inNamespaces, rootHolder } from './namespaces.ts';

export type Walls = 'bubblewrap' | 'namespaces';

const builders = {
  bubblewrap: { holder: plainHolder, around: inBubblewrap },
  namespaces: { holder: rootHolder, around: inNamespaces },
};

/** Walls around a launcher's commands: each command has a cell of its own, which is gone when it ends. */
export interface Jail extends Housing {
  /** Where we find a directory that the cells hold, when the launcher runs as `pid`. */
  outside(pid: number, dir: string): string;
}

export function jailOf(walls: Walls, cell: Cell): Jail {
  const { holder: build, around } = builders[walls];
  const holder = build(cell);
  return {
    launcher: holder.around,
    command: (shell) => around(cell, holder, withLimits(cell, shell)),
    outside: (pid, dir) => `/proc/${pid}/root${holder.at(dir)}`,
  };
}

/** The command line of one command in a cell of its own. */
export function inCell(walls: Walls, cell: Cell, command: readonly string[]): string[] {
  const jail = jailOf(walls, cell);
  return [...jail.launcher(jail.command(command))];
}
