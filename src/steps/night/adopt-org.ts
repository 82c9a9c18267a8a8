import { memberOf } from '../../domain/staff/chart.ts';
import { targetInWords } from '../../domain/staff/presence.ts';
import { agentsWithDuty, type Post, person, postsOf } from '../../domain/staff/staff.ts';
import { measureKey } from '../../domain/words/experiment.ts';
import { entryAt } from '../../git/objects/tree.ts';
import { appliedRef } from '../../git/refs/ref-names.ts';
import { under } from '../../org/force/charter-at.ts';
import { refuseUnsignedOrg } from '../../org/force/endorse-org.ts';
import { membersSpawned, withSpawned } from '../../org/force/in-force.ts';
import { findBrief, type PinnedBrief, pinBlob, pinUnder } from '../../org/force/pin-brief.ts';
import { refuseWrongStaff } from '../../preflight/checks/check-night.ts';
import { nowInSeconds, pace } from '../../process/pace.ts';
import { readEntry } from '../../records/entry.ts';
import { trunkOf, trunkTip } from '../../records/org.ts';
import { refuseFailingTests, refuseWrongStart } from '../../score/measure/check-harness.ts';
import { gainPairs } from '../../score/measure/measure-again.ts';
import { calibratingFor, recordCalibration, remeasureBest, sayCalibrated } from '../../score/measure/take-base.ts';
import { withTimeLimit } from '../../score/measure/time-limit.ts';
import { isProblem, orProblem, Problem } from '../../text/problem.ts';
import { forgetMeasured, noteScale } from '../attempt/night-tally.ts';
import { needPerson } from '../people/ask-people.ts';
import { forgiveSpent, noteNews } from '../standing/night-standing.ts';
import { presentNow } from '../standing/standing-now.ts';
import type { Night, NightInForce, ResultParts, RunConstants, StandingParts } from './night.ts';
import { chartNow, warn } from './night-basics.ts';

/**
 * Adopts an organisation that a person has applied meanwhile, and agents that a lead has spawned: one that joins gets a lane, one
 * that is taken out finishes its spec, policies are in force at once, and prose with the next attempt. One that cannot be used changes nothing
 * but is said aloud.
 */
export async function adoptOrg(night: StandingParts): Promise<void> {
  if (performance.now() - night.inForce.applied.at <= pace().ordersMs) return;
  night.inForce.applied.at = performance.now();
  await adoptPolicies(night);
  await adoptNow(night);
}

/** The same without waiting for the time to look: for who knows that there is something new. */
export async function adoptNow(night: StandingParts): Promise<void> {
  const mine = night.inForce.applied.turn.then(() => adopt(night)); // One after the other, so that the last one counts.
  night.inForce.applied.turn = mine.catch(() => {});
  await mine;
}

/** The policies alone, before every decision. */
export async function adoptPolicies(night: Pick<Night, 'run' | 'inForce'>): Promise<void> {
  const commit = await night.run.org.repo.reader.resolve(appliedRef);
  if (commit === undefined || commit === night.inForce.applied.policies) return;
  night.inForce.applied.policies = commit;
  const tree = await treeOf(night.run, commit);
  const unsigned = await orProblem(refuseUnsignedOrg(night.run.org, tree));
  const wrong = isProblem(unsigned) ? unsigned : await night.inForce.policies.follow(tree);
  if (wrong === undefined) return;
  const message = `${wrong.message}; the policies of before stay in force`;
  warn(night.run, message);
  needPerson(night.run, {
    what: `the policies that were applied cannot be used: ${wrong.message}`,
    command: wrong.hint,
    found: { ref: appliedRef, commit },
  });
}

/** A brief under which those who were taken out of the org can finish: by name, and with nothing more to do. */
export function withLeavers(inForce: NightInForce, pinned: PinnedBrief): PinnedBrief {
  if (pinned.charter === undefined && inForce.pinned.charter === undefined) return pinned;
  const posts = postsOf(pinned.brief);
  const busy = inForce.busy();
  const leaving = postsOf(inForce.pinned.brief)
    .filter(({ id }) => busy.has(id) && !posts.some((post) => post.id === id))
    .map((post): Post => ({ ...post, duties: [] }));
  if (leaving.length === 0) return pinned;
  const { brief } = pinned;
  return { ...pinned, brief: { ...brief, staff: { ...brief.staff, posts: [...posts, ...leaving] } } };
}

async function adopt(night: StandingParts): Promise<void> {
  const { org, culture } = night.run;
  const { applied, trunk } = night.inForce;
  const commit = await org.repo.reader.resolve(appliedRef);
  if (commit === undefined || night.standing.ending !== undefined) return;
  const spawned = (await membersSpawned(org)).length; // A spawn is never undone, so the same number means the same agents.
  if (commit === applied.commit && spawned === applied.spawned) return;
  applied.commit = commit;
  applied.spawned = spawned;
  const { blob } = night.inForce.pinned;
  try {
    const orgTree = await treeOf(night.run, commit);
    await refuseUnsignedOrg(org, orgTree);
    const pinned = await withSpawned(org, await pinUnder(org, night.inForce.pinned, trunk.tree, { orgTree, culture }));
    await refuseWrongStaff(org, trunk.tree, pinned);
    if (night.inForce.pinned.blob !== blob) return await anew(night); // A changed brief came into force meanwhile.
    const before = night.inForce.juniors;
    noteLeavers(night.inForce, pinned);
    const given = (agent: string): boolean => budgetOf(night.inForce.pinned, agent) !== budgetOf(pinned, agent);
    const freed = forgiveSpent(night.standing, given);
    const { budget } = night.inForce.pinned.brief; // The very same brief, with the time limit that was found here.
    night.inForce.pinned = withLeavers(night.inForce, { ...pinned, brief: { ...pinned.brief, budget } });
    night.inForce.juniors = agentsWithDuty(pinned.brief, 'junior');
    for (const { id } of postsOf(pinned.brief)) night.inForce.agents.add(id);
    night.inForce.openLanes([...night.inForce.juniors.filter((one) => !before.includes(one)), ...freed]);
    const message = `the organisation of ${commit.slice(0, 7)} is in force${changeWords(before, night.inForce.juniors)}`;
    night.run.say({ kind: 'brief', at: nowInSeconds(), change: 'changed', message });
    await warnOfLostOrders(night, pinned);
  } catch (error) {
    if (!isProblem(error)) throw error;
    const message = `${error.message}; the organisation of before stays in force`;
    night.run.say({ kind: 'brief', at: nowInSeconds(), change: 'broken', message });
    needPerson(night.run, {
      what: `the organisation that was applied cannot be used: ${error.message}`,
      command: error.hint,
      found: { ref: appliedRef, commit },
    });
  }
}

