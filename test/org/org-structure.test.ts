import assert from 'node:assert/strict';
import { test } from 'node:test';
import { topOf } from '../../src/domain/staff/charter.ts';
import { readCharter } from '../../src/org/read/org-file.ts';

const read = (text: string) => readCharter({ orgMd: text }, { resolve: false });

/** `id level department reports-to`, a line each. */
const chart = (text: string): readonly string[] =>
  read(`# A\n\n## Structure\n\n${text}\n`).charter.members.map(
    ({ id, level, department, reportsTo }) => `${id} ${level} ${department ?? '-'} ${reportsTo ?? '-'}`,
  );

test('ten lines are a working org', () => {
  const { charter, warnings } = read('# Mine\n\n## Structure\n\n### Lead Agent\n\n### Writer\n\n### Editor\n');
  assert.deepEqual(
    charter.members.map(({ id, level, reportsTo }) => [id, level, reportsTo]),
    [
      ['lead-agent', 7, 'human-principal'],
      ['writer', 4, 'lead-agent'],
      ['editor', 4, 'lead-agent'],
    ],
  );
  assert.equal(topOf(charter)?.id, 'lead-agent');
  assert.deepEqual(warnings, []);
});

test('a department whose heading has lines of a role is led by it', () => {
  assert.deepEqual(chart('### Engineering\n- **Model:** x\n\n#### Worker\n\n### Security\n\n#### Security Lead'), [
    'engineering 9 engineering human-principal',
    'worker 4 engineering engineering',
    'security-lead 7 security engineering',
  ]);
});

test('a heading whose name leads is a role, and names its department without its title', () => {
  assert.deepEqual(chart('### VP of Engineering\n\n#### Worker\n\n### CTO\n\n#### Researcher'), [
    'vp-of-engineering 9 engineering cto',
    'worker 4 engineering vp-of-engineering',
    'cto 10 cto human-principal',
    'researcher 4 cto cto',
  ]);
});

test('a department whose heading is an emoji and a word of rank is called by both, or by the id of who leads it', () => {
  assert.deepEqual(chart('### 🚀 Lead\n\n#### Packers'), ['lead 7 lead human-principal', 'packers 4 lead lead']);
  assert.deepEqual(chart('### 🚀 Lead\n- **Id:** web-lead\n\n#### Packers'), [
    'web-lead 7 lead human-principal',
    'packers 4 lead web-lead',
  ]);
  for (const title of ['🚀', '工程 Lead'])
    assert.deepEqual(chart(`### ${title}\n- **Id:** \`web-lead\`\n- **Level:** 7\n\n#### Packers`), [
      'web-lead 7 web-lead human-principal',
      'packers 4 web-lead web-lead',
    ]);
});

test('H5 and H6 report to who stands above them', () => {
  assert.deepEqual(chart('### Ops\n\n#### Lead\n\n#### Senior\n- **Count:** 2\n\n##### Helper\n\n###### Apprentice'), [
    'lead 7 ops human-principal',
    'senior-1 6 ops lead',
    'senior-2 6 ops lead',
    'helper 2 ops senior-1',
    'apprentice 2 ops helper',
  ]);
});

test('Reports to names a role, a number of one, a department or a person, in any case', () => {
  const text = `### Ann (Human)

### COO

### Ops

#### Ops Lead
- **Reports to:** ann

#### Workers
- **Count:** 2

#### Night Watch
- **Reports to:** worker 2

### Press

#### Writer
- **Reports to:** Ops`;
  assert.deepEqual(chart(text), [
    'coo 10 - ann',
    'ops-lead 7 ops ann',
    'worker-1 4 ops ops-lead',
    'worker-2 4 ops ops-lead',
    'night-watch 4 ops worker-2',
    'writer 4 press ops-lead',
  ]);
});

test('a line says who leads, or that nobody does', () => {
  assert.deepEqual(chart('### COO\n\n### Ops\n- **Lead:** Second\n\n#### First\n\n#### Second'), [
    'coo 10 - human-principal',
    'first 4 ops second',
    'second 4 ops coo',
  ]);
  assert.deepEqual(chart('### Ops\n- **Lead:** none\n\n#### First\n\n#### Second'), [
    'first 4 ops human-principal',
    'second 4 ops human-principal',
  ]);
});

test('where all say whom they report to, the first who leads and reports outside is the lead', () => {
  const { charter } = read(
    '## Structure\n\n### COO\n\n### Ops\n\n#### Worker\n- **Reports to:** Ops Lead\n\n#### Ops Lead\n- **Reports to:** COO\n',
  );
  assert.equal(charter.departments[0]?.lead, 'ops-lead');
});

