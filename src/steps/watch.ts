import { setTimeout as wait } from 'node:timers/promises';
import { nightEnds } from '../domain/ending.ts';
import { isProblem, Problem } from '../domain/problem.ts';
import { entryAt } from '../git/tree.ts';
import { findBrief, measureKey, type PinnedBrief, pinBlob } from '../records/brief.ts';
import { readEntry } from '../records/entry.ts';
import { trunkTip } from '../records/org.ts';
import { remeasureBest } from './begin.ts';
import { calibratingFor, recordCalibration, sayCalibrated } from './calibrate.ts';
import { refuseWrongInBrief } from './check-commands.ts';
import { refuseWrongStart } from './check-harness.ts';
import { gainPairs } from './gain.ts';
import { isHalted } from './halt.ts';
import { type Night, nowInSeconds } from './night.ts';
import { refuseSilentModels } from './office.ts';
import { steeringOf } from './steering.ts';

/** True when another attempt may begin now; waits while the org is paused. Counts the attempt as begun. */
export async function mayBegin(night: Night, agent: string): Promise<boolean> {
  if (!(await goesOn(night, agent))) return false;
  night.begun += 1;
  return true;
}

/** True when another spec may be claimed; this is where a changed brief takes effect. */
export async function mayClaim(night: Night, agent: string): Promise<boolean> {
  if (!(await goesOn(night, agent))) return false;
  await adoptBrief(night);
  return goesOn(night, agent);
}

/**
 * True when a lane that found nothing to do has no reason to wait for more: the night has ended, or nobody works who
 * could give it ideas. One that is stopped waits for a person as long as somebody else works.
 */
export async function isOver(night: Night, agent: string): Promise<boolean> {
  const mayCome = night.live.size > 0 || (await isHalted(night, agent));
  if (night.ending === undefined && !night.now.aborted && mayCome) {
    await wait(200);
    return false;
  }
  night.ending ??= 'no-ideas';
  return true;
}

async function goesOn(night: Night, agent: string): Promise<boolean> {
  for (;;) {
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
    if (state !== 'paused') return true;
    night.say({ kind: 'doing', at: nowInSeconds(), agent, doing: 'paused', detail: 'by a person: orgrepo resume' });
    await wait(300);
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
    const pinned = await pinBlob(night.org, found.blob, night.trunk.tree, found.file);
    await refuseWrongInBrief(night.org, night.trunk.tree, pinned);
    await refuseSilentModels(night.org, night.trunk.tree, pinned.brief);
    if (measureKey(pinned) === measureKey(night.pinned)) await refuseWrongStart(night.org, pinned, night.best, false);
    else {
      await night.gate.add(() => calibrateAgain(night, pinned));
      night.seen = Promise.resolve(new Map()); // Measured under another brief is not measured.
      night.offered.clear();
    }
    night.pinned = pinned;
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
    night.needsYou.push({ what: `the brief on the trunk cannot be used: ${error.message}`, command: error.hint });
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
