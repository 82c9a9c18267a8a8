import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { type Ran, runCommand } from '../process/run-process.ts';
import { isSecretName } from '../secrets/secret-names.ts';
import { Problem } from '../text/problem.ts';
import type { ObjectReader } from './objects/object-reader.ts';
import { openReader } from './objects/object-reader.ts';
import { type ObjectStore, openStore } from './objects/object-store.ts';
import { removePlainDir } from './plain-git.ts';
import { openLastSeen } from './refs/last-seen.ts';
import type { RefMover } from './refs/ref-mover.ts';
import { openRefs } from './refs/ref-mover.ts';
import { rememberLeft } from './refs/refs-left.ts';
import { findStandIn, type StandIn } from './refs/remote-stand-in.ts';
import { worktreeAt } from './worktree.ts';

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
  /** What is read in place of orgrepo's own branches, in a clone that has not taken up its remote's org. */
  readonly standIn: StandIn | undefined;
  readonly store: ObjectStore;
  readonly reader: ObjectReader;
  readonly refs: RefMover;
  close(): Promise<void>;
}

/** Finds the repository around a directory, or says why orgrepo cannot work there. */
export async function openRepo(dir: string): Promise<Repo> {
  if (!existsSync(dir)) throw new Problem('file/missing', `${dir} does not exist`, 'Check the path given to -C.');
  if (!statSync(dir).isDirectory())
    throw new Problem('file/missing', `${dir} is no directory`, 'Check the path given to -C.');
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
    '--git-path',
    'HEAD',
    '--show-toplevel',
  );
  const lines = asked.stdout.text.trim().split('\n');
  if (lines.length > 7) {
    throw new Problem(
      'repo/path',
      `there is a line break in the path of ${dir}`,
      'Move the repository to a plainer path.',
    );
  }
  const [bare, shallow, hash, gitDir, objectsDir, headFile, root] = lines;
  if (bare === 'true') {
    throw new Problem('repo/bare', `${dir} is a bare repository`, 'orgrepo needs a work tree: git clone it first.');
  }
  if (asked.code !== 0 || gitDir === undefined || objectsDir === undefined || root === undefined) {
    throw notARepository(dir, asked);
  }
  const around = benchOwner(root, gitDir);
  if (around !== undefined) return openRepo(around);
  const head = await readHead(dir, headFile ?? '', ask);
  const place = { gitDir };
  const store = openStore(objectsDir);
  const standIn = await findStandIn(place);
  const seen = openLastSeen(gitDir);
  const reader = openReader(place, store, standIn?.nameOf ?? ((ref) => ref), seen);
  const refs = openRefs(place, store, reader, hash === 'sha256' ? 64 : 40, seen);
  return {
    root,
    gitDir,
    objectsDir,
    hash: hash === 'sha256' ? 'sha256' : 'sha1',
    head,
    shallow: shallow === 'true',
    standIn,
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

/** The branch that HEAD names; undefined where it names a commit. Git is asked where its file is not one of these two plainly. */
async function readHead(
  dir: string,
  file: string,
  ask: (...args: string[]) => Promise<Ran>,
): Promise<string | undefined> {
  const text = lstatSync(file, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(file, 'utf8') : '';
  const branch = /^ref: (refs\/heads\/[\w./-]+)\n$/.exec(text)?.[1];
  if (branch !== undefined && branch !== 'refs/heads/.invalid') return branch; // Git writes .invalid when the repository keeps its refs in reftables.
  const asked = await ask('symbolic-ref', '-q', 'HEAD');
  if (asked.code !== 0 && asked.code !== 1) throw notARepository(dir, asked);
  return asked.code === 0 ? asked.stdout.text.trim() : undefined;
}

/** A person who stands in a bench means the repository that it is a bench of. */
function benchOwner(root: string, gitDir: string): string | undefined {
  const { dir, adminDir } = worktreeAt({ root: path.resolve(root, '../..'), gitDir }, path.basename(root));
  return dir === root && existsSync(adminDir) ? path.resolve(root, '../..') : undefined;
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

/** Only git's own word is believed that there is no repository: it may also have been killed, or stumble over one. */
function notARepository(dir: string, { notStarted, code, signal, timedOut, stderr }: Ran): Problem {
  const said = stderr.text.trim();
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
  if (!said.includes('not a git repository')) {
    const ended = timedOut ? 'it said nothing for 30 s' : `it ended with ${code ?? signal}`;
    return new Problem(
      'repo/git',
      `git cannot read the repository at ${dir}: ${said.replace(/^fatal: /, '') || ended}`,
      said === '' ? 'Run again; should it stay so, see what git says: git status' : 'See what git says: git status',
    );
  }
  return new Problem(
    'repo/none',
    `${dir} is not in a git repository`,
    'Try it in a new directory: npx orgrepo demo. Or make this one a repository: git init && npx orgrepo init',
  );
}
