import { spawnSync } from 'node:child_process';
import { type BenchRepository, makeRepository } from './repository.ts';

/** Seconds per experiment of orgrepo, from the difference of a long and a short run, so that the start does not count. */
export function perExperiment(repository: BenchRepository, experiments: number, ...options: string[]): number {
  const short = Math.ceil(experiments / 10);
  const few = repository.orgrepo('run', '--max', String(short), '--seed', '1', ...options).seconds;
  const many = repository.orgrepo('run', '--max', String(experiments + short), '--seed', '2', ...options).seconds;
  return (many - few) / experiments;
}

/** The loop that autoresearch prescribes, with the same harness: edit, add, commit, run, look, reset. */
export function shellLoop(repository: BenchRepository, experiments: number): number {
  const script = `
    export ORGREPO_OUT=$(mktemp -d)
    i=0
    while [ $i -lt ${experiments} ]; do
      i=$((i + 1))
      echo "number $i" >> sandbox/numbers.txt
      git add -A sandbox
      git commit -q -m "try $i"
      sh harness/run.sh > run.log 2>&1 && sh harness/score.sh >> run.log 2>&1
      grep '^score:' run.log > /dev/null
      git rev-parse --short HEAD > /dev/null
      git reset -q --hard HEAD~1
    done
    rm -rf "$ORGREPO_OUT" run.log`;
  return timed('bash', ['-c', script], repository.dir) / experiments;
}

/** The floor: starting the harness's two processes and nothing else. */
export function harnessAlone(repository: BenchRepository, experiments: number): number {
  const script = `export ORGREPO_OUT=$(mktemp -d); i=0; while [ $i -lt ${experiments} ]; do i=$((i + 1)); sh harness/run.sh && sh harness/score.sh > /dev/null; done; rm -rf "$ORGREPO_OUT"`;
  return timed('bash', ['-c', script], repository.dir) / experiments;
}

function timed(file: string, args: readonly string[], cwd: string): number {
  const started = performance.now();
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const ran = spawnSync(file, args, { cwd, env, encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`${file} ended with ${ran.status}: ${ran.stderr}`);
  return (performance.now() - started) / 1000;
}

export interface Overhead {
  readonly orgrepo: number;
  readonly shell: number;
  readonly floor: number;
}

const rounds = 5;

/** Measured in turns, so that a noisy minute hits all three alike; the round whose ratio is in the middle. */
export function measureOverhead(files: number, experiments: number, place?: string): Overhead {
  const measured = Array.from({ length: rounds }, () => measureOnce(files, experiments, place));
  const sorted = measured.sort((a, b) => a.orgrepo / a.shell - b.orgrepo / b.shell);
  return sorted[(rounds - 1) / 2] as Overhead;
}

function measureOnce(files: number, experiments: number, place: string | undefined): Overhead {
  const repository = makeRepository({ files, ...(place === undefined ? {} : { place }) });
  try {
    return {
      orgrepo: perExperiment(repository, experiments),
      shell: shellLoop(repository, Math.ceil(experiments / 4)),
      floor: harnessAlone(repository, experiments),
    };
  } finally {
    repository.remove();
  }
}
