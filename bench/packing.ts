import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type BenchRepository, bundle, makeRepository } from './repository.ts';

/** What a run leaves in `.git`, and what it took. */
export interface Kept {
  readonly bytesPerExperiment: number;
  readonly loose: number;
  readonly packs: number;
  readonly seconds: number;
  /** In which part of the run's time objects were being packed. */
  readonly share: number;
}

/** The same cheap experiments with packing and without. */
export async function measurePacking(experiments: number): Promise<{ readonly packed: Kept; readonly loose: Kept }> {
  return { loose: await measureOne(experiments, '0'), packed: await measureOne(experiments, undefined) };
}

async function measureOne(experiments: number, packAfter: string | undefined): Promise<Kept> {
  const repository = makeRepository({ files: 100 });
  try {
    const before = bytesOf(repository);
    const { seconds, share } = await runWatched(repository, experiments, packAfter);
    const bytesPerExperiment = (bytesOf(repository) - before) / experiments;
    const counted = repository.git('count-objects', '-v');
    const count = (name: string): number => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(counted)?.[1]);
    repository.git('fsck', '--full', '--no-dangling');
    return { bytesPerExperiment, loose: count('count'), packs: count('packs'), seconds, share };
  } finally {
    repository.remove();
  }
}

const bytesOf = ({ git }: BenchRepository): number =>
  Number(/^\d+/.exec(git('-c', 'alias.size=!du -s --block-size=1 .git', 'size'))?.[0]);

const lookMs = 20;

function runWatched({ dir }: BenchRepository, experiments: number, packAfter: string | undefined) {
  const env = {
    ...process.env,
    ORGREPO_JAIL: 'none',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    ...(packAfter === undefined ? {} : { ORGREPO_PACK_AFTER: packAfter }),
  };
  const started = performance.now();
  const args = [bundle, 'run', '--max', String(experiments), '--json'];
  const child = spawn(process.execPath, args, { cwd: dir, env, stdio: ['ignore', 'ignore', 'inherit'] });
  let [looks, met] = [0, 0];
  const watch = setInterval(() => {
    looks += 1;
    if (existsSync(path.join(dir, '.git/orgrepo', `packing.${child.pid}`))) met += 1;
  }, lookMs);
  return new Promise<{ seconds: number; share: number }>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      clearInterval(watch);
      if (code !== 0) reject(new Error(`orgrepo run ended with ${code}`));
      else resolve({ seconds: (performance.now() - started) / 1000, share: met / looks });
    });
  });
}
