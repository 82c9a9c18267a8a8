import { memberOf } from '../../domain/staff/chart.ts';
import type { Charter, Member } from '../../domain/staff/charter.ts';
import { isAgentName } from '../../domain/staff/staff.ts';
import { formatModelId, readModelId } from '../../domain/words/model-id.ts';
import type { BookEntry } from '../../records/entry.ts';
import type { Org } from '../../records/org.ts';
import { changeQueue } from '../../records/queue/queue.ts';
import { actsOf, writeAct } from '../../records/requests/act-log.ts';
import { under } from './charter-at.ts';
import type { PinnedBrief } from './pin-brief.ts';

/** Every agent that a lead has spawned, oldest first. */
export async function membersSpawned(org: Org): Promise<readonly Member[]> {
  return (await actsOf(org)).acts.flatMap(memberIn);
}

/** The chart with those who were spawned. Whom the file names by now is the file's, and who has nobody above it any more is gone. */
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
  const { id, role, level, department, reportsTo, domains, model, modelWords } = member;
  await writeAct(org, () => ({
    event: 'spawn',
    ...(reportsTo === undefined ? {} : { agent: reportsTo }),
    title: `spawn: ${id} by ${reportsTo}`,
    trailers: {
      ...{ Spawned: id, Agent: id, By: reportsTo, Role: role.name, Level: level, Department: department },
      ...{ Domain: domains.join(', '), Model: model && formatModelId(model), 'Model-Words': modelWords },
    },
  }));
}

/** That a lead may not, and why. The next time that it writes specs it is told. */
export async function refuseSpawn(org: Org, lead: string, role: string, why: string): Promise<void> {
  await changeQueue(org, () => ({
    event: 'refuse',
    agent: 'orgrepo',
    title: `refuse: ${lead} may not spawn ${role}`,
    trailers: { Agent: lead, Act: 'spawn', Reason: `to spawn ${role} was refused: ${why}` },
  }));
}

/** What cannot be an agent is none, whoever wrote it there. */
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
      ...{ role: { name, index: 1, count: 1 }, spawnedBy: by, place: { file: 'orgrepo/queue' } },
    },
  ];
}
