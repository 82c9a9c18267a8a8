import type { AuditFinding } from '../domain/rules/finding.ts';
import { countOf } from '../report/words/numbers.ts';
import { type Look, spell } from '../terminal/look.ts';
import { visible } from '../terminal/visible.ts';

/** What was looked at, and what does not hold. */
interface Verified {
  readonly findings: readonly AuditFinding[];
  readonly experiments: number;
  readonly keeps: number;
  readonly commits: number;
  readonly objects: number;
}

export function formatVerified(verified: Verified, look: Look): string {
  const [first, ...more] = verified.findings;
  if (first === undefined) return `${countsIn(verified)}: ${look.paint.green('everything holds')}\n`;
  const where = /^[0-9a-f]{40,64}$/.test(first.where) ? first.where.slice(0, 10) : first.where;
  const lines = [
    `${look.paint.red('does not hold')}  ${shown(`${where} ${first.title}`)}`,
    `  ${shown(first.what)}`,
    `  expected  ${shown(first.expected)}`,
    `  found     ${shown(first.found)}`,
    ...(more.length === 0 ? [] : [`and ${more.length} more: npx orgrepo verify --json`]),
  ];
  return spell(`${lines.join('\n')}\n`, look);
}

/** Whoever rewrites a commit may write anything into it. */
const shown = (text: string): string => visible(text.slice(0, 500));

export const verifiedJson = (verified: Verified): Record<string, unknown> => ({
  schema: 'orgrepo/verify@1',
  holds: verified.findings.length === 0,
  ...verified,
  findings: verified.findings.map(({ at: _, ...finding }) => finding),
});

/** `300 experiments, 61 keep verdicts, 1,204 commits, 3,911 objects` */
function countsIn({ experiments, keeps, commits, objects }: Verified): string {
  const counted = { experiment: experiments, 'keep verdict': keeps, commit: commits, object: objects };
  return Object.entries(counted)
    .map(([word, count]) => countOf(count, word).replace(/^\d+/, inThousands))
    .join(', ');
}

const inThousands = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, ',');
