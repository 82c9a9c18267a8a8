import { memberOf } from '../../domain/staff/chart.ts';
import type { Charter, Member } from '../../domain/staff/charter.ts';
import { isAgentName } from '../../domain/staff/staff.ts';
import { efforts, formatModelId, readModelId } from '../../domain/words/model-id.ts';
import { editTree, entryAt, storeObject, type TreeEntry } from '../../git/objects/tree.ts';
import { appliedRef, shortRef } from '../../git/refs/ref-names.ts';
import { type BookEntry, entryOf, readEntry, readTip, treeOf, writeEntry } from '../../records/entry.ts';
import { type Org, trunkTip } from '../../records/org.ts';
import { changeQueue, readLastRun } from '../../records/queue/queue.ts';
import { actsOf, writeAct } from '../../records/requests/requests.ts';
import { currentRunner } from '../../records/run-lock.ts';
import { Problem, unlessProblem } from '../../text/problem.ts';
import { under } from './charter-at.ts';
import { endorseOrg, guardedPaths, type SignsDecision } from './endorse-org.ts';
import { findBrief, type PinnedBrief, pinBrief } from './pin-brief.ts';
import { policiesDir } from './policy-files.ts';

/**
 * The brief under the organisation as it is now, with whom it has spawned: while a run goes on the one that is in force, else the
 * trunk's, with which the next run would start.
 */
export async function pinNow(org: Org): Promise<PinnedBrief> {
  const applied = currentRunner(org) === undefined ? undefined : await readApplied(org);
  return withSpawned(org, await pinBrief(org, await trunkTip(org), { orgTree: applied?.tree }));
}

/** The same; undefined where it cannot be read. NEEDS YOU tells that. */
export async function pinnedNow(org: Org): Promise<PinnedBrief | undefined> {
  if (org.repo.head === undefined) return undefined;
  return unlessProblem(pinNow(org));
}

/** Its chart; undefined where there is none, too. */
export const charterNow = async (org: Org): Promise<Charter | undefined> => (await pinnedNow(org))?.charter?.charter;

/** What a plan is compared with: the last run's brief and harness, and the organisation that was applied last. */
export interface InForce {
  readonly run: string | undefined;
  /**
   * The last run's brief under the organisation that is in force, or where nothing has run the one that it was applied with, with
   * the agents that it has spawned; undefined when it cannot be read.
   */
  readonly pinned: PinnedBrief | undefined;
  /** The id of `policies/`, where there are any. */
  readonly policies: string | undefined;
}

export async function readInForce(org: Org): Promise<InForce | undefined> {
  const [last, applied] = await Promise.all([readLastRun(org), readApplied(org)]);
  if (last === undefined && applied === undefined) return undefined;
  const trunk = last?.get('Trunk') ?? applied?.trunk ?? '';
  const tree = applied?.tree ?? (await readEntry(org, trunk))?.commit.tree ?? '';
  // What a shallow clone does not have, or this version cannot read any more, is not known.
  const pinned = async () => withSpawned(org, await pinBrief(org, trunk, { orgTree: applied?.tree }));
  return {
    run: last?.get('Run'),
    pinned: trunk === '' ? undefined : await unlessProblem(pinned()),
    policies: (await entryAt(org.repo, tree, policiesDir))?.oid,
  };
}

/** The organisation that is in force, as a commit of `refs/orgrepo/applied` says it. */
interface Applied {
  readonly commit: string;
  /** ORG.md, org.yaml, policies and the brief, and nothing else. */
  readonly tree: string;
  /** The commit of the trunk that it was read from; it may be gone by now. */
  readonly trunk: string;
}

export const isApply = ({ event }: Pick<BookEntry, 'event'>): boolean => event === 'apply';

/** Which organisation is in force; undefined where none ever was put there. */
export async function readApplied(org: Org): Promise<Applied | undefined> {
  const entry = await readEntry(org, appliedRef);
  return entry === undefined || !isApply(entry) ? undefined : appliedFrom(entry);
}

/** Those paths of a tree of the trunk that would be applied, as a tree of their own. */
export async function orgTreeOf(
  org: Org,
  trunkTree: string,
): Promise<{ readonly tree: string; readonly isOrg: boolean }> {
  const brief = await findBrief(org, trunkTree);
  const found = new Map<string, TreeEntry>();
  for (const path of [...guardedPaths, ...(brief === undefined ? [] : [brief.file])]) {
    const entry = await entryAt(org.repo, trunkTree, path);
    if (entry !== undefined) found.set(path, entry);
  }
  const { oid, objects } = await editTree(org.repo, undefined, found);
  for (const object of objects) storeObject(org.repo, object);
  return { tree: oid, isOrg: guardedPaths.some((path) => found.has(path)) };
}

