import { makePlan } from '../../../preflight/make-plan.ts';
import { openChecked } from '../../../preflight/open-checked.ts';
import { planJson } from '../../../preflight/pages/plan-json.ts';
import { formatPlan, formatSettings } from '../../../preflight/pages/plan-page.ts';
import { Problem } from '../../../text/problem.ts';
import type { Command } from '../../kit/command.ts';
import { cultureOption, flagOption, jailOption, readCultureOption } from '../../kit/options.ts';
import { warnOfUncommitted, withOrg } from '../../kit/with-org.ts';

export const command: Command = {
  name: 'plan',
  summary: 'What a run would do: who works, what is measured, what has changed since the last run. Starts nothing.',
  options: {
    'exit-code': flagOption('exit 10 when something has changed since the last run'),
    'no-measure': flagOption('do not run the harness, whatever that leaves unknown'),
    settings: flagOption('every value of culture, SDLC and policies, and where it was said'),
    ...cultureOption,
    ...jailOption,
  },
  examples: ['orgrepo plan', 'orgrepo plan --settings', 'orgrepo plan --json --exit-code'],
  run: (call) => {
    const culture = readCultureOption(call);
    return withOrg(call, async (org) => {
      const opened = await openChecked(org, { culture });
      const made = await makePlan(org, opened, call.flag('no-measure') ? 'never' : 'if-unknown');
      const warnings = [...made.warnings];
      const hint = 'Commit it, and see what it changes: orgrepo plan';
      await warnOfUncommitted(org, (what) => warnings.push(new Problem('person/work-tree', what, hint)));
      const plan = { ...made, warnings };
      call.answer(
        planJson(plan),
        formatPlan(plan, call.look) + (call.flag('settings') ? formatSettings(plan.charter, call.look) : ''),
      );
      return call.flag('exit-code') && plan.changes.length > 0 ? 10 : 0;
    });
  },
};
