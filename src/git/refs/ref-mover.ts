import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pace } from '../../process/pace.ts';
import { type Companion, startCompanion } from '../../process/run-process.ts';
import { Problem } from '../../text/problem.ts';
import type { ObjectReader } from '../objects/object-reader.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { type GitPlace, gitEnvironment, hardened, isCollecting, isDiskFull, lockProblem, tryGit } from '../run-git.ts';
import { hasPlainRefs, lookUpRef, makeLooseRef, moveLooseRef } from './ref-files.ts';

/** Moves refs, always by compare-and-swap: the only way anything in the org changes. */
export interface RefMover {
  /**
   * Moves `ref` from `from` (undefined: it must not exist) to `to`. False when somebody else was there first.
   * A lock that does not go away in time is a Problem that names its file.
   */
  move(ref: string, to: string, from: string | undefined): Promise<boolean>;
  /** Takes a ref away that is at `from`. False when it was elsewhere by then. */
  remove(ref: string, from: string): Promise<boolean>;
  /** Puts back what this process has moved and is not there any more: packed-refs was lost. Gives the names. */
  putBack(): readonly string[];
  /** Where this process has moved refs to; those that it took away are at the id of zeros, as git writes it. */
  readonly moved: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

export function openRefs(
  place: GitPlace,
  store: ObjectStore,
  reader: ObjectReader,
  idLength: number,
  seen: LastSeen,
): RefMover {
  const absent = '0'.repeat(idLength);
  const plainFiles = hasPlainRefs(place.gitDir);
  const collector = path.join(place.gitDir, 'gc.pid');
  const packDir = path.join(place.gitDir, 'objects/pack');
  let packedAt = changedAt(packDir);
  let companion: Updater | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const moved = new Map<string, string>();

  /** A gc may begin and end between two looks at its lock: it leaves a new pack. */
  const noteCollected = (): boolean => {
    const before = packedAt;
    packedAt = changedAt(packDir);
    return packedAt !== before;
  };

  const moveOnce = async (ref: string, to: string, from: string | undefined): Promise<'moved' | string> => {
    companion ??= startUpdater(place);
    const answer = await companion.update(`${ref} ${to} ${from ?? absent}`);
    if (answer === 'ok') return 'moved';
    companion = undefined; // A lost compare ends the process.
    return answer;
  };

  const tryMove = async (ref: string, to: string, from: string | undefined): Promise<'moved' | string> => {
    const waited = await collectionOver(place.gitDir);
    if (noteCollected() || waited) store.writeAgain();
    await store.flush(); // Objects first: a ref never names what is not there.
    seen.putBack(ref); // A move is from where the ref was, also after packed-refs was lost.
    return plainFiles && moveLooseRef(place.gitDir, ref, to, from) ? 'moved' : moveOnce(ref, to, from);
  };

  const move = async (ref: string, to: string, from: string | undefined): Promise<boolean> => {
    const giveUpAt = performance.now() + pace().lockedMs;
    for (;;) {
      const answer = await tryMove(ref, to, from);
      // Whatever git said: after an error the ref may have moved all the same.
      const now = answer === 'moved' ? to : await reader.resolve(ref);
      if (now === to) {
        moved.set(ref, to);
        seen.keep(ref, to);
        if (existsSync(collector) || noteCollected()) await writeObjectsAgain(); // It may have begun before it could see the ref.
        return true;
      }
      if (now !== from) return false;
      const lock = lockNamed(answer, place, ref);
      if (answer.includes('nonexistent object')) store.writeAgain();
      else if (lock === undefined) throw refProblem(place, ref, answer);
      if (performance.now() > giveUpAt) throw lock === undefined ? refProblem(place, ref, answer) : lockProblem(lock);
      await wait(20 + Math.random() * 30);
    }
  };

  const writeObjectsAgain = async (): Promise<void> => {
    await collectionOver(place.gitDir);
    store.writeAgain();
    await store.flush();
  };

  const remove = async (ref: string, from: string): Promise<boolean> => {
    const { code, stderr } = await tryGit(place, ['update-ref', '-d', ref, from]);
    if (code === 0) seen.forget(ref);
    const now = code === 0 ? undefined : await reader.resolve(ref);
    if (now === from) throw refProblem(place, ref, stderr.text);
    if (now === undefined) moved.set(ref, absent);
    return now === undefined;
  };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work);
    turn = mine.catch(() => {});
    return mine;
  };

  return {
    moved,
    move: (ref, to, from) => inTurn(() => move(ref, to, from)),
    remove: (ref, from) => inTurn(() => remove(ref, from)),
    putBack: () => seen.names().filter((ref) => seen.putBack(ref)),
    close: async () => {
      await turn;
      for (const ref of seen.names()) seen.putBack(ref);
      await companion?.end();
    },
  };
}

