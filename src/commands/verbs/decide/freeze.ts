import { writeCheckpoint } from '../../../records/checkpoints.ts';
import { freezeInWords, readFreeze, recordFreeze } from '../../../records/queue/freeze-book.ts';
import { currentRunner } from '../../../records/run-lock.ts';
import { Problem } from '../../../text/problem.ts';
import type { Command } from '../../kit/command.ts';
import { asOption, reasonOption } from '../../kit/options.ts';
import { personWhoMay } from '../../kit/person-who-may.ts';
import { withOrgToWrite } from '../../kit/with-org.ts';

export const freeze: Command = {
  name: 'freeze',
  summary: 'No run begins until somebody thaws the org; a run that goes on ends after what it is measuring.',
  options: { ...reasonOption, ...asOption },
  examples: ['npx orgrepo freeze --reason "the numbers look wrong"'],
  run: (call) =>
    withOrgToWrite(call, async (org) => {
      const reason = (call.value('reason') ?? '').replaceAll(/\s+/g, ' ').trim();
      if (reason === '')
        throw new Problem(
          'usage/option',
          'why is the org frozen? Everybody who tries to run it reads this',
          'For example: npx orgrepo freeze --reason "the numbers look wrong"',
        );
      const by = await personWhoMay(org, call, 'freeze');
      const changed = await recordFreeze(org, 'freeze', { by, reason });
      if (changed) await writeCheckpoint(org, `${by} froze the org`);
      const frozen = await readFreeze(org);
      const words = frozen === undefined ? 'frozen' : freezeInWords(frozen);
      call.answer({ schema: 'orgrepo/steer@1', did: 'freeze', changed }, `${words}. Lift it: npx orgrepo thaw\n`);
      if (changed && currentRunner(org) !== undefined) call.say('The run here ends after what it is measuring.\n');
      return 0;
    }),
};

export const thaw: Command = {
  name: 'thaw',
  summary: 'Lifts a freeze: runs may begin again.',
  options: { ...reasonOption, ...asOption },
  examples: ['npx orgrepo thaw --reason "it was the disk"'],
  run: (call) =>
    withOrgToWrite(call, async (org) => {
      const by = await personWhoMay(org, call, 'thaw');
      const reason = (call.value('reason') ?? '').replaceAll(/\s+/g, ' ').trim();
      const changed = await recordFreeze(org, 'thaw', { by, reason });
      if (!changed) throw new Problem('usage/command', 'the org is not frozen', 'See how it is: npx orgrepo status');
      await writeCheckpoint(org, `${by} thawed the org`);
      call.answer({ schema: 'orgrepo/steer@1', did: 'thaw', changed }, 'thawed. Start a run: npx orgrepo run\n');
      return 0;
    }),
};
