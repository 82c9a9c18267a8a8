import type { Member } from '../../domain/staff/charter.ts';
import { trustOf } from '../../domain/staff/trust.ts';
import { ownIn, type SpecTask } from '../../domain/words/task.ts';
import type { Observed, RecommendedFinding } from './recommend.ts';

/** So many attempts without a win are more than bad luck. */
const manyInVain = 10;

/** So often tampered with is no slip. */
const oftenTampered = 2;

/** From so many finished specs on, and with so few failures among them, somebody may do more. */
const [longCareer, steady] = [20, 0.95];

/** What single agents show of themselves. */
export function agentRecommendations(observed: Observed): readonly RecommendedFinding[] {
  const { members } = observed.charter;
  return [
    ...members.flatMap((member) => tampers(member, observed)),
    ...members.flatMap((member) => keepsNothing(member, observed)),
    ...members.flatMap((member) => outgrows(member, observed)),
  ];
}

function tampers({ id }: Member, { tasks }: Observed): readonly RecommendedFinding[] {
  const tampered = tasks.filter((task) => ownOf(task, id).some(({ event }) => event === 'tampered'));
  if (tampered.length < oftenTampered) return [];
  return [
    {
      severity: 'critical',
      key: `tampers ${id}`,
      what: `${id} changed what it may not on ${tampered.length} specs`,
      evidence: `tampered attempts on ${tampered.length} specs`,
      specs: tampered.map(({ spec }) => spec),
      advice: 'Look at what it did (orgrepo log --event tampered), and say in program.md what is out of bounds.',
      edit: {
        kind: 'brief-line',
        text: 'Change only files of the sandbox: an attempt that touches anything else is never measured.',
      },
    },
  ];
}

function keepsNothing({ id }: Member, { tasks }: Observed): readonly RecommendedFinding[] {
  const worked = tasks.filter((task) => ownOf(task, id).length > 0);
  const own = worked.flatMap((task) => ownOf(task, id)).filter(({ event }) => event !== 'void');
  if (own.length < manyInVain || own.some(({ event }) => event === 'keep')) return [];
  return [
    {
      severity: 'warning',
      key: `keeps-nothing ${id}`,
      what: `${id} has won nothing`,
      evidence: `0 of ${own.length} attempts on ${worked.length} specs won`,
      specs: worked.map(({ spec }) => spec),
      advice: `Give ${id} smaller specs.`,
      edit: {
        kind: 'brief-line',
        text: `Specs for ${id} ask for one small change each: its larger ones never won.`,
      },
    },
  ];
}

/** A role of several is left alone: its level is that of all of them. */
function outgrows({ id, level, role, spawnedBy }: Member, { trusts }: Observed): readonly RecommendedFinding[] {
  const { rank, results } = trustOf(trusts, id);
  const finished = results.success + results.honest + results.failure + results.tampered;
  const share = (results.success + results.honest) / finished;
  const fit = rank === 'veteran' && finished >= longCareer && share >= steady;
  if (!fit || level >= 6 || role.count !== 1 || spawnedBy !== undefined) return [];
  return [
    {
      severity: 'optimisation',
      key: `outgrows ${id}`,
      what: `${id} is a veteran at level ${level}`,
      evidence: `${results.success} of ${finished} specs gave a gain, ${results.failure} failed`,
      specs: [],
      advice: `Make ${role.name} a senior: from level 6 on it may review.`,
      edit: { kind: 'set', path: `roles.${role.name}.level`, value: '6' },
    },
  ];
}

const ownOf = (task: SpecTask, agent: string) => ownIn(task).filter((one) => one.agent === agent);
