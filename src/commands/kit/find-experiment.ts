import type { Experiment } from '../../domain/words/experiment.ts';
import { experimentNumbered } from '../../records/notebook/history.ts';
import type { Notebook } from '../../records/notebook/notebook.ts';
import type { Org } from '../../records/org.ts';
import { readQueue } from '../../records/queue/queue.ts';
import { Problem } from '../../text/problem.ts';
import { experimentNumber } from './experiment-number.ts';

/** The experiment that a person means by `7` or `#7`. */
export async function findExperiment(
  org: Org,
  word: string,
  verb: 'show' | 'replay' | 'approve' | 'deny',
): Promise<{ experiment: Experiment; notebook: Notebook }> {
  const n = experimentNumber(word, `For example: npx orgrepo ${verb} 7`);
  const queue = await readQueue(org);
  const found = queue === undefined ? undefined : await experimentNumbered(org, queue, n);
  if (found !== undefined) return found;
  throw new Problem('experiment/missing', `there is no experiment #${n}`, 'See which there are: npx orgrepo log');
}
