import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCharter } from '../../src/org/read/org-file.ts';
import { editOrg } from '../../src/org/write/org-edit.ts';
import { exportOrg } from '../../src/org/write/org-export.ts';
import { anOrg } from '../support/builders.ts';
import { refusal } from '../support/refusal.ts';

const read = (orgMd: string) => readCharter({ orgMd }, { resolve: false });

/** `id level department reports-to`, a line each. */
const chart = (text: string): readonly string[] =>
  read(`# A\n\n## Structure\n\n${text}\n`).charter.members.map(
    ({ id, level, department, reportsTo }) => `${id} ${level} ${department ?? '-'} ${reportsTo ?? '-'}`,
  );

/** A file of the shape that people publish: names with titles, avatars, and what each is like. */
const bakery = `# 🥐 The Night Bakery

## Identity

Bread for the whole street, made while it sleeps.

- **Mission:** Ten thousand rolls before six.
- **Vision:** Every hand knows its oven.
- **Stage:** Open since spring

### Values
- The street eats first
- Burnt is burnt

## Culture

preset: startup
- **Escalation:** immediate — dough does not wait
- **Hierarchy depth:** 4

## Structure

### Nora Quill — Owner
Takes the large orders and watches every egg.

- **Level:** 10
- **Avatar:** 🦉
- **Avatar Color:** #884400
- **Avatar URL:** /avatars/nora.png
- **Domain:** Orders
- **Reports to:** Human Principal

### The Ovens — Bread and Rolls
Where it gets hot.

#### 🔥 Tom Ash — Head Baker
Kneads, shapes, bakes. "It rises!"
- **Level:** 9
- **Avatar:** 🔥
- **Domain:** Bread
- **Reports to:** Nora Quill

#### Ida Flour – Pastry Lead
- **Level:** 7
- **Domain:** Pastry
- **Reports to:** Tom Ash

#### Runner - Carries trays
- **Level:** 4
- **Domain:** Trays
- **Reports to:** Ida Flour
- **Count:** 3

### The Counter

#### Mr. Bell Jr. — Till
- **Level:** 1
- **Domain:** Sales
- **Reports to:** Owner

## Policies

### Budget
- **Per-agent limit:** 1000 credits/period
- **Alert threshold:** 80%
- **Overage behavior:** pause and escalate

### Department Caps
- The Ovens (Bread): max 10 agents
- The Counter: max 4 agents

### Permissions
- L7+ can create tasks and spawn agents
- L6+ can review and approve work
- All agents can escalate — nobody stands alone

## Playbooks

### Large Order
1. The owner sizes it up
2. Tom Ash splits it into trays
`;

test('a published file of names with titles is read without a warning', () => {
  const { charter, warnings, refused } = read(bakery);
  assert.deepEqual(
    charter.members.map(({ id, name, level, department, reportsTo }) => [id, name, level, department, reportsTo]),
    [
      ['nora-quill', 'Nora Quill', 10, undefined, 'human-principal'],
      ['tom-ash', '🔥 Tom Ash', 9, 'the-ovens', 'nora-quill'],
      ['ida-flour', 'Ida Flour', 7, 'the-ovens', 'tom-ash'],
      ['runner-1', 'Runner 1', 4, 'the-ovens', 'ida-flour'],
      ['runner-2', 'Runner 2', 4, 'the-ovens', 'ida-flour'],
      ['runner-3', 'Runner 3', 4, 'the-ovens', 'ida-flour'],
      ['mr-bell-jr', 'Mr. Bell Jr.', 1, 'the-counter', 'nora-quill'],
    ],
  );
  assert.deepEqual(
    charter.departments.map(({ id, name, lead, cap, context }) => [id, name, lead, cap?.value, context]),
    [
      ['the-ovens', 'The Ovens', 'tom-ash', 10, 'Bread and Rolls\n\nWhere it gets hot.'],
      ['the-counter', 'The Counter', undefined, 4, ''],
    ],
  );
  assert.equal(charter.members[1]?.context, 'Head Baker\n\nKneads, shapes, bakes. "It rises!"\n\n- **Avatar:** 🔥');
  assert.equal(charter.policies.permissions.spawn.value, 7);
  assert.deepEqual([warnings, refused], [[], []]);
  assert.equal(exportOrg(bakery, charter, charter), bakery);
});

test('Reports to finds an agent by name, whole heading or unique title', () => {
  const text = (manager: string): string =>
    `### Ann Lee — CEO\n\n### Bea Orr — Analyst\n\n### Cid Poe — Analyst\n- **Reports to:** ${manager}`;
  for (const [manager, id] of [
    ['Ann Lee', 'ann-lee'],
    ['ann-lee', 'ann-lee'],
    ['Ann Lee — CEO', 'ann-lee'],
    ['CEO', 'ann-lee'],
    ['Bea Orr', 'bea-orr'],
    ['none', 'human-principal'],
  ] as const)
    assert.equal(chart(text(manager)).at(-1), `cid-poe 4 - ${id}`);
  assert.match(
    refusal(() => chart(text('Analyst'))).message,
    /Reports to names Analyst, and there is nobody of that name/,
  );
});

