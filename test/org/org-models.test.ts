import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBrief } from '../../src/brief/read/brief-text.ts';
import { formatModelId } from '../../src/domain/words/model-id.ts';
import { type CharterOptions, readCharter } from '../../src/org/read/org-file.ts';
import { staffed } from '../../src/org/rules/roster.ts';
import { formatCharter } from '../../src/org/write/org-format-chart.ts';
import { briefText } from '../support/org.ts';
import { refusal } from '../support/refusal.ts';
import { acme, growthLab } from './org-examples.ts';

const sonnet = 'claude-sonnet-4-5-20250929';
const haiku = 'claude-haiku-4-5-20251001';
const front = (models: string): string => `---\nmodels: ${models}\n---\n`;

const modelsOf = (orgMd: string, options?: CharterOptions) =>
  readCharter({ orgMd }, options).charter.members.map(({ model }) => model && formatModelId(model));

const one = (model: string): string => `## Structure\n\n### Coder\n- **Model:** ${model}\n`;

test('an alias is what the front matter says, or the brief where it says nothing', () => {
  assert.deepEqual(modelsOf(`${front(`{ claude-sonnet: ${sonnet} }`)}${one('claude-sonnet')}`), [
    `anthropic/${sonnet}`,
  ]);
  const brief = new Map([['claude-sonnet', haiku]]);
  assert.deepEqual(modelsOf(one('claude-sonnet'), { models: brief }), [`anthropic/${haiku}`]);
  assert.deepEqual(modelsOf(`${front(`{ claude-sonnet: ${sonnet} }`)}${one('claude-sonnet')}`, { models: brief }), [
    `anthropic/${sonnet}`,
  ]);
  assert.deepEqual(modelsOf(one(`anthropic/${sonnet}`)), [`anthropic/${sonnet}`]);
  assert.deepEqual(modelsOf(one('qwen3:8b'), { elsewhere: true }), ['openai/qwen3:8b']);
});

test('an alias that nothing pins is refused at its line, with what to add', () => {
  const { message, hint } = refusal(() => modelsOf(acme));
  assert.equal(message, 'ORG.md:79:14: Model claude-sonnet may mean another model tomorrow');
  assert.equal(
    hint,
    'Begin ORG.md with three lines: ---, models: { claude-sonnet: its pinned id, such as claude-sonnet-4-6 }, ---.',
  );
  const words = (model: string): string =>
    refusal(() => modelsOf(one(model))).message.slice('ORG.md:4:14: Model '.length);
  assert.deepEqual(
    [
      'gpt-4o',
      'anthropic/claude-sonnet-4-5',
      'claude-opus-latest',
      'wizard',
      '',
      'fastest',
      'scripted:/etc/passwd',
    ].map(words),
    [
      'gpt-4o may mean another model tomorrow',
      'anthropic/claude-sonnet-4-5 may mean another model tomorrow',
      'claude-opus-latest changes with time, and two nights could not be compared',
      'wizard is not a known model, and not a name that models gives one',
      '"" is empty',
      'fastest chooses among the models that have a name, and there are none',
      'scripted:/etc/passwd is not a file of this repository',
    ],
  );
});

test('cheapest and fastest choose among the named models', () => {
  const map = front(`{ big: ${sonnet}, small: ${haiku} }`);
  const priceOf = ({ id }: { readonly id: string }): number => (id === haiku ? 1 : 3);
  assert.deepEqual(modelsOf(`${map}${one('cheapest')}`, { priceOf }), [`anthropic/${haiku}`]);
  assert.deepEqual(
    modelsOf(`${front(`{ big: ${sonnet}, fastest: ${sonnet}, small: ${haiku} }`)}${one('fastest')}`, { priceOf }),
    [`anthropic/${sonnet}`],
  );
  const { charter, warnings } = readCharter({ orgMd: `${map}${one('fastest')}` }, { priceOf });
  assert.equal(charter.members[0]?.model?.id, haiku);
  assert.deepEqual(
    warnings.map(({ hint }) => hint),
    [`Write models: { fastest: ${haiku} } to say which it is.`],
  );
  const unknown = refusal(() => modelsOf(`${map}${one('cheapest')}`, { priceOf: () => undefined }));
  assert.equal(
    unknown.message,
    `ORG.md:7:14: Model cheapest cannot be chosen: nobody knows what anthropic/${sonnet} costs`,
  );
});

