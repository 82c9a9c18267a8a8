import { spawnSync } from 'node:child_process';

/** A commit as the checker reads it. None of orgrepo's own code is used: a mistake of its reader must not hide one of its writer. */
export interface Commit {
  readonly id: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly title: string;
  readonly event: string;
  /** `Org-Score` and so on, by their full names. */
  readonly trailers: ReadonlyMap<string, string>;
}

/** Everything that is reachable from any ref. */
export interface History {
  readonly refs: ReadonlyMap<string, string>;
  readonly commits: ReadonlyMap<string, Commit>;
}

export const readHistory = (dir: string): History => ({ refs: readRefs(dir), commits: readCommits(dir) });

export function readRefs(dir: string): Map<string, string> {
  const lines = git(dir, ['for-each-ref', '--format=%(refname) %(objectname)']).toString('utf8').split('\n');
  return new Map(lines.filter((line) => line !== '').map((line) => line.split(' ') as [string, string]));
}

/** The first parents of a commit, newest first, itself included. */
export function firstParents(history: History, from: string | undefined): Commit[] {
  const chain: Commit[] = [];
  for (let at = lookUp(history, from); at !== undefined; at = lookUp(history, at.parents[0])) chain.push(at);
  return chain;
}

/** A commit and everything below it. */
export function ancestorsOf(history: History, from: string | undefined): Set<string> {
  const found = new Set<string>();
  const open = from === undefined ? [] : [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    open.push(...(history.commits.get(id)?.parents ?? []));
  }
  return found;
}

/** The contents that names such as `<tree>:path` stand for; undefined where there is none. */
export function readObjects(dir: string, names: readonly string[]): ({ id: string; content: Buffer } | undefined)[] {
  const said = git(dir, ['cat-file', '--batch'], `${names.join('\n')}\n`);
  let at = 0;
  return names.map(() => {
    const end = said.indexOf(10, at);
    const [id = '', type, size] = said.toString('utf8', at, end).split(' ');
    at = end + 1;
    if (type === 'missing' || size === undefined) return undefined;
    const content = said.subarray(at, at + Number(size));
    at += Number(size) + 1;
    return { id, content };
  });
}

export function git(dir: string, args: readonly string[], input = ''): Buffer {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' };
  const ran = spawnSync('git', args, { cwd: dir, env, input, maxBuffer: 2 ** 30 });
  if (ran.status !== 0) throw new GitFailed(`git ${args.join(' ')} ended with ${ran.status}: ${ran.stderr}`);
  return ran.stdout;
}

/** Git itself cannot read what a killed run left behind: always a finding. */
export class GitFailed extends Error {}

function readCommits(dir: string): Map<string, Commit> {
  const log = git(dir, ['log', '--all', '-z', '--format=%H %T %P%n%B']).toString('utf8');
  return new Map(
    log
      .split('\0')
      .filter((text) => text !== '')
      .map(parseCommit)
      .map((commit) => [commit.id, commit]),
  );
}

function parseCommit(text: string): Commit {
  const [head = '', title = ''] = text.split('\n', 2);
  const [id = '', tree = '', ...parents] = head.split(' ').filter((word) => word !== '');
  const lastParagraph = text.trimEnd().split('\n\n').at(-1) ?? '';
  const trailers = new Map(
    lastParagraph.split('\n').flatMap((line) => {
      const match = /^(Org-[A-Za-z-]+): (.*)$/.exec(line);
      return match === null ? [] : [[match[1] as string, (match[2] as string).trim()] as const];
    }),
  );
  return { id, tree, parents, title, event: trailers.get('Org-Event') ?? '', trailers };
}

const lookUp = (history: History, id: string | undefined): Commit | undefined =>
  id === undefined ? undefined : history.commits.get(id);
