import { setTimeout as wait } from 'node:timers/promises';
import { type Ending, nightEnds } from '../../domain/rules/ending.ts';
import { person } from '../../domain/staff/agent-names.ts';
import { agentsWithDuty } from '../../domain/staff/staff.ts';
import type { Spec } from '../../domain/words/spec.ts';
import { entryAt } from '../../git/objects/tree.ts';
import { under } from '../../org/force/charter-at.ts';
import { findBrief, measureKey, type PinnedBrief, pinBlob } from '../../org/force/pin-brief.ts';
import { refuseWrongStaff } from '../../preflight/checks/check-staff.ts';
import { nowInSeconds } from '../../process/clock.ts';
import { pace } from '../../process/pace.ts';
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
import { isRepositoryTouched } from '../night/look-for-tampering.ts';
import type { Night } from '../night/night.ts';
import { chiefOf, isPerson } from '../night/night-in-force.ts';
import type { RunConstants } from '../night/run-constants.ts';
import { needPerson } from '../night/tell-person.ts';
import { isSomebodyAsked } from '../people/answer-stuck.ts';
import { mayAsk } from './attempt-breaker.ts';
import { isAwaited, isWaitingForMany } from './awaited.ts';
import { isRefusedToAll } from './claim-refusals.ts';
import { isHalted, isUsedUp, whyHalted } from './halt.ts';
import { noteBegun } from './night-standing.ts';
import { openingNow, priorityIn, tellClosed } from './opening.ts';
import { areAllStopped, noLongerHeldUp, presentAsKnown, presentNow, sayHeldUp } from './present.ts';
import { isIdleThoughPaused, isNewlyRefused, isOpenToOthers, isStalled, whatStalls } from './stalled.ts';
import { steeringOf } from './steering.ts';

/** True when another attempt may begin now; waits while the org is paused. Counts the attempt as begun. */
export async function mayBegin(
  night: Pick<Night, 'run' | 'inForce' | 'standing' | 'tally'>,
  agent: string,
  spec: Spec,
): Promise<boolean> {
  if (night.standing.spentSpecs.has(spec.id)) return false;
  do {
    if (!(await goesOn(night, agent, 'patient', spec.id))) {
      if (isStopped(night, agent) || night.standing.spentUp.has(agent)) night.standing.leaving.add(spec.id);
      return false;
    }
  } while (agent !== person && presentAsKnown(night, agent).kind === 'wait'); // A colleague began the last one meanwhile.
  const opening = openingNow(night.inForce, agent, priorityIn(night.inForce, spec));
  if (opening.kind === 'closed') {
    tellClosed(night, agent, opening, spec.id);
    night.standing.leaving.add(spec.id);
    return false;
  }
  noteBegun(night.standing, agent, nowInSeconds());
  return true;
}

const isStopped = (night: Pick<Night, 'inForce' | 'standing'>, agent: string): boolean =>
  presentAsKnown(night, agent).kind === 'stop';

/** Why no other attempt is begun now, or undefined when one is; empty when the night is over. */
export const whyNotNow = async (
  night: Pick<Night, 'run' | 'inForce' | 'standing' | 'tally'>,
  agent: string,
  spec: Spec,
): Promise<string | undefined> =>
  (await mayBegin(night, agent, spec)) ? undefined : whyHalted(night.standing, agent, spec.id);

/** True when another spec may be claimed; this is where a changed brief takes effect. */
export async function mayClaim(
  night: Pick<Night, 'run' | 'inForce' | 'standing' | 'tally'>,
  agent: string,
): Promise<boolean> {
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
  const worked = [...night.desk.live.values()].some(({ state }) => state !== waitingState); // A person may come or not.
  const others = night.inForce.juniors.some((junior) => !isPerson(night.inForce, junior));
  const chief = chiefOf(night.inForce, agent);
  const mayWork = !night.standing.spentUp.has(agent) && !isWaitingForMany(night.standing, agent);
  const asks = mayWork && mayAsk(night, chief) && !isAwaited(night.standing, chief) && !(await isStalled(night));
  const theirs = (isPerson(night.inForce, agent) && others) || (await isHalted(night, agent));
  const answers =
    !night.standing.spentUp.has(agent) && !isPerson(night.inForce, agent) && (await isSomebodyAsked(night));
  const mayCome =
    isNewlyRefused(night.standing, agent) ||
    worked ||
    asks ||
    answers ||
    theirs ||
    (await isHeldUp(night, agent)) ||
    (await isOpenToOthers(night));
  if (night.standing.ending === undefined && !night.run.signal.aborted && mayCome) {
    await wait(pace().idleMs);
    return false;
  }
  // Whoever may spend no more goes home, and the others go on; without a chief that may ask there will be no ideas.
  if (!night.standing.spentUp.has(agent)) {
    const ending = await endingWithoutWork(night, chief);
    night.standing.ending ??= ending;
  }
  return true;
}

/** That nobody has an idea left is one thing; that there is work which nobody may do without a person's word is another. */
async function endingWithoutWork(
  night: Pick<Night, 'run' | 'inForce' | 'desk' | 'standing'>,
  chief: string | undefined,
): Promise<Ending> {
  if (night.standing.spentUp.has(chief ?? '')) return 'capped';
  const { refused, waiting } = await whatStalls(night);
  return refused.length + waiting.length > 0 ? 'refused' : 'no-ideas';
}

