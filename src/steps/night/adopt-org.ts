import { memberOf } from '../../domain/staff/chart.ts';
import { targetInWords } from '../../domain/staff/presence.ts';
import { agentsWithDuty, type Post, person, postsOf } from '../../domain/staff/staff.ts';
import { appliedRef } from '../../git/refs/ref-names.ts';
import { type PinnedBrief, pinUnder } from '../../org/force/pin-brief.ts';
import { membersSpawned, withSpawned } from '../../org/force/spawned.ts';
import { refuseWrongStaff } from '../../preflight/checks/check-staff.ts';
import { nowInSeconds, pace } from '../../process/pace.ts';
import { readEntry } from '../../records/entry.ts';
import { isProblem } from '../../text/problem.ts';
import { noteNews } from '../standing/night-standing.ts';
import { presentNow } from '../standing/present.ts';
import type { Night } from './night.ts';
import type { NightInForce } from './night-in-force.ts';
import { chartNow } from './night-in-force.ts';
import type { RunConstants } from './run-constants.ts';
import { needPerson } from './tell-person.ts';

/**
 * Takes up an organisation that a person has applied meanwhile, and whom a lead has spawned: who joins gets a lane, who is taken
 * out finishes their spec, policies are in force at once, and prose with the next attempt. One that cannot be used changes nothing
 * but is said aloud.
 */
export async function adoptOrg(night: Pick<Night, 'run' | 'inForce' | 'standing'>): Promise<void> {
  if (performance.now() - night.inForce.applied.at <= pace().ordersMs) return;
  night.inForce.applied.at = performance.now();
  await adoptPolicies(night);
  await adoptNow(night);
}

/** The same without waiting for the time to look: for who knows that there is something new. */
export async function adoptNow(night: Pick<Night, 'run' | 'inForce' | 'standing'>): Promise<void> {
  const mine = night.inForce.applied.turn.then(() => adopt(night)); // One after the other, so that the last one counts.
  night.inForce.applied.turn = mine.catch(() => {});
  await mine;
}

/** The policies alone, before every decision. */
export async function adoptPolicies(night: Pick<Night, 'run' | 'inForce'>): Promise<void> {
  const commit = await night.run.org.repo.reader.resolve(appliedRef);
  if (commit === undefined || commit === night.inForce.applied.policies) return;
  night.inForce.applied.policies = commit;
  const wrong = await night.inForce.governor.follow(await treeOf(night.run, commit));
  if (wrong === undefined) return;
  const message = `${wrong.message}; the policies of before stay in force`;
  night.run.say({ kind: 'warning', at: nowInSeconds(), message });
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

async function adopt(night: Pick<Night, 'run' | 'inForce' | 'standing'>): Promise<void> {
  const {
    run: { org, culture },
    inForce: { applied, trunk },
  } = night;
  const commit = await org.repo.reader.resolve(appliedRef);
  if (commit === undefined || night.standing.ending !== undefined) return;
  const spawned = (await membersSpawned(org)).length; // Nobody's spawning is ever undone: as many are the same ones.
  if (commit === applied.commit && spawned === applied.spawned) return;
  applied.commit = commit;
  applied.spawned = spawned;
  const { blob } = night.inForce.pinned;
  try {
    const orgTree = await treeOf(night.run, commit);
    const pinned = await withSpawned(org, await pinUnder(org, night.inForce.pinned, trunk.tree, { orgTree, culture }));
    await refuseWrongStaff(org, trunk.tree, pinned);
    if (night.inForce.pinned.blob !== blob) return await anew(night); // A changed brief came into force meanwhile.
    const before = night.inForce.juniors;
    noteLeavers(night.inForce, pinned);
    const freed = forgiveSpent(night, pinned);
    night.inForce.pinned = withLeavers(night.inForce, pinned);
    night.inForce.juniors = agentsWithDuty(pinned.brief, 'junior');
    for (const { id } of postsOf(pinned.brief)) night.inForce.agents.add(id);
    night.inForce.openLanes([...night.inForce.juniors.filter((one) => !before.includes(one)), ...freed]);
    const message = `the organisation of ${commit.slice(0, 7)} is in force${changeWords(before, night.inForce.juniors)}`;
    night.run.say({ kind: 'brief', at: nowInSeconds(), change: 'changed', message });
    await tellUnheld(night, pinned);
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

function anew(night: Pick<Night, 'run' | 'inForce' | 'standing'>): Promise<void> {
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

/** A pause of a department that has another name now holds nobody: whoever said it has to know. */
async function tellUnheld(
  night: Pick<Night, 'run' | 'inForce' | 'standing'>,
  { brief, charter }: PinnedBrief,
): Promise<void> {
  await presentNow(night, person); // So that what people said is looked up.
  const agents = new Set(postsOf(brief).map(({ id }) => id));
  const departments = new Set(charter?.charter.departments.map(({ id }) => id));
  for (const { target, halted } of night.standing.presence.now.values()) {
    if (target.kind === 'org' || (target.kind === 'agent' ? agents : departments).has(target.id)) continue;
    if (night.inForce.leavers.has(target.id) || !noteNews(night.standing, `unheld ${targetInWords(target)}`)) continue;
    const what = `${targetInWords(target)} is no more, so what people said of it holds for nobody`;
    night.run.say({ kind: 'warning', at: nowInSeconds(), message: what });
    needPerson(night.run, {
      what,
      targets: [target],
      command: `npx orgrepo ${halted === undefined ? 'pause' : 'resume'} ${target.id}${halted === undefined ? ' --rate none' : ''}`,
    });
  }
}

/** Whose budget people have changed may ask once more, though it had been used up; a cap that still stands says no again. */
function forgiveSpent(
  { standing: { spentUp }, inForce: { pinned } }: Pick<Night, 'inForce' | 'standing'>,
  next: PinnedBrief,
): readonly string[] {
  const freed = [...spentUp].filter((agent) => budgetOf(pinned, agent) !== budgetOf(next, agent));
  for (const agent of freed) spentUp.delete(agent);
  return freed;
}

/** What it comes to, wherever in the file it stands. */
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