/**
 * Puts the organisation of a commit of the trunk into force; undefined where it is in force already. A repository that never
 * had one has no such ref. Where decisions are signed, a change needs a signature.
 */
export async function applyOrg(
  org: Org,
  trunk: string,
  by: string,
  sign?: SignsDecision,
): Promise<Applied | undefined> {
  await endorseOrg(org, trunk, by, sign);
  const { tree, isOrg } = await orgTreeOf(org, await treeOf(org, trunk));
  for (;;) {
    const tip = await readTip(org, appliedRef);
    if (tip === undefined ? !isOrg : tip.commit.tree === tree) return undefined;
    if (tip !== undefined && !isApply(tip)) throw notOurs(tip);
    const commit = await writeEntry(org, {
      tree,
      parents: [tip?.commit.oid ?? trunk], // No branch is an orphan.
      agent: undefined,
      title: `apply: the organisation of ${trunk.slice(0, 7)}`,
      trailers: { Event: 'apply', By: by, Trunk: trunk },
    });
    if (await org.repo.refs.move(appliedRef, commit, tip?.commit.oid)) return appliedFrom(await entryOf(org, commit));
  }
}

const appliedFrom = ({ commit, get }: BookEntry): Applied => ({
  commit: commit.oid,
  tree: commit.tree,
  trunk: get('Trunk') ?? '',
});

function notOurs(tip: BookEntry): Problem {
  const what = `${shortRef(appliedRef)} is at ${tip.commit.oid.slice(0, 7)}, which is not an organisation that was applied`;
  return new Problem('integrity/history', what, `Take the ref away, and apply again: git update-ref -d ${appliedRef}`);
}

/** Every agent that a lead has spawned, oldest first. */
export async function membersSpawned(org: Org): Promise<readonly Member[]> {
  return (await actsOf(org)).acts.flatMap(memberIn);
}

/** The chart with those who were spawned. An agent that the file names by now is the file's, and one with nobody above it any more is gone. */
export function withMembers<T extends Pick<Charter, 'members'>>(charter: T, spawned: readonly Member[]): T {
  const members = [...charter.members];
  for (const one of spawned)
    if (memberOf({ members }, one.id) === undefined && memberOf({ members }, one.reportsTo ?? '') !== undefined)
      members.push(one);
  return { ...charter, members };
}

/** A brief whose staff has those who were spawned in it. */
export async function withSpawned(org: Org, pinned: PinnedBrief): Promise<PinnedBrief> {
  const spawned = pinned.charter === undefined ? [] : await membersSpawned(org);
  if (pinned.charter === undefined || spawned.length === 0) return pinned;
  return under({ ...pinned.charter, charter: withMembers(pinned.charter.charter, spawned) }, pinned);
}

export async function writeSpawn(org: Org, member: Member): Promise<void> {
  const { id, role, level, department, reportsTo, domains, model, modelWords, effort } = member;
  await writeAct(org, () => ({
    event: 'spawn',
    ...(reportsTo === undefined ? {} : { agent: reportsTo }),
    title: `spawn: ${id} by ${reportsTo}`,
    trailers: {
      ...{ Spawned: id, Agent: id, By: reportsTo, Role: role.name, Level: level, Department: department },
      ...{ Domain: domains.join(', '), Model: model && formatModelId(model), 'Model-Words': modelWords },
      Effort: effort,
    },
  }));
}

/** Writes down why a lead may not. It reads this the next time that it writes specs. */
export async function refuseSpawn(org: Org, lead: string, role: string, why: string): Promise<void> {
  await changeQueue(org, () => ({
    event: 'refuse',
    agent: 'orgrepo',
    title: `refuse: ${lead} may not spawn ${role}`,
    trailers: { Agent: lead, Act: 'spawn', Reason: `to spawn ${role} was refused: ${why}` },
  }));
}

/** What cannot be an agent does not count, by whatever way it came there. */
function memberIn(entry: BookEntry): readonly Member[] {
  const id = entry.get('Spawned') ?? '';
  const [level, by, name] = [entry.number('Level'), entry.get('By'), entry.get('Role')];
  if (entry.event !== 'spawn' || !isAgentName(id) || level === undefined || by === undefined || name === undefined)
    return [];
  const words = entry.get('Model');
  const model = words === undefined ? undefined : readModelId(words, true, true);
  if (typeof model === 'string') return [];
  return [
    {
      ...{ id, name, level, department: entry.get('Department'), reportsTo: by, model, limit: undefined, context: '' },
      domains: (entry.get('Domain') ?? '').split(', ').filter((one) => one !== ''),
      modelWords: entry.get('Model-Words'),
      effort: efforts.find((one) => one === entry.get('Effort')),
      ...{ role: { name, index: 1, count: 1 }, spawnedBy: by, place: { file: 'orgrepo/queue' } },
    },
  ];
}