/** Whether there is work that only people's words, the hours or the chart keep from being done now. */
async function isHeldUp(night: Pick<Night, 'run' | 'inForce' | 'desk' | 'standing'>, agent: string): Promise<boolean> {
  const present = await presentNow(night, agent);
  if (present.kind === 'stop' && areAllStopped(night)) night.standing.ending ??= 'stopped';
  if (present.kind !== 'go') {
    sayHeldUp(night, agent, present);
    return present.kind !== 'pause' || !(await isIdleThoughPaused(night, agent));
  }
  if (openingNow(night.inForce, agent, 'normal').kind === 'closed') return true;
  if (night.desk.waitingSpecs.size > 0) return true;
  if ([...night.standing.handedBack].some((spec) => !isRefusedToAll(night, spec))) return true;
  for (const chief of agentsWithDuty(night.inForce.pinned.brief, 'chief'))
    if ((await presentNow(night, chief)).kind === 'pause') return true;
  return false;
}

/** Who wants a spec is answered at once when it may not, because others stand behind it; who has one waits for its turn. */
async function goesOn(
  night: Pick<Night, 'run' | 'inForce' | 'standing' | 'tally'>,
  agent: string,
  how: 'patient' | 'at once',
  spec?: string,
): Promise<boolean> {
  for (;;) {
    await adoptOrg(night);
    const progress = {
      startedAt: night.run.startedAt,
      begun: night.standing.begun,
      sinceKeep: night.tally.sinceKeep,
      best: night.tally.best.score,
      reserveMs: reserveOf(night),
    };
    night.standing.ending ??= nightEnds(progress, night.inForce.pinned.brief, night.run.limits, Date.now());
    if (night.standing.spentUp.has(agent) || (await isHalted(night, agent))) return false;
    const { state } = await steeringOf(night);
    if (state === 'stopping') night.standing.ending ??= 'stopped';
    if (night.standing.ending !== undefined || night.run.signal.aborted) return false;
    const present = await presentNow(night, agent);
    if (present.kind === 'stop') return false;
    if (state !== 'paused' && present.kind === 'go') {
      if (agent !== person && (await isUsedUp(night, agent, spec))) return false;
      noLongerHeldUp(night.standing, agent);
      return true;
    }
    if (state !== 'paused' && how === 'at once') return false;
    const by = await whoPaused(night.run.org, { state });
    sayHeldUp(night, agent, present, state === 'paused' ? `by ${by ?? 'a person'}: orgrepo resume` : '');
    await wait(pace().pausedMs);
  }
}

/**
 * Takes up a brief that a person committed meanwhile. A broken one changes nothing but is said aloud. The harness
 * stays the one that the run was started with.
 */
async function adoptBrief(night: Pick<Night, 'run' | 'inForce' | 'tally'>): Promise<void> {
  const tip = await trunkTip(night.run.org);
  if (tip === night.inForce.trunk.looked) return;
  night.inForce.trunk.looked = tip;
  const tree = (await readEntry(night.run.org, tip))?.commit.tree ?? '';
  const harness = await entryAt(night.run.org.repo, tree, night.inForce.pinned.brief.harness);
  if (harness?.oid !== night.inForce.pinned.harness)
    warn(night.run, 'the harness on the trunk has changed: it counts from the next run on');
  try {
    const found = await findBrief(night.run.org, tree);
    if (found?.blob === night.inForce.pinned.blob) return;
    if (found === undefined) throw missingBrief();
    const own = await pinBlob(night.run.org, found.blob, night.inForce.trunk.tree, found.file);
    const pinned = withLeavers(night.inForce, under(night.inForce.pinned.charter, own));
    await refuseWrongStaff(night.run.org, night.inForce.trunk.tree, pinned);
    if (measureKey(pinned) === measureKey(night.inForce.pinned))
      await refuseWrongStart(night.run.org, pinned, night.tally.best, false);
    else {
      await night.run.gate.add(() => calibrateAgain(night, pinned));
      night.tally.seen = Promise.resolve(new Map()); // Measured under another brief is not measured.
      night.tally.offered.clear();
    }
    night.inForce.pinned = withLeavers(night.inForce, under(night.inForce.pinned.charter, own)); // An organisation may have been applied meanwhile.
    night.run.slots.concurrency = pinned.brief.slots;
    night.run.say({
      kind: 'brief',
      at: nowInSeconds(),
      change: 'changed',
      message: `${found.file} of ${tip.slice(0, 7)} is in force`,
    });
  } catch (error) {
    if (!isProblem(error)) throw error;
    const message = `${error.message}; the brief of ${night.inForce.pinned.blob.slice(0, 7)} stays in force`;
    night.run.say({ kind: 'brief', at: nowInSeconds(), change: 'broken', message });
    needPerson(night.run, {
      what: `the brief on the trunk cannot be used: ${error.message}`,
      command: error.hint,
      found: { ref: trunkOf(night.run.org), commit: tip },
    });
  }
}

/** Best and the noise under a brief that asks for something else. */
async function calibrateAgain(night: Pick<Night, 'run' | 'tally'>, pinned: PinnedBrief): Promise<void> {
  const { best, calibration } = await remeasureBest(calibratingFor(night.run, pinned), night.tally.best);
  await recordCalibration(night.run.org, calibration, pinned, best);
  night.tally.best = best;
  night.tally.scales.set(measureKey(pinned), calibration.scale);
  sayCalibrated({ say: night.run.say, pinned }, calibration);
}

/** Time for the pairs at the end of the night; a deterministic metric needs no more than a blink. */
function reserveOf({ inForce: { pinned }, tally: { scales } }: Pick<Night, 'inForce' | 'tally'>): number {
  const scale = scales.get(measureKey(pinned));
  return scale?.noise === undefined ? 0 : 2 * gainPairs * scale.usualMs;
}

function warn(run: RunConstants, message: string): void {
  run.say({ kind: 'warning', at: nowInSeconds(), message });
}

const missingBrief = (): Problem =>
  new Problem('brief/missing', 'program.md is gone from the trunk', 'Put it back: git checkout HEAD~1 -- program.md');
