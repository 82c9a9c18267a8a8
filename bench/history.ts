import { perExperiment } from './overhead.ts';
import { addPast } from './past.ts';
import { type BenchRepository, makeRepository } from './repository.ts';

const costs = {
  perExperiment: (repository: BenchRepository): number => perExperiment(repository, 200),
  status: (repository: BenchRepository): number => repository.orgrepo('status').seconds,
  log: (repository: BenchRepository): number => repository.orgrepo('log', '-n', '20').seconds,
  start: (repository: BenchRepository): number => repository.orgrepo('run', '--max', '1').seconds,
};

export type HistoryCosts = Readonly<Record<keyof typeof costs, { readonly few: number; readonly many: number }>>;

/** What things cost with a long past and with a short one. In turns, so that a noisy minute hits both; the middle round counts. */
export function measureHistory(few: number, many: number): HistoryCosts {
  const [young, old] = [few, many].map(withPast) as [BenchRepository, BenchRepository];
  try {
    const middle = (cost: (repository: BenchRepository) => number): { few: number; many: number } => {
      const rounds = Array.from({ length: 5 }, () => ({ few: cost(young), many: cost(old) }));
      return rounds.sort((a, b) => a.many / a.few - b.many / b.few)[2] as { few: number; many: number };
    };
    return {
      perExperiment: middle(costs.perExperiment),
      status: middle(costs.status),
      log: middle(costs.log),
      start: middle(costs.start),
    };
  } finally {
    young.remove();
    old.remove();
  }
}

function withPast(experiments: number): BenchRepository {
  const repository = makeRepository({ files: 100 });
  repository.orgrepo('run', '--max', '5');
  addPast(repository, experiments);
  repository.orgrepo('run', '--max', '1'); // As in life: the last that happened is the end of a run.
  return repository;
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
