import type { Charter, Member } from '../../domain/staff/charter.ts';
import { agentsWithDuty, chiefFor, choiceOf, postsOf } from '../../domain/staff/staff.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import type { PolicyDecider } from '../../policy/policy-decider.ts';
import type { NightModels } from './night-models.ts';

/** The organisation in force: the brief, the chart and the policies that the run follows now. Only adopt-org changes it. */
export interface NightInForce {
  pinned: PinnedBrief;
  /** The agents that work specs now; each has a lane. */
  juniors: readonly string[];
  /** Everybody who belonged to the org in this run: what one of them wrote is not a person's decision. */
  readonly agents: Set<string>;
  /** Agents that were taken out of the chart and have a spec to end, as the chart had them. */
  readonly leavers: Map<string, Member>;
  /** The agents that hold a spec now: one that leaves the chart finishes its spec first. */
  readonly busy: () => ReadonlySet<string>;
  /** The commit of the organisation, how many agents its leads had spawned, the policies that were adopted, and when we last looked. */
  readonly applied: {
    commit: string | undefined;
    spawned: number;
    policies: string | undefined;
    at: number;
    turn: Promise<unknown>;
  };
  /** The trunk's tree that this run was started with, and its last commit that was looked at for a changed brief. */
  readonly trunk: { readonly tree: string; looked: string };
  /** Opens a lane for everybody who has none yet, and for those who join while their last one ends; the loop sets it. */
  openLanes: (joining?: readonly string[]) => void;
  /** Decides every act by the policies. */
  readonly policies: PolicyDecider;
  /** Asks models, and keeps the books of what they cost. */
  readonly office: NightModels;
}

/** What is read of the organisation before policies and models are opened over it. */
export type InForceAtStart = Omit<NightInForce, 'policies' | 'office'>;

export function openInForce(
  pinned: PinnedBrief,
  applied: { readonly commit: string | undefined; readonly spawned: number },
  trunk: { readonly tree: string; readonly tip: string },
  busy: () => ReadonlySet<string>,
): InForceAtStart {
  return {
    pinned,
    juniors: agentsWithDuty(pinned.brief, 'junior'),
    agents: new Set(postsOf(pinned.brief).map(({ id }) => id)),
    leavers: new Map(),
    busy,
    applied: { ...applied, policies: applied.commit, at: 0, turn: Promise.resolve() },
    trunk: { tree: trunk.tree, looked: trunk.tip },
    openLanes: () => {},
  };
}

/** Tells whether a junior is a person: orgrepo starts no process for them, and they offer their work. */
export const isPerson = ({ pinned }: Pick<NightInForce, 'pinned'>, junior: string): boolean =>
  choiceOf(pinned.brief.staff, junior).kind === 'human';

/** Tells whether an agent still belongs to the org; one that was taken out of it finishes its spec. */
export const worksHere = ({ juniors }: NightInForce, junior: string): boolean => juniors.includes(junior);

/** The chart with those who leave it: what it says of them holds until they are gone. */
export function chartNow({ pinned, leavers }: Pick<NightInForce, 'pinned' | 'leavers'>): Charter | undefined {
  const charter = pinned.charter?.charter;
  if (charter === undefined || leavers.size === 0) return charter;
  const here = new Set(charter.members.map(({ id }) => id));
  return { ...charter, members: [...charter.members, ...[...leavers.values()].filter(({ id }) => !here.has(id))] };
}

/** The chief that writes the specs of an agent; undefined if only people do. */
export const chiefOf = ({ pinned }: NightInForce, agent: string): string | undefined =>
  chiefFor(pinned.brief.staff, agent);

/** Tells whether an agent writes specs. */
export const isChief = ({ pinned }: NightInForce, agent: string): boolean =>
  agentsWithDuty(pinned.brief, 'chief').includes(agent);

/** Tells whether something is true of every agent that works by itself: then the run has nobody left. People come when they like. */
export function areAll(inForce: NightInForce, is: (junior: string) => boolean): boolean {
  const started = inForce.juniors.filter((junior) => !isPerson(inForce, junior));
  return started.length > 0 && started.every(is);
}
