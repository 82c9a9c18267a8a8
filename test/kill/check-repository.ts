import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { git } from './history.ts';
import { processesIn } from './processes.ts';

/** What `git fsck` has to say. A dangling object is no damage, and a bench that a kill left half made is mended by the next run. */
export function* checkObjects(dir: string, settled: boolean): Generator<string> {
  const args = ['fsck', '--full', '--strict', '--no-dangling', '--no-progress'];
  const ran = spawnSync('git', args, { cwd: dir, encoding: 'utf8' });
  const said = `${ran.stdout}${ran.stderr}`.split('\n').filter((line) => line !== '');
  const halfMade = (line: string): boolean => !settled && /^error: worktrees\/[^/]*\/HEAD: /.test(line);
  const damage = said.filter((line) => !/^(dangling|notice|Checking)/.test(line) && !halfMade(line));
  if (damage.length > 0 || (ran.status !== 0 && !said.some(halfMade)))
    yield `fsck: exit ${ran.status}, ${damage.slice(0, 5).join('; ')}`;
}

/** What a run that ended by itself must not leave behind: half worktrees, locks, trials, processes. */
export function* checkTidy(dir: string, deletedByPeople: ReadonlySet<string>): Generator<string> {
  const listed = git(dir, ['worktree', 'list', '--porcelain']).toString('utf8').split('\n\n');
  for (const block of listed) if (/^locked/m.test(block)) yield `worktree: ${block.replaceAll('\n', ', ')}`;
  const prunable = spawnSync('git', ['worktree', 'prune', '--dry-run', '--verbose'], { cwd: dir, encoding: 'utf8' });
  for (const line of `${prunable.stdout}${prunable.stderr}`.split('\n')) {
    const gone = /^Removing worktrees\/(.*): gitdir file points to non-existent location$/.exec(line)?.[1];
    if (line !== '' && (gone === undefined || !deletedByPeople.has(gone)))
      yield `worktree: git would prune it: ${line}`;
  }
  for (const file of readdirSync(path.join(dir, '.git'), { recursive: true, encoding: 'utf8' }))
    if (file.endsWith('.lock')) yield `lock: .git/${file} is left`;
  const trials = path.join(dir, '.worktrees/.trials');
  for (const name of existsSync(trials) ? readdirSync(trials) : []) yield `trial: ${path.join(trials, name)} is left`;
  const status = git(dir, ['status', '--porcelain']).toString('utf8').trim();
  if (status !== '') yield `worktree: the person's own is not clean: ${status}`;
  for (const { pid, command } of processesIn(dir)) yield `process: ${pid} is left: ${command}`;
}
