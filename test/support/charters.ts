import type { Charter, Department, Member, Person, Setting } from '../../src/domain/staff/charter.ts';

export const said = <T>(value: T, from = 'ORG.md:1'): Setting<T> => ({ value, from });
const place = { file: 'ORG.md', line: 1 };

export const agent = (id: string, level: number, more: Partial<Member> = {}): Member => ({
  ...{ id, name: id, level, department: undefined, reportsTo: undefined, domains: [], model: undefined },
  ...{ modelWords: undefined, limit: undefined, context: '', role: { name: id, index: 1, count: 1 }, place },
  ...more,
});

export const department = (id: string, more: Partial<Department> = {}): Department => ({
  ...{ id, name: id, lead: undefined, goal: undefined, cap: undefined, context: '', place },
  ...more,
});

export const person = (id: string): Person => ({
  ...{ id, name: id, approves: ['*'], mayPause: true, addresses: [], context: '', place },
});

export const unsaid: Charter = {
  ...{ name: 'Acme', file: 'ORG.md', mission: '', identity: '' },
  culture: {
    ...{ preset: said(undefined, 'default'), communication: said('async', 'default'), context: '' },
    ...{ escalation: said('immediate', 'default'), progress: said('every-attempt', 'default') },
    ...{ ack: said(false, 'default'), ackWithinMs: said(60_000, 'default') },
    hierarchy: said({ min: 1, max: 10 }, 'default'),
  },
  sdlc: {
    ...{ preset: said(undefined, 'default'), branching: said('trunk', 'default') },
    ...{ branchNaming: said(undefined, 'default'), directPush: said(false, 'default') },
    ...{ pullRequests: said('required', 'default'), target: said(undefined, 'default') },
    ...{ review: said(false, 'default'), mostLines: said({ soft: undefined, hard: undefined }, 'default') },
    ...{ preMerge: said([], 'default'), verification: said('none', 'default') },
    ...{ workspace: said('worktree-per-agent', 'default'), worktrees: new Map(), context: '' },
  },
  ...{ people: [], departments: [], members: [], playbooks: [] },
  policies: {
    budget: {
      ...{ perAgent: undefined, total: undefined, period: said('week', 'default') },
      ...{ alertAt: said(0.8, 'default'), overage: said('pause', 'default'), singleAct: undefined },
      tools: undefined,
    },
    permissions: {
      ...{ create: said(7, 'default'), spawn: said(7, 'default'), review: said(6, 'default') },
      ...{ delegate: said(6, 'default'), escalate: said(0, 'default') },
    },
    ...{ anyDepartment: undefined, hours: undefined, named: [], context: '' },
  },
  ...{ models: new Map(), logEveryToolCall: false, others: [] },
};

const engineer = (id: string, level: number, domain: string, more: Partial<Member> = {}): Member =>
  agent(id, level, { department: 'engineering', reportsTo: 'engineering-lead', domains: [domain], ...more });

/** The chart of the specification's example, as far as rules look at it. */
export const acme: Charter = {
  ...unsaid,
  people: [person('human-principal')],
  departments: [
    department('engineering', { name: 'Engineering', lead: 'engineering-lead', cap: said(10) }),
    department('security', { name: 'Security', lead: 'security-lead', cap: said(4) }),
    department('marketing', { name: 'Marketing', lead: 'marketing-lead', cap: said(6) }),
  ],
  members: [
    agent('coo', 10, { reportsTo: 'human-principal', domains: ['operations'] }),
    engineer('engineering-lead', 7, 'engineering', { reportsTo: 'coo' }),
    engineer('backend-senior-1', 6, 'backend', { role: { name: 'Backend Senior', index: 1, count: 2 } }),
    engineer('backend-senior-2', 6, 'backend', { role: { name: 'Backend Senior', index: 2, count: 2 } }),
    engineer('frontend-worker-1', 4, 'frontend', { role: { name: 'Frontend Workers', index: 1, count: 3 } }),
    engineer('frontend-worker-2', 4, 'frontend', { role: { name: 'Frontend Workers', index: 2, count: 3 } }),
    engineer('frontend-worker-3', 4, 'frontend', { role: { name: 'Frontend Workers', index: 3, count: 3 } }),
    engineer('qa-worker', 4, 'testing'),
    agent('security-lead', 7, { department: 'security', reportsTo: 'coo', domains: ['appsec'] }),
    agent('security-worker', 4, {
      ...{ department: 'security', reportsTo: 'security-lead', domains: ['infrastructure-security'] },
    }),
    agent('marketing-lead', 7, { department: 'marketing', reportsTo: 'coo', domains: ['content'] }),
    agent('content-worker-1', 4, { department: 'marketing', reportsTo: 'marketing-lead', domains: ['copywriting'] }),
    agent('content-worker-2', 4, { department: 'marketing', reportsTo: 'marketing-lead', domains: ['copywriting'] }),
  ],
  policies: { ...unsaid.policies, anyDepartment: said(15) },
};

/** The member of a chart by its id; a test that names another one is wrong. */
export function one(id: string, charter: Charter = acme): Member {
  const found = charter.members.find((member) => member.id === id);
  if (found === undefined) throw new Error(`${id} is not in the chart`);
  return found;
}
