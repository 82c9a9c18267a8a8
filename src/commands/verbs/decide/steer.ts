import { setTimeout as wait } from 'node:timers/promises';
import type { RunState } from '../../../domain/words/ledger.ts';
import type { Org } from '../../../records/org.ts';
import { changeQueue, readQueue } from '../../../records/queue/queue.ts';
import { currentRunner } from '../../../records/run-lock.ts';
import { formatJson } from '../../../terminal/visible.ts';
import { Problem } from '../../../text/problem.ts';
import type { Command, VerbCall } from '../../kit/command.ts';
import { whoMayPause } from '../../kit/may-pause.ts';
import { withOrgToWrite } from '../../kit/with-org.ts';
import { steerSome } from './steer-some.ts';

/** What a person says to a run that goes on: a commit on the queue, so that `git log` tells who paused it. */
export function steer(
  name: 'pause' | 'resume' | 'stop',
  state: RunState,
  summary: string,
  done: string,
  example: string,
): Command {
  return {
    name,
    summary,
    arguments: ['[agent or department]'],
    options: {
      reason: { type: 'string', value: 'text', help: 'why, for the log' },
      as: { type: 'string', value: 'person', help: 'who of ORG.md is speaking, where git knows you by another name' },
      ...(name === 'stop' ? { now: { type: 'boolean', help: 'kill what is being measured too' } as const } : {}),
    },
    examples: [`npx orgrepo ${name}`, example],
    run: (call) => {
      const [some] = call.words;
      if (some !== undefined) {
        if (name === 'stop' && call.flag('now')) throw wrongNow();
        return steerSome(call, name, some);
      }
      return withOrgToWrite(call, async (org) => {
        const by = await whoMayPause(org, call, name);
        const queue = await readQueue(org);
        const runner = currentRunner(org);
        if (
          runner === undefined &&
          (queue === undefined || queue.ledger.state === 'ended' || queue.ledger.state === 'never')
        ) {
          throw new Problem('usage/command', 'nothing runs here', 'Start: npx orgrepo run');
        }
        await changeQueue(org, (now) =>
          now.ledger.state === state
            ? undefined
            : {
                event: name,
                title: `${name}: ${call.value('reason') ?? 'by a person'}`,
                ledger: { state },
                trailers: { Run: now.ledger.run, By: by, Reason: call.value('reason') },
              },
        );
        if (name === 'stop' && call.flag('now') && runner !== undefined) await killNow(org, runner.pid);
        answer(call, name, runner === undefined ? `${done} (no process runs here now)` : done);
        return 0;
      });
    },
  };
}

const wrongNow = (): Problem =>
  new Problem('usage/option', '--now ends the whole run', 'Leave it out: one agent ends what it has begun.');

/** The same two signals as two Ctrl-C: the first is a request, the second an order. Apart, because signals do not queue. */
async function killNow(org: Org, pid: number): Promise<void> {
  for (let sent = 0; sent < 2 && currentRunner(org)?.pid === pid; sent++) {
    process.kill(pid, 'SIGTERM');
    await wait(100);
  }
}

function answer(call: VerbCall, name: string, done: string): void {
  if (call.json) call.out(`${formatJson({ schema: 'orgrepo/steer@1', did: name })}\n`);
  else call.out(`${done}\n`);
}
