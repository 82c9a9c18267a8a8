import type { SearchReach } from '../agents/search/search-reach.ts';
import type { Charter, Member } from '../domain/staff/charter.ts';
import { apiOf, choiceInWords, type Duty, type ModelApi, type Post, postsOf } from '../domain/staff/staff.ts';
import type { Brief } from '../domain/words/brief.ts';
import type { Effort } from '../domain/words/model-id.ts';
import type { Checked } from '../score/measure/check-harness.ts';
import type { Problem } from '../text/problem.ts';

/** Something that a run would do otherwise than the last one. */
export interface PlannedChange {
  readonly kind: 'add' | 'remove' | 'change';
  /** `brief`, `harness`, `budget.night`, `agents.junior-3`, `culture.escalation`. */
  readonly what: string;
  readonly from?: string;
  readonly to?: string;
}

export interface PlannedAgent extends Omit<Post, 'choice'> {
  /** What it does first of all. */
  readonly level: Duty;
  /** `search`, or the command that a person named. */
  readonly agent: string;
  /** The id of its model, where it has one. */
  readonly model: string | undefined;
  /** What its model is asked through, at another place than its provider's. */
  readonly api: ModelApi | undefined;
  readonly effort: Effort | undefined;
  /** What the chart says of it; undefined for those that the brief brings along. */
  readonly member: Member | undefined;
}

/** What a run would be, before it is started. */
export interface Plan {
  readonly name: string;
  /** Undefined when nothing has run here yet. */
  readonly lastRun: string | undefined;
  /** The brief's file. */
  readonly file: string;
  readonly brief: Brief;
  readonly briefId: string;
  readonly harness: { readonly id: string; readonly files: number };
  /** The organisation that people wrote down, where they have. */
  readonly charter: Charter | undefined;
  readonly agents: readonly PlannedAgent[];
  /** What the night starts from; undefined when it was not measured. */
  readonly start: Pick<NonNullable<Checked['start']>, 'score' | 'seconds' | 'fromBest'> | undefined;
  /** What search agents can change; undefined where none work. */
  readonly search: SearchReach | undefined;
  readonly changes: readonly PlannedChange[];
  readonly logins: readonly UsedLogin[];
  readonly warnings: readonly Problem[];
}

/** A person's own login to a program, and the agents that work with it. */
export interface UsedLogin {
  readonly program: string;
  /** Where it is. */
  readonly from: string;
  /** When it ends, in seconds since 1970, where that is known. */
  readonly until: number | undefined;
  readonly agents: readonly string[];
  /** The variable of a key that is set as well, and not used for them. */
  readonly unused: string | undefined;
}

/** `claude by your subscription, with CLAUDE_CODE_OAUTH_TOKEN; ANTHROPIC_API_KEY is set too, and not used for it`. */
export function loginInWords({ program, from, unused }: UsedLogin, forWhom = ''): string {
  const also = unused === undefined ? '' : `; ${unused} is set too, and not used for it`;
  return `${program} by your subscription, with ${from}${forWhom}${also}`;
}

/** The staff under a brief: those that write specs, work them, challenge plans and look at what is kept. */
export function agentsOf(brief: Brief, charter?: Charter | undefined): readonly PlannedAgent[] {
  const members = new Map(charter?.members.map((member) => [member.id, member]));
  return postsOf(brief).map(({ id, duties, reportsTo, choice }) => ({
    ...{ id, level: duties[0] ?? 'junior', duties, reportsTo, agent: choiceInWords(choice) },
    effort: choice.kind === 'api' ? choice.effort : undefined,
    model: 'model' in choice ? choice.model?.id : undefined,
    api: choice.kind === 'api' && choice.baseUrl !== undefined ? apiOf(choice) : undefined,
    member: members.get(id),
  }));
}

/** The words for an agent when it changes: `search`, or with a chart `search, L5 of engineering, reports to cto`. */
export function agentInWords({ agent: name, effort, member }: PlannedAgent): string {
  const agent = withEffort(name, effort);
  if (member === undefined) return agent;
  const { level, department, reportsTo, domains, limit } = member;
  return [
    agent,
    `L${level}${department === undefined ? '' : ` of ${department}`}`,
    ...(reportsTo === undefined ? [] : [`reports to ${reportsTo}`]),
    ...(domains.length === 0 ? [] : [`domain ${domains.join(' and ')}`]),
    ...(limit === undefined ? [] : [`${limit.amount} ${limit.unit}`]),
  ].join(', ');
}

export const withEffort = (agent: string, effort: Effort | undefined): string =>
  effort === undefined ? agent : `${agent} with effort ${effort}`;

/** Whether a change is one of the organisation: those are what `apply` puts into force. */
export const isOrgChange = ({ what }: PlannedChange): boolean =>
  /^(?:agents|culture|sdlc|policies|departments|people|playbooks|prose|signers)(?:\.|$)/.test(what);

/** What differs between two lists of values, in the order of the newer one. */
export function changesBetween(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly PlannedChange[] {
  const now = [...after].flatMap(([what, to]): PlannedChange[] => {
    const from = before.get(what);
    if (from === undefined) return [{ kind: 'add', what, to }];
    return from === to ? [] : [{ kind: 'change', what, from, to }];
  });
  const gone = [...before].filter(([what]) => !after.has(what));
  return [...now, ...gone.map(([what, from]): PlannedChange => ({ kind: 'remove', what, from }))];
}
