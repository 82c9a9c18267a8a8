import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { editTree, newObject, storeObject } from '../src/git/objects/tree.ts';
import type { JailLevel } from '../src/jail/jail.ts';
import { pinBrief } from '../src/org/force/pin-brief.ts';
import { readEntry } from '../src/records/entry.ts';
import { openOrg, trunkTip } from '../src/records/org.ts';
import { closeOrg } from '../src/score/arena/measuring-room.ts';
import { measure } from '../src/score/measure/trial.ts';
import { makeRepository } from './repository.ts';

const quietly = '> /dev/null 2>&1 < /dev/null';

/** Eight ways for a process to be overlooked when a measurement is ended; NAP is a sleep that can be told from all others. */
export const escapes: Readonly<Record<string, string>> = {
  'in the background': `NAP ${quietly} &`,
  'deaf to the terminal': `nohup NAP ${quietly} &`,
  'in a session of its own': `setsid NAP ${quietly} &`,
  'the child of a child that is gone': `( setsid sh -c 'NAP ${quietly} & exit' & ) ${quietly}`,
  'deaf to signals': `setsid sh -c 'trap "" TERM INT HUP QUIT USR1; NAP; NAP' ${quietly} &`,
  'without environment, in another place': `( cd /; setsid env -i NAP ${quietly} & )`,
  'always started again': `setsid sh -c 'while :; do NAP; done' ${quietly} &`,
  'standing still': `setsid sh -c 'kill -STOP $$; NAP' ${quietly} &`,
};

export interface Survived {
  readonly tries: number;
  /** Tries after which a process was still there a second later, by the kind of escape. */
  readonly survived: readonly string[];
  /** Tries that were no escape: nobody was seen to be alive before the deadline. */
  readonly idle: readonly string[];
  /** How long it took until nobody was left, at most. */
  readonly slowestMs: number;
}

/** Measures candidates that let a process escape and then run into their deadline, and looks who is left after it. */
export async function countSurvivors(tries: number, level: JailLevel): Promise<Survived> {
  const repository = makeRepository({
    files: 10,
    brief: { budget: '{ experiment: 500ms, agent: 10s, night: 1h }' },
    harness: { run: 'sh sandbox/escape.sh\n', score: 'echo score: 1\n' },
  });
  const org = await openOrg(repository.dir, level);
  const survived: string[] = [];
  const idle: string[] = [];
  let slowestMs = 0;
  try {
    const trunk = await trunkTip(org);
    const pinned = await pinBrief(org, trunk);
    const base = (await readEntry(org, trunk))?.commit.tree;
    const kinds = Object.entries(escapes);
    for (let count = 0; count < tries; count++) {
      const [kind = '', flight = ''] = kinds[count % kinds.length] ?? [];
      const token = `600.${process.pid}${count}${Date.now()}`;
      const program = `${flight.replaceAll('NAP', `sleep ${token}`)}\nexec sleep ${token}\n`;
      const blob = newObject(org.repo.hash, 'blob', program);
      const changes = new Map([['sandbox/escape.sh', { mode: '100644', oid: storeObject(org.repo, blob) }]]);
      const tree = await editTree(org.repo, base, changes);
      for (const object of tree.objects) storeObject(org.repo, object);
      const trial = measure({ org, pinned, signal: new AbortController().signal }, tree.oid, count);
      const seen = await mostAlive(token, trial);
      const { outcome } = await trial;
      // The candidate itself sleeps too: with one more there is somebody who wants to escape.
      if (seen < 2 || outcome.kind !== 'timed-out') idle.push(`${kind}: ${outcome.kind}, ${seen} alive`);
      const begun = performance.now();
      let left = alive(token);
      while (left.length > 0 && performance.now() - begun < 1_000) {
        await setTimeout(5);
        left = alive(token);
      }
      slowestMs = Math.max(slowestMs, performance.now() - begun);
      if (left.length > 0) survived.push(kind);
      for (const pid of left) process.kill(pid, 'SIGKILL');
    }
  } finally {
    await closeOrg(org);
    repository.remove();
  }
  return { tries, survived, idle, slowestMs };
}

async function mostAlive(token: string, until: Promise<unknown>): Promise<number> {
  let over = false;
  void until.finally(() => {
    over = true;
  });
  let most = 0;
  while (!over) {
    most = Math.max(most, alive(token).length);
    await setTimeout(20);
  }
  return most;
}

/** The processes that have these words, those that stand still included; what is dead and waits for its parent is not one. */
function alive(token: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
        return (
          words.includes(token) &&
          !words.includes('ORGREPO_OUT') &&
          !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
        );
      } catch {
        return false; // Gone meanwhile.
      }
    })
    .map(Number);
}
