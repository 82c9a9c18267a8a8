import { spawnSync } from 'node:child_process';
import { bundle, makeRepository } from './repository.ts';

export interface StartUp {
  readonly node: number;
  readonly version: number;
  readonly status: number;
}

/** How long a command takes that does next to nothing, beside `node -e 0`; in turns, the middle of fifteen. */
export function measureStartUp(): StartUp {
  const repository = makeRepository({ files: 20 });
  try {
    repository.orgrepo('run', '--max', '10');
    const timed = (args: readonly string[]): number => {
      const started = performance.now();
      const ran = spawnSync(process.execPath, args, { cwd: repository.dir });
      if (ran.status !== 0) throw new Error(`${args.join(' ')} ended with ${ran.status}`);
      return (performance.now() - started) / 1000;
    };
    const rounds = Array.from({ length: 15 }, () => ({
      node: timed(['-e', '0']),
      version: timed([bundle, '--version']),
      status: timed([bundle, 'status']),
    }));
    const middle = (pick: (round: StartUp) => number): number =>
      rounds.map(pick).sort((a, b) => a - b)[7] ?? Number.NaN;
    return {
      node: middle((one) => one.node),
      version: middle((one) => one.version),
      status: middle((one) => one.status),
    };
  } finally {
    repository.remove();
  }
}
