import { charterNow } from '../../../org/force/charter-now.ts';
import type { Command } from '../../kit/command.ts';
import { withOrgToWrite } from '../../kit/with-org.ts';
import { applyChanges } from './apply-org.ts';
import { applyRecommendation } from './apply-recommendation.ts';

export const command: Command = {
  name: 'apply',
  summary: 'Puts ORG.md, org.yaml and policies of the trunk into force; or makes a recommendation a commit to review.',
  arguments: [],
  options: {
    recommendation: { type: 'string', value: 'R1', help: 'which one: its number in the report, or its key' },
    yes: { type: 'boolean', short: 'y', help: 'do not ask' },
  },
  examples: ['npx orgrepo apply', 'npx orgrepo apply --recommendation R2'],
  run: (call) =>
    withOrgToWrite(call, async (org) => {
      const wanted = call.value('recommendation');
      return wanted === undefined
        ? applyChanges(call, org)
        : applyRecommendation(call, org, wanted, await charterNow(org));
    }),
};