test('same-as-lead is the lead of the department, or whom one reports to', () => {
  const map = front(`{ a: ${sonnet}, b: ${haiku} }`);
  const text = `${map}## Structure

### COO
- **Model:** b

### Ops

#### Ops Lead
- **Model:** same-as-lead

#### Worker
- **Model:** Same-as-lead

##### Helper
- **Model:** same-as-lead

### Scribe
- **Model:** same-as-lead
`;
  assert.deepEqual(
    modelsOf(text),
    Array.from({ length: 5 }, () => `anthropic/${haiku}`),
  );
});

test('who names no model has the default of the org, and else none', () => {
  assert.deepEqual(modelsOf('## Structure\n\n### Coder\n'), [undefined]);
  assert.deepEqual(modelsOf(`${front(`{ primary: ${sonnet} }`)}## Structure\n\n### Coder\n`), [`anthropic/${sonnet}`]);
  assert.deepEqual(modelsOf(`${front(`{ a: ${haiku} }`)}## Structure\n\n- **Model:** a\n\n### Coder\n`), [
    `anthropic/${haiku}`,
  ]);
});

test('an org.yaml that says what ORG.md says is a warning, and one that says otherwise is refused', () => {
  const yaml = `models: { claude-sonnet: ${sonnet} }\n`;
  const orgMd = (model: string): string => `${front(`{ claude-sonnet: ${model} }`)}${one('claude-sonnet')}`;
  const { charter, warnings } = readCharter({ orgMd: orgMd(sonnet), orgYaml: yaml });
  assert.equal(charter.members[0]?.model?.id, sonnet);
  assert.equal(
    warnings[0]?.message,
    'ORG.md:1:1: org.yaml says the same beside it: keep one of them; the next release refuses two',
  );
  const twice = refusal(() => readCharter({ orgMd: orgMd(haiku), orgYaml: yaml }));
  assert.equal(
    twice.message,
    `org.yaml:1:26: models.claude-sonnet is anthropic/${sonnet} here, and anthropic/${haiku} in ORG.md`,
  );
  assert.equal(twice.hint, 'Keep one of the two files.');
});

test('all that org.yaml says must stand in ORG.md too, and an error names the line that differs', () => {
  const { charter } = readCharter({ orgYaml: growthLab });
  const orgMd = formatCharter(charter);
  const both = readCharter({ orgMd, orgYaml: growthLab });
  assert.deepEqual(
    both.charter.members.map(({ id }) => id),
    charter.members.map(({ id }) => id),
  );
  assert.equal(both.charter.people[0]?.id, 'board');
  assert.equal(both.charter.file, 'ORG.md');
  const lineOf = (words: string): number => orgMd.slice(0, orgMd.indexOf(words)).split('\n').length;
  const differing: readonly (readonly [string, string])[] = [
    ['# Other\n', 'org.yaml:2:9: name is acme-growth-lab here, and other in ORG.md'],
    [
      orgMd.replaceAll('qa-reviewer', 'qa-revisor'),
      'org.yaml:20:35: agents.qa-reviewer is said here, and not in ORG.md',
    ],
    [
      orgMd.replace('\n\n## Policies', '\n\n#### one-more\n\n## Policies'),
      `ORG.md:${lineOf('## Policies')}:1: org.yaml has no agent one-more`,
    ],
    [
      orgMd.replace('**Single act:** $500', '**Single act:** $20'),
      'org.yaml:7: policies.budget.single_act is $500 here, and $20 in ORG.md',
    ],
    [
      orgMd.replace('- **Period:** monthly', '- **Period:** weekly'),
      'org.yaml:5: policies.budget.period is month here, and week in ORG.md',
    ],
    [
      orgMd.replace('grow revenue for vertical SaaS using AI-native outbound', 'rest'),
      'org.yaml:3:12: mission is "grow revenue for vertical SaaS using AI-native outbound" here, and rest in ORG.md',
    ],
    [orgMd.replaceAll('board', 'ann'), 'org.yaml:23:13: people.board is said here, and not in ORG.md'],
  ];
  for (const [text, message] of differing)
    assert.equal(refusal(() => readCharter({ orgMd: text, orgYaml: growthLab }), text).message, message);
});

