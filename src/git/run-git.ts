import { readFileSync, statfsSync } from 'node:fs';
import { constants, hostname } from 'node:os';
import path from 'node:path';
import { type Ran, runCommand, startOf } from '../process/run-process.ts';
import { isSecretName } from '../secrets/known-secrets.ts';
import { orElse, Problem } from '../text/problem.ts';

/** Where a repository keeps its things. The only handle that git's callers need. */
export interface GitPlace {
  /** The common directory: the same for every worktree of one repository. */
  readonly gitDir: string;
}

const overrides = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=', // Empty, not false: older git takes `false` for a path.
  'core.attributesFile=/dev/null',
  'core.symlinks=false',
  'core.autocrlf=false',
  'core.fsync=none', // Objects are synced by git/objects/object-store.ts, in bulk; a ref is as young as the journal at worst.
  'core.untrackedCache=false',
  'core.preloadIndex=false',
  'core.logAllRefUpdates=false', // Our branches only ever grow: a reflog would say the same again.
  'gc.auto=0',
  'maintenance.auto=false',
  'commit.gpgSign=false',
  'protocol.allow=never',
  'transfer.fsckObjects=true',
  'safe.bareRepository=explicit',
  'advice.detachedHead=false',
];

// Git 2.54 has hooks defined in config that pay no attention to core.hooksPath.
const hookEvents = ['reference-transaction', 'post-checkout', 'post-index-change', 'pre-auto-gc', 'post-rewrite'];

/** The flags that every call carries, so that nothing a repository's config says can run code in orgrepo. */
export const hardened: readonly string[] = [
  ...overrides.flatMap((setting) => ['-c', setting]),
  ...hookEvents.flatMap((event) => ['-c', `hook.${event}.enabled=false`]),
];

export function gitEnvironment(place: GitPlace, extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    GIT_DIR: place.gitDir,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    LC_ALL: 'C',
    ...extra,
  };
}

/**
 * The environment for git in the person's own name, without what another git call may have left in it. No keys: a filter or
 * a monitor that the person's config names is a program like any other.
 */
export function personalEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      name.startsWith('GIT_') && !/^GIT_(DIR|INDEX_FILE|WORK_TREE|COMMON_DIR)$/.test(name) && !isSecretName(name),
  );
  return { ...(Object.fromEntries(kept) as Record<string, string>), ...personalVariables(), LC_ALL: 'C' };
}

/** What git needs to know of a person besides its own variables; SUDO_UID says whose repository root may use. */
export function personalVariables(): Record<string, string> {
  const names = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SUDO_UID', 'XDG_CONFIG_HOME', 'LANG', 'TZ', 'TMPDIR'];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

interface GitCall {
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs git once and gives back how it ended. */
export function tryGit(place: GitPlace, args: readonly string[], call: GitCall = {}): Promise<Ran> {
  return runCommand({
    file: 'git',
    args: [...hardened, ...args],
    cwd: place.gitDir,
    env: gitEnvironment(place, call.env),
    deadlineMs: 600_000,
    keepBytes: 1024 ** 3, // What git says is a record, not a log: half of it would be worse than none.
    ...(call.input === undefined ? {} : { input: call.input }),
  });
}

/** Runs git once where only success makes sense. */
export async function git(place: GitPlace, args: readonly string[], call: GitCall = {}): Promise<string> {
  const ran = await tryGit(place, args, call);
  if (ran.code !== 0) throw gitProblem(place, args, ran);
  return ran.stdout.text;
}

export function gitProblem({ gitDir }: GitPlace, args: readonly string[], ran: Ran): Problem {
  const said = ran.stderr.text.trim() || ran.notStarted || `it ended with ${ran.code ?? ran.signal}`;
  const full = isDiskFull(gitDir, ran.stderr.text) || ran.code === constants.errno.ENOSPC;
  if (full) return new Problem('disk/write', `git ${args[0]}: ${said}`, 'Free some disk space and run again.');
  const lock = /'([^']+\.lock)'/.exec(said)?.[1];
  if (lock !== undefined) return lockProblem(lock);
  return new Problem('git/failed', `git ${args.join(' ')}: ${said}`, 'Check the repository with: git fsck');
}

export function lockProblem(lock: string): Problem {
  return new Problem(
    'busy/lock',
    `git is locked: ${lock} is held by another git process`,
    `Wait for it to end; if none is running, remove the file: rm ${lock}`,
  );
}

/**
 * Whether git could not write because there is no space left. Of objects it says so itself; of the lock of a ref it only says
 * that it could not be written, and the file system is asked.
 */
export function isDiskFull(gitDir: string, said: string): boolean {
  if (said.includes('No space left')) return true;
  return (
    /\b(?:couldn't|could not|cannot|unable to|failed to) (?:write|close|create|lock|update)\b/i.test(said) &&
    isFull(gitDir)
  );
}

/** Less than this is taken by the process that comes first. */
const leastBytes = 256 * 1024;

function isFull(dir: string): boolean {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(dir);
    return bavail * bsize < leastBytes || (files > 0 && ffree === 0); // Some file systems count no files.
  } catch {
    return false;
  }
}

/** Whether a gc runs in this repository, by git's own lock. One that was killed has left its lock behind. */
export function isCollecting(gitDir: string): boolean {
  const lock = orElse(() => readFileSync(path.join(gitDir, 'gc.pid'), 'latin1'), '');
  const [pid = '', host = ''] = lock.trim().split(/\s+/);
  return pid !== '' && !(host === hostname() && startOf(Number(pid)) === '');
}
