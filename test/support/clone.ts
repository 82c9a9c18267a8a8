import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { ranIn } from './in-process.ts';
import { factsIn } from './night.ts';
import { type Ran, root, type TestOrg } from './org.ts';

const places: string[] = [];
after(() => {
  for (const place of places) rmSync(place, { recursive: true, force: true, maxRetries: 5 });
});

/** A directory that is gone when the file of tests is done. */
export function somewhere(): string {
  const place = mkdtempSync(path.join(tmpdir(), 'orgrepo-clone-'));
  places.push(place);
  return place;
}

/** What docs/git.md says a person types to push all of an org. */
export const everything = ['refs/heads/orgrepo/*', '+refs/orgrepo/wip/*', 'refs/orgrepo/*'];

/** A bare repository to which the trunk and these refs of an org are pushed; it becomes the org's origin. */
export function publish(org: TestOrg, refs: readonly string[] = everything): string {
  const remote = path.join(somewhere(), 'org.git');
  org.git('init', '--quiet', '--bare', '--initial-branch=main', remote);
  org.git('remote', 'add', 'origin', remote);
  org.git('push', '--quiet', '--atomic', 'origin', 'main', ...refs);
  return remote;
}

/** A clone in which somebody else works, on a machine that is called another-host. */
export interface Clone {
  readonly dir: string;
  git(...args: string[]): string;
  orgrepo(...args: string[]): Promise<Ran>;
  /** A bundle of orgrepo in a process of its own. */
  by(program: string, ...args: string[]): Ran;
}

export function cloneOf(remote: string, ...options: string[]): Clone {
  const dir = path.join(somewhere(), 'clone');
  const env = {
    ...process.env,
    ...{ GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', NO_COLOR: '1', ORGREPO_JAIL: 'none' },
    ...{ LANG: 'C.UTF-8', CI: '1' },
  };
  const host = `--require ${path.join(root, 'test/support/another-host.cjs')} ${process.env.NODE_OPTIONS ?? ''}`;
  const start = (file: string, args: readonly string[], cwd: string) =>
    spawnSync(file, args, { cwd, env: { ...env, NODE_OPTIONS: host }, encoding: 'utf8', maxBuffer: 1 << 30 });
  const gitIn = (cwd: string, ...args: string[]): string => {
    const ran = start('git', args, cwd);
    if (ran.status !== 0) throw new Error(`git ${args.join(' ')}: ${ran.stderr}`);
    return ran.stdout;
  };
  const by = (program: string, ...args: string[]): Ran => {
    const ran = start(process.execPath, [program, ...args], dir);
    return { code: ran.status, stdout: ran.stdout, stderr: ran.stderr };
  };
  gitIn(path.dirname(dir), 'clone', '--quiet', ...options, remote, dir);
  gitIn(dir, 'config', 'user.name', 'Another Person');
  gitIn(dir, 'config', 'user.email', 'another@example.invalid');
  const orgrepo = (...args: string[]): Promise<Ran> => ranIn({ dir, env, host: 'another-host' }, ...args);
  return { dir, git: (...args) => gitIn(dir, ...args), orgrepo, by };
}

export const ownRefs = ({ git }: Pick<TestOrg, 'git'>): string[] =>
  git('for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads/orgrepo', 'refs/orgrepo')
    .split('\n')
    .filter((line) => line !== '');
export const fetched = ({ git }: Clone): string => git('for-each-ref', 'refs/orgrepo-fetched');
export const saidIn = (stdout: string) =>
  factsIn(stdout).flatMap(({ fact, message }) => (fact === 'recovered' || fact === 'warning' ? [String(message)] : []));
export const experimentsIn = async (clone: Pick<TestOrg, 'orgrepo'>): Promise<{ n: number; commit: string }[]> =>
  (await clone.orgrepo('log', '--all', '--json')).stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { n: number; commit: string });
export const bestOf = async (clone: Pick<TestOrg, 'orgrepo'>) =>
  (JSON.parse((await clone.orgrepo('status', '--json')).stdout) as { best: { score: number; commit: string } }).best;

/** It goes on: numbers continue, every spec has one claim, all that was known is still there, and everything holds. */
export async function assertGoesOn(
  clone: Clone,
  org: Pick<TestOrg, 'orgrepo'>,
  before: readonly string[],
): Promise<string[]> {
  const was = await bestOf(org);
  const ran = await clone.orgrepo('run', '--json', '--max', '3');
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  const numbers = (await experimentsIn(clone)).map(({ n }) => n);
  assert.deepEqual(numbers, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  assert.deepEqual(
    (await experimentsIn(clone)).slice(3),
    await experimentsIn(org),
    'what the other machine did is still there',
  );
  const claims = clone.git(
    'log',
    '--first-parent',
    '--format=%(trailers:key=Org-Event,valueonly) %(trailers:key=Org-Spec,valueonly)',
    'orgrepo/queue',
  );
  const claimed = claims
    .replaceAll('\n ', ' ')
    .split('\n')
    .filter((line) => line.startsWith('claim'));
  assert.equal(new Set(claimed).size, claimed.length, claims);
  assert.equal((await bestOf(clone)).score <= was.score, true);
  clone.git('merge-base', '--is-ancestor', was.commit, 'orgrepo/best');
  for (const line of before) {
    const [id = '', ref = ''] = line.split(' ');
    if (!ref.startsWith('refs/orgrepo/wip/')) clone.git('merge-base', '--is-ancestor', id, ref);
  }
  assert.match((await clone.orgrepo('verify')).stdout, /^11 experiments, .*: everything holds\n$/);
  assert.equal(fetched(clone), '');
  assert.equal(clone.git('fsck', '--no-dangling'), '');
  return saidIn(ran.stdout);
}
