import { setTimeout as wait } from 'node:timers/promises';
import { type Ending, nightEnds } from '../../domain/rules/ending.ts';
import { agentsWithDuty, person } from '../../domain/staff/staff.ts';
import type { Spec } from '../../domain/words/spec.ts';
import { entryAt } from '../../git/objects/tree.ts';
import { under } from '../../org/force/charter-at.ts';
import { findBrief, measureKey, type PinnedBrief, pinBlob } from '../../org/force/pin-brief.ts';
import { refuseWrongStaff } from '../../preflight/checks/check-staff.ts';
import { nowInSeconds, pace } from '../../process/pace.ts';
import { readEntry } from '../../records/entry.ts';
import { trunkOf, trunkTip } from '../../records/org.ts';
import { whoPaused } from '../../records/queue/presence-book.ts';
import { calibratingFor, recordCalibration, sayCalibrated } from '../../score/measure/calibrate.ts';
import { refuseWrongStart } from '../../score/measure/check-harness.ts';
import { gainPairs } from '../../score/measure/night-gain.ts';
import { remeasureBest } from '../../score/measure/take-base.ts';
import { isProblem, Problem } from '../../text/problem.ts';
import { waitingState } from '../claim/claim.ts';
import { adoptOrg, withLeavers } from '../night/adopt-org.ts';
import { noteBegun } from '../night/floor.ts';
import { isRepositoryTouched } from '../night/look-for-tampering.ts';
import { chiefOf, isPerson, type Night } from '../night/night.ts';
import { needPerson } from '../night/tell-person.ts';
import { isSomebodyAsked } from '../people/answer-stuck.ts';
import { mayAsk } from './attempt-breaker.ts';
import { isAwaited, isWaitingForMany } from './awaited.ts';
import { isRefusedToAll } from './claim-refusals.ts';
import { isHalted, isUsedUp, whyHalted } from './halt.ts';
import { openingNow, priorityIn, tellClosed } from './opening.ts';
import { areAllStopped, noLongerHeldUp, presentAsKnown, presentNow, sayHeldUp } from './present.ts';
import { isIdleThoughPaused, isNewlyRefused, isOpenToOthers, isStalled, whatStalls } from './stalled.ts';
import { steeringOf } from './steering.ts';

/** True when another attempt may begin now; waits while the org is paused. Counts the attempt as begun. */
export async function mayBegin(night: Night, agent: string, spec: Spec): Promise<boolean> {
  if (night.spentSpecs.has(spec.id)) return false;
  do {
    if (!(await goesOn(night, agent, 'patient', spec.id))) {
      if (isStopped(night, agent) || night.spentUp.has(agent)) night.floor.leaving.add(spec.id);
      return false;
    }
  } while (agent !== person && presentAsKnown(night, agent).kind === 'wait'); // A colleague began the last one meanwhile.
  const opening = openingNow(night, agent, priorityIn(night, spec));
  if (opening.kind === 'closed') {
    tellClosed(night, agent, opening, spec.id);
    night.floor.leaving.add(spec.id);
    return false;
  }
  night.begun += 1;
  noteBegun(night.floor, agent, nowInSeconds());
  return true;
}

const isStopped = (night: Night, agent: string): boolean => presentAsKnown(night, agent).kind === 'stop';

/** Why no other attempt is begun now, or undefined when one is; empty when the night is over. */
export const whyNotNow = async (night: Night, agent: string, spec: Spec): Promise<string | undefined> =>
  (await mayBegin(night, agent, spec)) ? undefined : whyHalted(night, agent, spec.id);

/** True when another spec may be claimed; this is where a changed brief takes effect. */
export async function mayClaim(night: Night, agent: string): Promise<boolean> {
  if ((await isRepositoryTouched(night)) || !(await goesOn(night, agent, 'at once'))) return false;
  await adoptBrief(night);
  return goesOn(night, agent, 'at once');
}

/**
 * True when a lane that found nothing to do has no reason to wait for more: the night has ended, or there is nobody who
 * could give it ideas, at work or to be asked again. One that is stopped waits for a person as long as somebody else works,
 * and that of a junior who is a person leaves it to the others.
 */
export async function isOver(night: Night, agent: string): Promise<boolean> {
  const present = await presentNow(night, agent);
  if (present.kind === 'pause') sayHeldUp(night, agent, present);
  const worked = [...night.live.values()].some(({ state }) => state !== waitingState); // A person may come or not.
  const others = night.juniors.some((junior) => !isPerson(night, junior));
  const chief = chiefOf(night, agent);
  const mayWork = !night.spentUp.has(agent) && !isWaitingForMany(night, agent);
  const asks = mayWork && mayAsk(night, chief) && !isAwaited(night, chief) && !(await isStalled(night));
  const theirs = (isPerson(night, agent) && others) || (await isHalted(night, agent));
  const answers = !night.spentUp.has(agent) && !isPerson(night, agent) && (await isSomebodyAsked(night));
  const mayCome =
    isNewlyRefused(night, agent) ||
    worked ||
    asks ||
    answers ||
    theirs ||
    (await isHeldUp(night, agent)) ||
    (await isOpenToOthers(night));
  if (night.ending === undefined && !night.now.aborted && mayCome) {
    await wait(pace().idleMs);
    return false;
  }
  // Whoever may spend no more goes home, and the others go on; without a chief that may ask there will be no ideas.
  if (!night.spentUp.has(agent)) {
    const ending = await endingWithoutWork(night, chief);
    night.ending ??= ending;
  }
  return true;
}

