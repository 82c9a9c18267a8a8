import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Charter,
  type Culture,
  type Member,
  type Person,
  type Sdlc,
  topOf,
} from '../../src/domain/staff/charter.ts';
import { readCharter } from '../../src/org/read/org-file.ts';
import type { Place } from '../../src/text/problem.ts';
import { acme, agency, growthLab, lab, solo } from './org-examples.ts';

/** Every example of the specification as the org that a careful reader expects, whole. */

const from = 'default';
const sdlc: Sdlc = {
  preset: { value: undefined, from },
  branching: { value: 'trunk', from },
  branchNaming: { value: undefined, from },
  directPush: { value: false, from },
  pullRequests: { value: 'optional', from },
  target: { value: undefined, from },
  review: { value: false, from },
  mostLines: { value: { soft: undefined, hard: undefined }, from },
  preMerge: { value: [], from },
  verification: { value: 'none', from },
  workspace: { value: 'worktree-per-agent', from },
  worktrees: new Map(),
  context: '',
};

/** What a file that says nothing has. */
const plain: Charter = {
  ...{ name: 'org', file: 'ORG.md', mission: '', identity: '' },
  culture: {
    preset: { value: undefined, from },
    communication: { value: 'async-first', from },
    escalation: { value: 'delayed', from },
    progress: { value: 'phase-change', from },
    ack: { value: false, from },
    ackWithinMs: { value: 3_600_000, from },
    hierarchy: { value: { min: 1, max: 10 }, from },
    context: '',
  },
  sdlc,
  people: [person({})],
  departments: [],
  members: [],
  policies: {
    budget: {
      perAgent: undefined,
      total: undefined,
      period: { value: 'week', from },
      alertAt: { value: 0.8, from },
      overage: { value: 'pause', from },
      singleAct: undefined,
      tools: undefined,
    },
    permissions: {
      create: { value: 7, from },
      spawn: { value: 7, from },
      review: { value: 6, from },
      delegate: { value: 6, from },
      escalate: { value: 0, from },
    },
    anyDepartment: undefined,
    hours: undefined,
    named: [],
    context: '',
  },
  playbooks: [],
  models: new Map(),
  logEveryToolCall: false,
  others: [],
};

const read = (orgMd: string) => readCharter({ orgMd }, { resolve: false });

