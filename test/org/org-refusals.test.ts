import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCharter } from '../../src/org/read/org-file.ts';
import { exitCodeOf } from '../../src/text/problem.ts';
import { refusal } from '../support/refusal.ts';

const read = (orgMd: string) => readCharter({ orgMd }, { resolve: false });
const structure = (text: string): string => `# A\n\n## Structure\n\n${text}\n`;
const policies = (text: string): string => `${structure('### Engineering\n\n#### Lead')}\n## Policies\n\n${text}\n`;

/** Each file that is refused: where, why, and what to do. */
const refused: readonly (readonly [string, string, string, string])[] = [
  [
    'a cycle',
    structure('### A Lead\n- **Reports to:** B Lead\n\n### B Lead\n- **Reports to:** A Lead'),
    'ORG.md:6:19: nobody is above these: A Lead reports to B Lead reports to A Lead',
    'Let one of them report to somebody else, or to Human Principal.',
  ],
  [
    'itself as its manager',
    structure('### A Lead\n- **Reports to:** A Lead'),
    'ORG.md:6:19: "A Lead" reports to itself',
    'Name somebody above it, or take the line out.',
  ],
  [
    'an unknown parent',
    structure('### COO\n\n### Writer\n- **Reports to:** COOO'),
    'ORG.md:8:19: Reports to names COOO, and there is nobody of that name',
    'Did you mean COO?',
  ],
  [
    'two roles with one id',
    structure('### Engineering\n\n#### Worker\n\n### Security\n\n#### Worker'),
    'ORG.md:11:1: Worker has the id worker, as what is on line 7',
    'Give one of them another name, or another id with - **Id:** web-worker',
  ],
  [
    'a role that counts into another',
    structure('### Worker 2\n\n### Workers\n- **Count:** 3'),
    'ORG.md:7:1: Workers has the id worker-2, as what is on line 5',
    'Give one of them another name, or another id with - **Id:** web-worker',
  ],
  [
    'a department twice',
    structure('### Ops\n\n#### Lead\n\n### Ops\n\n#### Worker'),
    'ORG.md:9:1: the department Ops is there twice, first on line 5',
    'Put the roles of both under one heading.',
  ],
  ['a path as a name', structure('### ../../etc'), 'ORG.md:5:1: ../../etc gives no id that a branch or a directory can have', idHint()],
  ['an option as a name', structure('### -rf'), 'ORG.md:5:1: -rf gives no id that a branch or a directory can have', idHint()],
  ['an emoji as a name', structure('### 🚀'), 'ORG.md:5:1: 🚀 gives no id that a branch or a directory can have', idHint()],
  [
    "a person's bench as a name",
    structure('### Team\n\n#### human-0002'),
    'ORG.md:7:1: human-0002 would have the id human-0002, which is what people, their benches or orgrepo itself are called',
    idHint(),
  ],
  ['no name', structure('###'), 'ORG.md:5:1: a heading without a name gives no id that a branch or a directory can have', idHint()],
  [
    'an id that is too long for its numbers',
    structure('### Worker\n- **Id:** infrastructure-security-engineer\n- **Count:** 2'),
    'ORG.md:6:11: Worker would have the id infrastructure-security-engineer-1, expected at most 32 letters, digits and dashes, not 34',
    idHint(),
  ],
  ['a count that is none', structure('### Worker\n- **Count:** many'), 'ORG.md:6:14: Count is many, expected a whole number from 1 to 100', 'Write - **Count:** 2'],
  ['a count of nobody', structure('### Worker\n- **Count:** 0'), 'ORG.md:6:14: Count is 0, expected a whole number from 1 to 100', 'Write - **Count:** 2'],
  ['an absurd count', structure('### Worker\n- **Count:** 1000000'), 'ORG.md:6:14: Count is 1000000, expected a whole number from 1 to 100', 'Write - **Count:** 2'],
  ['a count of a range', structure('### Worker\n- **Count:** 2-4'), 'ORG.md:6:14: Count is 2-4, expected a whole number from 1 to 100', 'Write - **Count:** 2'],
  ['a level out of range', structure('### Worker\n- **Level:** L11'), 'ORG.md:6:14: Level is L11, expected a level from 1 to 10', 'Write - **Level:** 7'],
  ['a key twice', structure('### Worker\n- **Count:** 2\n- **Count:** 3'), 'ORG.md:7:3: Count is set twice, first on line 6', 'Keep one of the two.'],
  ['an unknown culture', '## Culture\npreset: startupp\n', 'ORG.md:2:9: startupp is not a preset of culture', 'Did you mean startup?'],
  ['an unknown SDLC', '## SDLC\n\npreset: waterfall\n', 'ORG.md:3:9: waterfall is not a preset of SDLC', 'The presets are standard, strict, solo, research.'],
  [
    'orphan branches',
    '## SDLC\n\n### Source Control\n- **Orphan branches:** allowed\n',
    'ORG.md:4:24: Orphan branches is allowed, expected forbidden',
    'Write - **Orphan branches:** forbidden, or take the line out: a history of its own can never be merged.',
  ],
  ['an escalation that is none', '## Culture\n- **Escalation:** immediat\n', 'ORG.md:2:19: Escalation is immediat, expected immediate or hourly or delayed', 'Did you mean immediate?'],
  [
    'a chart that is deeper than its own line allows',
    `## Culture\n- **Hierarchy depth:** 2 levels\n\n${structure('### COO\n\n### Ops\n\n#### Lead\n\n##### Intern')}`,
    'ORG.md:2:1: the chart is 3 levels deep, and ORG.md:2 allows 2',
    'Let some report to somebody higher, or allow more levels.',
  ],
  [
    'a department over its cap',
    `${structure('### Engineering\n\n#### Lead\n\n#### Workers\n- **Count:** 4')}\n## Policies\n\n### Department Caps\n- Engineering: max 3 agents\n`,
    'ORG.md:15:16: Engineering has 5 agents, and ORG.md:15 allows 3',
    'Lower a Count of it, or raise its cap.',
  ],
  [
    'a department over the cap of all',
    `${structure('### Engineering\n\n#### Workers\n- **Count:** 4')}\n## Policies\n\n### Department Caps\n- No department can exceed 3 agents without human approval\n`,
    'ORG.md:5:1: Engineering has 4 agents, and ORG.md:13 allows 3',
    'Lower a Count of it, or raise its cap.',
  ],
  ['a cap for nobody', policies('### Department Caps\n- Enginering: max 3 agents'), 'ORG.md:12:15: there is no department Enginering to cap', 'Did you mean Engineering?'],
  [
    'an hour that is none',
    policies('### Working Hours\n- **Active hours:** 08:00-25:00'),
    'ORG.md:12:21: Active hours is 08:00-25:00, expected two times from 00:00 to 24:00, such as 08:00-22:00',
    'Write - **Active hours:** 08:00-22:00 (Europe/Vienna)',
  ],
  [
    'hours that could end before dawn',
    policies('### Working Hours\n- **Active hours:** 9 to 5'),
    'ORG.md:12:21: Active hours is "9 to 5", expected hours that mean one thing, and 5 may be before dawn or in the afternoon',
    'Write 09:00-17:00, or 21:00-05:00 over midnight.',
  ],
  [
    'a time zone that is none',
    policies('### Working Hours\n- **Active hours:** 08:00-22:00 (Mars/Base)'),
    'ORG.md:12:21: the time zone is Mars/Base, expected a name such as Europe/Vienna or UTC',
    'Write (Europe/Vienna) after the hours.',
  ],
  ['a share that is none', policies('### Budget\n- **Alert threshold:** 180%'), 'ORG.md:12:24: Alert threshold is 180%, expected a share such as 80%', 'Write - **Alert threshold:** 80%'],
  [
    'money of no kind',
    policies('### Budget\n- **Per-agent limit:** lots'),
    'ORG.md:12:24: Per-agent limit is lots, expected an amount such as 1000 credits/period',
    'Write - **Per-agent limit:** 1000 credits/period',
  ],
  [
    'two periods',
    policies('### Budget\n- **Per-agent limit:** $5/day\n- **Period:** weekly'),
    'ORG.md:12:24: this is for a day, and ORG.md:13 says a week',
    'Use one period for all of the budget.',
  ],
  ['a level of permissions', policies('### Permissions\n- L12+ can spawn agents'), 'ORG.md:12:3: L12 is not a level, expected 1 to 10', 'Write - L7+ can spawn agents'],
  ['a section twice', '## Culture\n\n## Culture\n', 'ORG.md:3:1: Culture is there twice, first on line 1', 'Put both under one heading.'],
  ['a section of the wrong depth', '# A\n\n# Structure\n', 'ORG.md:3:1: Structure has 1 sign before it, expected two: ## Structure', 'Write ## Structure, and what belongs to it with three or more.'],
  ['a playbook twice', '## Playbooks\n\n### X\n\n### x\n', 'ORG.md:5:1: the playbook x is there twice, first on line 3', 'Put the steps of both under one heading.'],
  ['code without an end', `# A\n\n\`\`\`\n${structure('### Lead')}`, 'ORG.md:3:1: this code begins and never ends', 'Put a line with ``` after the last line of code.'],
  ['a comment without an end', `# A\n\n<!-- later\n${structure('### Lead')}`, 'ORG.md:3:1: what begins with <!-- never ends', 'Close it, such as with --> after a comment.'],
  ['an unknown key in front', '---\nmodel: x\n---\n# A\n', 'ORG.md:2:1: model is not a known key', 'Did you mean models?'],
  ['a model in front that is not pinned', '---\nmodels: { a: claude-sonnet-latest }\n---\n', 'ORG.md:2:14: models.a is claude-sonnet-latest, expected a pinned model such as claude-sonnet-4-6', 'Name it with its date or version: "latest" and bare names change their meaning.'],
  ['too many agents', structure(Array.from({ length: 11 }, (_, at) => `### Worker ${'abcdefghijk'[at]}\n- **Count:** 100\n`).join('\n')), 'ORG.md:36:14: these are more than 1000 agents', 'Lower a Count, or take roles out.'],
  ['a period that is none', policies('### Budget\n- **Period:** yearly'), 'ORG.md:12:15: Period is yearly, expected daily, weekly or monthly', 'Write - **Period:** weekly'],
  ['a single act with a period', policies('### Budget\n- **Single act:** $5/day'), 'ORG.md:12:19: Single act is $5/day, expected dollars, such as $500', 'Write - **Single act:** $500'],
  ['a depth of no number', '## Culture\n- **Hierarchy depth:** deep\n', 'ORG.md:2:24: Hierarchy depth is deep, expected levels from 1 to 10, such as 2-3 levels', 'Write - **Hierarchy depth:** 3 levels max'],
  ['a depth of more than ten levels', '## Culture\n- **Hierarchy depth:** 2-11 levels\n', 'ORG.md:2:24: Hierarchy depth is "2-11 levels", expected levels from 1 to 10, such as 2-3 levels', 'Write - **Hierarchy depth:** 3 levels max'],
  ['a time of more than a week', '## Culture\n- **Ack within:** 8 days\n', 'ORG.md:2:19: Ack within is "8 days", expected a time such as 10 minutes, up to 7 days', 'Write - **Ack within:** 10 minutes'],
  ['a size of no number', '## SDLC\n\n- **Max size:** some\n', 'ORG.md:3:17: Max size is some, expected lines, such as 500 lines (soft), 1000 lines (hard)', 'Write - **Max size:** 500 lines (soft), 1000 lines (hard)'],
  ['a verification that is none', '## SDLC\n\n- **Deploy verification:** hope\n', 'ORG.md:3:28: Deploy verification is hope, expected none, manual, smoke or full', 'Write - **Deploy verification:** smoke'],
  [
    'a cap that differs from the one under the heading',
    `${structure('### Engineering\n- **Cap:** 5\n\n#### Lead')}\n## Policies\n\n### Department Caps\n- Engineering: max 4 agents\n`,
    'ORG.md:13:16: the cap of Engineering is "max 4 agents" here and 5 at ORG.md:6',
    'Keep one of the two.',
  ],
  ['a cap twice', policies('### Department Caps\n- Engineering: max 4 agents\n- Engineering: max 5 agents'), 'ORG.md:13:16: the cap of Engineering is "max 5 agents" here and 4 at ORG.md:12', 'Keep one of the two.'],
  ['a policy twice', policies('### Work\n\n### Work'), 'ORG.md:13:1: the policy Work is there twice, first on line 11', 'Put both under one heading.'],
  ['a person twice', structure('### Ada (Human Principal)\n\n### Lead\n\n### ada (human)'), 'ORG.md:9:1: ada is there twice, first on line 5', 'Keep one of the two.'],
  ['a crowd of people', structure(Array.from({ length: 101 }, (_, at) => `### P${at} (human)`).join('\n')), 'ORG.md:105:1: these are more than 100 people', 'Name those who decide.'],
  ['an instruction of XML without an end', `# A\n\n<?xml\n${structure('### Lead')}`, 'ORG.md:3:1: what begins with <? never ends', 'Close it, such as with ?> after an instruction.'],
  ['a CDATA section without an end', `# A\n\n<![CDATA[ x\n${structure('### Lead')}`, 'ORG.md:3:1: what begins with <![CDATA[ never ends', 'Close it, such as with ]]> after CDATA.'],
  ['a declaration without an end', `# A\n\n<!DOCTYPE html\n${structure('### Lead').replaceAll('>', '')}`, 'ORG.md:3:1: what begins with <! never ends', 'Close it, such as with > after a declaration.'],
  ['a block of HTML without an end', `# A\n\n<pre>\n${structure('### Lead')}`, 'ORG.md:3:1: what begins with <pre never ends', 'Close it, such as with its end tag, like </pre> after <pre>.'],
]; // biome-ignore format: a row each