function anew(night: StandingParts): Promise<void> {
  night.inForce.applied.commit = undefined;
  return adopt(night);
}

/** What the chart said of those who leave, of their department and their limit, holds for them until their spec is finished. */
function noteLeavers(inForce: NightInForce, { charter }: PinnedBrief): void {
  const busy = inForce.busy();
  for (const member of chartNow(inForce)?.members ?? [])
    if (busy.has(member.id)) inForce.leavers.set(member.id, member);
    else inForce.leavers.delete(member.id);
  for (const { id } of charter?.charter.members ?? []) inForce.leavers.delete(id);
}

/** Warns of orders for a department or agent that has another name now: they apply to nobody. */
async function warnOfLostOrders(night: StandingParts, { brief, charter }: PinnedBrief): Promise<void> {
  await presentNow(night, person); // So that what people said is looked up.
  const agents = new Set(postsOf(brief).map(({ id }) => id));
  const departments = new Set(charter?.charter.departments.map(({ id }) => id));
  for (const { target, halted } of night.standing.presence.now.values()) {
    if (target.kind === 'org' || (target.kind === 'agent' ? agents : departments).has(target.id)) continue;
    if (night.inForce.leavers.has(target.id) || !noteNews(night.standing, `lost ${targetInWords(target)}`)) continue;
    const what = `${targetInWords(target)} is not in the org any more, so orders for it apply to nobody`;
    warn(night.run, what);
    needPerson(night.run, {
      what,
      targets: [target],
      command: `orgrepo ${halted === undefined ? 'pause' : 'resume'} ${target.id}${halted === undefined ? ' --rate none' : ''}`,
    });
  }
}

/** The budget of an agent, without the place in the file that says it. */
function budgetOf({ charter }: PinnedBrief, agent: string): string {
  const limit = charter && memberOf(charter.charter, agent)?.limit;
  return JSON.stringify([charter?.charter.policies.budget, limit], (key, value) =>
    key === 'from' ? undefined : value,
  );
}

const treeOf = async ({ org }: RunConstants, commit: string): Promise<string> =>
  (await readEntry(org, commit))?.commit.tree ?? '';

/** `: maker-3 joins, maker-1 leaves`. */
function changeWords(before: readonly string[], now: readonly string[]): string {
  const [joins, leaves] = [now.filter((one) => !before.includes(one)), before.filter((one) => !now.includes(one))];
  const words = [
    ...(joins.length === 0 ? [] : [`${joins.join(', ')} join${joins.length === 1 ? 's' : ''}`]),
    ...(leaves.length === 0 ? [] : [`${leaves.join(', ')} leave${leaves.length === 1 ? 's' : ''}`]),
  ];
  return words.length === 0 ? '' : `: ${words.join('; ')}`;
}

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
    if (pinned.brief.tests !== night.inForce.pinned.brief.tests)
      await night.run.slots.add(() => refuseFailingTests({ ...night.run, pinned }, night.tally.best.tree));
    if (measureKey(pinned) === measureKey(night.inForce.pinned))
      await refuseWrongStart({ org: night.run.org, pinned }, night.tally.best, false);
    else {
      await night.run.bestQueue.add(() => calibrateAgain(night, pinned));
      forgetMeasured(night.tally);
    }
    const limited = withTimeLimit(own, night.tally.scales.get(measureKey(own))?.usualMs);
    night.inForce.pinned = withLeavers(night.inForce, under(night.inForce.pinned.charter, limited)); // An organisation may have been applied meanwhile.
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
async function calibrateAgain(night: ResultParts, pinned: PinnedBrief): Promise<void> {
  const { best, calibration } = await remeasureBest(calibratingFor(night.run, pinned), night.tally.best);
  await recordCalibration(night.run.org, calibration, pinned, best);
  noteScale(night.tally, pinned, calibration.scale, best);
  sayCalibrated({ say: night.run.say, pinned }, calibration);
}

/** Time for the pairs at the end of the night; a deterministic metric needs no more than a blink. */
export function reserveOf({ inForce: { pinned }, tally: { scales } }: Pick<Night, 'inForce' | 'tally'>): number {
  const scale = scales.get(measureKey(pinned));
  return scale?.noise === undefined ? 0 : 2 * gainPairs * scale.usualMs;
}

const missingBrief = (): Problem =>
  new Problem('brief/missing', 'program.md is gone from the trunk', 'Put it back: git checkout HEAD~1 -- program.md');
