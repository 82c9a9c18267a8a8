import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import type { Chance } from './chance.ts';
import { hear, type Memory } from './memory.ts';
import { type Process, processesIn } from './processes.ts';
import type { Scene } from './scene.ts';

/** How one run ended. */
export interface Ended {
  /** Undefined when it was killed. */
  readonly code: number | undefined;
  /** The end of what it said. */
  readonly said: string;
  /** The facts it told, by name. */
  readonly facts: readonly string[];
}

export interface Victim {
  readonly child: ChildProcess;
  readonly facts: string[];
  readonly ended: Promise<Ended>;
  /** Settles when the run has told a fact of this name this often. */
  told(fact: string, times: number): Promise<void>;
}

/** Starts orgrepo in a process group of its own. */
export function start(scene: Scene, bundle: string, args: readonly string[], memory: Memory): Victim {
  const env = {
    ...process.env,
    ORGREPO_PACK_AFTER: '60', // Many kills shall meet a packing.
    ORGREPO_JAIL: 'none', // The harness leaves a mark outside for the checker.
    ORGREPO_AGENT_PRIORITY: 'normal', // Others use this machine too.
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    HOME: scene.home,
    TMPDIR: scene.home,
    CI: '1',
  };
  const child = spawn(process.execPath, [bundle, ...args], {
    cwd: scene.org.dir,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const facts: string[] = [];
  const waiting: { fact: string; times: number; done: () => void }[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const fact = hear(memory, line);
    if (fact === undefined) return;
    facts.push(fact);
    for (const one of waiting)
      if (facts.filter((told) => one.fact === 'any' || told === one.fact).length >= one.times) one.done();
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said = `${said}${chunk.toString('utf8')}`.slice(-2000);
    });
  const ended = once(child, 'exit').then(([code]) => ({ code: (code as number | null) ?? undefined, said, facts }));
  return { child, facts, ended, told: (fact, times) => new Promise((done) => waiting.push({ fact, times, done })) };
}

/**
 * Kills a run with its whole process group at a moment of chance: by the clock, or shortly after it has told one thing or
 * another, so that start-up, recovery, claiming, measuring, recording and merging are all cut through, on a busy machine too.
 */
export async function killSomewhere(victim: Victim, chance: Chance): Promise<Ended> {
  const way = chance.number(1);
  const clock = chance.number(400);
  const times = 1 + Math.floor(chance.number(8));
  const fact = chance.pick(['recovered', 'spec', 'claim', 'experiment', 'best-moved', 'best-moved']) ?? 'any';
  const delay = chance.happens(0.5) ? chance.number(8) : chance.number(60);
  const told = way < 0.75 ? victim.told('any', times) : victim.told(fact, 1);
  const moment = way < 0.25 ? wait(clock) : Promise.race([told.then(() => wait(delay)), wait(6000)]);
  await Promise.race([moment, victim.ended]);
  return killGroup(victim);
}

async function killGroup({ child, ended }: Victim): Promise<Ended> {
  const pid = child.pid as number;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It had ended by itself.
  }
  const how = await ended;
  for (let tries = 0; tries < 100 && groupExists(pid); tries++) await wait(1);
  return how;
}

function groupExists(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Ends what a killed run left running outside of its group, as a machine that goes down does. */
export async function endEverything(scene: Scene): Promise<void> {
  for (const { pid } of processesIn(scene.org.dir)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone meanwhile.
    }
  }
  for (let tries = 0; tries < 100 && processesIn(scene.org.dir).length > 0; tries++) await wait(2);
}

/** Which of these processes are still there. */
export function stillThere(scene: Scene, before: readonly Process[]): Process[] {
  const now = processesIn(scene.org.dir);
  return before.filter((one) => now.some(({ pid, start: began }) => pid === one.pid && began === one.start));
}