test('with a person in the chart, equals of the top stand beside it; without one, under it', () => {
  assert.deepEqual(chart('### Me (Human Principal)\n\n### First Lead\n\n### Second Lead\n\n### Worker'), [
    'first-lead 7 - me',
    'second-lead 7 - me',
    'worker 4 - first-lead',
  ]);
  assert.deepEqual(chart('### First Lead\n\n### Second Lead'), [
    'first-lead 7 - human-principal',
    'second-lead 7 - first-lead',
  ]);
});

test('departments alone report to the person', () => {
  assert.deepEqual(chart('### A\n\n#### A Lead\n\n### B\n\n#### B Lead'), [
    'a-lead 7 a human-principal',
    'b-lead 7 b human-principal',
  ]);
});

test('an H3 without roles is a department where a cap, a line or its name says so', () => {
  const text = `## Structure\n\n### Ops\n\n### Press\n- **Goal:** be heard\n\n### Design Team\n\n### Scribe\n\n## Policies\n\n### Department Caps\n- Ops: max 3 agents\n`;
  const { charter } = read(text);
  assert.deepEqual(
    charter.departments.map(({ id, goal, cap }) => [id, goal, cap?.value]),
    [
      ['ops', undefined, 3],
      ['press', 'be heard', undefined],
      ['design-team', undefined, undefined],
    ],
  );
  assert.deepEqual(
    charter.members.map(({ id }) => id),
    ['scribe'],
  );
});

test('levels follow words, plurals too, and a line wins', () => {
  const level = (name: string, more = ''): number | undefined =>
    read(`## Structure\n\n### X\n\n#### ${name}\n${more}`).charter.members[0]?.level;
  const levels: readonly (readonly [string, number])[] = [
    ['COO', 10], ['Chief of Staff', 10], ['CISO', 10], ['VP Sales', 9], ['Directors', 9], ['Talent Scout', 9], ['Leads', 7], ['Product Manager', 7],
    ['Senior Engineer', 6], ['Principals', 6], ['Engineers', 4], ['Agent', 4], ['Junior Engineer', 2], ['Assistant to the CEO', 2], ['Interns', 1],
    ['Engineering Leadership', 4], ['Writer', 4],
  ]; // biome-ignore format: pairs
  for (const [name, expected] of levels) assert.equal(level(name), expected, name);
  assert.equal(level('Intern', '- **Level:** L8'), 8);
});

test('a count, be it 1, numbers its agents, so that raising it renames nobody', () => {
  const names = (text: string) => read(`## Structure\n\n### ${text}`).charter.members.map(({ id, name }) => [id, name]);
  assert.deepEqual(names('QA Workers\n- **Count:** 1'), [['qa-worker-1', 'QA Worker 1']]);
  assert.deepEqual(names('QA Workers'), [['qa-workers', 'QA Workers']]);
  assert.deepEqual(names('DevOps\n- **Count:** 2 agents — for now'), [
    ['devops-1', 'DevOps 1'],
    ['devops-2', 'DevOps 2'],
  ]);
  assert.deepEqual(names('Secretaries\n- **Count:** 1'), [['secretary-1', 'Secretary 1']]);
  assert.deepEqual(names('Süd-Büro & Co.'), [['sud-buro-co', 'Süd-Büro & Co.']]);
  assert.deepEqual(names('3D Artist'), [['agent-3d-artist', '3D Artist']]);
  assert.deepEqual(names('前端\n- **Id:** frontend'), [['frontend', '前端']]);
});

test('the same lines in other ways of writing are the same org', () => {
  const expected = read('## Structure\n\n### Coder\n\nWrites.\n\n- **Model:** m\n- **Domain:** a, b\n- **Count:** 2\n')
    .charter.members;
  const ways = [
    '## Structure\n\n### Coder\n\nWrites.\n\n* **Model**: m\n* **Domain**: A, B\n* **Count**: 2\n',
    '## Structure\n\n### Coder\n\nWrites.\n\n**Model:** m\n**Domain:** a, b\n**Count:** 2\n',
    '## Structure\n\n### Coder\n\nWrites.\n\nModel: m\nDomain: a, b\nCount: 2\n',
    '## 🏗 STRUCTURE ##\n\n### **Coder** ###\n\nWrites.\n\n- Model: `m`\n- Domain:\n  - a\n  - b\n- Count: 2\n',
    '## Structure\r\n\r\n### Coder\r\n\r\nWrites.\r\n\r\n- __Model:__ m\r\n- **Domain:** a,\r\n  b\r\n- **Count:** 2 — two\r\n',
    '\ufeff## Structure\n\n### Coder\n\nWrites.\n\n- **model:** m\n- **domains:** a, b\n- **COUNT:** 2\n',
  ];
  for (const way of ways) assert.deepEqual(read(way).charter.members, expected, way);
});

