import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startOf } from '../process/run-process.ts';
import { orElse, Problem } from '../text/problem.ts';
import type { Org } from './org.ts';

/** The process that runs here. A file in .git/orgrepo: the only thing orgrepo keeps outside of commits, and worth nothing once the process is gone. */
export type RunLock = ReturnType<typeof takeRunLock>;

/** Takes the right to run in this repository, or says who has it. */
export function takeRunLock(org: Org) {
  const file = lockFile(org);
  mkdirSync(path.dirname(file), { recursive: true });
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, `${process.pid} ${startOf(process.pid)} ${Math.floor(Date.now() / 1000)}\n`);
  try {
    for (;;) {
      try {
        linkSync(mine, file); // A link is made or it is not, and nobody can read half of it.
        break;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const holder = readLock(file);
      if (holder?.alive) throw busy(org, holder.pid);
      // The holder is gone. Only one of several that see this can move its file away.
      try {
        renameSync(file, `${mine}.stale`);
      } catch {
        continue;
      }
      if (readLock(`${mine}.stale`)?.alive) renameSync(`${mine}.stale`, file);
      else rmSync(`${mine}.stale`, { force: true });
    }
  } finally {
    rmSync(mine, { force: true });
  }
  return {
    beat: () => {
      const now = Date.now() / 1000;
      // Where somebody removed the file the run goes on, and its branches stay safe by compare-and-swap.
      orElse(() => utimesSync(file, now, now), undefined);
    },
    release: () => {
      if (readLock(file)?.pid === process.pid) rmSync(file, { force: true });
    },
  };
}

/** The process that runs in this repository now, if there is one. */
export function currentRunner(org: Org) {
  const file = lockFile(org);
  const holder = readLock(file);
  if (holder === undefined || !holder.alive) return undefined;
  const { pid, startedAt } = holder;
  /** Seconds since the runner last showed a sign of life. */
  const silentFor = Math.max(0, (Date.now() - statSync(file).mtimeMs) / 1000);
  return { pid, startedAt, silentFor };
}

const lockFile = (org: Org): string => path.join(org.repo.gitDir, 'orgrepo', 'run.lock');

function readLock(file: string): { pid: number; startedAt: number; alive: boolean } | undefined {
  const text = orElse(() => readFileSync(file, 'utf8'), undefined);
  if (text === undefined) return undefined;
  const [pid = '', start = '', at = ''] = text.trim().split(' ');
  return { pid: Number(pid), startedAt: Number(at), alive: start !== '' && startOf(Number(pid)) === start };
}

function busy(org: Org, pid: number): Problem {
  return new Problem(
    'busy/run',
    `another orgrepo runs in ${org.repo.root}: process ${pid}`,
    'Look at it: orgrepo status. Stop it: orgrepo stop',
  );
}
