import { apiInWords, type Duty } from '../../domain/staff/staff.ts';
import { countOf } from '../../report/words/numbers.ts';
import { fit } from '../../terminal/look.ts';
import { visible } from '../../terminal/visible.ts';
import { type Plan, type PlannedAgent, withEffort } from '../org-plan.ts';

/** More rows than a screen has are shown by department. */
const mostRows = 30;

/** The agents: those that are alike are one row, `junior-1..3`; those of a large org are shown by department. */
export function agentRows(plan: Plan): readonly string[] {
  const groups = groupsIn(plan);
  const rows = (groups.length > mostRows ? byDepartment(groups) : groups).map((group, index) =>
    row(index === 0 ? 'Agents' : '', group.sign, visible(nameOf(group)), visible(wordsOf(group))),
  );
  const gone = plan.changes.filter(({ kind, what }) => kind === 'remove' && what.startsWith('agents.'));
  return [...rows, ...gone.map(({ what, from }) => row('', '-', visible(what.slice(7)), visible(from ?? '')))];
}

interface Group {
  readonly sign: string;
  readonly agents: readonly [PlannedAgent, ...PlannedAgent[]];
  /** Set where it stands for more than one role. */
  readonly department?: string;
}

function groupsIn(plan: Plan): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const agent of plan.agents) {
    const sign = signOf(plan, `agents.${agent.id}`);
    const { id, duties, member } = agent;
    const key = JSON.stringify([baseOf(id), duties, sign, agent.agent, agent.api, member?.level, member?.department]);
    const before = groups.get(key);
    groups.set(key, { sign, agents: before === undefined ? [agent] : [...before.agents, agent] });
  }
  return [...groups.values()];
}

/** What has changed stays a row of its own, unless nearly everything has. */
function byDepartment(groups: readonly Group[]): readonly Group[] {
  const changed = groups.filter(({ sign }) => sign !== '=');
  const alone = changed.length > mostRows ? [] : changed;
  const parts = new Map<string, Group>();
  for (const group of groups) {
    if (alone.includes(group)) continue;
    const department = group.agents[0].member?.department ?? 'beside them';
    const key = `${group.sign} ${department}`;
    const before = parts.get(key);
    const agents = before === undefined ? group.agents : ([...before.agents, ...group.agents] as const);
    parts.set(key, { sign: group.sign, agents, department });
  }
  return [...parts.values(), ...alone];
}

/** `frontend-worker` of `frontend-worker-2`. */
const baseOf = (id: string): string => id.replace(/-[0-9]+$/, '');

function nameOf({ agents, department }: Group): string {
  if (department !== undefined) return department;
  const last = agents.length === 1 ? '' : `..${agents.at(-1)?.id.replace(/^.*-/, '')}`;
  return `${agents[0].id}${last}`;
}

function wordsOf({ agents, department }: Group): string {
  const [first] = agents;
  const levels = agents.flatMap(({ member }) => member?.level ?? []);
  const [low, high] = [Math.min(...levels), Math.max(...levels)];
  const level = levels.length === 0 ? [] : [low === high ? `L${low}` : `L${low} to L${high}`];
  const who = [...new Set(agents.map(whoInWords))];
  if (department !== undefined) {
    const leaders = agents.filter(({ duties }) => !duties.includes('junior')).length;
    return [
      `${countOf(agents.length, 'agent')}${leaders === 0 ? '' : `, ${leaders} of them lead`}`,
      ...level,
      who.length > 3 ? `${who.length} models` : who.join(', '),
    ].join(' · ');
  }
  const { member } = first;
  const isOwn = member?.department === undefined || member.department === first.id; // A lead's department has its name.
  const place = isOwn ? level.join('') : `${level.join('')} of ${member.department}`;
  return [place, member?.domains.join(', ') ?? '', ...who, deedsOf(first, agents.length)]
    .filter((words) => words !== '')
    .join(' · ');
}

function whoInWords({ agent, api, effort }: PlannedAgent): string {
  if (agent === 'search') return 'search agent, no model';
  return withEffort(api === undefined ? agent : `${agent} through ${apiInWords[api]}`, effort);
}

const deeds: Readonly<Record<Duty, string>> = {
  chief: 'writes specs',
  junior: 'one worktree',
  critic: 'challenges plans, from medium risk up',
  checker: 'looks at what is kept, from high risk up',
};

/** Somebody of a chart may do several things, and says so in fewer words. A search agent reads nothing, so it reviews nothing. */
function deedsOf({ agent, duties: all, level }: PlannedAgent, count: number): string {
  const duties = agent === 'search' ? all.filter((duty) => duty === 'chief' || duty === 'junior') : all;
  if (duties.length > 1) return duties.map((duty) => shortDeeds[duty]).join(', ');
  return level === 'junior' && count > 1 ? 'one worktree each' : deeds[duties[0] ?? level];
}

const shortDeeds: Readonly<Record<Duty, string>> = {
  chief: 'writes specs',
  junior: 'works them',
  critic: 'challenges plans',
  checker: 'checks what is kept',
};

/** A sign before each part says whether it is new since the last run. */
export const signs = { add: '+', remove: '-', change: '~' } as const;

export const signOf = ({ changes }: Plan, what: string): string => {
  const change = changes.find((one) => one.what === what);
  return change === undefined ? '=' : signs[change.kind];
};

export const row = (part: string, sign: string, name: string, words: string): string =>
  `  ${part.padEnd(10)} ${sign} ${fit(name, Math.max(14, name.length))}  ${words}`;
