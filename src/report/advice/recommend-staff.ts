import type { Department, Member } from '../../domain/staff/charter.ts';
import { ownIn, type SpecTask, trustOf } from '../../domain/staff/trust.ts';
import type { Edit } from '../../org/write/org-edit.ts';
import { fewestTasks, percent } from './health-score.ts';
import type { Observed, RecommendedFinding } from './recommend.ts';

/** From here on a department escalates too much, and from there on it cannot go on like this. */
const [muchEscalated, tooMuchEscalated] = [0.1, 0.3];

/** Of its time. */
const tooIdle = 0.6;

/** So many specs that wait for each agent of a department are a queue that nobody works off. */
const tooManyWaiting = 2;

/** What departments and single agents show of themselves. */
export function staffRecommendations(observed: Observed): readonly (RecommendedFinding | undefined)[] {
  const { departments, members } = observed.charter;
  return [
    ...[escalates, overloaded].flatMap((rule) => departments.map((department) => rule(department, observed))),
    ...idleRoles(observed),
    ...[tampers, keepsNothing, outgrows].flatMap((rule) => members.map((member) => rule(member, observed))),
  ];
}

function escalates(department: Department, { charter, tasks }: Observed): RecommendedFinding | undefined {
  const own = inside(department, charter.members);
  const worked = tasks.filter(({ agent }) => own.some(({ id }) => id === agent));
  const escalated = worked.filter(({ escalations }) => escalations > 0);
  const rate = escalated.length / worked.length;
  if (worked.length < fewestTasks || rate <= muchEscalated) return undefined;
  const edit = oneMore(department, own, 6);
  if (edit === undefined) return undefined;
  return {
    severity: rate > tooMuchEscalated ? 'critical' : 'warning',
    key: `escalates ${department.id}`,
    what: `${department.name} escalates ${percent(rate)} of its specs`,
    evidence: `${escalated.length} of ${worked.length} specs were escalated, and ${percent(muchEscalated)} are healthy`,
    specs: escalated.map(({ spec }) => spec),
    advice: `Add one senior to ${department.name}.`,
    edit,
  };
}

function overloaded(department: Department, { charter, waiting, idleness }: Observed): RecommendedFinding | undefined {
  const own = inside(department, charter.members);
  const specs = waiting.filter(({ to }) => own.some(({ id }) => id === to)).map(({ spec }) => spec);
  const idle = idleness.some((lane) => own.some(({ id }) => id === lane.agent) && lane.idle > tooIdle * lane.present);
  if (own.length === 0 || idle || specs.length <= tooManyWaiting * own.length) return undefined;
  const edit = oneMore(department, own, 4);
  if (edit === undefined) return undefined;
  return {
    severity: 'warning',
    key: `overloaded ${department.id}`,
    what: `${specs.length} specs wait for ${department.name}`,
    evidence: `${specs.length} specs for ${own.length} agents, and none of these is idle`,
    specs,
    advice: `Add one worker to ${department.name}.`,
    edit,
  };
}

/** One of a role is kept: whether it is needed at all is for people to say. */
function idleRoles({ charter, idleness, cycleSeconds }: Observed): readonly (RecommendedFinding | undefined)[] {
  const lanes = new Map(idleness.map((lane) => [lane.agent, lane]));
  const roles = charter.members.filter(({ role, spawnedBy }) => role.index === 1 && spawnedBy === undefined);
  return roles.map((first) => {
    const { name, count } = first.role;
    const idle = sameRole(first, charter.members).flatMap(({ id }) => {
      const lane = lanes.get(id);
      const known = lane !== undefined && lane.present >= fewestTasks * cycleSeconds;
      return known && lane.idle > tooIdle * lane.present ? [lane] : [];
    });
    if (idle.length === 0 || count === 1) return undefined;
    const to = Math.max(1, count - idle.length);
    const figures = idle.map(({ agent, idle: time, present }) => `${agent} ${percent(time / present)}`);
    return {
      severity: 'warning',
      key: `idle ${first.id}`,
      what: `${idle.length} of ${count} ${name} are idle`,
      evidence: `without a spec: ${figures.join(', ')} of the time`,
      specs: [],
      advice: `Lower the count of ${name} from ${count} to ${to}.`,
      edit: { kind: 'count', role: name, place: first.place, from: count, to },
    };
  });
}