test('Acme in full', () => {
  const { charter, warnings } = read(acme);
  const engineering = { department: 'engineering', reportsTo: 'engineering-lead', modelWords: 'claude-haiku' };
  const backend = {
    ...engineering,
    level: 6,
    domains: ['backend'],
    line: 94,
    context: 'Owns API, database, and server infrastructure.',
  };
  const frontend = {
    ...engineering,
    level: 4,
    domains: ['frontend'],
    line: 102,
    context: 'Build and maintain the dashboard and marketing site.',
  };
  const content = {
    department: 'marketing',
    reportsTo: 'marketing-lead',
    modelWords: 'claude-haiku',
    level: 4,
    domains: ['copywriting'],
    line: 140,
  };
  const expected: Charter = {
    name: 'Acme Engineering',
    file: 'ORG.md',
    mission:
      'We build developer tools that make infrastructure invisible. Every agent in this org serves that mission.',
    identity: `We build developer tools that make infrastructure invisible.
Every agent in this org serves that mission.

- **Industry:** Developer tools / SaaS
- **Stage:** Series A, 18 months old
- **Values:** Ship fast, measure everything, customers first`,
    culture: {
      preset: { value: undefined, from: 'default' },
      communication: { value: 'async-first', from: 'ORG.md:17' },
      escalation: { value: 'immediate', why: "we're too small to batch problems", from: 'ORG.md:18' },
      progress: { value: 'phase-change', why: "not every tick, but don't go silent", from: 'ORG.md:19' },
      ack: { value: true, why: 'if you get a task, confirm it', from: 'ORG.md:20' },
      ackWithinMs: { value: 3_600_000, from: 'default' },
      hierarchy: { value: { min: 1, max: 3 }, from: 'ORG.md:21' },
      context:
        "We're a startup. Move fast, communicate openly, escalate immediately.\nNobody should be blocked for more than one cycle.",
    },
    sdlc: {
      preset: { value: 'standard', from: 'ORG.md:25' },
      branching: { value: 'trunk', why: 'always branch off `main`', from: 'ORG.md:29' },
      branchNaming: { value: '<role>/<feature>', from: 'ORG.md:30' },
      directPush: { value: false, from: 'ORG.md:32' },
      pullRequests: { value: 'required', why: 'every change, even typo fixes', from: 'ORG.md:37' },
      target: { value: 'main', from: 'ORG.md:38' },
      review: { value: false, from: 'preset standard' },
      mostLines: { value: { soft: 500, hard: 1000 }, from: 'ORG.md:39' },
      preMerge: {
        value: [
          { words: 'typecheck passes', command: 'tsc --noEmit' },
          { words: 'lint clean', command: undefined },
          { words: 'tests pass', command: undefined },
        ],
        from: 'ORG.md:45',
      },
      verification: { value: 'smoke', from: 'ORG.md:46' },
      workspace: { value: 'worktree-per-agent', from: 'ORG.md:64' },
      worktrees: new Map([
        ['designer', '/opt/org/openspawn-designer'],
        ['web-eng', '/opt/org/openspawn-web-eng'],
        ['docs-writer', '/opt/org/openspawn-docs'],
      ]),
      context: `### Source Control

- **Pre-work ritual:** \`git fetch origin && git checkout -b <branch> origin/main\`

### Pull Requests

- **Naming:** conventional commits (\`feat:\`, \`fix:\`, \`docs:\`, \`chore:\`)
- **Scope:** one feature per PR — don't accumulate large batches

### Quality Gates

- **Post-deploy:** smoke test required (Playwright or equivalent)
- **Dependency additions:** must be checked for framework compatibility

### Deploy

- **Pipeline:** PR merge → build → deploy → verify → announce
- **Verification:** HTTP 200 on primary routes + no client-side JS errors
- **Communication:** post to #alerts (or equivalent channel) on every deploy

### Incident Response

- **Flag immediately** in the team channel — don't wait
- **Document:** what happened, root cause, what changed
- **Post-mortem:** update SDLC rules if a process gap caused the incident

### Repository

clone: /opt/org/openspawn`,
    },
    people: [person({ place: at(81, 19) })],
    departments: [
      {
        ...{ id: 'engineering', name: 'Engineering', lead: 'engineering-lead', goal: undefined },
        cap: { value: 10, from: 'ORG.md:175' },
        context: 'Our largest team. Owns code, infrastructure, testing, and deployment.',
        place: at(83),
      },
      {
        ...{ id: 'security', name: 'Security', lead: 'security-lead', goal: undefined },
        cap: { value: 4, from: 'ORG.md:176' },
        context: 'Small but critical. Every deploy needs their sign-off.',
        place: at(117),
      },
      {
        ...{ id: 'marketing', name: 'Marketing', lead: 'marketing-lead', goal: undefined },
        cap: { value: 6, from: 'ORG.md:177' },
        context: 'Owns content, campaigns, and public presence.',
        place: at(131),
      },
    ],
    members: [
      member('coo', 'COO', {
        ...{ level: 10, reportsTo: 'human-principal', domains: ['operations'], modelWords: 'claude-sonnet', line: 74 },
        context:
          'The operational backbone. Receives orders from the human principal,\nbreaks them into departmental work, ensures nothing falls through cracks.',
      }),
      member('engineering-lead', 'Engineering Lead', {
        ...{ level: 7, department: 'engineering', reportsTo: 'coo', domains: ['engineering'], line: 87 },
        ...{
          modelWords: 'claude-sonnet',
          context: 'Triages technical work. Delegates to specialists. Reviews output.',
        },
      }),
      member('backend-senior-1', 'Backend Senior 1', {
        ...backend,
        role: { name: 'Backend Senior', index: 1, count: 2 },
      }),
      member('backend-senior-2', 'Backend Senior 2', {
        ...backend,
        role: { name: 'Backend Senior', index: 2, count: 2 },
      }),
      ...[1, 2, 3].map((index) =>
        member(`frontend-worker-${index}`, `Frontend Worker ${index}`, {
          ...frontend,
          role: { name: 'Frontend Workers', index, count: 3 },
        }),
      ),
      member('qa-worker', 'QA Worker', {
        ...{ ...engineering, level: 4, domains: ['testing'], line: 110 },
        context: 'Writes and runs tests. Reviews PRs for quality.',
      }),
      member('security-lead', 'Security Lead', {
        ...{
          level: 7,
          department: 'security',
          reportsTo: 'coo',
          domains: ['appsec'],
          modelWords: 'claude-sonnet',
          line: 121,
        },
      }),
      member('security-worker', 'Security Worker', {
        ...{ level: 4, department: 'security', reportsTo: 'security-lead', domains: ['infrastructure-security'] },
        ...{ modelWords: 'claude-haiku', line: 126 },
      }),
      member('marketing-lead', 'Marketing Lead', {
        ...{
          level: 7,
          department: 'marketing',
          reportsTo: 'coo',
          domains: ['content'],
          modelWords: 'claude-sonnet',
          line: 135,
        },
      }),
      ...[1, 2].map((index) =>
        member(`content-worker-${index}`, `Content Worker ${index}`, {
          ...content,
          role: { name: 'Content Workers', index, count: 2 },
        }),
      ),
    ],
    policies: {
      budget: {
        perAgent: { value: { amount: 1000, unit: 'credits' }, from: 'ORG.md:150' },
        total: undefined,
        period: { value: 'week', from: 'ORG.md:153' },
        alertAt: { value: 0.8, from: 'ORG.md:151' },
        overage: { value: 'pause', why: "don't hard-stop", from: 'ORG.md:152' },
        singleAct: undefined,
        tools: undefined,
      },
      permissions: {
        create: { value: 7, why: 'leads and above can break work into subtasks', from: 'ORG.md:168' },
        spawn: { value: 7, why: 'leads can grow their team (up to department cap)', from: 'ORG.md:169' },
        review: { value: 6, why: 'seniors and above can approve/reject work', from: 'ORG.md:170' },
        delegate: { value: 6, from: 'default' },
        escalate: { value: 0, why: 'nobody should be silently stuck', from: 'ORG.md:171' },
      },
      anyDepartment: { value: 15, from: 'ORG.md:178' },
      hours: { from: 480, to: 1320, zone: 'UTC', criticalAnyway: true, origin: 'ORG.md:182' },
      named: [],
      context: `### Task Routing

Tasks are auto-routed to the right department by matching:

1. Domain keywords in the task title/description
2. Agent domain expertise
3. Current workload (prefer idle agents)
4. Trust score (higher trust gets harder tasks)

If no match is found, task goes to the COO for manual delegation.`,
    },
    playbooks: [
      {
        name: 'New Task Arrives',
        steps: [
          'COO receives task from Human Principal',
          'COO categorizes by domain and priority',
          'COO delegates to appropriate department lead',
          'Lead acks (auto) and breaks into subtasks if needed',
          'Lead assigns to available workers by trust score',
          'Workers ack and begin — progress logged to task activity',
        ],
        context: '',
        place: at(188),
      },
      {
        name: 'Escalation: BLOCKED',
        steps: [
          'Agent creates escalation message with blocker details',
          'Escalation goes to direct manager (never skip levels)',
          'Manager has 2 cycles to respond:\n- Provide the missing resource/context\n- Reassign to a different agent\n- Escalate further up',
          'If unresolved after 2 levels, alert Human Principal',
        ],
        context: '',
        place: at(197),
      },
      {
        name: 'Escalation: OUT_OF_DOMAIN',
        steps: [
          'Agent flags task as wrong domain',
          'Manager receives escalation',
          'Manager re-delegates to correct department lead',
          'Original agent is freed for other work',
          "No penalty to original agent's trust score",
        ],
        context: '',
        place: at(207),
      },
      {
        name: 'New Agent Onboarding',
        steps: [
          'New agent spawned by a lead',
          'First 3 tasks are LOW priority (warm-up period)',
          'Trust score starts at 30 (PROBATION)',
          'Mentor assigned: closest senior in same domain',
          'After 5 successful tasks, promoted to TRUSTED',
          'After 20 successful tasks, eligible for VETERAN',
        ],
        context: '',
        place: at(215),
      },
      {
        name: 'Weekly Review (automated)',
        steps: [
          'System compiles: tasks completed, escalation rate, budget burn',
          'Generates org health score',
          'Flags anomalies: sudden escalation spikes, idle agents, budget overruns',
          'Sends digest to Human Principal',
          'Proposes optimizations: "Engineering is bottlenecked, consider +1 senior"',
        ],
        context: '',
        place: at(224),
      },
    ],
    models: new Map(),
    logEveryToolCall: false,
    others: [],
  };
  assert.deepEqual(charter, expected);
  assert.equal(topOf(charter)?.id, 'coo');
  assert.deepEqual(
    warnings.map(({ message }) => message),
    ['ORG.md:23:1: there is no agent designer, web-eng, docs-writer to have a worktree'],
  );
});

