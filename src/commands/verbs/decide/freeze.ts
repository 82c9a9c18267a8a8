import { charterNow } from '../../../org/force/in-force.ts';
import { writeCheckpoint } from '../../../records/checkpoints.ts';
import type { Org } from '../../../records/org.ts';
import { freezeInWords, readFreeze, recordFreeze } from '../../../records/queue/freeze-book.ts';
import { decisionsNow } from '../../../records/requests/requests.ts';
import { currentRunner } from '../../../records/run-lock.ts';
import { Problem } from '../../../text/problem.ts';
import type { Command, VerbCall } from '../../kit/command.ts';
import { asOption, reasonOption } from '../../kit/options.ts';
import { personWhoMay, refuseAgents } from '../../kit/person-who-may.ts';
import { deciderOf, noteIn } from '../../kit/sign-decision.ts';
import { withOrgToWrite } from '../../kit/with-org.ts';

export const freeze: Command = {
  name: 'freeze',
  summary: 'No run begins until somebody thaws the org; a run that goes on ends after what it is measuring.',
  options: { ...reasonOption, ...asOption },
  examples: ['orgrepo freeze --reason "the numbers look wrong"'],
  run: (call) =>
    withOrgToWrite(call, async (org) => {
      const reason = noteIn(call.value('reason') ?? '');
      if (reason === '')
        throw new Problem(
          'usage/option',
          'why is the org frozen? Everybody who tries to run it reads this',
          'For example: orgrepo freeze --reason "the numbers look wrong"',
        );
      const { by, signed } = await signedOrder(org, call, 'freeze', reason);
      const changed = await recordFreeze(org, 'freeze', { by, reason }, signed);
      if (changed) await writeCheckpoint(org, `${by} froze the org`);
      const frozen = await readFreeze(org);
      const words = frozen === undefined ? 'frozen' : freezeInWords(frozen);
      const lift = call.look.typed('Lift it: orgrepo thaw');
      call.answer({ schema: 'orgrepo/steer@1', did: 'freeze', changed }, `${words}. ${lift}\n`);
      if (changed && currentRunner(org) !== undefined) call.say('The run here ends after what it is measuring.\n');
      return 0;
    }),
};

export const thaw: Command = {
  name: 'thaw',
  summary: 'Lifts a freeze: runs may begin again.',
  options: { ...reasonOption, ...asOption },
  examples: ['orgrepo thaw --reason "it was the disk"'],
  run: (call) =>
    withOrgToWrite(call, async (org) => {
      const reason = noteIn(call.value('reason') ?? '');
      if ((await readFreeze(org)) === undefined)
        throw new Problem('usage/command', 'the org is not frozen', 'See how it is: orgrepo status');
      const { by, signed } = await signedOrder(org, call, 'thaw', reason);
      const changed = await recordFreeze(org, 'thaw', { by, reason }, signed);
      await writeCheckpoint(org, `${by} thawed the org`);
      const next = call.look.typed('Start a run: orgrepo run');
      call.answer({ schema: 'orgrepo/steer@1', did: 'thaw', changed }, `thawed. ${next}\n`);
      return 0;
    }),
};

/** The person who gives the order, and their signature if decisions are signed. An order that is in force already is not signed again. */
async function signedOrder(org: Org, call: VerbCall, kind: 'freeze' | 'thaw', note: string) {
  await refuseAgents(org);
  if (kind === 'freeze' && (await readFreeze(org)) !== undefined) return { by: '', signed: undefined };
  const decider = await deciderOf(org, call, (await charterNow(org))?.people ?? []);
  if (decider.signing === undefined) return { by: await personWhoMay(org, call, kind), signed: undefined };
  if (decider.person?.mayPause === false)
    throw new Problem(
      'org/approval',
      `${decider.by} may not ${kind} anything here: ORG.md says so`,
      'Ask a person who may.',
    );
  const ask = (await decisionsNow(org)).previous;
  const signed = await decider.sign({ kind, note, about: [{ id: 'org', ask, act: kind, agents: [] }] });
  return { by: decider.by, signed };
}