const inside = ({ id }: Department, members: readonly Member[]): readonly Member[] =>
  members.filter((member) => member.department === id);

const sameRole = ({ role, department }: Member, members: readonly Member[]): readonly Member[] =>
  members.filter((one) => one.role.name === role.name && one.department === department && one.spawnedBy === undefined);

/** One more of a role of that level, or a role where there is none; undefined where the cap has no room for it. */
function oneMore({ id, name, cap }: Department, own: readonly Member[], level: number): Edit | undefined {
  if (cap !== undefined && own.length >= cap.value) return undefined;
  const model = own.find((member) => member.level === level && member.spawnedBy === undefined);
  if (model !== undefined) {
    const { role, place } = model;
    return { kind: 'count', role: role.name, place, from: role.count, to: role.count + 1 };
  }
  const like = own.find((member) => member.level < 7) ?? own[0];
  return {
    ...{ kind: 'add-role', department: id, name: `${name} ${level >= 6 ? 'Senior' : 'Worker'}`, level },
    ...{ domain: like?.domains[0], model: like?.modelWords },
  };
}

/** So many attempts without a win are more than bad luck. */
const manyInVain = 10;

/** Tampering this often is not a slip. */
const oftenTampered = 2;

/** From so many finished specs on, and with so few failures among them, somebody may do more. */
const [longCareer, steady] = [20, 0.95];

function tampers({ id }: Member, { tasks }: Observed): RecommendedFinding | undefined {
  const tampered = tasks.filter((task) => ownOf(task, id).some(({ event }) => event === 'tampered'));
  if (tampered.length < oftenTampered) return undefined;
  const text = 'Change only files of the sandbox: an attempt that touches anything else is never measured.';
  return {
    severity: 'critical',
    key: `tampers ${id}`,
    what: `${id} changed what it may not on ${tampered.length} specs`,
    evidence: `tampered attempts on ${tampered.length} specs`,
    specs: tampered.map(({ spec }) => spec),
    advice: 'Look at what it did (orgrepo log --event tampered), and say in program.md what is out of bounds.',
    edit: { kind: 'brief-line', text },
  };
}

function keepsNothing({ id }: Member, { tasks }: Observed): RecommendedFinding | undefined {
  const worked = tasks.filter((task) => ownOf(task, id).length > 0);
  const own = worked.flatMap((task) => ownOf(task, id)).filter(({ event }) => event !== 'void');
  if (own.length < manyInVain || own.some(({ event }) => event === 'keep')) return undefined;
  return {
    severity: 'warning',
    key: `keeps-nothing ${id}`,
    what: `${id} has won nothing`,
    evidence: `0 of ${own.length} attempts on ${worked.length} specs won`,
    specs: worked.map(({ spec }) => spec),
    advice: `Give ${id} smaller specs.`,
    edit: { kind: 'brief-line', text: `Specs for ${id} ask for one small change each: its larger ones never won.` },
  };
}

/** A role of several is left alone: its level is that of all of them. */
function outgrows({ id, level, role, spawnedBy }: Member, { trusts }: Observed): RecommendedFinding | undefined {
  const { rank, results } = trustOf(trusts, id);
  const finished = results.success + results.honest + results.failure + results.tampered;
  const share = (results.success + results.honest) / finished;
  const fit = rank === 'veteran' && finished >= longCareer && share >= steady;
  if (!fit || level >= 6 || role.count !== 1 || spawnedBy !== undefined) return undefined;
  return {
    severity: 'optimisation',
    key: `outgrows ${id}`,
    what: `${id} is a veteran at level ${level}`,
    evidence: `${results.success} of ${finished} specs gave a gain, ${results.failure} failed`,
    specs: [],
    advice: `Make ${role.name} a senior: from level 6 on it may review.`,
    edit: { kind: 'set', path: `roles.${role.name}.level`, value: '6' },
  };
}

const ownOf = (task: SpecTask, agent: string) => ownIn(task).filter((one) => one.agent === agent);
