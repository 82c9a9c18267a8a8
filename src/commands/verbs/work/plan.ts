import { makePlan } from '../../../preflight/make-plan.ts';
import { planJson } from '../../../preflight/pages/plan-json.ts';
import { formatPlan } from '../../../preflight/pages/plan-page.ts';
import { formatSettings } from '../../../preflight/pages/settings-page.ts';
import { formatJson } from '../../../terminal/visible.ts';
import type { Command } from '../../kit/command.ts';
import { cultureOption, readCultureOption } from '../../kit/culture-option.ts';
import { jailOption, readJail } from '../../kit/jail-option.ts';
import { withOrg } from '../../kit/with-org.ts';

export const command: Command = {
  name: 'plan',
  summary: 'What a run would do: who works, what is measured, what has changed since the last run. Starts nothing.',
  arguments: [],
  options: {
    'exit-code': { type: 'boolean', help: 'exit 10 when something has changed since the last run' },
    'no-measure': { type: 'boolean', help: 'do not run the harness, whatever that leaves unknown' },
    settings: { type: 'boolean', help: 'every value of culture, SDLC and policies, and where it was said' },
    ...cultureOption,
    ...jailOption,
  },
  examples: ['npx orgrepo plan', 'npx orgrepo plan --settings', 'npx orgrepo plan --json --exit-code'],
  run: (call) => {
    const culture = readCultureOption(call);
    return withOrg(
      call,
      async (org) => {
        const plan = await makePlan(org, { measure: call.flag('no-measure') ? 'never' : 'if-unknown', culture });
        if (call.json) call.out(`${formatJson(planJson(plan))}\n`);
        else
          call.out(
            formatPlan(plan, call.look) + (call.flag('settings') ? formatSettings(plan.charter, call.look) : ''),
          );
        return call.flag('exit-code') && plan.changes.length > 0 ? 10 : 0;
      },
      readJail(call),
    );
  },
};
