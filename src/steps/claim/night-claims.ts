import type { Spec } from '../../domain/words/spec.ts';
import { shortRef, workRef } from '../../git/refs/ref-names.ts';
import type { SpentByModel } from '../../records/entry.ts';
import type { Org } from '../../records/org.ts';
import { formatLiveBranches, type LiveBranch, type Queue } from '../../records/queue/queue.ts';
import { openDelegations, type Queued } from '../../records/queue/spec-events.ts';
import type { Left } from '../recover/recover.ts';
import type { FinishedSpec } from './claim.ts';

/** The claims at hand: which specs are worked on, by whom, and which wait. All of it can be read again from git. */
export interface NightClaims {
  /** Specs that an agent works on now, for the table on the queue branch. */
  readonly live: Map<string, LiveBranch>;
  /** What each agent has finished and the queue still holds. */
  readonly finished: Map<string, FinishedSpec>;
  /** Open specs that were delegated: to whom, and why. */
  readonly delegated: Map<string, Delegated>;
  /** The agent that a model named for a spec. It is asked once. */
  readonly asked: Map<string, Sharing>;
  /** When each spec was claimed, on this process's own clock. */
  readonly claimedAt: Map<string, number>;
  /** Open specs that wait for an agent that may yet come. */
  waitingSpecs: ReadonlySet<string>;
  /** For what the policies promise: when specs came, when progress was last reported, and when we last looked. */
  readonly promises: {
    readonly queued: Queued;
    readonly reported: Map<string, { readonly at: number; readonly attempts: number }>;
    lookedAt: number;
  };
}

export interface Delegated {
  readonly to: string;
  readonly why: string;
}

/** The agent that a model gives a spec to, and why; without a name, why it named nobody who can have it. */
export interface Sharing {
  readonly to: string | undefined;
  readonly why: string;
  readonly spent?: SpentByModel | undefined;
}

export async function openClaims(org: Org, queue: Queue, left: readonly Left[], hasChart: boolean) {
  const claims: NightClaims = {
    live: new Map(),
    finished: new Map(),
    delegated: hasChart ? await openDelegations(org, queue) : new Map(),
    asked: new Map(),
    claimedAt: new Map(),
    waitingSpecs: new Set(),
    promises: { queued: { tip: '', at: new Map() }, reported: new Map(), lookedAt: 0 },
  };
  for (const { spec, notebook } of left) showLive(claims, spec, notebook.agent, 'claimed', notebook.line.score);
  return claims;
}

/** The state of a spec in the table on the queue while only a person can go on with it. */
export const waitingState = 'waits for a person';

/** Shows an agent's work on a spec in the table on the queue. */
export function showLive(
  { live }: Pick<NightClaims, 'live'>,
  spec: Spec,
  agent: string,
  state: 'claimed' | typeof waitingState,
  bestScore: number | undefined,
): void {
  live.set(spec.id, {
    branch: shortRef(workRef(spec.id)),
    agent,
    spec: `${spec.id} ${spec.title}`,
    state,
    bestScore: bestScore !== undefined && Number.isFinite(bestScore) ? bestScore : undefined,
    lastChange: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
  });
}

/** Takes the specs that an agent holds out of the table: its lane broke. */
export function hideAllOf({ live }: Pick<NightClaims, 'live'>, agent: string): void {
  for (const [spec, row] of live) if (row.agent === agent) live.delete(spec);
}

export const liveFile = ({ live }: Pick<NightClaims, 'live'>): ReadonlyMap<string, string> =>
  new Map([['branches.md', formatLiveBranches([...live.values()])]]);
