import type PQueue from 'p-queue';
import type { RunLimits } from '../../domain/rules/stopping-rules.ts';
import type { CulturePreset, Member } from '../../domain/staff/charter.ts';
import type { TamperCheck } from '../../git/tamper-check.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import type { PolicyDecider } from '../../policy/policy-decider.ts';
import type { Measuring } from '../../score/measure/measure-beside.ts';
import type { NightTally } from '../attempt/night-tally.ts';
import type { NightClaims } from '../claim/night-claims.ts';
import type { NightStanding } from '../standing/night-standing.ts';
import type { NightModels } from './night-models.ts';

/** One run of the org, from start to report, in five parts. A function takes the parts it needs. */
export interface Night {
  /** Fixed when the run starts. */
  readonly run: RunConstants;
  /** The organisation in force; written by `steps/night`. */
  readonly inForce: NightInForce;
  /** The claims at hand; written by `steps/claim`. */
  readonly claims: NightClaims;
  /** Whether each agent may go on; written by `steps/standing`. */
  readonly standing: NightStanding;
  /** The results so far; written by `steps/attempt`. */
  readonly tally: NightTally;
}

/** What it takes to tell by what the run knows whether an agent may go on. */
export type KnownParts = Pick<Night, 'inForce' | 'standing'>;

/** The same, and to look it up and say so. */
export type StandingParts = Pick<Night, 'run' | 'inForce' | 'standing'>;

/** What claiming a spec takes: all but the results. */
export type ClaimParts = Pick<Night, 'run' | 'inForce' | 'claims' | 'standing'>;

/** What an attempt at a spec takes: all but the claims. */
export type AttemptParts = Pick<Night, 'run' | 'inForce' | 'standing' | 'tally'>;

/** What it takes to look at the results so far, and to add one. */
export type ResultParts = Pick<Night, 'run' | 'tally'>;

/** The same with what a verdict means for its agent. */
export type VerdictParts = Pick<Night, 'run' | 'standing' | 'tally'>;

/** What is fixed when a run starts: its org, its limits and its seed, and the queues that its lanes share. */
export interface RunConstants extends Measuring {
  /** `2026-11-15`, and `2026-11-15-2` for the second run of a day. */
  readonly id: string;
  readonly seed: string;
  readonly limits: RunLimits;
  /** True if a person started the run from the trunk's sandbox instead of best. */
  readonly startedOver: boolean;
  readonly startedAt: number;
  /** From `--culture`, for this run. */
  readonly culture: CulturePreset | undefined;
  /** One lane at a time may move orgrepo/best. */
  readonly bestQueue: PQueue;
  /** The settings that git obeys in this repository, as they were when the run began. */
  readonly tamperCheck: TamperCheck;
  /** The last experiment before this run. */
  readonly runFrom: number;
  /** The tree that was best when the run began: the report compares with it. */
  readonly base: string;
  /** True if this machine gives best another score than the recorded one. */
  readonly drifted: boolean;
  /** Writes on their way to disk that no lane waits for yet; a lane waits for them when it ends. */
  readonly underway: Set<Promise<unknown>>;
}

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
  /** Adopts at once what was applied, and agents that a lead has spawned. */
  readonly adopt: () => Promise<void>;
  /** Decides every act by the policies. */
  readonly policies: PolicyDecider;
  /** Asks models, and keeps the books of what they cost. */
  readonly models: NightModels;
}

/** What is read of the organisation before policies and models are opened over it. */
export type InForceAtStart = Omit<NightInForce, 'adopt' | 'policies' | 'models'>;
