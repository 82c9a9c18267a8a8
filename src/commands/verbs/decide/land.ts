import { standardSdlc } from '../../../land/land-rules.ts';
import { pinBrief } from '../../../org/force/pin-brief.ts';
import { trunkTip } from '../../../records/org.ts';
import type { Command, VerbCall } from '../../kit/command.ts';
import { experimentNumber } from '../../kit/experiment-number.ts';
import { jailOption, readJail } from '../../kit/jail-option.ts';
import { withOrgToWrite } from '../../kit/with-org.ts';
import { landBy } from './land-by.ts';

export const command: Command = {
  name: 'land',
  summary:
    'Brings the wins on best to your branch: one commit, measured again, on a branch of its own for you to merge.',
  arguments: ['[n...]'],
  options: {
    'dry-run': { type: 'boolean', help: 'measure and show it; write nothing' },
    yes: { type: 'boolean', short: 'y', help: 'do not ask' },
    branch: { type: 'string', value: 'name', help: 'what to call the branch' },
    ...jailOption,
  },
  examples: ['npx orgrepo land --dry-run', 'npx orgrepo land', 'npx orgrepo land 3 7 --branch land/exact-fit'],
  run: (call) =>
    withOrgToWrite(
      call,
      async (org) => {
        const { charter } = await pinBrief(org, await trunkTip(org));
        return landBy(call, org, charter?.charter.sdlc ?? standardSdlc, numbersIn(call));
      },
      readJail(call),
    ),
};

function numbersIn({ words }: VerbCall): readonly number[] {
  const example = 'For example: npx orgrepo land 3 7. All that is on best: npx orgrepo land';
  return words.map((word) => experimentNumber(word, example));
}
