import { makeRepository } from './repository.ts';

/** Experiments for each second that the harness sleeps, with 16 lanes and 16 slots; 16 would be perfect. */
export function measureLanes(rounds: number): { readonly perSecond: number; readonly experiments: number } {
  const harness = { run: 'sleep 1; echo ran > "$ORGREPO_OUT/ran"\n', score: 'echo score: 1\n' };
  const repository = makeRepository({ files: 100, harness, brief: { slots: '16', juniors: '16' } });
  try {
    const few = repository.orgrepo('run', '--max', '16').seconds;
    const many = repository.orgrepo('run', '--max', String(16 * (rounds + 1)));
    const failed = many.stdout.split('\n').filter((line) => /CRASH|warning|FAILED/.test(line));
    if (failed.length > 0) throw new Error(`a lane failed: ${failed[0]}`);
    return { perSecond: (16 * rounds) / (many.seconds - few), experiments: 16 * rounds };
  } finally {
    repository.remove();
  }
}
