import path from 'node:path';
import { charterNow } from '../../../org/force/in-force.ts';
import type { Status } from '../../../report/facts/overview.ts';
import { readStatus } from '../../../report/facts/read-overview.ts';
import { formatStatus, statusJson } from '../../../report/pages/status-page.ts';
import type { Command, VerbCall } from '../../kit/command.ts';
import { flagOption } from '../../kit/options.ts';
import { withOrg } from '../../kit/with-org.ts';

export const command: Command = {
  name: 'status',
  summary: 'How the org stands: running or not, best so far, who works on what, what needs you.',
  options: {
    watch: { type: 'boolean', short: 'w', help: 'keep showing it as it changes, until q or Ctrl-C' },
    check: flagOption('answer by the exit code: 8 while it runs, 3 when you are needed'),
  },
  examples: ['orgrepo status --watch', 'orgrepo status --json'],
  run: (call) =>
    withOrg(call, async (org) => {
      const show = async (): Promise<Status> => {
        const status = await readStatus(org, Date.now() / 1000, await charterNow(org));
        call.answer(statusJson(status), formatStatus(status, call.look));
        return status;
      };
      const status = await show();
      const clear = (): void => {
        if (call.isTerminal && !call.json) call.out('\u001b[2J\u001b[H');
      };
      if (call.flag('watch')) await watch(org.repo.gitDir, clear, show, call.streams.stdin);
      return call.flag('check') ? checkCode(status) : 0;
    }),
};

function checkCode(status: Status): number {
  if (status.needsYou.length > 0 || status.state === 'silent' || status.state === 'crashed') return 3;
  return status.state === 'running' ? 8 : 0;
}

type Keys = VerbCall['streams']['stdin'];

/** Shows it again whenever a ref moves. The watcher is a hint and nothing more, so there is a slow poll beside it. */
async function watch(gitDir: string, clear: () => void, show: () => Promise<unknown>, stdin: Keys): Promise<void> {
  const { watch: watchFiles } = await import('chokidar');
  const places = ['refs', 'packed-refs', 'orgrepo', 'reftable'].map((name) => path.join(gitDir, name));
  const watcher = watchFiles(places, { ignoreInitial: true });
  let due: NodeJS.Timeout | undefined;
  let turn = Promise.resolve();
  const again = (): void => {
    due = undefined;
    turn = turn.then(async () => {
      clear();
      await show();
    });
  };
  watcher.on('all', () => {
    due ??= setTimeout(again, 150);
  });
  const poll = setInterval(again, 2_000);
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
    if (stdin.isTTY !== true) return;
    stdin.setRawMode?.(true); // Key by key; Ctrl-C is a key then, too.
    stdin.on('data', (keys: Buffer) => {
      if (/[qQ\u0003\u0004]/.test(keys.toString())) resolve();
    });
  });
  if (stdin.isTTY === true) stdin.setRawMode?.(false);
  stdin.pause();
  clearInterval(poll);
  clearTimeout(due);
  await watcher.close();
  await turn;
}