/** A gc that a person runs takes what no ref names yet for garbage: nothing is moved until it is over. True when there was one. */
async function collectionOver(gitDir: string): Promise<boolean> {
  const giveUpAt = performance.now() + gcPatienceMs;
  let seen = false;
  while (performance.now() < giveUpAt && isCollecting(gitDir)) {
    seen = true;
    await wait(20);
  }
  return seen;
}

const gcPatienceMs = 600_000;

const changedAt = (dir: string): number | undefined => statSync(dir, { throwIfNoEntry: false })?.mtimeMs;

interface Updater {
  update(line: string): Promise<'ok' | string>;
  end(): Promise<void>;
}

function startUpdater(place: GitPlace): Updater {
  const companion: Companion = startCompanion('git', [...hardened, 'update-ref', '--stdin'], gitEnvironment(place));
  let said = '';
  let complaint = '';
  let settle: ((answer: 'ok' | string) => void) | undefined;
  companion.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
    if (said.includes('commit: ok\n')) settle?.('ok');
  });
  companion.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk.toString('utf8');
  });
  void companion.ended.then(() => settle?.(complaint || 'git update-ref ended'));
  return {
    update: (line) =>
      new Promise((resolve) => {
        said = '';
        settle = resolve;
        companion.stdin.write(`start\nupdate ${line}\nprepare\ncommit\n`);
      }),
    end: async () => {
      companion.stdin.end();
      await companion.ended;
    },
  };
}

function lockNamed(answer: string, place: GitPlace, ref: string): string | undefined {
  const named = /'([^']+\.lock)': File exists/.exec(answer)?.[1];
  if (named !== undefined) return named;
  const own = path.join(place.gitDir, `${ref}.lock`);
  return existsSync(own) ? own : undefined;
}

function refProblem({ gitDir }: GitPlace, ref: string, answer: string): Problem {
  const text = answer.trim();
  if (isDiskFull(gitDir, text)) {
    return new Problem('disk/write', `${ref}: ${text}`, 'Free some disk space and run again; nothing was lost.');
  }
  const inTheWay = /'([^']+)' exists; cannot create/.exec(text)?.[1];
  if (inTheWay !== undefined) {
    return new Problem(
      'repo/ours',
      `the branch ${inTheWay} stands where orgrepo keeps ${ref}`,
      'Rename it: git branch -m …',
    );
  }
  return new Problem('git/failed', `${ref} could not be moved: ${text}`, 'Check the repository with: git fsck');
}

/**
 * Where the refs that this process moves were last seen. Orgrepo never loses a ref by itself, so one that is suddenly
 * gone was packed, and packed-refs is lost. Without this memory a run would begin its queue anew and give numbers twice.
 */
export interface LastSeen {
  /** This process has moved the ref. */
  keep(ref: string, id: string): void;
  /** Somebody else may have moved on a ref that is kept. */
  see(ref: string, id: string): void;
  forget(ref: string): void;
  /** Undefined for a ref that this process has not moved. */
  idOf(ref: string): string | undefined;
  names(): readonly string[];
  /** Makes the ref anew where it was last seen. False when it is there, or was never moved by us. */
  putBack(ref: string): boolean;
}

export function openLastSeen(gitDir: string): LastSeen {
  const ids = new Map<string, string>();
  const isOurs = (ref: string): boolean => /^refs\/(heads\/)?orgrepo\//.test(ref);
  const plainFiles = hasPlainRefs(gitDir);
  return {
    keep: (ref, id) => {
      if (plainFiles && isOurs(ref)) ids.set(ref, id);
    },
    see: (ref, id) => {
      if (ids.has(ref)) ids.set(ref, id);
    },
    forget: (ref) => void ids.delete(ref),
    idOf: (ref) => ids.get(ref),
    names: () => [...ids.keys()],
    putBack: (ref) => {
      const id = ids.get(ref);
      if (id === undefined || lookUpRef(gitDir, ref) !== 'absent' || !existsSync(path.join(gitDir, 'HEAD')))
        return false;
      return makeLooseRef(gitDir, ref, id);
    },
  };
}
