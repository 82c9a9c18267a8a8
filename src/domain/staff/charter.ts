import type { Place } from '../../text/problem.ts';
import type { Effort, ModelId } from '../words/model-id.ts';

/** A value of the org, with the person's reason for it and where it was said: `ORG.md:12`, `preset startup`, `default`. */
export interface Setting<T> {
  readonly value: T;
  readonly why?: string | undefined;
  readonly from: string;
}

/** The values of settings, without where they were said. */
export type ValuesOf<Settings> = {
  readonly [Key in keyof Settings]: NonNullable<Settings[Key]> extends Setting<infer T> ? T : never;
};

export const culturePresets = ['startup', 'enterprise', 'agency', 'research', 'military', 'remote-async'] as const;
export type CulturePreset = (typeof culturePresets)[number];

/** How the org speaks: when an escalation goes up, what is written down meanwhile, and how deep it may be. */
export interface Culture {
  readonly preset: Setting<CulturePreset | undefined>;
  readonly communication: Setting<string>;
  /** At once; at the full hour after; or when a spec's attempts are used up. */
  readonly escalation: Setting<'immediate' | 'hourly' | 'delayed'>;
  readonly progress: Setting<'every-attempt' | 'phase-change' | 'on-request'>;
  /** Whether an agent that claims a spec must say so before working on it, and how soon. */
  readonly ack: Setting<boolean>;
  readonly ackWithinMs: Setting<number>;
  /** Levels of the chart, a person at the top not counted. */
  readonly hierarchy: Setting<{ readonly min: number; readonly max: number }>;
  readonly context: string;
}

export const sdlcPresets = ['standard', 'strict', 'solo', 'research'] as const;
export type SdlcPreset = (typeof sdlcPresets)[number];

/** How a change comes to the trunk. That no branch is an orphan is nobody's to change. */
export interface Sdlc {
  readonly preset: Setting<SdlcPreset | undefined>;
  readonly branching: Setting<'trunk' | 'feature'>;
  /** `<role>/<feature>`; undefined where land may name it as it likes. */
  readonly branchNaming: Setting<string | undefined>;
  /** Whether `land` may move the trunk itself; otherwise it makes a branch for a pull request. */
  readonly directPush: Setting<boolean>;
  readonly pullRequests: Setting<'required' | 'optional'>;
  readonly target: Setting<string | undefined>;
  /** Whether what is kept must be approved by somebody who did not make it, whatever its risk. */
  readonly review: Setting<boolean>;
  /** Changed lines: above `soft` there is a warning, above `hard` a refusal. */
  readonly mostLines: Setting<{ readonly soft: number | undefined; readonly hard: number | undefined }>;
  /** What must pass before `land`: commands that stood in backticks, and words that only people can judge. */
  readonly preMerge: Setting<readonly SdlcGate[]>;
  readonly verification: Setting<'none' | 'manual' | 'smoke' | 'full'>;
  readonly workspace: Setting<'worktree-per-agent' | 'clone-per-agent' | 'shared'>;
  /** Where people want agents' worktrees, by agent. orgrepo keeps them in `.worktrees/`; plan says so. */
  readonly worktrees: ReadonlyMap<string, string>;
  readonly context: string;
}

export interface SdlcGate {
  readonly words: string;
  readonly command: string | undefined;
}

/** A part of the file that has a name of its own, with its prose. */
interface Named {
  readonly name: string;
  readonly context: string;
  readonly place: Place;
}

/** Somebody of the org who is a person: nobody starts a process for them. */
export interface Person extends Named {
  readonly id: string;
  /** What only they may say yes to; `*` for everything. */
  readonly approves: readonly string[];
  readonly mayPause: boolean;
  /** Their addresses in git, in small letters: a commit from one of them is theirs. */
  readonly addresses: readonly string[];
}

/** One agent of the org, by its role. `Count: 3` has become three of them. */
export interface Member extends Named {
  /** `frontend-worker-2`: a branch, a directory and an author can be called so. */
  readonly id: string;
  /** 1 to 10. */
  readonly level: number;
  /** The id of its department; undefined for those beside or above all of them. */
  readonly department: string | undefined;
  /** The id of an agent or a person; undefined for nobody. */
  readonly reportsTo: string | undefined;
  readonly domains: readonly string[];
  /** What runs: pinned. Undefined where nothing is said: then the brief's own agent does. */
  readonly model: ModelId | undefined;
  /** As it was written: `claude-sonnet`, `same-as-lead`. */
  readonly modelWords: string | undefined;
  /** How hard its model is to think; undefined where the role does not say it. */
  readonly effort?: Effort | undefined;
  /** Its share of what a period may cost, where the role says it. */
  readonly limit: Quantity | undefined;
  /** The role it comes from, and which one of it: 1 of 1 where there is no count. */
  readonly role: { readonly name: string; readonly index: number; readonly count: number };
  /** The agent that spawned it; undefined for those that the file names. */
  readonly spawnedBy?: string | undefined;
}