function idHint(line = '- **Id:** web-lead'): string {
  return `Give it one of at most 28 small letters, digits and dashes: ${line}`;
}

for (const [what, text, message, hint] of refused) {
  test(`${what} is refused`, () => {
    const problem = refusal(() => read(text), what);
    assert.deepEqual([problem.message, problem.hint], [message, hint]);
    assert.equal(exitCodeOf(problem), 6);
  });
}

test('a file of 50 MB, or with 100,000 headings, is refused at once', () => {
  const before = process.cpuUsage();
  const large = refusal(() => read('# A\n\nWords.\n'.repeat(5_000_000)));
  assert.equal(large.message, 'ORG.md:1:1: the file has 60000000 bytes, expected at most 1048576');
  const many = refusal(() => read('## A\n'.repeat(100_000)));
  assert.equal(many.message, 'ORG.md:10001:1: there are more than 10000 headings');
  const underlined = refusal(() => read('A\n--\n\n'.repeat(100_000)));
  assert.equal(underlined.message, 'ORG.md:1502:1: there are more than 500 underlined headings');
  const { user, system } = process.cpuUsage(before);
  assert.ok(user + system < 2_000_000, `${(user + system) / 1000} ms`);
});

test('shapes that keep a Markdown parser busy are read or refused in no more time than their length allows', () => {
  const shapes = [
    ...['- ', '* ', '1. ', '> ', '\t', '[', '![', '**a', '<', '&', '`', '~', '|', '\\', '<!--', '<a>\n\n'].map((one) => one.repeat(20_000 / one.length)),
    ...['- a\n', '1. a\n', '- a\n\n', '# a\n', '###### a\n', 'a\n=\n', 'a\n-\n', '- a\n  =\n', '1. a\n   --\n', '```\n', '- a\n1. b\n'].map((one) => one.repeat(20_000 / one.length)),
    `- a\n${'b\n'.repeat(10_000)}`,
    `${'- '.repeat(500)}a\n${'\n'.repeat(2_000)}b`,
    Array.from({ length: 200 }, (_, at) => `${' '.repeat(2 * at)}- a\n`).join(''),
    `a${' '.repeat(20_000)}b`,
    `- a${'\t'.repeat(20_000)}b`,
    `## Structure\n\n### ${'(human '.repeat(5_000)}`,
    `## Structure\n\n### A\n- **Reports to:** ${'(human '.repeat(5_000)}`,
    `- **${'a'.repeat(20_000)}`,
    `- **Model:** ${'— '.repeat(10_000)}`,
    `## Structure\n\n${Array.from({ length: 900 }, (_, at) => `### Worker x${at}\n- **Reports to:** Worker x${(at + 1) % 901}\n`).join('')}`,
    `## Structure\n\n### Boss\n\n${Array.from({ length: 900 }, (_, at) => `### D${at}\n#### W${at}\n- **Model:** same-as-lead\n`).join('')}`,
    `## Policies\n\n### Department Caps\n\n${Array.from({ length: 5_000 }, (_, at) => `- D${at}: max 3 agents\n`).join('')}`,
  ]; // biome-ignore format: a row each
  for (const text of shapes) {
    const before = process.cpuUsage(); // Its own time: a busy machine is not a slow parser.
    try {
      read(text);
    } catch (error) {
      assert.ok(refusal(() => { throw error; }).place?.line !== undefined); // biome-ignore format: short
    }
    const { user, system } = process.cpuUsage(before);
    const ms = (user + system) / 1000;
    assert.ok(ms < 3_000, `${Math.round(ms)} ms for ${text.length} of ${JSON.stringify(text.slice(0, 40))}`);
  }
});

