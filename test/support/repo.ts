import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openRepo, type Repo } from '../../src/git/repo.ts';
import { writeFirstCommit } from './first-commit.ts';
import './pace.ts';

/** A real repository that git made, opened by orgrepo, with git itself beside it as the judge. */
export interface TestRepo {
  readonly dir: string;
  readonly repo: Repo;
  git(...args: string[]): string;
  /** The same with an index of its own and something on standard input. */
  gitWith(input: string | Buffer, env: Readonly<Record<string, string>>, ...args: string[]): string;
  close(): Promise<void>;
}

export async function makeRepo(format: 'sha1' | 'sha256' = 'sha1'): Promise<TestRepo> {
  const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-repo-'));
  const plain = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' };
  const gitWith: TestRepo['gitWith'] = (input, env, ...args) => {
    const ran = spawnSync('git', args, { cwd: dir, env: { ...plain, ...env }, input, maxBuffer: 1 << 30 });
    if (ran.status !== 0) throw new Error(`git ${args.join(' ')}: ${ran.stderr}`);
    return ran.stdout.toString('utf8');
  };
  const git = (...args: string[]): string => gitWith('', {}, ...args);
  if (format === 'sha1') writeFirstCommit(dir, {}, 'first');
  else {
    git('init', '--quiet', '--initial-branch=main', `--object-format=${format}`);
    git('config', 'user.name', 'Test Person');
    git('config', 'user.email', 'person@example.invalid');
    git('commit', '--quiet', '--allow-empty', '-m', 'first');
  }
  const repo = await openRepo(dir);
  return {
    dir,
    repo,
    git,
    gitWith,
    close: async () => {
      await repo.close();
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
