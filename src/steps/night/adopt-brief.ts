import { entryAt } from '../../git/objects/tree.ts';
import { under } from '../../org/force/charter-at.ts';
import { findBrief, measureKey, type PinnedBrief, pinBlob } from '../../org/force/pin-brief.ts';
import { refuseWrongStaff } from '../../preflight/checks/check-staff.ts';
import { nowInSeconds } from '../../process/clock.ts';
import { readEntry } from '../../records/entry.ts';
import { trunkOf, trunkTip } from '../../records/org.ts';
import { calibratingFor, recordCalibration, sayCalibrated } from '../../score/measure/calibrate.ts';
import { refuseWrongStart } from '../../score/measure/check-harness.ts';
import { gainPairs } from '../../score/measure/night-gain.ts';
import { remeasureBest } from '../../score/measure/take-base.ts';
import { isProblem, Problem } from '../../text/problem.ts';
import { withLeavers } from './adopt-org.ts';
import type { Night } from './night.ts';
import type { RunConstants } from './run-constants.ts';
import { needPerson } from './tell-person.ts';

/**
 * Takes up a brief that a person committed meanwhile. A broken one changes nothing but is said aloud. The harness
 * stays the one that the run was started with.
 */
export async function adoptBrief(night: Pick<Night, 'run' | 'inForce' | 'tally'>): Promise<void> {
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
export function reserveOf({ inForce: { pinned }, tally: { scales } }: Pick<Night, 'inForce' | 'tally'>): number {
  const scale = scales.get(measureKey(pinned));
  return scale?.noise === undefined ? 0 : 2 * gainPairs * scale.usualMs;
}

function warn(run: RunConstants, message: string): void {
  run.say({ kind: 'warning', at: nowInSeconds(), message });
}

const missingBrief = (): Problem =>
  new Problem('brief/missing', 'program.md is gone from the trunk', 'Put it back: git checkout HEAD~1 -- program.md');