test('what is wrong in org.yaml is told with a line of YAML', () => {
  const chart = (agent: string): string => `departments:\n  ops:\n    agents:\n      - ${agent}\n`;
  const cases: readonly (readonly [string, string, string])[] = [
    [chart('{ name: a, level: L11 }'), 'org.yaml:4:27: level is L11, expected a level from 1 to 10', 'Write level: 7'],
    [
      chart('{ name: a, count: many }'),
      'org.yaml:4:27: count is many, expected a whole number from 1 to 100',
      'Write count: 2',
    ],
    [
      chart('{ name: a, budget: lots }'),
      'org.yaml:4:28: budget is lots, expected an amount such as 1000 credits/period',
      'Write budget: 1000 credits/period',
    ],
    [chart('🚀'), 'org.yaml:4:9: 🚀 gives no id that a branch or a directory can have', idHint('id: web-lead')],
    [
      chart('{ name: a, id: "-" }'),
      'org.yaml:4:24: Id is -, expected letters, digits and dashes',
      idHint('id: web-lead'),
    ],
    [
      chart('a\n      - a'),
      'org.yaml:5:9: a has the id a, as what is on line 4',
      'Give one of them another name, or another id with id: web-worker',
    ],
    [
      'departments:\n  工程: [a]\n',
      'org.yaml:2:3: 工程 gives no id that a branch or a directory can have',
      'Name it in Latin letters, such as web-team:',
    ],
    [
      'departments:\n  ops: { cap: few, agents: [a] }\n',
      'org.yaml:2:15: cap is few, expected agents from 1 to 1000, such as max 10 agents',
      'Write cap: 10',
    ],
    [
      'budget:\n  monthly_compute: lots\n',
      'org.yaml:2:20: monthly_compute is lots, expected dollars, such as $500',
      'Write monthly_compute: $500',
    ],
    [
      'governance:\n  humans: [{ role: board, can_pause_any_agent: maybe }]\n',
      'org.yaml:2:48: can_pause_any_agent is maybe, expected yes or no',
      'Write can_pause_any_agent: yes',
    ],
    ['name: a\norg:\n  name: b\n', 'org.yaml:1:1: name is set twice, first on line 3', 'Keep one of the two.'],
    [
      'models: { primary: scripted:../chief.json }\n',
      'org.yaml:1:20: models.primary is scripted:../chief.json, expected a file of this repository',
      'Write scripted:models/chief.json, and commit that file.',
    ],
    [
      `name: ${'a'.repeat(70_000)}\n`,
      'org.yaml:1:1: the file has 70007 bytes, expected at most 65536',
      'Write a large org as ORG.md.',
    ],
  ];
  for (const [orgYaml, message, hint] of cases) {
    const problem = refusal(() => readCharter({ orgYaml }, { resolve: false }), orgYaml);
    assert.deepEqual([problem.message, problem.hint], [message, hint]);
  }
  const { warnings } = readCharter({ orgYaml: 'name: acme\n' }, { resolve: false });
  assert.deepEqual(
    warnings.map(({ message, hint }) => [message, hint]),
    [
      [
        'org.yaml:1:1: org.yaml has no departments: the default org works, with the agents of the brief',
        'Add departments: { research: [market-mapper] }',
      ],
    ],
  );
  assert.deepEqual(
    readCharter({ orgYaml: 'departments: { research: [market-mapper] }\n' }, { resolve: false }).warnings,
    [],
  );
});

