import { attackExit, attackJson, formatAttackEnd, formatAttackRow } from '../../../attack/attack-outcome.ts';
import { attackHarness, rememberAttacked } from '../../../attack/try-tricks.ts';
import type { Command } from '../../kit/command.ts';
import { jailOption } from '../../kit/options.ts';
import { withOrg } from '../../kit/with-org.ts';

export const command: Command = {
  name: 'attack',
  summary: 'Tries to cheat your harness, in twenty ways, and says what was refused and how.',
  options: jailOption,
  examples: ['orgrepo attack', 'orgrepo attack --jail none'],
  run: (call) =>
    withOrg(call, async (org) => {
      call.say('measuring your sandbox as it stands, and then with tricks in it; no branch is touched …\n');
      const report = await attackHarness(
        org,
        (result) => {
          if (!call.json) call.out(`${formatAttackRow(result, call.look)}\n`);
        },
        new AbortController().signal,
      );
      const exit = attackExit(report);
      if (exit === 0) rememberAttacked(org, report.harness);
      call.answer(attackJson(report), formatAttackEnd(report, call.look));
      return exit;
    }),
};
