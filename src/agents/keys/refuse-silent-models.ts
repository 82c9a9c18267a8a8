import { type AgentChoice, everybodyIn } from '../../domain/staff/staff.ts';
import { entryAt } from '../../git/objects/tree.ts';
import { type PinnedBrief, placeInBrief } from '../../org/force/pin-brief.ts';
import type { Org } from '../../records/org.ts';
import { contentOf } from '../../score/arena/zone-files.ts';
import type { Place } from '../../text/problem.ts';
import { problemAt } from '../../text/problem.ts';
import { checkScript } from '../choose-agent.ts';
import type { ApiChoice } from '../model-access.ts';
import { readKey } from './keys.ts';
import { keyFor, whoAnswers } from './model-keys.ts';

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

/** A key of the brief, or a role of the chart. */
export type Where = readonly [string, ...string[]] | Place;

/** The line that says whom somebody asks; what single roles leave to the usual model stands there. */
export async function placeOfModel(org: Org, pinned: PinnedBrief, where: Where): Promise<Place> {
  if ('file' in where) return where;
  const own = await placeInBrief(org, pinned, where);
  return (own.line ?? 1) > 1 ? own : placeInBrief(org, pinned, ['model']);
}

/** Everybody with the place where the brief would name them; whom it does not name stands for the usual one. Models of the chart by their role. */
export function placesOfModels({ brief, charter }: PinnedBrief): readonly (readonly [Where, AgentChoice])[] {
  const { chief, juniors, checkers, critics, posts } = brief.staff;
  const all = { chief: [chief], junior: juniors, checker: checkers, critics };
  const members = charter?.charter.members ?? [];
  const charted = members.flatMap(({ id, model, place }): readonly (readonly [Where, AgentChoice])[] => {
    const choice = posts?.find((post) => post.id === id)?.choice;
    return model === undefined || choice === undefined ? [] : [[place, choice]];
  });
  const asked = new Set(posts?.map(({ choice }) => choice));
  const briefed = Object.entries(all).flatMap(([role, choices]) =>
    choices.map((choice, at) => [choices.length === 1 ? [role, 'model'] : [role, String(at)], choice] as const),
  ) as readonly (readonly [Where, AgentChoice])[];
  return [...charted, ...briefed.filter(([, choice]) => posts === undefined || asked.has(choice))];
}