test('a character that no name may hold is named', () => {
  const told = (name: string): readonly string[] => {
    const { message, hint } = refusal(() => read(structure(`### ${name}`)), name);
    return [message, hint];
  };
  assert.deepEqual(told('L\u202eead'), [
    'ORG.md:5:1: "L\\u202eead" holds U+202E, which no name may',
    'Take that character out.',
  ]);
  const long = 'a'.repeat(201);
  assert.deepEqual(told(long), [
    `ORG.md:5:1: ${'a'.repeat(57)}... has 201 characters, expected at most 200`,
    'Shorten it.',
  ]);
});

test('a culture that ORG.md and org.yaml name differently is refused', () => {
  const yaml = (culture: string): string => `culture: ${culture}\n`;
  const orgMd = '## Culture\npreset: startup\n';
  const { message, hint } = refusal(() => readCharter({ orgMd, orgYaml: yaml('enterprise') }, { resolve: false }));
  assert.equal(message, 'org.yaml:1: culture.preset is enterprise here, and startup in ORG.md');
  assert.match(hint, /Keep one of the two files/);
  assert.deepEqual(readCharter({ orgMd, orgYaml: yaml('startup') }, { resolve: false }).charter.culture.preset, {
    value: 'startup',
    from: 'ORG.md:2',
  });
});

test('leads who take their models from each other are refused', () => {
  const led = (department: string, lead: string, role: string, model: string): string =>
    `### ${department}\n- **Lead:** ${lead}\n\n#### ${role}\n- **Reports to:** Boss\n- **Model:** ${model}\n`;
  const text = (model: string): string =>
    structure(`### Boss\n\n${led('Web', 'Y', 'X', 'same-as-lead')}\n${led('Data', 'X', 'Y', model)}`);
  const { message, hint } = refusal(() => readCharter({ orgMd: text('same-as-lead') }));
  assert.equal(message, 'ORG.md:12:14: Model same-as-lead goes round in a circle of leads');
  assert.equal(hint, 'Name the model of one of them.');
  const { members } = readCharter({ orgMd: text('claude-haiku-4-5-20251001') }).charter;
  assert.deepEqual(
    members.flatMap(({ id, model }) => (id === 'x' ? model?.id : [])),
    ['claude-haiku-4-5-20251001'],
  );
});
