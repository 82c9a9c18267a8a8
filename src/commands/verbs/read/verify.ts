import { type Audit, auditOrg } from '../../../audit/audit.ts';
import { countOf } from '../../../report/words/numbers.ts';
import { type Look, spell } from '../../../terminal/look.ts';
import { visible } from '../../../terminal/visible.ts';
import type { Command } from '../../kit/command.ts';
import { withOrg } from '../../kit/with-org.ts';

export const command: Command = {
  name: 'verify',
  summary:
    'Recomputes the whole history from git alone, without running a candidate; exit 5 when something does not hold.',
  options: {},
  examples: ['npx orgrepo verify', 'npx orgrepo verify --json'],
  run: (call) =>
    withOrg(call, async (org) => {
      const audit = await auditOrg(org);
      if (audit === undefined) call.say('nothing has run here: there is nothing to verify\n');
      const verified = audit ?? { findings: [], experiments: 0, keeps: 0, commits: 0, objects: 0 };
      call.answer(verifiedJson(verified), formatVerified(verified, call.look));
      return verified.findings.length === 0 ? 0 : 5;
    }),
};

function formatVerified(verified: Audit, look: Look): string {
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

const verifiedJson = (verified: Audit): Record<string, unknown> => ({
  schema: 'orgrepo/verify@1',
  holds: verified.findings.length === 0,
  ...verified,
  findings: verified.findings.map(({ at: _, ...finding }) => finding),
});

/** `300 experiments, 61 keep verdicts, 1,204 commits, 3,911 objects` */
function countsIn({ experiments, keeps, commits, objects }: Audit): string {
  const counted = { experiment: experiments, 'keep verdict': keeps, commit: commits, object: objects };
  return Object.entries(counted)
    .map(([word, count]) => countOf(count, word).replace(/^\d+/, inThousands))
    .join(', ');
}

const inThousands = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, ',');
