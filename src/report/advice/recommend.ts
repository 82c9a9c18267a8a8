import type { NeedsYou } from '../../domain/rules/request.ts';
import type { Charter, Quantity } from '../../domain/staff/charter.ts';
import { type Attempted, type Idleness, ownIn, type SpecTask, type Trust } from '../../domain/staff/trust.ts';
import type { Edit } from '../../org/write/org-edit.ts';
import { type Use, useInWords } from '../../spend/rules/allowance.ts';
import { byName } from '../pages/lesson-groups.ts';
import { type HealthFacts, leastElapsed, percent } from './health-score.ts';
import { staffRecommendations } from './recommend-staff.ts';

const severities = ['critical', 'warning', 'optimisation'] as const;
type Severity = (typeof severities)[number];

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

export interface Observed extends Pick<HealthFacts, 'tasks' | 'cycleSeconds'> {
  /** The people and agents of the org. */
  readonly charter: Pick<Charter, 'departments' | 'members'>;
  readonly trusts: ReadonlyMap<string, Trust>;
  readonly idleness: readonly Idleness[];
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
    ...budgetRecommendations(observed),
    ...ideaRecommendations(observed),
  ]
    .filter((finding) => finding !== undefined)
    .filter(({ edit }) => edit.kind !== 'brief-line' || isNews(edit.text, observed));
  return severities
    .flatMap((severity) => findings.filter((finding) => finding.severity === severity))
    .map((finding, index) => ({ id: `R${index + 1}`, ...finding }));
}

/** `R1 critical: Engineering escalates 40% of its specs (4 of 10 ...). Add one senior to Engineering.` */
export const recommendedStep = ({ id, severity, what, evidence, advice }: Recommendation): NeedsYou => ({
  what: `${id} ${severity}: ${what} (${evidence}). ${advice}`,
  command: `orgrepo apply --recommendation ${id}`,
});

/** Whether a line would tell anybody what the brief does not say yet. Counts in it may have grown since it was written. */
const isNews = (line: string, { prose = '', unread }: Observed): boolean =>
  unread !== true && !withoutCounts(prose).includes(withoutCounts(line));

const withoutCounts = (text: string): string => text.replace(/(?<![\p{L}-])[0-9]+/gu, '#').replace(/\s+/g, ' ');

/** So many tries at one idea, whatever the numbers in it, are enough to know. */
const enoughTries = 5;

/** And so many ideas at once are as many as anybody reads. */
const mostIdeas = 3;

/** Ideas that were measured again and again and never won: a line of the brief saves the next night from them. */
function ideaRecommendations({ tasks }: Observed): readonly RecommendedFinding[] {
  const all = tasks.flatMap((task) => ownIn(task).map((one): Tried => ({ ...one, spec: task.spec })));
  return [...byName(all, ({ title }) => [ideaOf(title)])]
    .filter(([idea]) => idea !== '')
    .map(([idea, tries]) => ({ idea, tries, measured: tries.filter(isMeasured) }))
    .filter(({ tries, measured }) => measured.length >= enoughTries && tries.every(({ event }) => !hasWorked(event)))
    .sort((a, b) => b.measured.length - a.measured.length || (a.idea < b.idea ? -1 : 1))
    .slice(0, mostIdeas)
    .map(({ idea, measured }) => findingOf(idea, measured));
}

type Tried = Attempted & Pick<SpecTask, 'spec'>;

function findingOf(idea: string, measured: readonly Tried[]): RecommendedFinding {
  const numbers = measured.map(({ n }) => `#${n}`).slice(0, 8);
  const rest = measured.length - numbers.length;
  return {
    severity: 'optimisation',
    key: `idea ${idea}`,
    what: `"${idea}" never helped`,
    evidence: `0 of ${measured.length} tries won: ${numbers.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`,
    specs: [...new Set(measured.map(({ spec }) => spec))],
    advice: 'Say in program.md that it was tried.',
    edit: { kind: 'brief-line', text: `Already tried ${measured.length} times without a gain: ${idea}.` },
  };
}

const isMeasured = ({ seconds, event }: Attempted): boolean => seconds !== undefined && event !== 'void';

/** A rejected win and an inconclusive one were no failures of the idea. */
const hasWorked = (event: Attempted['event']): boolean =>
  event === 'keep' || event === 'rejected' || event === 'inconclusive' || event === 'confounded';

/**
 * Words only: the same idea with another number is the same. Titles are agents' words, and this one is proposed for the file
 * that tells agents what to do, so nothing is left in it that could be read as Markdown or as more than a few words.
 */
const ideaOf = (title: string): string => (title.toLowerCase().match(/\p{L}+/gu) ?? []).join(' ').slice(0, 60).trim();

/** Parts of a limit at the end of its period. */
const [tooLittle, tooMuch, aim] = [0.2, 0.95, 0.7];

/** Limits that are nearly used up, or hardly touched. What is proposed would be used to the middle of what is healthy. */
const budgetRecommendations = ({ uses, elapsed, charter }: Observed): readonly (RecommendedFinding | undefined)[] =>
  distinct(uses).map((use): RecommendedFinding | undefined => {
    const end = elapsed < leastElapsed ? use.part : use.part / elapsed;
    const known = elapsed >= leastElapsed || use.part > tooMuch;
    if (!known || (end >= tooLittle && end <= tooMuch) || use.limit.amount === 0 || use.used === 0) return undefined;
    const { path, name } = pathOf(use, charter.members);
    const value = inWords({ ...use.limit, amount: round((end * use.limit.amount) / aim) });
    const over = end > tooMuch;
    const words = over ? 'nearly used up' : 'hardly touched';
    return {
      severity: !over ? 'optimisation' : use.part >= 1 ? 'critical' : 'warning',
      key: `budget ${use.whose}`,
      what: `the limit of ${use.whose} is ${words}`,
      evidence: `${useInWords(use)} used with ${percent(elapsed)} of the period over (${use.from})`,
      specs: [],
      advice: `${over ? 'Raise' : 'Lower'} ${name} to ${value}${over ? ', or give fewer specs' : ''}.`,
      edit: { kind: 'set', path, value },
    };
  });

/** Of agents who share one limit the one who has used most speaks for it. */
function distinct(uses: readonly Use[]): readonly Use[] {
  const found = new Map<string, Use>();
  for (const use of uses) {
    const shared = use.whose === 'all agents' || use.from === 'its role' ? use.whose : 'each agent';
    const before = found.get(shared);
    if (before === undefined || use.part > before.part) found.set(shared, use);
  }
  return [...found.values()];
}

function pathOf(use: Use, members: Observed['charter']['members']): { readonly path: string; readonly name: string } {
  if (use.whose === 'all agents') return { path: 'policies.budget.total', name: 'the total' };
  if (use.from !== 'its role') return { path: 'policies.budget.perAgent', name: 'the limit of each agent' };
  const role = members.find(({ id }) => id === use.whose)?.role.name ?? use.whose;
  return { path: `roles.${role}.limit`, name: `the limit of ${role}` };
}

/** Two figures: more would look as if somebody had worked it out. */
const round = (amount: number): number => Number(amount.toPrecision(2));

const inWords = ({ amount, unit }: Quantity): string => (unit === 'usd' ? `$${amount}` : `${amount} ${unit}`);
