import type { SpecStory } from '../../domain/rules/spec-story.ts';
import type { Org } from '../../records/org.ts';
import { readSpecStory } from '../../steps/people/read-spec-story.ts';
import { Problem } from '../../text/problem.ts';

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
