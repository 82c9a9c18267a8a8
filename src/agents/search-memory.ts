import type { Direction } from '../domain/brief.ts';
import type { Experiment } from '../domain/experiment.ts';
import { gainOver } from '../domain/score.ts';
import { readHead } from './search-notes.ts';

/** What the notebook teaches the search. */
export interface Memory {
  /** The fingerprints of what was measured. */
  readonly results: ReadonlySet<string>;
  /** How large the steps should be now, 1 being as large as the numbers themselves. */
  readonly step: number;
  /** How well a move has done lately, 1 when nothing is known. */
  readonly worthOf: (move: string) => number;
  /** The newest first. */
  readonly kept: readonly Experiment[];
  readonly discarded: readonly Experiment[];
  /** Discarded, but hardly worse than what they were compared with; the best first. */
  readonly nearMisses: readonly Experiment[];
}

export function readMemory(notebook: readonly Experiment[], direction: Direction): Memory {
  const results = new Set<string>();
  const tallies = new Map<string, Tally>();
  for (const [index, experiment] of notebook.entries()) {
    const { event } = experiment;
    const head = headOf(experiment);
    if (head === undefined) continue;
    results.add(head.result);
    const tally = tallies.get(head.move) ?? { tried: 0, kept: 0 };
    const weight = fading(notebook.length - index);
    tally.tried += weight;
    if (event === 'keep') tally.kept += weight;
    tallies.set(head.move, tally);
  }
  const discarded = lately(notebook, 'discard', 120);
  return {
    results,
    step: stepAfter(notebook),
    worthOf: (move) => worth(tallies.get(move), tallies),
    kept: lately(notebook, 'keep', 12),
    discarded,
    nearMisses: nearest(discarded, direction),
  };
}

/** The notes of a thousand experiments are read for every proposal; they never change. */
const heads = new WeakMap<Experiment, ReturnType<typeof readHead>>();

function headOf(experiment: Experiment): ReturnType<typeof readHead> {
  if (!heads.has(experiment)) heads.set(experiment, readHead(experiment.notes));
  return heads.get(experiment);
}

interface Tally {
  tried: number;
  kept: number;
}

/** Half as much after 200 experiments. */
export const fading = (age: number): number => 0.5 ** (age / 200);

/**
 * Keeps make the steps grow, discards make them shrink, and when they have become too small to matter they start large
 * again: the search has been everywhere near and must look elsewhere.
 */
function stepAfter(notebook: readonly Experiment[]): number {
  let step = largestStep;
  for (const { event } of notebook) {
    if (event === 'keep') step = Math.min(largestStep, step * 1.5);
    if (event === 'discard') step *= 0.97;
    if (step < smallestStep) step = largestStep;
  }
  return step;
}

const largestStep = 1;
const smallestStep = 0.03;

/** The share of keeps, pulled towards the share of all moves together so that a few draws decide nothing. */
function worth(tally: Tally | undefined, all: ReadonlyMap<string, Tally>): number {
  let [tried, kept] = [4, 1];
  for (const one of all.values()) {
    tried += one.tried;
    kept += one.kept;
  }
  const usual = kept / tried;
  const doubt = 10;
  return ((tally?.kept ?? 0) + usual * doubt) / ((tally?.tried ?? 0) + doubt) / usual;
}

function lately(notebook: readonly Experiment[], event: Experiment['event'], most: number): readonly Experiment[] {
  const found: Experiment[] = [];
  for (let index = notebook.length - 1; index >= 0 && found.length < most; index--) {
    const experiment = notebook[index] as Experiment;
    if (experiment.event === event) found.push(experiment);
  }
  return found;
}

function nearest(discarded: readonly Experiment[], direction: Direction): readonly Experiment[] {
  const losses = discarded.flatMap((experiment) => {
    if (experiment.score === undefined || experiment.best === undefined) return [];
    return [{ experiment, loss: gainOver(experiment.best, experiment.score, direction) }];
  });
  return losses
    .sort((a, b) => a.loss - b.loss)
    .slice(0, 20)
    .map(({ experiment }) => experiment);
}
