import { everybodyIn } from '../../domain/staff/staff.ts';
import { entryAt } from '../../git/objects/tree.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import type { Org } from '../../records/org.ts';
import { contentOf } from '../../score/arena/zone-files.ts';
import { problemAt } from '../../text/problem.ts';
import { checkScript } from '../choose-agent.ts';
import type { ApiChoice } from '../model-access.ts';
import { readKey } from './keys.ts';
import { keyFor } from './model-keys.ts';
import { placeOfModel, placesOfModels } from './model-places.ts';
import { whoAnswers } from './who-answers.ts';

/** Refuses a night whose models have no key, or no script that can be played, before anything is begun. */
export async function refuseSilentModels(org: Org, tree: string, pinned: PinnedBrief): Promise<void> {
  for (const choice of everybodyIn(pinned.brief.staff)) {
    if (choice.kind === 'program') await keyFor(org, choice);
    if (choice.kind !== 'api') continue;
    for (const { key } of choice.servers ?? []) if (key !== undefined) await readKey(org, [key]);
    const { model } = await whoAnswers(org, tree, choice);
    if (model.provider !== 'scripted') await keyFor(org, choice);
    else checkScript((await scriptAt(org, tree, model.id)) ?? (await noScript(org, pinned, choice)), model.id);
  }
}

async function noScript(org: Org, pinned: PinnedBrief, choice: ApiChoice): Promise<never> {
  const [where = ['model'] as const] = placesOfModels(pinned).find(([, one]) => one === choice) ?? [];
  const file = choice.model.id;
  const what = `model is scripted:${file}, and there is no such file in the last commit`;
  throw problemAt('script/value', await placeOfModel(org, pinned, where), what, `Write ${file} and commit it.`);
}

export async function scriptAt(org: Org, tree: string, file: string): Promise<string | undefined> {
  const entry = await entryAt(org.repo, tree, file);
  return entry?.mode.startsWith('100') === true ? (await contentOf(org.repo, entry.oid)).toString('utf8') : undefined;
}