export interface Department extends Named {
  readonly id: string;
  readonly lead: string | undefined;
  readonly goal: string | undefined;
  /** Agents at the most. */
  readonly cap: Setting<number> | undefined;
}

/** `1000 credits/period`: a number with its unit. */
export interface Quantity {
  readonly amount: number;
  readonly unit: 'usd' | 'credits' | 'tokens';
}

export type Period = 'day' | 'week' | 'month';

export interface BudgetPolicy {
  readonly perAgent: Setting<Quantity> | undefined;
  /** Of all agents together. */
  readonly total: Setting<Quantity> | undefined;
  readonly period: Setting<Period>;
  /** 0 to 1. */
  readonly alertAt: Setting<number>;
  readonly overage: Setting<'pause' | 'warn' | 'stop'>;
  /** What a single act may cost before a person is asked, in dollars. */
  readonly singleAct: Setting<number> | undefined;
  /** Dollars a month for what tools say that they pay (`amount_usd`), of all agents together. */
  readonly tools: Setting<number> | undefined;
}

export const acts = ['create', 'spawn', 'review', 'delegate', 'escalate'] as const;
export type Permitted = (typeof acts)[number];

/** From which level on each is allowed; 0 for everybody. */
export type Permissions = Readonly<Record<Permitted, Setting<number>>>;

export interface WorkingHours {
  /** Minutes from midnight; `from` after `to` is over midnight. */
  readonly from: number;
  readonly to: number;
  /** Such as `Europe/Vienna`; UTC where nothing is said. */
  readonly zone: string;
  /** Whether work of critical priority goes on outside of them. */
  readonly criticalAnyway: boolean;
  readonly origin: string;
}

/** A policy that has no fixed meaning in the specification, such as Client SLA; what of it is enforced stands in `rules`. */
export interface NamedPolicy extends Named {
  readonly items: readonly { readonly key: string | undefined; readonly value: string; readonly place: Place }[];
  readonly rules: readonly SlaRule[];
}

/** In cycles; a cycle is one attempt's budget (`budget.agent` and `budget.experiment`). */
export interface SlaRule {
  readonly of: 'critical' | 'normal' | 'all';
  readonly what: 'response' | 'completion' | 'progress';
  readonly cycles: number;
  readonly place: Place;
}

export interface CharterPolicies {
  readonly budget: BudgetPolicy;
  readonly permissions: Permissions;
  /** No department may exceed this many without a person's word. */
  readonly anyDepartment: Setting<number> | undefined;
  readonly hours: WorkingHours | undefined;
  readonly named: readonly NamedPolicy[];
  /** Prose of Task Routing and the like, for managers. */
  readonly context: string;
}

export interface Playbook extends Named {
  readonly steps: readonly string[];
}

/** A part of the file that has no meaning for us: it is kept, and shown. */
export interface OtherSection extends Omit<Named, 'context'> {
  readonly text: string;
}

/** The organisation as people wrote it: ORG.md or org.yaml as values, every default and preset filled in. */
export interface Charter {
  readonly name: string;
  /** `ORG.md`, `org.yaml`; undefined for the default org. */
  readonly file: string | undefined;
  readonly mission: string;
  /** Prose and facts of Identity, for every agent. */
  readonly identity: string;
  readonly culture: Culture;
  readonly sdlc: Sdlc;
  readonly people: readonly Person[];
  readonly departments: readonly Department[];
  /** In the order of the file. */
  readonly members: readonly Member[];
  readonly policies: CharterPolicies;
  readonly playbooks: readonly Playbook[];
  /** The org's own names for pinned models. */
  readonly models: ReadonlyMap<string, ModelId>;
  readonly logEveryToolCall: boolean;
  readonly others: readonly OtherSection[];
}

/** The agent at the top of the chart: nobody but a person is above it. The highest level, the first of several. */
export function topOf({ members, people }: Pick<Charter, 'members' | 'people'>): Member | undefined {
  const persons = new Set(people.map(({ id }) => id));
  const tops = members.filter(({ reportsTo }) => reportsTo === undefined || persons.has(reportsTo));
  return tops.reduce<Member | undefined>(
    (top, one) => (top === undefined || one.level > top.level ? one : top),
    undefined,
  );
}
