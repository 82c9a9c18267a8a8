import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import type { Spec } from '../domain/words/spec.ts';
import type { Identity } from '../git/objects/commit.ts';
import { listRefs } from '../git/refs/ref-files.ts';
import { queueRef, shortRef } from '../git/refs/ref-names.ts';
import { readLeft } from '../git/refs/refs-left.ts';
import { openRepo, type Repo } from '../git/repo.ts';
import type { JailChoice } from '../jail/jail.ts';
import { keysFile, learnSecrets, parseKeys } from '../secrets/known-secrets.ts';
import type { Secret } from '../secrets/secret-scanner.ts';
import { orElse, Problem } from '../text/problem.ts';
import { entriesFrom } from './entry.ts';

/** One org: a repository, and who is speaking. Everything else the org knows is in its commits. */
export interface Org {
  readonly repo: Repo;
  readonly name: string;
  readonly host: string;
  /** The jail that a person wants for candidates on this machine. */
  readonly jail: JailChoice;
  /** The person or machine that runs orgrepo; asked of git only when something is to be written. */
  readonly person: () => Promise<Identity>;
  /** Specs already read, by the id of their file: a file's content never changes under its id. */
  readonly knownSpecs: Map<string, Spec>;
  /** Where the wip ref of a spec stood when this process last moved it. */
  readonly lastSaved: Map<string, string>;
  /** Benches whose git view this process has set: once, because a person looks in now and then, and an agent never. */
  readonly pointedBenches: Set<string>;
  /** One change of the queue at a time: lanes of one process need not race each other. */
  readonly queueTurn: { last: Promise<unknown> };
}

export async function openOrg(dir: string, jail: JailChoice = 'auto'): Promise<Org> {
  const repo = await openRepo(dir);
  learnKept(repo);
  let asked: Promise<Identity> | undefined;
  return {
    repo,
    name: path.basename(repo.root),
    host: hostname().replace(/[^A-Za-z0-9.-]/g, '-') || 'host',
    jail,
    person: () => {
      asked ??= import('../git/persons-git.ts').then(({ personOf }) => personOf(repo.root));
      return asked;
    },
    knownSpecs: new Map(),
    lastSaved: new Map(),
    pointedBenches: new Set(),
    queueTurn: { last: Promise.resolve() },
  };
}

/** No verb shows what is in the keys file, whether the file is as it should be or not. */
function learnKept({ root }: Repo): void {
  const text = orElse(() => readFileSync(path.join(root, keysFile), 'utf8'), ''); // agents/keys/keys.ts says what is wrong with it.
  learnSecrets(text.split('\n').flatMap(secretsInLine));
}

/** A line that is not NAME=value may be a key that somebody put there alone; agents/keys/keys.ts will say what is wrong with it. */
const secretsInLine = (line: string, index: number): Secret[] =>
  orElse(
    () => [...parseKeys(line)].map(([name, value]) => ({ name, value })),
    [{ name: `${keysFile}:${index + 1}`, value: line.trim() }],
  );

/** The trunk: the branch a person is on. Agents never write it and neither does orgrepo. */
export function trunkOf(org: Org): string {
  const { head } = org.repo;
  if (head === undefined) {
    throw new Problem(
      'repo/detached',
      'HEAD is detached, so there is no trunk to start from',
      'Go to a branch: git switch main (or make one: git switch -c main)',
    );
  }
  if (head.startsWith('refs/heads/orgrepo/')) {
    throw new Problem(
      'repo/ours',
      `you are on ${head.slice(11)}, a branch that orgrepo writes`,
      'Go back to your own: git switch main',
    );
  }
  return head;
}

/** The trunk's newest commit. */
export async function trunkTip(org: Org): Promise<string> {
  const trunk = trunkOf(org);
  const tip = await org.repo.reader.resolve(trunk);
  if (tip === undefined) {
    const lost = await lostTrunk(org, trunk);
    if (lost !== undefined) throw lost;
    throw new Problem(
      'repo/empty',
      `${trunk.slice(11)} has no commit yet`,
      hasBriefFile(org)
        ? 'Commit first: git add -A && git commit -m "the org"'
        : 'Make an org here: orgrepo init, then commit it.',
    );
  }
  if (!(await org.repo.reader.has(tip))) {
    throw new Problem(
      'integrity/history',
      `${trunk.slice(11)} is at ${tip.slice(0, 7)}, which cannot be read`,
      'See what it is: git fsck. Where it was before: git reflog',
    );
  }
  return tip;
}

/** Whether a person has a brief in their directory, committed or not. */
const hasBriefFile = ({ repo }: Org): boolean =>
  ['program.md', 'orgrepo.md'].some((file) => existsSync(path.join(repo.root, file)));

/**
 * A trunk without a commit in a repository that had one: .git/packed-refs was lost. It is a person's branch, so orgrepo
 * says where it was and does not write it. Undefined where there never was a commit, as far as anybody can tell.
 */
async function lostTrunk(org: Org, trunk: string): Promise<Problem | undefined> {
  const id = (await lastLogged(org, trunk)) ?? (await trunkOfLastRun(org));
  if (id === undefined) return undefined;
  return new Problem(
    'integrity/history',
    `${shortRef(trunk)} is gone: no ref of that name is left in .git, and it was at ${id.slice(0, 7)}`,
    `Put it back: git update-ref ${trunk} ${id}. Then orgrepo run puts its own branches back`,
  );
}

/** A branch that is deleted takes its reflog along, so one that has a reflog is lost. */
async function lastLogged({ repo }: Org, trunk: string): Promise<string | undefined> {
  const text = orElse(() => readFileSync(path.join(repo.gitDir, 'logs', trunk), 'utf8'), ''); // Git may keep none for this branch.
  const id = /^[0-9a-f]+ ([0-9a-f]+) /.exec(text.trimEnd().split('\n').at(-1) ?? '')?.[1];
  return id !== undefined && (await repo.reader.has(id)) ? id : undefined;
}

/** Where the trunk was when the last run began. Where there is another branch of the person's, they may have left this one for it. */
async function trunkOfLastRun(org: Org): Promise<string | undefined> {
  const { refs } = await listRefs(org.repo, ['refs/heads']);
  if ([...refs.keys()].some((ref) => !ref.startsWith('refs/heads/orgrepo/'))) return undefined;
  const queue = refs.get(queueRef) ?? readLeft(org.repo.gitDir).get(queueRef) ?? '';
  for await (const { event, get } of entriesFrom(org, queue)) {
    const id = get('Trunk');
    if (event === 'run') return id !== undefined && (await org.repo.reader.has(id)) ? id : undefined;
    if (event === '') break;
  }
  return undefined;
}