test('headings that begin with one name are told apart by their titles', () => {
  const { charter } = read('# A\n\n## Structure\n\n### Lead\n\n### Engineer — Backend\n\n### Engineer — Frontend\n');
  assert.deepEqual(
    charter.members.map(({ id, name }) => [id, name]),
    [
      ['lead', 'Lead'],
      ['engineer-backend', 'Engineer — Backend'],
      ['engineer-frontend', 'Engineer — Frontend'],
    ],
  );
});

test('a heading that leads gives its department the title without the rank', () => {
  assert.deepEqual(
    chart('### Ada Lane — VP of Engineering\n\n#### Worker\n\n### Web Lead — Keeps it up\n\n#### Tester'),
    [
      'ada-lane 9 engineering human-principal',
      'worker 4 engineering ada-lane',
      'web-lead 7 web ada-lane',
      'tester 4 web web-lead',
    ],
  );
});

test('an empty team may have a title, and so may org.yaml', () => {
  const { departments } = read('# A\n\n## Structure\n\n### Design Team — makes it nice\n\n### Lead\n').charter;
  assert.deepEqual(
    departments.map(({ id, context }) => [id, context]),
    [['design-team', 'makes it nice']],
  );
  const orgYaml = 'departments: { ops: { agents: [Ada Lane — Engineer, { name: Bea Orr, reports_to: Ada Lane }] } }\n';
  assert.deepEqual(
    readCharter({ orgYaml }, { resolve: false }).charter.members.map(({ id, reportsTo }) => [id, reportsTo]),
    [
      ['ada-lane', 'human-principal'],
      ['bea-orr', 'ada-lane'],
    ],
  );
});

test('a person may have a title too', () => {
  const { people } = read(
    '# A\n\n## Structure\n\n### Ada Lane — Founder (Human)\nDecides.\n\n### Lead\n- **Reports to:** Ada Lane — Founder (Human)\n',
  ).charter;
  assert.deepEqual(
    people.map(({ id, name, context }) => [id, name, context]),
    [['ada-lane', 'Ada Lane', 'Founder\n\nDecides.']],
  );
});

test('long names get short ids, which differ where names begin alike', () => {
  const long = 'Senior Principal Engineer of Reliability and Infrastructure';
  const [one, other, ...counted] = chart(
    `### ${long}, North\n\n### ${long}, South\n\n### ${long} Workers\n- **Count:** 2`,
  );
  assert.match(one ?? '', /^senior-principal-engineer-[a-z0-9]{4} 6 /);
  assert.match(other ?? '', /^senior-principal-engineer-[a-z0-9]{4} 6 /);
  assert.notEqual(one, other);
  assert.match(counted.join('\n'), /^senior-principal-[a-z0-9]{4}-1 .*\nsenior-principal-[a-z0-9]{4}-2 /);
  assert.deepEqual(chart(`### ${long}`), ['senior-principal-engineer-of 6 - human-principal']);
  assert.deepEqual(
    chart(`### Ops\n- **Reports to:** ${long}\n\n### ${long}`)[0],
    'ops 4 - senior-principal-engineer-of',
  );
});

test('an edit finds the role below a heading with a title', () => {
  const edited = editOrg('## Structure\n\n### Tom Ash — Baker\n- **Level:** 4\n', {
    kind: 'set',
    path: 'roles.Tom Ash.level',
    value: '6',
  });
  assert.equal(edited, '## Structure\n\n### Tom Ash — Baker\n- **Level:** 6\n');
});

test('an agent is paused by the name in its heading', async () => {
  const org = anOrg({
    files: { 'ORG.md': '# Bakery\n\n## Structure\n\n### Nora Quill — Lead\n\n### Tom Ash — Baker\n- **Level:** 3\n' },
  });
  const plan = JSON.parse((await org.orgrepo('plan', '--no-measure', '--json')).stdout);
  assert.deepEqual(
    plan.org.agents.map(({ id, name, reports_to }: Record<string, string>) => [id, name, reports_to]),
    [
      ['nora-quill', 'Nora Quill', 'human-principal'],
      ['tom-ash', 'Tom Ash', 'nora-quill'],
    ],
  );
  assert.equal((await org.orgrepo('run', '--max', '1')).code, 0);
  assert.equal((await org.orgrepo('pause', 'Tom Ash')).code, 0);
  assert.match((await org.orgrepo('status')).stdout, /tom-ash +paused/);
});
