import type { NeedsYou } from '../../domain/rules/request.ts';
import type { Rank } from '../../domain/staff/trust.ts';
import type { Direction } from '../../domain/words/brief.ts';
import type { Experiment, Tally } from '../../domain/words/experiment.ts';
import type { Gain } from '../../domain/words/score.ts';
import type { CapReached, NightSpent, Spent } from '../../domain/words/spent.ts';
import type { TakenWin } from '../../domain/words/taken.ts';
import type { CheckpointId } from '../../records/checkpoint-id.ts';
import type { Health } from '../advice/health-score.ts';
import type { Recommendation } from '../advice/recommend.ts';

/** The best tree that was measured. */
export interface BestKnown {
  readonly score: number;
  /** The experiment it came from; 0 is the baseline. */
  readonly n: number;
  readonly commit: string;
  /** True when its score was measured again since the experiment: on a new trunk, or by a changed brief or harness. */
  readonly remeasured?: true | undefined;
}

/** The facts that a night and this moment share. What is not known is undefined. */
interface OrgFacts {
  /** The org's name. */
  readonly name: string;
  readonly metric: string;
  readonly direction: Direction;
  /** 1 when candidates print their own score. */
  readonly stages?: 1 | undefined;
  readonly baseline?: number | undefined;
  readonly best?: BestKnown | undefined;
  readonly needsYou: readonly NeedsYou[];
  /** What the night has spent; undefined where no model was asked. */
  readonly spent?: NightSpent | undefined;
  /** The most that the night may cost, in dollars. */
  readonly usdCap?: number | undefined;
  /** Undefined where too few specs were worked to say anything. */
  readonly health?: Health | undefined;
  /** True where ORG.md or org.yaml says how the org works; elsewhere nobody asked how healthy it is. */
  readonly isCharted?: boolean | undefined;
  /** The newest one: two people whose ids of one number differ were shown two histories. */
  readonly checkpoint?: CheckpointId | undefined;
}

/** One night as the morning report sees it. Times are seconds since 1970. */
export interface NightStory extends OrgFacts {
  /** `2026-11-15` */
  readonly run: string;
  readonly startedAt: number;
  /** Undefined while the night goes on, and when it crashed. */
  readonly endedAt: number | undefined;
  /** True when nobody runs any more and it never ended. */
  readonly crashed?: boolean | undefined;
  /** Why it ended, in words. */
  readonly stopped: string;
  readonly target: number | undefined;
  /** The kind of agent that worked: `search`, or the command that a person named. */
  readonly agent: string;
  /** The same metric on what no agent is scored by: of the baseline and of the best. */
  readonly holdout: { readonly from?: number | undefined; readonly to?: number | undefined } | undefined;
  /** What it was worth, on pairs measured at its end. */
  readonly gain: Gain | undefined;
  /** Oldest first. */
  readonly experiments: readonly Experiment[];
  /** What best moved to in this night, oldest first, also what was replaced since. */
  readonly taken: readonly TakenWin[];
  /** True when the brief has a model asked; what was spent is undefined as long as none was. */
  readonly models?: boolean | undefined;
  /** How many changes on best could be landed. */
  readonly ready?: number | undefined;
  /** The cap that ended it. */
  readonly capped?: CapReached | undefined;
  /** What people might change, the most pressing first. */
  readonly recommendations?: readonly Recommendation[] | undefined;
}

/** How the org stands at this moment. Times are seconds. */
export interface Status extends OrgFacts {
  /** The remote whose org this is, as it was last fetched, in a clone that has not taken it up. */
  readonly remote?: string | undefined;
  readonly state: 'never' | 'running' | 'silent' | 'stopped' | 'crashed';
  readonly pid?: number | undefined;
  /** How long it has run, or how long ago it ended. */
  readonly since?: number | undefined;
  readonly heartbeatAgo?: number | undefined;
  readonly why?: string | undefined;
  readonly tally: Tally;
  /** How many of the keeps in it are wins that won once more, merged with best or in its place; undefined where that is not known. */
  readonly again?: number | undefined;
  /** How many wins are on best; undefined where that would take too long to find out. */
  readonly taken?: number | undefined;
  /** How many wins wait for a person; neither in the tally nor taken. */
  readonly waiting?: number | undefined;
  readonly agents: readonly {
    readonly id: string;
    readonly doing: string;
    readonly spec?: string | undefined;
    /** Its own, on whatever spec, of all experiments or of the last `agentsOfLast`. */
    readonly tried: number;
    readonly kept: number;
    /** Undefined where no model was asked on its behalf. */
    readonly spent?: Spent | undefined;
    /** 0 to 100, and what that makes of it, where the org has a chart. */
    readonly trust?: number | undefined;
    readonly rank?: Rank | undefined;
    /** The agent that looks after it, while it warms up. */
    readonly mentor?: string | undefined;
    /** Whether a person or the rules have paused or stopped it; and, also outside of the working hours, why it does not go on. */
    readonly presence?: 'paused' | 'stopped' | undefined;
    readonly held?: string | undefined;
  }[];
  /** Of how many experiments, the last ones, the agents' tries are counted; undefined where it is all there are. */
  readonly agentsOfLast?: number | undefined;
  /** How many attempts an hour people allow, for whom it is not everybody's affair: `Ann limited the org to 6 attempts an hour`. */
  readonly limits?: readonly string[] | undefined;
  readonly queue: { readonly open: number; readonly claimed: number };
  /** How many experiments ago best last moved; undefined where nothing was ever taken. */
  readonly lastKeepAgo?: number | undefined;
  /** How many of the last run's experiments came since then, and after how many it gives up. */
  readonly inVain?: number | undefined;
  readonly patience?: number | undefined;
  readonly paused: boolean;
  /** The person who has said so. */
  readonly pausedBy?: string | undefined;
}

/** The name under which a harness prints the held-out number. */
export const holdoutName = (metric: string): string => `holdout_${metric}`;
