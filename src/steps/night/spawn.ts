import type { AgentTask, SpawnRequest } from '../../agents/agent-contract.ts';
import { spawnAct } from '../../domain/rules/act.ts';
import { may, memberOf } from '../../domain/staff/chart.ts';
import type { Charter, Member } from '../../domain/staff/charter.ts';
import { idFrom, levelByDepth, levelByName, sameName, singular } from '../../domain/staff/role-name.ts';
import { chiefFor, choiceOf, isAgentName } from '../../domain/staff/staff.ts';
import { under } from '../../org/force/charter-at.ts';
import { membersSpawned, refuseSpawn, withMembers, writeSpawn } from '../../org/force/in-force.ts';
import { refuseWrongStaff } from '../../preflight/checks/check-night.ts';
import { requestKey } from '../../records/requests/requests.ts';
import { isProblem, orProblem } from '../../text/problem.ts';
import { wordOn } from '../people/ask-people.ts';
import type { Night, StandingParts } from './night.ts';
import { warn, worksHere } from './night-basics.ts';

/** For the task of an agent that writes specs: a way to ask for another agent, where there is a chart and a model to ask. */
export function spawning(night: StandingParts, agent: string): Pick<AgentTask, 'spawn'> {
  const charter = night.inForce.pinned.charter?.charter;
  const { staff } = night.inForce.pinned.brief;
  const lead = charter && (memberOf(charter, agent) ?? memberOf(charter, chiefFor(staff, agent) ?? ''));
  if (lead === undefined || choiceOf(staff, agent).kind !== 'api') return {};
  return { spawn: (wanted) => spawnFor(night, lead.id, wanted) };
}

/** Lets a lead have one more agent, who begins at once, or says why not, in words for the lead. */
async function spawnFor(night: StandingParts, lead: string, wanted: SpawnRequest): Promise<string> {
  const { org } = night.run;
  const file = night.inForce.pinned.charter?.charter;
  const spawned = await membersSpawned(org);
  const charter = file && withMembers(file, spawned);
  const leader = charter && memberOf(charter, lead);
  if (charter === undefined || leader === undefined) return `${lead} is not in the chart`;
  const member = memberFor(wanted, leader, charter, spawned);
  const why = typeof member === 'string' ? member : await whyNot(night, leader, member, charter);
  if (typeof member === 'string' || why !== undefined) {
    await refuseSpawn(org, lead, wanted.role, why ?? '');
    warn(night.run, `${lead} may not spawn ${wanted.role}: ${why}`);
    return `This was not done: ${why}.`;
  }
  await writeSpawn(org, member);
  await night.inForce.adopt(); // A run that is killed before this has it in git: the next run begins with it.
  const begins = worksHere(night.inForce, member.id) ? 'begins now' : 'begins with the next run';
  warn(night.run, `${lead} spawned ${member.id}; it ${begins}`);
  return `${member.id} is in the chart and ${begins}.`;
}

/** The chart's permissions and caps first, then the policies. What people must say yes to is asked of them. */
async function whyNot(
  night: Pick<Night, 'run' | 'inForce'>,
  leader: Member,
  member: Member,
  charter: Charter,
): Promise<string | undefined> {
  const { id, level, department, role } = member;
  const permit = may(leader, { act: 'spawn', department, level }, charter);
  if (permit.kind === 'refused') return permit.reason;
  const unable = await whyUnable(night, member, charter);
  if (unable !== undefined) return unable;
  if (permit.kind === 'person') {
    const same = [leader.id, role.name, member.domains, member.modelWords, department];
    const words = `${leader.id} wants to spawn ${id}${department === undefined ? '' : ` into ${department}`}`;
    const draft = {
      ...{ key: requestKey(['spawn', ...same]), agent: leader.id, act: 'spawn', words },
      reason: permit.reason,
    };
    const word = await wordOn(night.run.org, { ...draft, by: [], usd: undefined, decision: undefined }, night.run.say);
    if (word.kind !== 'yes') return `${permit.reason}; ${word.id} ${word.kind === 'denied' ? 'was denied' : 'waits'}`;
  }
  const count = charter.members.filter((one) => one.department === department).length + 1;
  const asked = { id, role: role.name, level, ...(department === undefined ? {} : { department }) };
  return (await night.inForce.policies.refuses(leader.id, (who) => spawnAct(who, asked, count)))?.words;
}

/** What would keep the org from working with it: a model without a key would stop the next run before it begins. */
async function whyUnable(
  { run: { org }, inForce: { trunk, pinned } }: Pick<Night, 'run' | 'inForce'>,
  member: Member,
  charter: Charter,
): Promise<string | undefined> {
  if (pinned.charter === undefined) return undefined;
  const reading = { ...pinned.charter, charter: withMembers(charter, [member]) };
  const wrong = await orProblem(refuseWrongStaff(org, trunk.tree, under(reading, pinned)));
  return isProblem(wrong) ? wrong.message : undefined;
}

/** The agent as it would be; a string says why its name cannot be used. */
function memberFor(
  { role, domain, model }: SpawnRequest,
  leader: Member,
  charter: Charter,
  spawned: readonly Member[],
): Member | string {
  const name = singular(role.trim());
  const base = idFrom(name);
  const id = base && firstFree(base, [...charter.members, ...charter.people, ...spawned]);
  if (id === undefined || !isAgentName(id)) return `${JSON.stringify(role)} is not a name for an agent`;
  const same = charter.members.find((one) => sameName(one.role.name, name));
  const known = new Map(charter.models);
  for (const one of charter.members)
    if (one.model !== undefined) known.set(one.modelWords ?? one.model.id, one.model).set(one.model.id, one.model);
  const pinned = model === undefined ? same?.model : known.get(model);
  if (model !== undefined && pinned === undefined)
    return `${JSON.stringify(model)} is not a model of the org: ${[...known.keys()].join(', ') || 'it names none'}`;
  return {
    ...{ id, name, level: same?.level ?? levelByName(name) ?? levelByDepth(4, false), department: leader.department },
    ...{ reportsTo: leader.id, domains: domain === undefined || domain === '' ? [] : [domain], model: pinned },
    ...{
      modelWords: model ?? same?.modelWords,
      effort: same?.effort,
      limit: undefined,
      context: '',
      spawnedBy: leader.id,
    },
    ...{ role: { name, index: 1, count: 1 }, place: { file: 'orgrepo/queue' } },
  };
}

/** An agent that has left keeps the name: what it made, and how far it was trusted, is not the next one's. */
function firstFree(base: string, known: readonly { readonly id: string }[]): string | undefined {
  const taken = new Set(known.map(({ id }) => id));
  const names = [base, ...Array.from({ length: 200 }, (_, index) => `${base}-${index + 2}`)];
  return names.find((name) => !taken.has(name));
}
