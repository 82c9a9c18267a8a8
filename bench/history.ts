import { perExperiment } from './overhead.ts';
import { addPast } from './past.ts';
import { makeRepository } from './repository.ts';

export interface HistoryCost {
  readonly experiments: number;
  readonly perExperiment: number;
  readonly status: number;
  readonly log: number;
  readonly start: number;
}

/** What things cost in a repository that has had this many experiments already. */
export function measureHistory(experiments: number): HistoryCost {
  const repository = makeRepository({ files: 100 });
  try {
    repository.orgrepo('run', '--max', '5');
    addPast(repository, experiments);
    repository.orgrepo('run', '--max', '1'); // As in life: the last that happened is the end of a run.
    const middle = (measure: () => number): number =>
      [1, 2, 3, 4, 5].map(measure).sort((a, b) => a - b)[2] ?? Number.NaN;
    return {
      experiments,
      status: middle(() => repository.orgrepo('status').seconds),
      log: middle(() => repository.orgrepo('log', '-n', '20').seconds),
      start: middle(() => repository.orgrepo('run', '--max', '1').seconds),
      perExperiment: middle(() => perExperiment(repository, 100)),
    };
  } finally {
    repository.remove();
  }
}

/** The seconds that `verify` takes in a repository with this many experiments. */
export function measureVerify(experiments: number): { readonly seconds: number; readonly said: string } {
  const repository = makeRepository({ files: 100 });
  try {
    repository.orgrepo('run', '--max', '5');
    addPast(repository, experiments - 5);
    const rounds = [1, 2, 3].map(() => repository.orgrepo('verify')).sort((a, b) => a.seconds - b.seconds);
    return { seconds: rounds[1]?.seconds ?? Number.NaN, said: rounds[1]?.stdout.trim() ?? '' };
  } finally {
    repository.remove();
  }
}
