import type { HashName, Repo } from '../repo.ts';
import { type NewObject, newObject } from './tree.ts';

export interface Identity {
  readonly name: string;
  readonly email: string;
}

interface Signature extends Identity {
  /** Seconds since 1970. */
  readonly at: number;
}

export interface Commit {
  readonly oid: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Signature;
  readonly committer: Signature;
  readonly message: string;
}

export const newCommit = (hash: HashName, commit: Omit<Commit, 'oid'>): NewObject =>
  newObject(hash, 'commit', formatCommit(commit));

export function formatCommit(commit: Omit<Commit, 'oid'>): string {
  const lines = [
    `tree ${commit.tree}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author ${formatSignature(commit.author)}`,
    `committer ${formatSignature(commit.committer)}`,
  ];
  return `${lines.join('\n')}\n\n${commit.message}`;
}

export async function readCommit(repo: Repo, name: string): Promise<Commit | undefined> {
  const found = await repo.reader.read(name);
  return found?.type === 'commit' ? parseCommit(found.oid, found.content.toString('utf8')) : undefined;
}

export function parseCommit(oid: string, text: string): Commit {
  const split = text.indexOf('\n\n');
  const head = split < 0 ? text : text.slice(0, split);
  let tree = '';
  const parents: string[] = [];
  let author = nobody;
  let committer = nobody;
  for (const line of head.split('\n')) {
    const value = line.slice(line.indexOf(' ') + 1);
    if (line.startsWith('tree ')) tree = value;
    else if (line.startsWith('parent ')) parents.push(value);
    else if (line.startsWith('author ')) author = parseSignature(value);
    else if (line.startsWith('committer ')) committer = parseSignature(value);
  }
  return { oid, tree, parents, author, committer, message: split < 0 ? '' : text.slice(split + 2) };
}

const nobody: Signature = { name: '', email: '', at: 0 };

function parseSignature(text: string): Signature {
  const match = /^(.*?) ?<([^>]*)> (\d+)/.exec(text);
  return match === null ? nobody : { name: match[1] ?? '', email: match[2] ?? '', at: Number(match[3]) };
}

function formatSignature(signature: Signature): string {
  const clean = (text: string): string => text.replace(/[<>\n\0]/g, '').trim();
  return `${clean(signature.name) || 'unknown'} <${clean(signature.email)}> ${Math.floor(signature.at)} +0000`;
}
