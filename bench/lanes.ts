import { makeRepository } from './repository.ts';

/** Experiments for each second that the harness sleeps, with 16 lanes and 16 slots; 16 would be perfect. */
export function measureLanes(rounds: number): { readonly perSecond: number; readonly experiments: number } {
  const harness = { run: 'sleep 1; echo ran > "$ORGREPO_OUT/ran"\n', score: 'echo score: 1\n' };
  const repository = makeRepository({ files: 100, harness, brief: { slots: '16', juniors: '16' } });
  try {
    repository.orgrepo('run', '--max', '16');
    const lines = repository
      .orgrepo('run', '--max', String(16 * rounds), '--json')
      .stdout.trim()
      .split('\n');
    const facts = lines.map((line) => JSON.parse(line) as { kind: string; at: string; event?: string });
    const failed = facts.find(
      (fact) => fact.kind === 'warning' || ['crash', 'failed', 'timeout'].includes(fact.event ?? ''),
    );
    if (failed !== undefined) throw new Error(`a lane failed: ${JSON.stringify(failed)}`);
    const [first, last] = [facts[0], facts.at(-1)].map((fact) => Date.parse(fact?.at ?? '') / 1000);
    return { perSecond: (16 * rounds) / ((last ?? 0) - (first ?? 0)), experiments: 16 * rounds };
  } finally {
    repository.remove();
  }
}
