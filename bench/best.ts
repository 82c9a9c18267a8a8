import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { benchDir, bundle, root } from './repository.ts';

export interface BestOfRuns {
  readonly runs: number;
  /** Wins ahead of best by more than `min_effect` that were not tried in place of it: each is a fault. */
  readonly worse: readonly Lead[];
  /** Wins ahead by `min_effect` or less: such a difference is no win in place of best either. */
  readonly close: readonly Lead[];
  /** Wins ahead by more that broke a guard when they were measured in place of best. */
  readonly guarded: readonly Lead[];
  /** Runs in which a win was taken in place of best: without that, best would have been worse. */
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
  readonly n?: number;
  readonly score?: number;
  readonly alone?: boolean;
  readonly experiment?: {
    readonly n: number;
    readonly event: string;
    readonly score: number;
    readonly title: string;
  };
}

const template = path.join(root, 'templates/pack');

/** The `min_effect` of the default org: each verdict asks for more than that, also in place of best. */
const minEffect = Number(/^min_effect: (.*)$/m.exec(readFileSync(path.join(template, 'program.md'), 'utf8'))?.[1]);

/** Runs of the default org, each with a seed of its own: is best the best of what was won? */
export function measureBest(seeds: readonly number[], tries: number): BestOfRuns {
  const found = { worse: [] as Lead[], close: [] as Lead[], guarded: [] as Lead[] };
  let alone = 0;
  for (const seed of seeds) {
    const facts = runDefault(seed, tries);
    const experiments = facts.flatMap(({ experiment }) => experiment ?? []);
    const moves = facts.filter(({ fact }) => fact === 'best-moved');
    const { score = Number.POSITIVE_INFINITY, n = 0 } = moves.at(-1) ?? {};
    for (const win of experiments.filter((one) => one.event === 'keep' && one.score < score)) {
      const lead = { seed, win: win.n, by: score - win.score };
      const tried = experiments.find(({ title }) => title === `#${win.n} in place of best #${n}`);
      if (lead.by <= minEffect + 1e-9) found.close.push(lead);
      else found[tried?.event === 'confounded' ? 'guarded' : 'worse'].push(lead);
    }
    if (moves.some((move) => move.alone)) alone += 1;
  }
  return { runs: seeds.length, ...found, alone };
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
    cpSync(template, dir, { recursive: true });
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
