import { objectionsTo } from '../../domain/rules/draft-rules.ts';
import { choiceOf } from '../../domain/staff/staff.ts';
import { type Experiment, isRepeat } from '../../domain/words/experiment.ts';
import type { Draft, Spec } from '../../domain/words/spec.ts';
import { nowInSeconds } from '../../process/pace.ts';
import { type DraftRejection, mostRefused, rejectionInWords, writeRefusals } from '../../records/queue/spec-events.ts';
import type { Night } from '../night/night.ts';
import { isChief } from '../night/night-in-force.ts';

/** A file that a chief left: a draft, or why it is none. */
export type WrittenDraft = { readonly file: string; readonly text: string } & (
  | { readonly draft: Draft }
  | { readonly draft: undefined; readonly problem: string }
);

/**
 * Which of a chief's specs may be worked. What is refused goes back to it as a commit, and is the first thing that it reads
 * when it is asked again.
 */
export async function letThrough(
  night: Pick<Night, 'run' | 'tally'>,
  chief: string,
  written: readonly WrittenDraft[],
): Promise<readonly Draft[]> {
  const passed: Draft[] = [];
  const refused: DraftRejection[] = [];
  for (const one of written) {
    const objections =
      one.draft === undefined ? [one.problem] : objectionsTo(one.draft, [...night.tally.memory.specs, ...passed]);
    if (one.draft !== undefined && objections.length === 0) passed.push(one.draft);
    else refused.push({ title: one.draft?.title ?? one.file, objections, text: one.text });
  }
  await refuse(night, chief, refused);
  return passed;
}

/**
 * A spec's tree is known only when it was worked: where every try gave one that was measured before, its chief is told so as
 * it is of a spec that repeats another. The embedded chief learns it from the notebook.
 */
export async function refuseRepeat(
  night: Pick<Night, 'run' | 'inForce' | 'tally'>,
  spec: Spec,
  tries: readonly Experiment[],
): Promise<void> {
  const own = tries.filter((one) => !one.merged && one.part === undefined);
  const { kind } = choiceOf(night.inForce.pinned.brief.staff, spec.by);
  if (!isChief(night.inForce, spec.by) || kind === 'search' || own.length === 0 || !own.every(isRepeat)) return;
  const trees = [...new Set(own.map(({ reason }) => reason))].join(', ');
  const objections = [`it was worked, and every try was a tree that was measured before (${trees})`];
  await refuse(night, spec.by, [{ title: spec.title, objections, text: spec.body }]);
}

async function refuse(
  night: Pick<Night, 'run' | 'tally'>,
  chief: string,
  refused: readonly DraftRejection[],
): Promise<void> {
  await writeRefusals(night.run.org, chief, refused);
  for (const refusal of refused) {
    const message = rejectionInWords(refusal);
    night.run.say({ kind: 'warning', at: nowInSeconds(), message: `a spec of the ${chief}'s: ${message}` });
    night.tally.memory.refused.push(message);
  }
  night.tally.memory.refused.splice(0, night.tally.memory.refused.length - mostRefused);
}
