import type { Experiment } from '../../domain/words/experiment.ts';
import type { SpecStory } from '../../domain/words/spec.ts';
import { experimentNumbered } from '../../records/notebook/history.ts';
import type { Notebook } from '../../records/notebook/notebook.ts';
import type { Org } from '../../records/org.ts';
import { readQueue } from '../../records/queue/queue.ts';
import { readSpecStory } from '../../steps/people/read-spec-story.ts';
import { Problem } from '../../text/problem.ts';

/** The experiment that a person means by `7` or `#7`. */
export async function findExperiment(
  org: Org,
  word: string,
  verb: 'show' | 'replay',
): Promise<{ experiment: Experiment; notebook: Notebook }> {
  const n = experimentNumber(word, `For example: npx orgrepo ${verb} 7`);
  const queue = await readQueue(org);
  const found = queue === undefined ? undefined : await experimentNumbered(org, queue, n);
  if (found !== undefined) return found;
  throw noExperiment(n);
}

export const noExperiment = (n: number): Problem =>
  new Problem('experiment/missing', `there is no experiment #${n}`, 'See which there are: npx orgrepo log');

/** The spec that a person means by `0012` or `spec-0012`; undefined when the word is an experiment's. Numbers have no leading zero. */
export async function findSpec(org: Org, word: string): Promise<SpecStory | undefined> {
  const id = /^(?:spec-([0-9]{4,9})|(0[0-9]{3,8}))$/
    .exec(word)
    ?.slice(1)
    .find((part) => part !== undefined);
  if (id === undefined) return undefined;
  const story = await readSpecStory(org, id);
  if (story !== undefined) return story;
  throw new Problem('offer/missing', `there is no spec ${id}`, 'See which are open: git ls-tree orgrepo/queue specs/');
}

/** The number that a person means by `7` or `#7`. What is the name of something else is told as that: `0001` is a spec and not #1. */
export function experimentNumber(word: string, example: string): number {
  const [, digits] = /^#?([0-9]{1,9})$/.exec(word) ?? [];
  if (digits !== undefined && !/^0[0-9]{3}/.test(word)) return Number(digits);
  const other = others.find(({ named }) => named.test(word));
  throw new Problem(
    'usage/argument',
    other === undefined
      ? `${JSON.stringify(word)} is no number of an experiment`
      : `${word} is ${other.what}, and no number of an experiment`,
    other === undefined ? example : `${example}. ${other.see(word)}`,
  );
}

const others: readonly { readonly named: RegExp; readonly what: string; readonly see: (word: string) => string }[] = [
  {
    named: /^(?:spec-[0-9]{4,9}|0[0-9]{3,8})$/,
    what: 'a spec',
    see: (word) => `What was tried at the spec: npx orgrepo show ${word}`,
  },
  { named: /^A[1-9][0-9]*$/, what: 'a request', see: () => 'What waits for a yes: npx orgrepo approve' },
  { named: /^E[1-9][0-9]*$/, what: 'an escalation', see: () => 'What waits for you: npx orgrepo status' },
  { named: /^D[1-9][0-9]*$/, what: 'a decision', see: (word) => `Make it again: npx orgrepo replay ${word}` },
];
