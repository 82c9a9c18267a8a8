import type { Org } from '../../../records/org.ts';
import { writeApproval } from '../../../records/requests/approvals.ts';
import { currentRunner } from '../../../records/run-lock.ts';
import { formatJson } from '../../../terminal/visible.ts';
import { Problem } from '../../../text/problem.ts';
import type { Command, VerbCall } from '../../kit/command.ts';
import { findExperiment } from '../../kit/find-experiment.ts';
import { withOrg, withOrgToWrite } from '../../kit/with-org.ts';
import { decideEscalation, isEscalationId } from './decide-escalation.ts';
import { decideRequest, isRequestId, listRequests } from './decide-request.ts';

/**
 * A person's word on a win or an act that waits for it: a commit on the queue, which the run that goes on, or the next, acts
 * upon.
 */
export function decisionCommand(name: 'approve' | 'deny', summary: string): Command {
  return {
    name,
    summary,
    arguments: [name === 'approve' ? '[n|A3|E3]' : '<n|A3|E3>'],
    options: {
      reason: { type: 'string', value: 'text', help: 'why, for the log' },
      note: { type: 'string', value: 'text', help: 'the same: what whoever asked is to know' },
      as: { type: 'string', value: 'person', help: 'who of ORG.md is speaking, where git knows you by another name' },
    },
    examples: [
      `npx orgrepo ${name} 17 --reason "${name === 'approve' ? 'read it twice' : 'breaks the invoices'}"`,
      `npx orgrepo ${name} A3 ${name === 'approve' ? '--note "this once"' : '--reason "not this month"'}`,
    ],
    run: (call) => {
      const [word] = call.words;
      if (word === undefined) return withOrg(call, (org) => listRequests(org, call));
      return withOrgToWrite(call, (org) => {
        if (isEscalationId(word)) return decideEscalation(org, call, name, word);
        return isRequestId(word) ? decideRequest(org, call, name, word) : decideKeep(org, call, name, word);
      });
    },
  };
}

async function decideKeep(org: Org, call: VerbCall, name: 'approve' | 'deny', word: string): Promise<number> {
  const { experiment, notebook } = await findExperiment(org, word, name);
  const { n, commit } = experiment;
  const isWaited = notebook.waits === commit;
  // An org may want everything reviewed that is landed, and most wins wait for nobody before.
  if (!isWaited && !(name === 'approve' && experiment.event === 'keep'))
    throw new Problem(
      'usage/argument',
      `#${n} does not wait for a person`,
      'What does stands under NEEDS YOU: npx orgrepo status',
    );
  const reason = (call.value('reason') ?? call.value('note') ?? '').replaceAll(/\s+/g, ' ').trim();
  const { name: by } = await org.person();
  await writeApproval(org, notebook.spec, n, { approves: name === 'approve', by, reason, keep: commit });
  const runs = currentRunner(org) !== undefined;
  if (call.json) call.out(`${formatJson({ schema: 'orgrepo/steer@1', did: name, n, spec: notebook.spec })}\n`);
  else call.out(`${name === 'approve' ? 'approved' : 'denied'}: #${n} ${experiment.title}\n`);
  if (!isWaited) call.say('It counts when it is landed: npx orgrepo land\n');
  else call.say(runs ? 'The run that goes on acts upon it.\n' : 'It counts with the next run: npx orgrepo run\n');
  return 0;
}
