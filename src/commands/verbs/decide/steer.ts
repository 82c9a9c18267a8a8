import { setTimeout as wait } from 'node:timers/promises';
import type { RunState } from '../../../domain/words/ledger.ts';
import type { Org } from '../../../records/org.ts';
import { changeQueue, readQueue } from '../../../records/queue/queue.ts';
import { currentRunner } from '../../../records/run-lock.ts';
import { Problem } from '../../../text/problem.ts';
import type { Command, Option } from '../../kit/command.ts';
import { asOption, flagOption, reasonOption, textOption } from '../../kit/options.ts';
import { withOrgToWrite } from '../../kit/with-org.ts';
import { answerSteered, isUnderway, limitSome, type SteerVerb, steerSome, whoMayPause } from './steer-some.ts';

export const pause: Command = {
  ...steer('pause', 'paused', 'paused: it waits at the next attempt. Go on: npx orgrepo resume', {
    rate: textOption('n/h', 'no pause, but so many attempts an hour at most; none lifts it'),
  }),
  summary: 'No new attempts until resume, of all or of one; what is being measured is finished. --rate: fewer of them.',
  examples: [
    'npx orgrepo pause',
    'npx orgrepo pause junior-1 --reason "let me look first"',
    'npx orgrepo pause junior-1 --rate 6/h',
  ],
};

export const resume: Command = {
  ...steer('resume', 'running', 'resumed'),
  summary: 'Goes on after a pause; with a name, lets an agent or a department work again that was paused or stopped.',
  examples: ['npx orgrepo resume', 'npx orgrepo resume junior-2 --reason "it has been told"'],
};

export const stop: Command = {
  ...steer('stop', 'stopping', 'stopping after what is being measured', {
    now: flagOption('kill what is being measured too'),
  }),
  summary:
    'Ends the run: what is being measured is finished, then the report is written. With a name, one is done for tonight.',
  examples: ['npx orgrepo stop', 'npx orgrepo stop junior-1'],
};

/** What a person says to a run that goes on: a commit on the queue, so that `git log` tells who paused it. */
function steer(
  name: SteerVerb,
  state: RunState,
  done: string,
  own: Readonly<Record<string, Option>> = {},
): Omit<Command, 'summary' | 'examples'> {
  return {
    name,
    arguments: ['[agent or department]'],
    options: { ...reasonOption, ...asOption, ...own },
    run: (call) => {
      const [some] = call.words;
      const rate = 'rate' in own ? call.value('rate') : undefined;
      if (rate !== undefined) return limitSome(call, rate, some);
      const kills = 'now' in own && call.flag('now');
      if (some !== undefined && kills)
        throw new Problem(
          'usage/option',
          '--now ends the whole run',
          'Leave it out: one agent ends what it has begun.',
        );
      if (some !== undefined) return steerSome(call, name, some);
      return withOrgToWrite(call, async (org) => {
        const by = await whoMayPause(org, call, name);
        if (!isUnderway(org, await readQueue(org)))
          throw new Problem('usage/command', 'nothing runs here', 'Start: npx orgrepo run');
        const runner = currentRunner(org);
        const reason = call.value('reason');
        await changeQueue(org, ({ ledger }) =>
          ledger.state === state
            ? undefined
            : {
                event: name,
                title: `${name}: ${reason ?? 'by a person'}`,
                ledger: { state },
                trailers: { Run: ledger.run, By: by, Reason: reason },
              },
        );
        if (kills && runner !== undefined) await killNow(org, runner.pid);
        const words = runner === undefined ? `${done} (no process runs here now)` : done;
        return answerSteered(call, name, { kind: 'org' }, words);
      });
    },
  };
}

/** The same two signals as two Ctrl-C: the first is a request, the second an order. Apart, because signals do not queue. */
async function killNow(org: Org, pid: number): Promise<void> {
  for (let sent = 0; sent < 2 && currentRunner(org)?.pid === pid; sent++) {
    process.kill(pid, 'SIGTERM');
    await wait(100);
  }
}
