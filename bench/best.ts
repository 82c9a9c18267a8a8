import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { benchDir, bundle, root } from './repository.ts';

export interface BestOfRuns {
  readonly runs: number;
  /** Runs whose best is worse than one of their wins, by more than `min_effect`. */
  readonly worse: readonly Lead[];
  /** The same by less: such a lead is no win in place of best. */
  readonly close: readonly Lead[];
  /** Runs in which a win stood in place of best: without that, best would have been worse. */
  readonly alone: number;
}

/** How far a win was ahead of best when its run ended. */
export interface Lead {
  readonly seed: number;
  readonly win: number;
  readonly by: number;
}

interface Fact {
  readonly fact: string;
  readonly score?: number;
  readonly alone?: boolean;
  readonly experiment?: { readonly n: number; readonly event: string; readonly score: number };
}

/** The `min_effect` of the default org. */
const minEffect = 0.005;

/** Runs of the default org, each with a seed of its own: is best the best of what was won? */
export function measureBest(runs: number, tries: number): BestOfRuns {
  const ahead: Lead[] = [];
  let alone = 0;
  for (let seed = 1; seed <= runs; seed++) {
    const facts = runDefault(seed, tries);
    const wins = facts.flatMap(({ experiment }) => (experiment?.event === 'keep' ? [experiment] : []));
    const moves = facts.filter(({ fact }) => fact === 'best-moved');
    const best = moves.at(-1)?.score ?? Number.POSITIVE_INFINITY;
    const [first] = wins.sort((one, other) => one.score - other.score);
    if (first !== undefined && first.score < best) ahead.push({ seed, win: first.n, by: best - first.score });
    if (moves.some((move) => move.alone)) alone += 1;
  }
  const isWorse = ({ by }: Lead): boolean => by > minEffect + 1e-9;
  return { runs, worse: ahead.filter(isWorse), close: ahead.filter((lead) => !isWorse(lead)), alone };
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
