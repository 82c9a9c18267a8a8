import type { Experiment } from '../domain/experiment.ts';
import { Problem } from '../domain/problem.ts';
import { experimentNumbered } from '../records/history.ts';
import type { Notebook } from '../records/notebook.ts';
import type { Org } from '../records/org.ts';
import { readQueue } from '../records/queue.ts';
import { formatJson } from '../views/json.ts';

/** The experiment that a person means by `7` or `#7`. */
export async function findExperiment(
  org: Org,
  word: string,
  verb: 'show' | 'replay',
): Promise<{ experiment: Experiment; notebook: Notebook }> {
  const match = /^#?([0-9]{1,9})$/.exec(word);
  if (match === null)
    throw new Problem(
      'usage/argument',
      `${formatJson(word)} is no number of an experiment`,
      `For example: npx orgrepo ${verb} 7`,
    );
  const queue = await readQueue(org);
  const found = queue === undefined ? undefined : await experimentNumbered(org, queue, Number(match[1]));
  if (found !== undefined) return found;
  throw new Problem(
    'experiment/missing',
    `there is no experiment #${match[1]}`,
    'See which there are: npx orgrepo log',
  );
}
