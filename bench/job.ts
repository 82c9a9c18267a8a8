import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundle, root } from './repository.ts';

export interface Job {
  readonly experiments: number;
  readonly seconds: number;
  readonly waste: number;
  readonly holdout: number;
  /** The most memory that the coordinator itself held, in MB. */
  readonly memory: number;
}

/** The default org for so many experiments, in a clone of this repository. */
export async function measureJob(experiments: number, seed: number): Promise<Job> {
  const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-job-'));
  try {
    spawnSync('git', ['clone', '--quiet', root, dir], { stdio: 'inherit' });
    const started = performance.now();
    const args = [bundle, 'run', '--max', String(experiments), '--seed', String(seed), '--json'];
    const memory = await runWatched(args, dir);
    const seconds = (performance.now() - started) / 1000;
    const report = spawnSync(process.execPath, [bundle, 'report', '--json'], {
      cwd: dir,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
    const { best, holdout } = JSON.parse(report.stdout) as { best: { score: number }; holdout: { to: number } };
    return { experiments, seconds, waste: best.score, holdout: holdout.to, memory };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function runWatched(args: readonly string[], cwd: string): Promise<number> {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, residentMegabytes(child.pid));
  }, 500);
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      clearInterval(watch);
      if (code === 0) resolve(most);
      else reject(new Error(`orgrepo ended with ${code}`));
    });
  });
}

/** Linux only; elsewhere it reads as 0. */
function residentMegabytes(pid: number | undefined): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