test('the solo developer is a person, and the agents report to nobody else', () => {
  const { charter, warnings } = read(solo);
  const mine = { level: 4, reportsTo: 'me' };
  assert.deepEqual(charter, {
    ...plain,
    name: 'My Dev Team',
    culture: fromPreset('startup', 'ORG.md:5', {
      ...{ communication: 'open', escalation: 'immediate', progress: 'every-attempt', ack: true, ackWithinMs: 300_000 },
      hierarchy: { min: 2, max: 3 },
    }),
    people: [person({ id: 'me', name: 'Me', context: 'I make the decisions. Agents do the work.', place: at(9) })],
    members: [
      member('code-agent', 'Code Agent', {
        ...{ ...mine, domains: ['fullstack'], modelWords: 'claude-sonnet', line: 13 },
        context: 'Writes code, runs tests, submits PRs.',
      }),
      member('review-agent', 'Review Agent', {
        ...{ ...mine, domains: ['code-review'], modelWords: 'claude-haiku', line: 20 },
        context: 'Reviews PRs, checks for bugs and style issues.',
      }),
      member('docs-agent', 'Docs Agent', {
        ...{ ...mine, domains: ['documentation'], modelWords: 'claude-haiku', line: 27 },
        context: 'Keeps documentation in sync with code changes.',
      }),
    ],
  } satisfies Charter);
  assert.deepEqual(warnings, []);
});

