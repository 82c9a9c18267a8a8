import path from 'node:path';
import { isWithin, scratchBytes } from '../jail/cell.ts';
import { openToCells } from '../jail/holder.ts';
import { inCell } from '../jail/housing.ts';
import { clearRoom } from '../launcher.ts';
import type { Command } from '../process.ts';
import type { Task } from './contract.ts';

/** What an agent that is a process needs besides its bench. */
export interface Needs {
  readonly network: boolean;
  /** To be read. */
  readonly shown: readonly string[];
  /** To be written to as well. */
  readonly open: readonly string[];
}

/** The same command in a cell where the bench is open, and nothing else of the machine can be changed. */
export function confine(needs: Needs, { held }: Task, command: Command): Command {
  const { level, shown, hidden } = held;
  if (level === 'none') return command;
  const { file, args, cwd, env } = command;
  const program = path.isAbsolute(file) ? [file] : [];
  const places = [...new Set([...shown, ...needs.shown, ...program])];
  // What stands in a place that is shown is there with it, and nothing can be mounted over what may not be written to.
  const outermost = places.filter((place) => !places.some((other) => other !== place && isWithin(place, other)));
  const cell = {
    ...{ shown: outermost, hidden, open: [cwd, ...needs.open], held: [] },
    ...{ scratchBytes, network: needs.network },
  };
  for (const dir of [cwd, ...needs.open]) openToCells(dir);
  // Whose the files are is not what git in there thinks: a cell may belong to somebody else than the repository.
  const git = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' };
  const script = `${clearRoom}; cd "$1" && shift && "$@"; exit $?`;
  const inside = ['bash', '--norc', '--noprofile', '-c', script, 'agent', cwd, file, ...args];
  const [first = '', ...rest] = inCell(level, cell, inside);
  return { ...command, file: first, args: rest, env: { ...env, ...git } };
}
