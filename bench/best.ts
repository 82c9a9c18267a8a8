import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { benchDir, bundle, root } from './repository.ts';

export interface BestOfRuns {
  readonly runs: number;
  /** Runs whose best is worse than one of their wins. */
  readonly worse: readonly number[];
  /** Runs in which a win stood in place of best: without that, best would have been worse. */
  readonly alone: number;
}

interface Fact {
  readonly fact: string;
  readonly score?: number;
  readonly alone?: boolean;
  readonly experiment?: { readonly event: string; readonly score: number };
}

/** Runs of the default org, each with a seed of its own: is best the best of what was won? */
export function measureBest(runs: number, tries: number): BestOfRuns {
  const worse: number[] = [];
  let alone = 0;
  for (let seed = 1; seed <= runs; seed++) {
    const facts = runDefault(seed, tries);
    const wins = facts.flatMap(({ experiment }) => (experiment?.event === 'keep' ? [experiment.score] : []));
    const moves = facts.filter(({ fact }) => fact === 'best-moved');
    if (wins.length > 0 && (moves.at(-1)?.score ?? Number.POSITIVE_INFINITY) > Math.min(...wins)) worse.push(seed);
    if (moves.some((move) => move.alone)) alone += 1;
  }
  return { runs, worse, alone };
}

function runDefault(seed: number, tries: number): readonly Fact[] {
  const dir = mkdtempSync(path.join(benchDir, 'orgrepo-best-'));
  const env = {
    ...process.env,
    ORGREPO_JAIL: 'none',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    CI: '1',
  };
  const run = (file: string, ...args: string[]): string => {
    const ran = spawnSync(file, args, { cwd: dir, env, encoding: 'utf8', maxBuffer: 1 << 28 });
    if (ran.status !== 0)
      throw new Error(`${file} ${args.join(' ')} ended with ${ran.status}: ${ran.stderr}${ran.stdout}`);
    return ran.stdout;
  };
  try {
    cpSync(path.join(root, 'templates/pack'), dir, { recursive: true });
    run('git', 'init', '--quiet', '--initial-branch=main');
    run('git', 'add', '-A');
    run('git', '-c', 'user.name=Bench', '-c', 'user.email=bench@example.invalid', 'commit', '--quiet', '-m', 'the org');
    const said = run(process.execPath, bundle, 'run', '--max', String(tries), '--seed', String(seed), '--json');
    return said
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