test('the agency has a director, two teams and an SLA', () => {
  const { charter, warnings } = read(agency);
  const culture = fromPreset('agency', 'ORG.md:5', {
    ...{ communication: 'visible to clients', escalation: 'immediate', progress: 'every-attempt', ack: true },
    ...{ ackWithinMs: 600_000, hierarchy: { min: 3, max: 4 } },
  });
  const team = { cap: undefined, goal: undefined, context: '' };
  const worker = { level: 4, modelWords: 'claude-haiku' };
  assert.deepEqual(charter, {
    ...plain,
    name: 'Creative Agency',
    culture: { ...culture, progress: { value: 'every-attempt', why: 'clients expect visibility', from: 'ORG.md:7' } },
    departments: [
      { ...team, id: 'design-team', name: 'Design Team', lead: 'design-lead', place: at(18) },
      { ...team, id: 'content-team', name: 'Content Team', lead: 'content-lead', place: at(31) },
    ],
    members: [
      member('account-director', 'Account Director', {
        ...{ level: 9, reportsTo: 'human-principal', domains: ['account-management'], modelWords: 'claude-sonnet' },
        ...{ line: 11, context: 'Manages client relationships. Routes work to the right team.' },
      }),
      member('design-lead', 'Design Lead', {
        ...{ level: 7, department: 'design-team', reportsTo: 'account-director', domains: ['visual-design'] },
        ...{ modelWords: 'claude-sonnet', line: 20 },
      }),
      ...[1, 2, 3].map((index) =>
        member(`designer-${index}`, `Designer ${index}`, {
          ...{ ...worker, department: 'design-team', reportsTo: 'design-lead', domains: ['ui-ux'], line: 25 },
          role: { name: 'Designers', index, count: 3 },
        }),
      ),
      member('content-lead', 'Content Lead', {
        ...{ level: 7, department: 'content-team', reportsTo: 'account-director', domains: ['content-strategy'] },
        ...{ modelWords: 'claude-sonnet', line: 33 },
      }),
      ...[1, 2, 3, 4].map((index) =>
        member(`writer-${index}`, `Writer ${index}`, {
          ...{ ...worker, department: 'content-team', reportsTo: 'content-lead', domains: ['copywriting'], line: 38 },
          role: { name: 'Writers', index, count: 4 },
        }),
      ),
    ],
    policies: {
      ...plain.policies,
      named: [
        {
          name: 'Client SLA',
          items: [
            { key: 'Critical tasks', value: 'response within 1 cycle', place: at(48, 3) },
            { key: 'Normal tasks', value: 'completion within 10 cycles', place: at(49, 3) },
            { key: 'All tasks', value: 'progress update every 2 cycles', place: at(50, 3) },
          ],
          rules: [
            { of: 'critical', what: 'response', cycles: 1, place: at(48, 3) },
            { of: 'normal', what: 'completion', cycles: 10, place: at(49, 3) },
            { of: 'all', what: 'progress', cycles: 2, place: at(50, 3) },
          ],
          context: '',
          place: at(46),
        },
      ],
    },
  } satisfies Charter);
  assert.deepEqual(warnings, []);
});

