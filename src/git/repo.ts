import { existsSync } from 'node:fs';
import { Problem } from '../domain/problem.ts';
import { isSecretName } from '../domain/secret-names.ts';
import { runCommand } from '../process.ts';
import { rememberLeft } from './left.ts';
import { removePlainDir } from './plain.ts';
import type { ObjectReader } from './reader.ts';
import { openReader } from './reader.ts';
import type { RefMover } from './refs.ts';
import { openRefs } from './refs.ts';
import { type ObjectStore, openStore } from './store.ts';

export type HashName = 'sha1' | 'sha256';

/** A person's repository, with the two git processes that stay for as long as it is open. */
export interface Repo {
  /** The work tree that orgrepo was started in. */
  readonly root: string;
  readonly gitDir: string;
  readonly objectsDir: string;
  readonly hash: HashName;
  /** The checked-out branch as a full ref, or undefined when HEAD is detached. */
  readonly head: string | undefined;
  readonly shallow: boolean;
  readonly store: ObjectStore;
  readonly reader: ObjectReader;
  readonly refs: RefMover;
  close(): Promise<void>;
}

/** Finds the repository around a directory, or says why orgrepo cannot work there. */
export async function openRepo(dir: string): Promise<Repo> {
  if (!existsSync(dir)) throw new Problem('file/missing', `${dir} does not exist`, 'Check the path given to -C.');
  // The person's own environment: git must find their safe.directory and their work tree.
  const ask = (...args: string[]) =>
    runCommand({ file: 'git', args, cwd: dir, env: personalEnvironment(), deadlineMs: 30_000 });
  const asked = await ask(
    'rev-parse',
    '--is-bare-repository',
    '--is-shallow-repository',
    '--show-object-format',
    '--path-format=absolute',
    '--git-common-dir',
    '--git-path',
    'objects',
    '--show-toplevel',
  );
  const lines = asked.stdout.text.trim().split('\n');
  if (lines.length > 6) {
    throw new Problem(
      'repo/path',
      `there is a line break in the path of ${dir}`,
      'Move the repository to a plainer path.',
    );
  }
  const [bare, shallow, hash, gitDir, objectsDir, root] = lines;
  if (bare === 'true') {
    throw new Problem('repo/bare', `${dir} is a bare repository`, 'orgrepo needs a work tree: git clone it first.');
  }
  if (asked.code !== 0 || gitDir === undefined || objectsDir === undefined || root === undefined) {
    throw notARepository(dir, asked.notStarted, asked.stderr.text.trim());
  }
  const head = await ask('symbolic-ref', '-q', 'HEAD');
  const place = { gitDir };
  const store = openStore(objectsDir);
  const reader = openReader(place, store);
  const refs = openRefs(place, store, reader, hash === 'sha256' ? 64 : 40);
  return {
    root,
    gitDir,
    objectsDir,
    hash: hash === 'sha256' ? 'sha256' : 'sha1',
    head: head.code === 0 ? head.stdout.text.trim() : undefined,
    shallow: shallow === 'true',
    store,
    reader,
    refs,
    close: async () => {
      await Promise.all([reader.close(), refs.close()]);
      await store.sync();
      rememberLeft(gitDir, refs.moved);
      removePlainDir(gitDir);
    },
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

function notARepository(dir: string, notStarted: string | undefined, said: string): Problem {
  if (notStarted !== undefined) {
    return new Problem('repo/git', `git could not be started: ${notStarted}`, 'Install git 2.38 or newer.');
  }
  if (said.includes('dubious ownership')) {
    return new Problem(
      'repo/git',
      `git does not trust ${dir}: it belongs to another user`,
      `git config --global --add safe.directory ${dir}`,
    );
  }
  if (said.includes('must be run in a work tree')) {
    return new Problem('repo/bare', `${dir} is inside a .git directory`, 'Go to the work tree and run again.');
  }
  return new Problem(
    'repo/none',
    `${dir} is not in a git repository`,
    'Try it in a new directory: npx orgrepo demo. Or make this one a repository: git init && npx orgrepo init',
  );
}
