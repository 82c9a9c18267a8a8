import type { Quantity } from '../../domain/staff/charter.ts';
import { type Use, useInWords } from '../../spend/rules/allowance.ts';
import { leastElapsed } from './health-score.ts';
import type { Observed, RecommendedFinding } from './recommend.ts';

/** Parts of a limit at the end of its period. */
const [tooLittle, tooMuch, aim] = [0.2, 0.95, 0.7];

/** Limits that are nearly used up, or hardly touched. What is proposed would be used to the middle of what is healthy. */
export const budgetRecommendations = ({ uses, elapsed, charter }: Observed): readonly RecommendedFinding[] =>
  distinct(uses).flatMap((use): readonly RecommendedFinding[] => {
    const end = elapsed < leastElapsed ? use.part : use.part / elapsed;
    const known = elapsed >= leastElapsed || use.part > tooMuch;
    if (!known || (end >= tooLittle && end <= tooMuch) || use.limit.amount === 0 || use.used === 0) return [];
    const { path, name } = pathOf(use, charter.members);
    const value = inWords({ ...use.limit, amount: round((end * use.limit.amount) / aim) });
    const over = end > tooMuch;
    const words = over ? 'nearly used up' : 'hardly touched';
    return [
      {
        severity: !over ? 'optimisation' : use.part >= 1 ? 'critical' : 'warning',
        key: `budget ${use.whose}`,
        what: `the limit of ${use.whose} is ${words}`,
        evidence: `${useInWords(use)} used with ${percent(elapsed)} of the period over (${use.from})`,
        specs: [],
        advice: `${over ? 'Raise' : 'Lower'} ${name} to ${value}${over ? ', or give fewer specs' : ''}.`,
        edit: { kind: 'set', path, value },
      },
    ];
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

const percent = (value: number): string => `${Math.round(value * 100)}%`;
