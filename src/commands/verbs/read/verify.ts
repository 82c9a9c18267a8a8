import { auditOrg } from '../../../audit/audit.ts';
import { formatVerified, verifiedJson } from '../../../audit/verify-page.ts';
import { formatJson } from '../../../terminal/visible.ts';
import type { Command } from '../../kit/command.ts';
import { withOrg } from '../../kit/with-org.ts';

export const command: Command = {
  name: 'verify',
  summary:
    'Recomputes the whole history from git alone, without running a candidate; exit 5 when something does not hold.',
  arguments: [],
  options: {},
  examples: ['npx orgrepo verify', 'npx orgrepo verify --json'],
  run: (call) =>
    withOrg(call, async (org) => {
      const audit = await auditOrg(org);
      if (audit === undefined) call.say('nothing has run here: there is nothing to verify\n');
      const verified = audit ?? { findings: [], experiments: 0, keeps: 0, commits: 0, objects: 0 };
      call.out(call.json ? `${formatJson(verifiedJson(verified))}\n` : formatVerified(verified, call.look));
      return verified.findings.length === 0 ? 0 : 5;
    }),
};
