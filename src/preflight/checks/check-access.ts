import { type Knocked, knock } from '../../agents/choose-agent.ts';
import { keyFor, keyNeeds, refusedKey } from '../../agents/keys/model-keys.ts';
import { placeOfModel, placesOfModels, type Where } from '../../agents/keys/model-places.ts';
import { whoAnswers } from '../../agents/keys/who-answers.ts';
import { type AgentChoice, providerOf } from '../../domain/staff/staff.ts';
import { formatModelId, type ModelId } from '../../domain/words/model-id.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import type { Org } from '../../records/org.ts';
import { type Problem, problemAt } from '../../text/problem.ts';

/** A model that somebody would ask, where the brief says so, and what its provider says to that. */
export interface AccessCheck {
  readonly choice: Asking;
  readonly knocked: Knocked;
  readonly problem: Problem | undefined;
}

type Asking = Extract<AgentChoice, { kind: 'api' | 'program' }> & { readonly model: ModelId };

/** Refuses a night whose keys are refused, or whose models are not there: nobody should find that in the morning. */
export async function refuseClosedDoors(org: Org, tree: string, pinned: PinnedBrief): Promise<void> {
  const [first] = (await lookAtDoors(org, tree, pinned)).flatMap(({ problem }) => problem ?? []);
  if (first !== undefined) throw first;
}

/** Asks each provider once for every model and key. Whoever has no key, or plays a script, has nobody to ask. */
export async function lookAtDoors(org: Org, tree: string, pinned: PinnedBrief): Promise<readonly AccessCheck[]> {
  const doors = new Map<string, { readonly choice: Asking; readonly where: Where }>();
  for (const [where, choice] of placesOfModels(pinned)) {
    const asking = await askingOf(org, tree, choice);
    const door = asking && JSON.stringify([asking.baseUrl, providerOf(asking), asking.model.id]);
    if (asking !== undefined && door !== undefined && !doors.has(door)) doors.set(door, { choice: asking, where });
  }
  return Promise.all(
    [...doors.values()].map(async ({ choice, where }) => {
      const knocked = await knock(choice.model, { key: await keyFor(org, choice), baseUrl: choice.baseUrl });
      return { choice, knocked, problem: await problemOf(org, pinned, choice, where, knocked) };
    }),
  );
}

async function askingOf(org: Org, tree: string, choice: AgentChoice): Promise<Asking | undefined> {
  if (choice.kind !== 'api' && choice.kind !== 'program') return undefined;
  const { model } = choice.kind === 'api' ? await whoAnswers(org, tree, choice) : choice;
  if (model === undefined || model.provider === 'scripted') return undefined;
  return (await keyNeeds(org, choice))?.set === false ? undefined : { ...choice, model };
}

async function problemOf(
  org: Org,
  pinned: PinnedBrief,
  choice: Asking,
  where: Where,
  knocked: Knocked,
): Promise<Problem | undefined> {
  if (knocked.kind === 'refused') return refusedKey(org, choice, knocked.why);
  if (knocked.kind !== 'unknown') return undefined;
  const what = `model is ${formatModelId(choice.model)}, and there is no such model for this key: ${knocked.why}`;
  const hint = 'Name one that your provider lists, by its whole id.';
  return problemAt('file' in where ? 'org/value' : 'brief/value', await placeOfModel(org, pinned, where), what, hint);
}
