import { meanOf } from '../domain/words/score.ts';
import { formatDuration } from '../text/quantity.ts';

/** A command that was run a few times. */
export interface Runs {
  readonly scores: readonly number[];
  readonly seconds: number;
}

/** How far two runs differ, about: the standard deviation of a difference; 0 where all were equal. */
export function spreadOfRuns({ scores }: Runs): number {
  const mean = meanOf(scores);
  const squares = scores.reduce((sum, score) => sum + (score - mean) ** 2, 0);
  return scores.length < 2 ? 0 : Math.sqrt((2 * squares) / (scores.length - 1));
}

export const hasNoise = ({ scores }: Runs): boolean => new Set(scores).size > 1;

const figure = (value: number): string => String(Number(value.toPrecision(3)));

const share = (spread: number, { scores }: Runs): string =>
  meanOf(scores) === 0 ? '' : ` (${figure((100 * spread) / Math.abs(meanOf(scores)))} %)`;

export function noiseInWords(runs: Runs): string {
  const { scores } = runs;
  if (scores.length === 1) return 'not measured, because one run takes so long; the night measures it first';
  if (!hasNoise(runs)) return `${scores.length} runs, all equal: compared exactly`;
  const spread = spreadOfRuns(runs);
  const [low, high] = [Math.min(...scores), Math.max(...scores)].map(figure);
  return `${scores.length} runs from ${low} to ${high}, two differ by about ${figure(spread)}${share(spread, runs)}: compared in pairs`;
}

/** What an experiment costs beside its measurements. */
const ownSeconds = 0.1;

/** Pairs that most contests of a noisy metric take. */
const usualPairs = 4;

/** What there is time for, and what can be seen. */
export function nightInWords(runs: Runs, nightMs: number, patience: number): string {
  const each = (hasNoise(runs) ? 2 * usualPairs * runs.seconds : runs.seconds) + ownSeconds;
  const tries = Math.floor(nightMs / 1000 / each);
  const rounded = Number(tries.toPrecision(tries < 100 ? 1 : 2)).toLocaleString('en');
  const time = `time for about ${rounded} tries in ${formatDuration(nightMs)}, less what agents take to think`;
  const ends = `it stops after ${patience} without progress`;
  if (!hasNoise(runs)) return `${time}; ${ends}`;
  const spread = spreadOfRuns(runs);
  return `${time}; ${ends}. Gains below ${figure(spread)}${share(spread, runs)} are mostly lost in the noise`;
}
