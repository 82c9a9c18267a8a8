import { runCommand } from '../process/run-process.ts';
import type { Cell } from './cell.ts';
import { whyNoKeeper } from './cell-keeper.ts';
import { inCell, type Walls } from './housing.ts';
import { type JailLevel, type JailWish, levelsFor } from './jail-level.ts';

const tried = new Map<Walls, Promise<string | undefined>>();

/** The best level that a person's wish allows and this machine has; undefined when it has none of them. */
export async function findLevel(wish: JailWish): Promise<JailLevel | undefined> {
  for (const level of levelsFor(wish)) if (level === 'none' || (await whyNot(level)) === undefined) return level;
  return undefined;
}

/** Why a kind of walls is not to be had here; undefined when it is. Asked of the machine once. */
export function whyNot(walls: Walls): Promise<string | undefined> {
  let answer = tried.get(walls);
  if (answer === undefined) {
    answer = tryOut(walls);
    tried.set(walls, answer);
  }
  return answer;
}

/** A cell like those that candidates get. */
async function tryOut(walls: Walls): Promise<string | undefined> {
  if (process.platform !== 'linux') return `there are no namespaces on ${process.platform}`;
  const missing = whyNoKeeper();
  if (missing !== undefined) return missing;
  return whyNoCell(walls, { shown: [], hidden: [], open: [], held: [], scratchBytes: 1_000_000, network: false });
}

/** Why this very cell cannot be made; undefined when it can. A shell in it must find itself alone. */
export async function whyNoCell(walls: Walls, cell: Cell): Promise<string | undefined> {
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
  const [file = '', ...args] = inCell(walls, cell, ['/bin/bash', '-c', 'test $$ = 1']);
  const ran = await runCommand({ file, args, cwd: '/', env, deadlineMs: 5_000 });
  if (ran.code === 0) return undefined;
  return ran.notStarted ?? (ran.stderr.text.trim().split('\n').at(-1) || `it ended with ${ran.code ?? ran.signal}`);
}
