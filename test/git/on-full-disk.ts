import { spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { openRepo } from '../../src/git/repo.ts';
import { git } from '../../src/git/run-git.ts';
import { isProblem } from '../../src/text/problem.ts';

// Moves a ref where no byte more can be written, and says what came of it: `on-full-disk <empty dir>`.
const [dir = ''] = process.argv.slice(2);
const own = (...args: string[]): string => {
  const name = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
  return spawnSync('git', [...name, ...args], { cwd: dir, encoding: 'utf8' }).stdout;
};
own('init', '--quiet', '--initial-branch=main');
own('commit', '--quiet', '--allow-empty', '-m', 'first');
const commit = own('rev-parse', 'main').trim();
const repo = await openRepo(dir);
try {
  for (;;) appendFileSync(path.join(dir, 'full'), Buffer.alloc(1024));
} catch {
  // That was the last byte.
}
const told = async (run: Promise<unknown>): Promise<readonly string[]> => {
  try {
    return [String(await run)];
  } catch (error) {
    return isProblem(error) ? [error.code, error.message, error.hint] : [String(error)];
  }
};
const moved = await told(repo.refs.move('refs/orgrepo/spend/vm', commit, undefined));
const asked = await told(git(repo, ['update-ref', 'refs/orgrepo/other', commit]));
process.stdout.write(JSON.stringify({ moved, asked }));
await repo.close();
process.exit(0);
