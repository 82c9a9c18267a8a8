import { Problem } from '../domain/problem.ts';
import { readQueue } from '../records/queue.ts';
import { resumeAgent } from '../records/strikes.ts';
import { formatJson } from '../views/json.ts';
import type { Call, Command } from './command.ts';
import { steer } from './steer.ts';
import { withOrg } from './with-org.ts';

const whole = steer('resume', 'running', 'Goes on after a pause.', 'resumed');

export const command: Command = {
  ...whole,
  summary: 'Goes on after a pause; with a name, gives work again to an agent that was stopped.',
  arguments: ['[agent]'],
  examples: [...whole.examples, 'npx orgrepo resume junior-2 --reason "it has been told"'],
  run: (call) => {
    const [agent] = call.words;
    return agent === undefined ? whole.run(call) : letGoOn(call, agent);
  },
};

/** A commit of the person's on the queue; the run that goes on reads it before its next attempt. */
function letGoOn(call: Call, agent: string): Promise<number> {
  return withOrg(call, async (org) => {
    const queue = await readQueue(org);
    if (queue === undefined || queue.ledger.state === 'ended' || queue.ledger.state === 'never') {
      throw new Problem(
        'usage/command',
        'nothing runs here, so nobody is stopped',
        'A new run gives everybody work again: npx orgrepo run',
      );
    }
    const { halted } = queue.ledger;
    if (!halted.includes(agent)) {
      throw new Problem(
        'usage/argument',
        `${JSON.stringify(agent)} is not stopped`,
        halted.length === 0 ? 'Nobody is. See: npx orgrepo status' : `Stopped: ${halted.join(', ')}`,
      );
    }
    await resumeAgent(org, agent, queue, call.value('reason'));
    call.out(call.json ? `${formatJson({ schema: 'orgrepo/steer@1', did: 'resume', agent })}\n` : `${agent} goes on\n`);
    return 0;
  });
}
