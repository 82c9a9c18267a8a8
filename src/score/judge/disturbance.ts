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

/** Who used more than a measurement can bear. */
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
  const who = { agents: agents.join(' and '), lanes: 'the measurements of other lanes', orgrepo: 'orgrepo itself' }[
    kind
  ];
  return `${who} used ${seconds(usedMs)} of CPU during the measurement (at most ${seconds(mostMs)})`;
};

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
