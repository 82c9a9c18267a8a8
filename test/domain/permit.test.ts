import assert from 'node:assert/strict';
import { test } from 'node:test';
import { may, type Permit, type PermittedAct } from '../../src/domain/staff/chart.ts';
import type { Charter, Permissions } from '../../src/domain/staff/charter.ts';
import { acme, agent, one, said, unsaid } from '../support/charters.ts';

const allowed: Permit = { kind: 'allowed' };
const refused = (reason: string): Permit => ({ kind: 'refused', reason });
const person = (reason: string): Permit => ({ kind: 'person', reason });
const spawn = (department: string | undefined, level = 4): PermittedAct => ({ act: 'spawn', department, level });

const withPermissions = (permissions: Partial<Permissions>, charter: Charter = acme): Charter => ({
  ...charter,
  policies: { ...charter.policies, permissions: { ...charter.policies.permissions, ...permissions } },
});

/** So many more agents in a department. */
const crowded = (department: string, more: number, charter: Charter = acme): Charter => ({
  ...charter,
  members: [
    ...charter.members,
    ...Array.from({ length: more }, (_, index) => agent(`new-${index}`, 4, { department })),
  ],
});

test('what an agent may do goes by its level', () => {
  const file = withPermissions({ create: said(7, 'ORG.md:80') });
  const cases: readonly (readonly [string, PermittedAct, Charter, Permit])[] = [
    ['coo', { act: 'create' }, acme, allowed],
    ['engineering-lead', { act: 'create' }, acme, allowed],
    [
      'backend-senior-1',
      { act: 'create' },
      file,
      refused('backend-senior-1 is of level 6, and L7+ can create specs (ORG.md:80)'),
    ],
    ['qa-worker', { act: 'escalate' }, acme, allowed],
    [
      'qa-worker',
      { act: 'escalate' },
      withPermissions({ escalate: said(6) }),
      refused('qa-worker is of level 4, and L6+ can escalate (ORG.md:1)'),
    ],
    ['backend-senior-1', { act: 'review', maker: 'qa-worker' }, acme, allowed],
    [
      'qa-worker',
      { act: 'review', maker: 'backend-senior-1' },
      acme,
      refused('qa-worker is of level 4, and L6+ can review (default)'),
    ],
    [
      'backend-senior-1',
      { act: 'review', maker: 'backend-senior-1' },
      acme,
      refused('backend-senior-1 made it, and nobody reviews their own work'),
    ],
    [
      'backend-senior-1',
      spawn('engineering'),
      acme,
      refused('backend-senior-1 is of level 6, and L7+ can spawn agents (default)'),
    ],
  ];
  for (const [id, act, charter, permit] of cases) assert.deepEqual(may(one(id), act, charter), permit);
});

test('the top of a chart that nobody of that level is in creates and delegates, unless the file says who does', () => {
  const small = { ...unsaid, members: [agent('code', 4), agent('docs', 4, { reportsTo: 'code' })] };
  const [code, docs] = [one('code', small), one('docs', small)];
  assert.deepEqual(may(code, { act: 'create' }, small), allowed);
  assert.deepEqual(may(code, { act: 'delegate', to: 'docs' }, small), allowed);
  assert.deepEqual(
    may(docs, { act: 'create' }, small),
    refused('docs is of level 4, and L7+ can create specs (default)'),
  );
  assert.deepEqual(
    may(code, spawn(undefined, 1), small),
    refused('code is of level 4, and L7+ can spawn agents (default)'),
  );
  const strict = withPermissions({ create: said(7, 'ORG.md:9') }, small);
  assert.deepEqual(
    may(code, { act: 'create' }, strict),
    refused('code is of level 4, and L7+ can create specs (ORG.md:9)'),
  );
  const led = { ...small, members: [...small.members, agent('lead', 7, { reportsTo: 'code' })] };
  assert.deepEqual(
    may(code, { act: 'create' }, led),
    refused('code is of level 4, and L7+ can create specs (default)'),
  );
});

test('work is delegated down the line, or to the lead of another department', () => {
  const cases: readonly (readonly [string, string, Permit])[] = [
    ['engineering-lead', 'qa-worker', allowed],
    ['coo', 'qa-worker', allowed],
    ['engineering-lead', 'security-lead', allowed],
    [
      'engineering-lead',
      'security-worker',
      refused('security-worker does not report to engineering-lead, and leads no department'),
    ],
    [
      'backend-senior-1',
      'backend-senior-2',
      refused('backend-senior-2 does not report to backend-senior-1, and leads no department'),
    ],
    [
      'backend-senior-1',
      'engineering-lead',
      refused('engineering-lead does not report to backend-senior-1, and leads no department'),
    ],
    ['engineering-lead', 'engineering-lead', refused('engineering-lead cannot delegate to itself')],
    ['engineering-lead', 'nobody', refused('nobody is not in the chart')],
    ['qa-worker', 'security-lead', refused('qa-worker is of level 4, and L6+ can delegate (default)')],
  ];
  for (const [from, to, permit] of cases) assert.deepEqual(may(one(from), { act: 'delegate', to }, acme), permit);
});

test('a lead spawns into its own department, below its own level, up to the cap', () => {
  const lead = one('engineering-lead');
  const cases: readonly (readonly [PermittedAct, Charter, Permit])[] = [
    [spawn('engineering'), acme, allowed],
    [spawn('engineering'), crowded('engineering', 2), allowed],
    [spawn('engineering'), crowded('engineering', 3), refused('Engineering has 10 agents, and at most 10 (ORG.md:1)')],
    [spawn('engineering', 7), acme, refused('engineering-lead is of level 7 and can spawn only below it, not level 7')],
    [spawn('security'), acme, refused('engineering-lead is not of Security, and not above its lead')],
    [spawn('law'), acme, refused('there is no department law')],
    [
      spawn(undefined),
      acme,
      refused('engineering-lead is not at the top of the chart, and can spawn only into a department'),
    ],
  ];
  for (const [act, charter, permit] of cases) assert.deepEqual(may(lead, act, charter), permit);
  assert.deepEqual(may(one('coo'), spawn('security'), acme), allowed);
  assert.deepEqual(may(one('coo'), spawn(undefined), acme), allowed);
});

test('beyond what any department may have a person decides', () => {
  const uncapped = { ...acme, departments: acme.departments.map((each) => ({ ...each, cap: undefined })) };
  const wide = { ...acme, departments: acme.departments.map((each) => ({ ...each, cap: said(40) })) };
  const silent = (charter: Charter): Charter => ({
    ...charter,
    policies: { ...charter.policies, anyDepartment: undefined },
  });
  const coo = one('coo');
  const cases: readonly (readonly [Charter, Permit])[] = [
    [crowded('security', 12, uncapped), allowed],
    [
      crowded('security', 13, uncapped),
      person('Security has 15 agents, and a person decides on more than 15 (ORG.md:1)'),
    ],
    [crowded('security', 13, wide), person('Security has 15 agents, and a person decides on more than 15 (ORG.md:1)')],
    [crowded('security', 13, silent(wide)), allowed],
    [crowded('security', 38, silent(wide)), refused('Security has 40 agents, and at most 40 (ORG.md:1)')],
    [
      crowded('security', 13, silent(uncapped)),
      person('Security has 15 agents, and a person decides on more than 15 (no cap is written down)'),
    ],
  ];
  for (const [charter, permit] of cases) assert.deepEqual(may(coo, spawn('security'), charter), permit);
});
