import path from 'node:path';
import { perExperiment } from './overhead.ts';
import { bundle, makeRepository } from './repository.ts';

/** Seconds of a two-stage experiment with two builds of orgrepo. */
export interface Pair {
  readonly now: number;
  readonly other: number;
}

export interface AgainstOptions {
  readonly pairs: number;
  readonly levels: readonly string[];
  readonly experiments: number;
}

export const jailLevels = ['none', 'bubblewrap', 'namespaces'] as const;

/** Pairs of this build and another one, by jail level. The two take turns, and each pair begins with the other of them. */
export function measureAgainst(
  other: string,
  { pairs, levels, experiments }: AgainstOptions,
): ReadonlyMap<string, readonly Pair[]> {
  const builds = { now: bundle, other: path.resolve(other) };
  const measured = new Map<string, readonly Pair[]>();
  for (const jail of levels)
    measured.set(
      jail,
      Array.from({ length: pairs }, (_, at) => measurePair(jail, at)),
    );
  return measured;

  function measurePair(jail: string, at: number): Pair {
    const pair = { now: 0, other: 0 };
    for (const which of at % 2 === 0 ? (['now', 'other'] as const) : (['other', 'now'] as const)) {
      const repository = makeRepository({ files: 100, bundle: builds[which] });
      try {
        pair[which] = perExperiment(repository, experiments, '--jail', jail);
      } finally {
        repository.remove();
      }
    }
    return pair;
  }
}

export function medianOf(some: readonly number[]): number {
  const sorted = [...some].sort((one, next) => one - next);
  const half = sorted.length / 2;
  return ((sorted[Math.floor(half)] ?? Number.NaN) + (sorted[Math.ceil(half) - 1] ?? Number.NaN)) / 2;
}