test('in the research lab all report to the principal investigator, who is no person', () => {
  const { charter, warnings } = read(lab);
  const culture = fromPreset('research', 'ORG.md:5', {
    ...{ communication: 'async-first', escalation: 'delayed', progress: 'on-request', ack: false },
    ...{ ackWithinMs: 14_400_000, hierarchy: { min: 2, max: 3 } },
  });
  const mine = { reportsTo: 'principal-investigator' };
  assert.deepEqual(charter, {
    ...plain,
    name: 'AI Research Lab',
    culture: {
      ...culture,
      escalation: { value: 'delayed', why: 'let researchers explore before flagging blockers', from: 'ORG.md:7' },
    },
    members: [
      member('principal-investigator', 'Principal Investigator', {
        ...{ level: 6, reportsTo: 'human-principal', domains: ['ml-research'], modelWords: 'claude-opus', line: 11 },
        context: 'Sets research direction. Reviews findings. Publishes papers.',
      }),
      ...[1, 2].map((index) =>
        member(`senior-researcher-${index}`, `Senior Researcher ${index}`, {
          ...{ ...mine, level: 6, domains: ['experimentation'], modelWords: 'claude-sonnet', line: 18 },
          role: { name: 'Senior Researchers', index, count: 2 },
        }),
      ),
      ...[1, 2, 3].map((index) =>
        member(`research-assistant-${index}`, `Research Assistant ${index}`, {
          ...{ ...mine, level: 2, domains: ['data-collection'], modelWords: 'claude-haiku', line: 24 },
          context: 'Run experiments, collect data, write up results.',
          role: { name: 'Research Assistants', index, count: 3 },
        }),
      ),
    ],
    policies: {
      ...plain.policies,
      budget: {
        ...plain.policies.budget,
        perAgent: {
          value: { amount: 5000, unit: 'credits' },
          why: 'research needs room to explore',
          from: 'ORG.md:36',
        },
        alertAt: { value: 0.9, from: 'ORG.md:37' },
        overage: { value: 'warn', from: 'ORG.md:37' },
      },
      named: [
        {
          name: 'Exploration Budget',
          items: [
            { key: 'Per-agent limit', value: '5000 credits/period — research needs room to explore', place: at(36, 3) },
            {
              key: undefined,
              value: "No hard stops — flag at 90%, but don't interrupt an experiment",
              place: at(37, 3),
            },
          ],
          rules: [],
          context: '',
          place: at(34),
        },
      ],
    },
  } satisfies Charter);
  assert.deepEqual(warnings, []);
});

