import { perExperiment } from './overhead.ts';
import { makeRepository } from './repository.ts';

export interface JailCost {
  readonly free: number;
  readonly bubblewrap: number;
  readonly namespaces: number;
}

const rounds = 3;

/** Seconds of a two-stage experiment with an echoing harness, free and held, in turns; the round in the middle. */
export function measureJail(experiments: number): JailCost {
  const measured = Array.from({ length: rounds }, () => {
    const repository = makeRepository({ files: 100 });
    const held = (level: string): number => perExperiment(repository, experiments, '--jail', level);
    try {
      return { free: held('none'), bubblewrap: held('bubblewrap'), namespaces: held('namespaces') };
    } finally {
      repository.remove();
    }
  });
  return measured.sort((a, b) => a.bubblewrap / a.free - b.bubblewrap / b.free)[(rounds - 1) / 2] as JailCost;
}
