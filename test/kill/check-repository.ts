import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { git } from './history.ts';
import { processesIn } from './processes.ts';
import type { Scene } from './scene.ts';

/** What `git fsck` has to say; a dangling object is no damage. */
export function* checkObjects(dir: string): Generator<string> {
  const args = ['fsck', '--full', '--strict', '--no-dangling', '--no-progress'];
  const ran = spawnSync('git', args, { cwd: dir, encoding: 'utf8' });
  const said = `${ran.stdout}${ran.stderr}`
    .split('\n')
    .filter((line) => line !== '' && !/^(dangling|notice|Checking)/.test(line));
  if (ran.status !== 0 || said.length > 0) yield `fsck: exit ${ran.status}, ${said.slice(0, 5).join('; ')}`;
}

/** What a run that ended by itself must not leave behind: half worktrees, locks, trials, litter, processes. */
export function* checkTidy(scene: Scene): Generator<string> {
  const { dir } = scene.org;
  yield* checkWorktrees(dir, scene.deleted);
  for (const file of readdirSync(path.join(dir, '.git'), { recursive: true, encoding: 'utf8' }))
    if (file.endsWith('.lock')) yield `lock: .git/${file} is left`;
  for (const place of [path.join(dir, '.worktrees/.trials'), path.join(dir, '.git/orgrepo'), scene.home])
    for (const name of existsSync(place) ? readdirSync(place) : [])
      if (!['witness', 'measured', 'secret', 'left', 'packs', 'host_key', 'seen'].includes(name))
        yield `litter: ${path.join(place, name)} is left`;
  const status = git(dir, ['status', '--porcelain']).toString('utf8').trim();
  if (status !== '') yield `worktree: the person's own is not clean: ${status}`;
  for (const { pid, command } of processesIn(dir)) yield `process: ${pid} is left: ${command}`;
}

/** Git keeps its notes on a bench that people deleted until somebody needs it again; anything else that it would prune is half a worktree. */
function* checkWorktrees(dir: string, deleted: ReadonlySet<string>): Generator<string> {
  const listed = git(dir, ['worktree', 'list', '--porcelain']).toString('utf8').split('\n\n');
  for (const block of listed) if (/^locked/m.test(block)) yield `worktree: ${block.replaceAll('\n', ', ')}`;
  const ran = spawnSync('git', ['worktree', 'prune', '--dry-run', '--verbose'], { cwd: dir, encoding: 'utf8' });
  for (const line of `${ran.stdout}${ran.stderr}`.split('\n')) {
    const notes = /^Removing (worktrees\/.*): gitdir file points to non-existent location$/.exec(line)?.[1];
    const bench = notes === undefined ? '' : readFileSync(path.join(dir, '.git', notes, 'gitdir'), 'utf8');
    if (line !== '' && !deleted.has(path.basename(path.dirname(bench)))) yield `worktree: git would prune it: ${line}`;
  }
}
