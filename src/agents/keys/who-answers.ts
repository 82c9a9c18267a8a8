import type { AgentChoice } from '../../domain/staff/staff.ts';
import { formatModelId } from '../../domain/words/model-id.ts';
import { entryAt } from '../../git/objects/tree.ts';
import type { Org } from '../../records/org.ts';
import { keyNeeds } from './model-keys.ts';

type ApiChoice = Extract<AgentChoice, { kind: 'api' }>;

/**
 * Who answers for a model. Without its key, a script of its name in the repository plays its part, `models/<id>.json`: a brief
 * can be tried as it is before anybody has a key, and the books say that it was the script.
 */
export async function whoAnswers(org: Org, tree: string, choice: ApiChoice): Promise<ApiChoice> {
  const needs = await keyNeeds(org, choice);
  if (needs === undefined || needs.set) return choice;
  const script = `models/${choice.model.id}.json`;
  if ((await entryAt(org.repo, tree, script))?.mode.startsWith('100') !== true) return choice;
  return { ...choice, model: { provider: 'scripted', id: script } };
}

export const standInWords = ({ model }: ApiChoice, answers: ApiChoice): string =>
  `there is no key for ${formatModelId(model)}: the script ${answers.model.id} plays its part`;
