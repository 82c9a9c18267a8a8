import type { Begun, OrderWord, Presence } from '../../domain/staff/presence.ts';
import { postsOf } from '../../domain/staff/staff.ts';
import { type Trust, trustIn, trustOf } from '../../domain/staff/trust.ts';
import { excuse, type SpecTask } from '../../domain/words/task.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import type { SpentByModel } from '../../records/entry.ts';
import type { Org } from '../../records/org.ts';
import { openDelegations } from '../../records/queue/delegations.ts';
import type { Queue } from '../../records/queue/queue.ts';
import type { Queued } from '../../records/queue/queued.ts';
import { recentTasks } from '../../records/queue/tasks.ts';
import { readExcused } from '../../records/requests/escalations.ts';
import type { Awaited } from '../standing/awaited.ts';
import type { ClaimRefusal } from '../standing/claim-refusals.ts';
import type { RunMemory } from './night.ts';

/** What the rules of the org need to know of a night while it goes on. All of it can be read again from git. */
export interface Floor {
  /** Everybody who was of the org this night: what somebody wrote who has left it is not a person's word. */
  readonly agents: Set<string>;
  /** Specs that are finished: what trust rests on. */
  readonly tasks: SpecTask[];
  trusts: { readonly of: number; readonly by: ReadonlyMap<string, Trust> };
  /** Who gave which of them back as none of their field, and how often somebody had asked or answered when that was read. */
  excused: { readonly acts: number; readonly by: ReadonlyMap<string, readonly string[]> };
  /** Attempts of the last hour, for those who may only begin so many. */
  begun: Begun[];
  /** Open specs that were delegated: to whom, and why. */
  readonly delegated: Map<string, Delegated>;
  /** What a model said to whom a spec shall be given, by the spec. It is asked once. */
  readonly asked: Map<string, Sharing>;
  /** When each was claimed, on this process's own clock. */
  readonly claimedAt: Map<string, number>;
  /** Claims that policies refused, by spec and agent: somebody else has to do it. */
  readonly refused: Map<string, Map<string, ClaimRefusal>>;
  /** Which of them there were when each agent last found nothing to do. */
  readonly refusalsSeen: Map<string, string>;
  /** Claims whose holder may not go on with them, and others may. */
  readonly handedBack: Set<string>;
  /** The same while their holder still ends what it had begun. */
  readonly leaving: Set<string>;
  /** What waits for a person's yes before it is begun. */
  readonly awaited: Awaited[];
  /** Open specs that wait for somebody who may yet come. */
  waiting: ReadonlySet<string>;
  /** What was told once and need not be told again. */
  readonly told: Set<string>;
  /** What was last said of those who are held up: several times a second nothing changes. */
  readonly heldUp: Map<string, string>;
  /** For what the policies promise: when specs came, when somebody last told of each, and when we last looked. */
  readonly promises: {
    readonly queued: Queued;
    readonly told: Map<string, { readonly at: number; readonly attempts: number }>;
    lookedAt: number;
  };
  /** What people's words come to, and the words it was read from. */
  presence: { readonly of: readonly OrderWord[]; readonly now: Presence };
}

export interface Delegated {
  readonly to: string;
  readonly why: string;
}

/** Whom a model gives a spec to and why; without a name, why it named nobody who can have it. */
export interface Sharing {
  readonly to: string | undefined;
  readonly why: string;
  readonly spent?: SpentByModel | undefined;
}

export async function openFloor(org: Org, queue: Queue, memory: RunMemory, pinned: PinnedBrief): Promise<Floor> {
  const hasChart = pinned.charter !== undefined;
  return {
    agents: new Set(postsOf(pinned.brief).map(({ id }) => id)),
    tasks: hasChart ? (await recentTasks(org, queue)).filter(({ endedAt }) => endedAt !== undefined) : [],
    trusts: { of: -1, by: new Map() },
    excused: await excusedAt(org, hasChart ? queue.ledger.acts : 0),
    // A restart counts by when their verdicts came: nobody wrote down when they began.
    begun: memory.experiments.map(({ agent, at }) => ({ agent, at })),
    delegated: hasChart ? await openDelegations(org, queue) : new Map(),
    asked: new Map(),
    claimedAt: new Map(),
    refused: new Map(),
    refusalsSeen: new Map(),
    handedBack: new Set(),
    leaving: new Set(),
    awaited: [],
    waiting: new Set(),
    told: new Set(),
    heldUp: new Map(),
    promises: { queued: { tip: '', at: new Map() }, told: new Map(), lookedAt: 0 },
    presence: { of: [], now: new Map() },
  };
}

/** How far an agent is trusted now. */
export function trustNow(floor: Floor, agent: string): Trust {
  if (floor.trusts.of !== floor.tasks.length)
    floor.trusts = { of: floor.tasks.length, by: trustIn(excuse(floor.tasks, floor.excused.by)) };
  return trustOf(floor.trusts.by, agent);
}

/** Takes up what was escalated or answered since: who is told to go on with a spec is not excused from it any more. */
export async function noteExcused(org: Org, floor: Floor, acts: number): Promise<void> {
  if (acts === floor.excused.acts) return;
  floor.excused = await excusedAt(org, acts);
  floor.trusts = { of: -1, by: new Map() };
}

const excusedAt = async (org: Org, acts: number): Promise<Floor['excused']> => ({
  acts,
  by: acts === 0 ? new Map() : await readExcused(org),
});

const hour = 3600;

export function noteBegun(floor: Floor, agent: string, at: number): void {
  if (floor.begun.length > 0 && (floor.begun[0]?.at ?? 0) <= at - hour)
    floor.begun = floor.begun.filter((one) => one.at > at - hour);
  floor.begun.push({ agent, at });
}

/** True the first time that something is to be told. */
export function isNews(floor: Floor, what: string): boolean {
  if (floor.told.has(what)) return false;
  floor.told.add(what);
  return true;
}
