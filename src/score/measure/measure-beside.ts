import { availableParallelism } from 'node:os';
import type PQueue from 'p-queue';
import type { Fact } from '../../domain/words/fact.ts';
import { agentsRunning, stopAgents, watchNeighbours } from '../../process/neighbours.ts';
import { nowInSeconds, pace } from '../../process/pace.ts';
import type { Org } from '../../records/org.ts';
import type { Measured } from './trial.ts';

/** What a run knows of those who disturb its measurements. */
interface Quiet {
  debtMs: number;
  /** How often each agent has disturbed one, and with which processes; and whether the run has said so. */
  readonly noisy: Map<string, { times: number; pids: ReadonlySet<number>; isSaid: boolean }>;
  readonly turn: ReturnType<typeof openSharedTurn>;
}

/** Waits while another lane measures alone; the answer gives the turn back. */
export const takeTurn = (org: Org): Promise<() => void> => quietOf(org).turn.enter(false);

const known = new WeakMap<Org, Quiet>();

function quietOf(org: Org): Quiet {
  const quiet = known.get(org) ?? { debtMs: 0, noisy: new Map(), turn: openSharedTurn() };
  known.set(org, quiet);
  return quiet;
}

/** So often an agent may disturb a measurement; then its processes are stopped during measurements, until they have ended. */
const mostTimes = 3;

/**
 * Measures, and says who used more CPU meanwhile than a noisy metric can bear. `alone`: no other lane measures, and every agent's processes
 * are stopped.
 */
export async function measureBeside(
  night: Pick<Measuring, 'org' | 'say'>,
  slots: number,
  alone: boolean,
  run: () => Promise<Measured>,
) {
  const quiet = quietOf(night.org);
  const leave = await quiet.turn.enter(alone);
  const goOn = stopAgents(alone ? agentsRunning().keys() : stillNoisy(quiet));
  const begun = performance.now();
  const watch = watchNeighbours(pace().neighboursMs);
  try {
    const trial = await run();
    const { agents, rooms, orgrepo } = watch.used();
    const others = [...rooms].filter(([room]) => !trial.rooms.includes(room));
    const lanes = others.reduce((sum, [, ms]) => sum + ms, 0);
    const used = { wallMs: performance.now() - begun, agents, lanes, orgrepo };
    const judged = judgeBeside(used, { cores: availableParallelism(), slots }, quiet.debtMs);
    quiet.debtMs = judged.debtMs;
    if (judged.disturbance !== undefined) blame(night, quiet, judged.disturbance);
    return { trial, disturbance: judged.disturbance };
  } finally {
    watch.end();
    goOn();
    leave();
  }
}

/** The agents whose processes have disturbed often enough and still run. One that starts anew is stopped at its first disturbance. */
function stillNoisy({ noisy }: Quiet): readonly string[] {
  const running = agentsRunning();
  for (const [name, one] of noisy) {
    const isGone = ![...one.pids].some((pid) => running.get(name)?.has(pid));
    if (isGone) one.times = Math.min(one.times, mostTimes - 1);
  }
  return [...noisy].flatMap(([name, { times }]) => (times >= mostTimes ? [name] : []));
}

function blame(night: Pick<Measuring, 'say'>, { noisy }: Quiet, disturbance: Disturbance): void {
  for (const agent of disturbance.agents) {
    const before = noisy.get(agent) ?? { times: 0, isSaid: false };
    const times = before.times + 1;
    const isSaid = times >= mostTimes;
    noisy.set(agent, { times, pids: agentsRunning().get(agent) ?? new Set(), isSaid: isSaid || before.isSaid });
    if (!isSaid || before.isSaid) continue;
    const message = `${disturbanceInWords({ ...disturbance, agents: [agent] })}, the third time: the processes of ${agent} are stopped during measurements until they end, and their deadline waits`;
    night.say({ kind: 'warning', at: nowInSeconds(), message });
  }
}

