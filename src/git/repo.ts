import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { type Ran, runCommand } from '../process/run-process.ts';
import { orElse, Problem } from '../text/problem.ts';
import { removePlainDir } from './merge.ts';
import { type ObjectReader, openReader } from './objects/object-reader.ts';
import { type ObjectStore, openStore } from './objects/object-store.ts';
import { openLastSeen, openRefs, type RefMover } from './refs/ref-mover.ts';
import { rememberLeft } from './refs/refs-left.ts';
import { findStandIn, type StandIn } from './refs/remote-stand-in.ts';
import { personalEnvironment } from './run-git.ts';
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
  /** What is read in place of orgrepo's own branches, in a clone that has not adopted its remote's org. */
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
    throw new Problem('file/missing', `${dir} is not a directory`, 'Check the path given to -C.');
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
async function readHead(dir: string, file: string, ask: (...args: string[]) => Promise<Ran>) {
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

/** Only git's own word is believed that there is no repository here: it may also have been killed, or failed on one. */
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
    'Try it in a new directory: orgrepo demo. Or make this one a repository: git init && orgrepo init',
  );
}

/**
 * Every directory in which a repository keeps its files or its history: work trees, linked ones too, `.git`, and the same
 * of a repository that it borrows objects from.
 */
export function placesOfRepo(repo: Pick<Repo, 'root' | 'gitDir' | 'objectsDir'>, depth = 0): string[] {
  const { root, gitDir, objectsDir } = repo;
  const main = path.basename(gitDir) === '.git' ? [path.dirname(gitDir)] : [];
  const lenders = depth < mostLenders ? lendersOf(objectsDir) : [];
  const theirs = lenders.flatMap((dir) => placesOfRepo(repoAround(dir), depth + 1));
  return [...new Set([...[root, gitDir, objectsDir, ...main, ...linkedTo(gitDir)].flatMap(real), ...theirs])];
}

/** As far as git itself goes from one to the next. */
const mostLenders = 5;

function lendersOf(objectsDir: string): string[] {
  const lines = orElse(() => readFileSync(path.join(objectsDir, 'info', 'alternates'), 'utf8'), '').split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => path.resolve(objectsDir, line));
}

/** The repository whose objects these are, where they stand as git puts them. */
function repoAround(objectsDir: string): Pick<Repo, 'root' | 'gitDir' | 'objectsDir'> {
  const around = path.dirname(objectsDir);
  const gitDir = existsSync(path.join(around, 'HEAD')) ? around : objectsDir;
  return { root: gitDir, gitDir, objectsDir };
}

function linkedTo(gitDir: string): string[] {
  const dir = path.join(gitDir, 'worktrees');
  return orElse(() => readdirSync(dir), []).flatMap((name) => {
    const file = orElse(() => readFileSync(path.join(dir, name, 'gitdir'), 'utf8'), ''); // It may just be made or taken away.
    return file === '' ? [] : [path.dirname(path.resolve(dir, name, file.trim()))];
  });
}

/** None where nothing is any more: a linked work tree may have been deleted by hand. */
const real = (dir: string): string[] => orElse(() => [realpathSync(dir)], []);