test('a heading that is underlined is a heading, as Markdown says', () => {
  const { charter } = read(
    'Mine\n====\n\nWe test.\n\nStructure\n---------\n\n### Coder\n- **Level:** 5\n\nHow we\nrelease\n---\n\nOn Fridays.\n\n---\n',
  );
  assert.equal(charter.name, 'Mine');
  assert.equal(charter.mission, 'We test.');
  assert.deepEqual(
    charter.members.map(({ id, level }) => [id, level]),
    [['coder', 5]],
  );
  assert.deepEqual(
    charter.others.map(({ name, text, place }) => [name, text, place.line]),
    [['How we release', 'On Fridays.', 12]],
  );
});

test('headings in code, comments and lists are no roles', () => {
  const text =
    '### Coder\n\n```\n### Not\n```\n\n~~~md\n#### Nor\n~~~\n\n<!--\n### Later\n-->\n\n- a\n  ### Never\n\n      ### Indented\n';
  assert.deepEqual(chart(text), ['coder 4 - human-principal']);
});

test('what is no metadata is context, and a key that is nearly one is told of', () => {
  const { charter, warnings } = read(
    '## Structure\n\nSmall.\n\n### Coder\n\nWrites.\n\n- **Modle:** m\n- **Skills:** C\n- kind\n',
  );
  assert.equal(charter.members[0]?.context, 'Writes.\n\n- **Modle:** m\n- **Skills:** C\n- kind');
  assert.equal(charter.identity, 'Small.');
  assert.deepEqual(
    warnings.map(({ message, hint }) => [message, hint]),
    [['ORG.md:9:3: Modle is not a known key: agents read it, and nothing else happens', 'Did you mean model?']],
  );
});

test('no structure, or prose only, is the default org, said plainly', () => {
  for (const [text, message] of [
    ['Just a note.\n', 'ORG.md:1:1: ORG.md has no ## Structure: the default org works, with the agents of the brief'],
    ['', 'ORG.md:1:1: ORG.md has no ## Structure: the default org works, with the agents of the brief'],
    [
      '# A\n\n## Structure\n\nSoon.\n',
      'ORG.md:3:1: ## Structure names no role: the default org works, with the agents of the brief',
    ],
  ] as const) {
    const { charter, warnings } = read(text);
    assert.deepEqual(charter.members, []);
    assert.deepEqual(
      warnings.map((warning) => warning.message),
      [message],
    );
  }
  assert.deepEqual(readCharter({}).charter.members, []);
  assert.equal(readCharter({}).charter.file, undefined);
});

test('unknown sections are kept, and deeper presets warn', () => {
  const { charter, warnings } = read(
    '# A\n\n## Culture\n\npreset: remote-async\n\n## Glossary\n\nWords.\n\n### B\n\n- c\n\n## Structure\n\n### COO\n\n### Ops\n\n#### Lead\n\n#### Worker\n',
  );
  assert.deepEqual(charter.others, [
    { name: 'Glossary', text: 'Words.\n\n### B\n\n- c', place: { file: 'ORG.md', line: 7, column: 1 } },
  ]);
  assert.deepEqual(
    warnings.map(({ message }) => message),
    ['ORG.md:1:1: the chart is 3 levels deep, and preset remote-async allows 2'],
  );
});

test('--culture is in force for one run, whatever the file says', () => {
  const text = '## Culture\n\npreset: startup\n\n- **Escalation:** delayed\n';
  const { culture } = readCharter({ orgMd: text }, { culture: 'enterprise' }).charter;
  assert.deepEqual(culture.preset, { value: 'enterprise', from: '--culture' });
  assert.deepEqual(culture.escalation, { value: 'hourly', from: '--culture' });
  assert.deepEqual(readCharter({ orgMd: text }).charter.culture.escalation, { value: 'delayed', from: 'ORG.md:5' });
  assert.equal(readCharter({}, { culture: 'military' }).charter.culture.ackWithinMs.value, 60_000);
});

test('a person below a department stands between its roles, with what they approve', () => {
  const text =
    '### Engineering\n\n#### Lead\n\n##### Ada (Human Principal)\n- **Approves:** spend\n\nAnswers fast.\n\n###### Helper';
  assert.deepEqual(chart(text), ['lead 7 engineering ada', 'helper 2 engineering ada']);
  const [ada, ...others] = read(`# A\n\n## Structure\n\n${text}\n`).charter.people;
  assert.deepEqual([ada?.id, ada?.approves, ada?.context, others.length], ['ada', ['spend'], 'Answers fast.', 0]);
});