test('org.yaml is the same kind of org: all work with the primary model, and the board is above them', () => {
  const { charter, warnings } = readCharter({ orgYaml: growthLab });
  const place = (line: number, column: number): Place => ({ file: 'org.yaml', line, column });
  const model = { provider: 'anthropic', id: 'claude-opus-4-6-2026-02-15' } as const;
  const agents = [
    { department: 'research', line: 14, names: [['market-mapper', 14], ['competitor-watcher', 29], ['hiring-signal-scanner', 49]] },
    { department: 'gtm', line: 17, names: [['list-builder', 14], ['personalization-writer', 28], ['sequence-operator', 52]] },
    { department: 'engineering', line: 20, names: [['integration-builder', 14], ['qa-reviewer', 35], ['deployment-operator', 48]] },
  ] as const; // biome-ignore format: a row each
  const department = { lead: undefined, cap: undefined, context: '' };
  assert.deepEqual(charter, {
    ...plain,
    name: 'acme-growth-lab',
    file: 'org.yaml',
    mission: 'grow revenue for vertical SaaS using AI-native outbound',
    people: [
      {
        ...{ id: 'board', name: 'board', mayPause: true, addresses: [], context: '', place: place(23, 13) },
        approves: ['payments_over_500', 'production_deployments', 'outbound_over_1000_contacts'],
      },
    ],
    departments: [
      { ...department, id: 'research', name: 'research', goal: 'identify high-intent accounts', place: place(12, 3) },
      { ...department, id: 'gtm', name: 'gtm', goal: 'generate qualified pipeline', place: place(15, 3) },
      {
        ...{ ...department, id: 'engineering', name: 'engineering', place: place(18, 3) },
        goal: 'maintain internal systems and customer automations',
      },
    ],
    members: agents.flatMap(({ department: id, line, names }) =>
      names.map(([name, column]) => ({
        ...member(name, name, { level: 4, department: id, reportsTo: 'board', domains: [id], line }),
        model,
        place: place(line, column),
      })),
    ),
    policies: {
      ...plain.policies,
      budget: {
        ...plain.policies.budget,
        total: { value: { amount: 12_000, unit: 'usd' }, from: 'org.yaml:5' },
        period: { value: 'month', from: 'org.yaml:5' },
        singleAct: { value: 500, from: 'org.yaml:7' },
        tools: { value: 3000, from: 'org.yaml:6' },
      },
    },
    models: new Map([
      ['primary', model],
      ['fallback', { provider: 'anthropic', id: 'claude-sonnet-4-6-2026-01-08' }],
    ]),
    logEveryToolCall: true,
    others: [{ name: 'governance.audit.retain_for_days', text: '365', place: place(28, 5) }],
  } satisfies Charter);
  assert.deepEqual(
    warnings.map(({ message }) => message),
    [],
  );
});

function at(line: number, column = 1): Place {
  return { file: 'ORG.md', line, column };
}

function person(known: Partial<Person>): Person {
  const usual = {
    id: 'human-principal',
    name: 'Human Principal',
    approves: ['*'],
    mayPause: true,
    addresses: [],
    context: '',
  };
  return { ...usual, place: at(1), ...known };
}

/** An agent as the examples have them: nothing is resolved, so nobody has a model. */
function member(id: string, name: string, { line, ...known }: Partial<Member> & { readonly line: number }): Member {
  return {
    ...{ id, name, level: 4, department: undefined, reportsTo: undefined, domains: [], model: undefined },
    ...{ modelWords: undefined, limit: undefined, context: '', role: { name, index: 1, count: 1 }, place: at(line) },
    ...known,
  };
}

function fromPreset(
  preset: NonNullable<Culture['preset']['value']>,
  said: string,
  values: { readonly [Key in Exclude<keyof Culture, 'preset' | 'context'>]: Culture[Key]['value'] },
): Culture {
  const from = `preset ${preset}`;
  return {
    preset: { value: preset, from: said },
    communication: { value: values.communication, from },
    escalation: { value: values.escalation, from },
    progress: { value: values.progress, from },
    ack: { value: values.ack, from },
    ackWithinMs: { value: values.ackWithinMs, from },
    hierarchy: { value: values.hierarchy, from },
    context: '',
  };
}