/** That nobody has an idea left is one thing; that there is work which nobody may do without a person's word is another. */
async function endingWithoutWork(night: Night, chief: string | undefined): Promise<Ending> {
  if (night.spentUp.has(chief ?? '')) return 'capped';
  const { refused, waiting } = await whatStalls(night);
  return refused.length + waiting.length > 0 ? 'refused' : 'no-ideas';
}

/** Whether there is work that only people's words, the hours or the chart keep from being done now. */
async function isHeldUp(night: Night, agent: string): Promise<boolean> {
  const present = await presentNow(night, agent);
  if (present.kind === 'stop' && areAllStopped(night)) night.ending ??= 'stopped';
  if (present.kind !== 'go') {
    sayHeldUp(night, agent, present);
    return present.kind !== 'pause' || !(await isIdleThoughPaused(night, agent));
  }
  if (openingNow(night, agent, 'normal').kind === 'closed') return true;
  if (night.floor.waiting.size > 0) return true;
  if ([...night.floor.handedBack].some((spec) => !isRefusedToAll(night, spec))) return true;
  for (const chief of agentsWithDuty(night.pinned.brief, 'chief'))
    if ((await presentNow(night, chief)).kind === 'pause') return true;
  return false;
}

/** Who wants a spec is answered at once when it may not, because others stand behind it; who has one waits for its turn. */
async function goesOn(night: Night, agent: string, how: 'patient' | 'at once', spec?: string): Promise<boolean> {
  for (;;) {
    await adoptOrg(night);
    const progress = {
      startedAt: night.startedAt,
      begun: night.begun,
      sinceKeep: night.sinceKeep,
      best: night.best.score,
      reserveMs: reserveOf(night),
    };
    night.ending ??= nightEnds(progress, night.pinned.brief, night.limits, Date.now());
    if (night.spentUp.has(agent) || (await isHalted(night, agent))) return false;
    const { state } = await steeringOf(night);
    if (state === 'stopping') night.ending ??= 'stopped';
    if (night.ending !== undefined || night.now.aborted) return false;
    const present = await presentNow(night, agent);
    if (present.kind === 'stop') return false;
    if (state !== 'paused' && present.kind === 'go') {
      if (agent !== person && (await isUsedUp(night, agent, spec))) return false;
      noLongerHeldUp(night, agent);
      return true;
    }
    if (state !== 'paused' && how === 'at once') return false;
    const by = await whoPaused(night.org, { state });
    sayHeldUp(night, agent, present, state === 'paused' ? `by ${by ?? 'a person'}: orgrepo resume` : '');
    await wait(pace().pausedMs);
  }
}

/**
 * Takes up a brief that a person committed meanwhile. A broken one changes nothing but is said aloud. The harness
 * stays the one that the run was started with.
 */
async function adoptBrief(night: Night): Promise<void> {
  const tip = await trunkTip(night.org);
  if (tip === night.trunk.looked) return;
  night.trunk.looked = tip;
  const tree = (await readEntry(night.org, tip))?.commit.tree ?? '';
  const harness = await entryAt(night.org.repo, tree, night.pinned.brief.harness);
  if (harness?.oid !== night.pinned.harness)
    warn(night, 'the harness on the trunk has changed: it counts from the next run on');
  try {
    const found = await findBrief(night.org, tree);
    if (found?.blob === night.pinned.blob) return;
    if (found === undefined) throw missingBrief();
    const own = await pinBlob(night.org, found.blob, night.trunk.tree, found.file);
    const pinned = withLeavers(night, under(night.pinned.charter, own));
    await refuseWrongStaff(night.org, night.trunk.tree, pinned);
    if (measureKey(pinned) === measureKey(night.pinned)) await refuseWrongStart(night.org, pinned, night.best, false);
    else {
      await night.gate.add(() => calibrateAgain(night, pinned));
      night.seen = Promise.resolve(new Map()); // Measured under another brief is not measured.
      night.offered.clear();
    }
    night.pinned = withLeavers(night, under(night.pinned.charter, own)); // An organisation may have been applied meanwhile.
    night.slots.concurrency = pinned.brief.slots;
    night.say({
      kind: 'brief',
      at: nowInSeconds(),
      change: 'changed',
      message: `${found.file} of ${tip.slice(0, 7)} is in force`,
    });
  } catch (error) {
    if (!isProblem(error)) throw error;
    const message = `${error.message}; the brief of ${night.pinned.blob.slice(0, 7)} stays in force`;
    night.say({ kind: 'brief', at: nowInSeconds(), change: 'broken', message });
    needPerson(night, {
      what: `the brief on the trunk cannot be used: ${error.message}`,
      command: error.hint,
      found: { ref: trunkOf(night.org), commit: tip },
    });
  }
}

/** Best and the noise under a brief that asks for something else. */
async function calibrateAgain(night: Night, pinned: PinnedBrief): Promise<void> {
  const { best, calibration } = await remeasureBest(calibratingFor(night, pinned), night.best);
  await recordCalibration(night.org, calibration, pinned, best);
  night.best = best;
  night.scales.set(measureKey(pinned), calibration.scale);
  sayCalibrated({ say: night.say, pinned }, calibration);
}

/** Time for the pairs at the end of the night; a deterministic metric needs no more than a blink. */
function reserveOf({ scales, pinned }: Night): number {
  const scale = scales.get(measureKey(pinned));
  return scale?.noise === undefined ? 0 : 2 * gainPairs * scale.usualMs;
}

function warn(night: Night, message: string): void {
  night.say({ kind: 'warning', at: nowInSeconds(), message });
}

const missingBrief = (): Problem =>
  new Problem('brief/missing', 'program.md is gone from the trunk', 'Put it back: git checkout HEAD~1 -- program.md');