test('front matter that names the agents and people of the headings is a warning, and the headings count', () => {
  const front = (keys: string): string => `---\n${keys}\n---\n## Structure\n\n`;
  const agents = `${front('departments: { research: { lead: scanner, agents: [scanner, Writers] } }')}### Research\n\n#### Scanner\n- **Level:** 8\n\n#### Writers\n`;
  const named = readCharter({ orgMd: agents });
  assert.deepEqual(
    named.charter.members.map(({ id, level, reportsTo, place }) => [id, level, reportsTo, place.line]),
    [
      ['scanner', 8, 'human-principal', 8],
      ['writers', 4, 'scanner', 11],
    ],
  );
  assert.deepEqual(
    named.warnings.map(({ message, hint }) => [message, hint]),
    [
      [
        'ORG.md:2:16: the agents of the headings are named here too, and the headings count (ORG.md:6); the next release refuses both',
        'Name agents and people in one of the two places.',
      ],
    ],
  );
  const people = `${front('governance: { humans: [{ role: ann, approves: [payments] }] }')}### Ann (Human)\n\n### Bob (Human)\n\n### Coder\n`;
  const spoken = readCharter({ orgMd: people });
  assert.deepEqual(
    spoken.charter.people.map(({ id, approves }) => [id, approves]),
    [
      ['ann', ['*']],
      ['bob', ['*']],
    ],
  );
  assert.deepEqual(
    spoken.warnings.map(({ message }) => message),
    [
      'ORG.md:2:32: the people of the headings are named here too, and the headings count (ORG.md:6); the next release refuses both',
    ],
  );
});

test('front matter and headings of ORG.md that name others, or say otherwise, are refused', () => {
  const chart = '## Structure\n\n### Coder\n';
  const differing: readonly (readonly [string, string])[] = [
    [
      `---\ndepartments: { research: [scanner] }\n---\n${chart}`,
      'ORG.md:2:27: agent scanner is named here, and not at ORG.md:6',
    ],
    [
      `---\ndepartments: { research: [coder] }\n---\n## Structure\n\n### Research\n\n#### Coder\n\n#### Scanner\n`,
      'ORG.md:10:1: agent scanner is named here, and not at ORG.md:2',
    ],
    [
      `---\ndepartments: { research: [coder] }\n---\n${chart}`,
      'ORG.md:2:27: the department of coder is research here, and none at ORG.md:6',
    ],
    [
      `---\ngovernance: { humans: [Bob] }\n---\n## Structure\n\n### Ann (Human)\n`,
      'ORG.md:2:24: Bob is a person here, and not at ORG.md:6',
    ],
    [`---\nname: acme\n---\n# Other\n\n${chart}`, 'ORG.md:2:7: the name is acme here and Other at ORG.md:4'],
  ];
  for (const [orgMd, message] of differing) assert.equal(refusal(() => readCharter({ orgMd }), orgMd).message, message);
});

test('an agent of the chart is asked at the server of the brief, in its language', () => {
  const keys = { agent: '', model: 'qwen3:8b', base_url: 'http://127.0.0.1:1/v1', speaks: 'openai' };
  const { charter } = readCharter({ orgMd: one('claude-sonnet-4-6') }, { elsewhere: true });
  const { staff } = staffed(parseBrief(briefText(keys), 'program.md'), charter);
  assert.deepEqual(
    staff.posts?.flatMap(({ id, choice }) => (id === 'coder' ? [choice] : [])),
    [
      {
        ...{ kind: 'api', model: { provider: 'anthropic', id: 'claude-sonnet-4-6' } },
        ...{ baseUrl: 'http://127.0.0.1:1/v1', speaks: 'openai' },
      },
    ],
  );
});

test('a role says how hard its model is to think, and keeps it when it is written again', () => {
  const said = (effort: string): string => `${one(sonnet)}- **Count:** 2\n- **Effort:** ${effort}\n`;
  const { charter } = readCharter({ orgMd: said('High') });
  assert.deepEqual(
    charter.members.map(({ effort }) => effort),
    ['high', 'high'],
  );
  assert.match(formatCharter(charter), /- \*\*Effort:\*\* high\n/);
  const { message, hint } = refusal(() => readCharter({ orgMd: said('hihg') }));
  assert.equal(message, 'ORG.md:6:15: Effort is hihg, expected low or medium or high');
  assert.equal(hint, 'Did you mean high?');
  const orgYaml = `name: x\nmodels: { primary: ${sonnet} }\ndepartments:\n  web:\n    agents: [{ name: coder, effort: low }]\n`;
  assert.equal(readCharter({ orgYaml }).charter.members[0]?.effort, 'low');
});