/** A place that many share, or one has alone. */
export function openSharedTurn() {
  let inside = 0;
  let isTaken = false;
  const waiting: { readonly alone: boolean; readonly come: () => void }[] = [];
  const admit = (): void => {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if (isTaken || (next.alone && inside > 0)) return;
      waiting.shift();
      inside += 1;
      isTaken = next.alone;
      next.come();
    }
  };
  return {
    /** Waits until there is room; the answer gives it back. One that waits to be alone is not overtaken by those that come later. */
    enter: async (alone: boolean): Promise<() => void> => {
      await new Promise<void>((come) => {
        waiting.push({ alone, come });
        admit();
      });
      return () => {
        inside -= 1;
        isTaken = false;
        admit();
      };
    },
  };
}

/** CPU time that was used beside a measurement, in milliseconds. */
export interface CpuBeside {
  readonly wallMs: number;
  /** By the processes of agents, by name. */
  readonly agents: ReadonlyMap<string, number>;
  /** By what other lanes measure. */
  readonly lanes: number;
  /** By orgrepo itself, and the git that it starts. */
  readonly orgrepo: number;
}

/** The processes that used more than a measurement can bear. */
export interface Disturbance {
  readonly kind: 'agents' | 'lanes' | 'orgrepo';
  /** The agents, heaviest first; empty for the other kinds. */
  readonly agents: readonly string[];
  readonly usedMs: number;
  readonly mostMs: number;
}

/** What all agents' processes together may use, as a share of one core. docs/jail.md has the measurement behind it. */
const agentsShare = 0.1;

/** The most CPU time above the share that later quiet has not made up for: two ticks of the kernel may be a rounding error. */
const mostDebtMs = 20;

/** What orgrepo itself may use: it is one thread, and what agents offer it to read costs time. */
const ownCores = 1;

/** A lane builds its next cell while it measures. */
const laneSlack = 1.25;

/** Starting and laying out take about so long, however short a measurement is. */
const ownMs = 50;

/**
 * Judges a measurement by what ran beside it. The debt of agents goes from one measurement to the next, so that short ones, whose time the
 * kernel counts too coarsely, do not hide a little each.
 */
export function judgeBeside(
  used: CpuBeside,
  machine: { readonly cores: number; readonly slots: number },
  debtMs: number,
): { readonly disturbance: Disturbance | undefined; readonly debtMs: number } {
  const { wallMs, agents } = used;
  const usedMs = [...agents.values()].reduce((sum, ms) => sum + ms, 0);
  const debt = Math.max(0, debtMs + usedMs - agentsShare * wallMs);
  if (debt > mostDebtMs) {
    const heaviest = [...agents].filter(([, ms]) => ms >= usedMs / agents.size).sort(([, a], [, b]) => b - a);
    const mostMs = agentsShare * wallMs;
    const names = heaviest.map(([name]) => name);
    return { disturbance: { kind: 'agents', agents: names, usedMs, mostMs }, debtMs: 0 };
  }
  const over = (kind: 'lanes' | 'orgrepo', mostMs: number): Disturbance | undefined =>
    used[kind] > mostMs ? { kind, agents: [], usedMs: used[kind], mostMs } : undefined;
  // A person who gives a machine several slots wants each to have its share of the cores.
  const share = laneSlack * ((machine.slots - 1) / machine.slots) * machine.cores;
  const disturbance = over('lanes', share * wallMs + ownMs) ?? over('orgrepo', ownCores * wallMs + ownMs);
  return { disturbance, debtMs: debt };
}

/** The name of the disturber for a trailer, as one word. */
export const disturberOf = ({ kind, agents }: Disturbance): string => (kind === 'agents' ? agents.join('+') : kind);

export const disturbanceInWords = ({ kind, agents, usedMs, mostMs }: Disturbance): string => {
  const others = { agents: agents.join(' and '), lanes: 'the measurements of other lanes', orgrepo: 'orgrepo itself' };
  return `${others[kind]} used ${seconds(usedMs)} of CPU during the measurement (at most ${seconds(mostMs)})`;
};

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

/** What a measurement needs of the run that it belongs to. */
export interface Measuring {
  readonly org: Org;
  /** Measurements take a slot; thinking does not. */
  readonly slots: PQueue;
  /** Cancels whatever runs. */
  readonly signal: AbortSignal;
  readonly say: (fact: Fact) => void;
}
