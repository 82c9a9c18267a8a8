import type { Charter } from '../../domain/staff/charter.ts';
import type { Trust } from '../../domain/staff/trust.ts';
import type { Idleness, SpecTask } from '../../domain/words/task.ts';
import type { Edit } from '../../org/write/org-edit.ts';
import type { Use } from '../../spend/rules/allowance.ts';
import { agentRecommendations } from './recommend-agents.ts';
import { budgetRecommendations } from './recommend-budget.ts';
import { ideaRecommendations } from './recommend-ideas.ts';
import { staffRecommendations } from './recommend-staff.ts';

export const severities = ['critical', 'warning', 'optimisation'] as const;
export type Severity = (typeof severities)[number];

/** What a rule found. */
export interface RecommendedFinding {
  readonly severity: Severity;
  /** The same finding has the same key tomorrow, whatever its number is then: `idle frontend-workers`. */
  readonly key: string;
  readonly what: string;
  /** Figures, for a person to check. */
  readonly evidence: string;
  readonly specs: readonly string[];
  /** What to do, in words. */
  readonly advice: string;
  readonly edit: Edit;
}

export interface Recommendation extends RecommendedFinding {
  /** `R1`. */
  readonly id: string;
}

export interface Observed {
  /** Who there is. */
  readonly charter: Pick<Charter, 'departments' | 'members'>;
  /** Of the window that is looked at, finished or not. */
  readonly tasks: readonly SpecTask[];
  readonly trusts: ReadonlyMap<string, Trust>;
  readonly idleness: readonly Idleness[];
  /** One attempt's budget, in seconds. */
  readonly cycleSeconds: number;
  /** Open specs that nobody has claimed, with the agent they are routed to. */
  readonly waiting: readonly { readonly spec: string; readonly to: string }[];
  readonly uses: readonly Use[];
  /** How much of the budget's period is over, 0 to 1. */
  readonly elapsed: number;
  /** What program.md tells agents already. */
  readonly prose?: string | undefined;
  /** True where no agent reads it: the embedded search goes by numbers. */
  readonly unread?: boolean | undefined;
}

/** What people might change, the most pressing first. Nothing is done by itself. */
export function recommend(observed: Observed): readonly Recommendation[] {
  const findings = [
    ...staffRecommendations(observed),
    ...agentRecommendations(observed),
    ...budgetRecommendations(observed),
    ...ideaRecommendations(observed),
  ].filter(({ edit }) => edit.kind !== 'brief-line' || isNews(edit.text, observed));
  return severities
    .flatMap((severity) => findings.filter((finding) => finding.severity === severity))
    .map((finding, index) => ({ id: `R${index + 1}`, ...finding }));
}

/** Whether a line would tell anybody what the brief does not say yet. Counts in it may have grown since it was written. */
const isNews = (line: string, { prose = '', unread }: Observed): boolean =>
  unread !== true && !withoutCounts(prose).includes(withoutCounts(line));

const withoutCounts = (text: string): string => text.replace(/(?<![\p{L}-])[0-9]+/gu, '#').replace(/\s+/g, ' ');
