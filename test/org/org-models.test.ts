import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatModelId } from '../../src/domain/words/model-id.ts';
import { type CharterOptions, readCharter } from '../../src/org/read/org-file.ts';
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
      'wizard is no model that is known, and no name that models gives one',
      '"" is empty',
      'fastest chooses among the models that have a name, and there are none',
      'scripted:/etc/passwd is no file of this repository',
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
    `ORG.md:7:14: Model cheapest cannot be told: nobody knows what anthropic/${sonnet} costs`,
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

test('org.yaml beside ORG.md gives names to models, and must not say otherwise', () => {
  const yaml = `models: { claude-sonnet: ${sonnet} }\n`;
  assert.equal(readCharter({ orgMd: one('claude-sonnet'), orgYaml: yaml }).charter.members[0]?.model?.id, sonnet);
  const twice = refusal(() =>
    readCharter({ orgMd: `${front(`{ claude-sonnet: ${haiku} }`)}${one('claude-sonnet')}`, orgYaml: yaml }),
  );
  assert.equal(twice.message, `org.yaml:1:26: the model claude-sonnet is ${sonnet} here and ${haiku} at ORG.md:2`);
});

test('both files may say the same, and an error names both places where they do not', () => {
  const names =
    'market-mapper competitor-watcher hiring-signal-scanner list-builder personalization-writer sequence-operator integration-builder qa-reviewer deployment-operator'.split(
      ' ',
    );
  const structure = ['research', 'gtm', 'engineering']
    .map(
      (department, at) =>
        `### ${department}\n\n${names
          .slice(3 * at, 3 * at + 3)
          .map((name) => `#### ${name}\n`)
          .join('\n')}`,
    )
    .join('\n');
  const orgMd = `# Acme Growth Lab\n\n## Structure\n\n${structure}`;
  const { charter } = readCharter({ orgMd, orgYaml: growthLab });
  assert.deepEqual(
    charter.members.map(({ id }) => id),
    names,
  );
  assert.equal(charter.people[0]?.id, 'board');
  const differing: readonly (readonly [string, string])[] = [
    ['# Other\n', 'org.yaml:2:9: the name is acme-growth-lab here and Other at ORG.md:1'],
    [
      orgMd.replace('qa-reviewer', 'qa-revisor'),
      'org.yaml:20:35: the agent qa-reviewer is in this chart, and not in the one at ORG.md:7',
    ],
    [
      `${orgMd}\n#### one-more\n`,
      'ORG.md:29:1: the agent one-more is in this chart, and not in the one at org.yaml:14',
    ],
    [
      `${orgMd}\n## Policies\n\n### Budget\n- **Single act:** $20\n`,
      'org.yaml:7:41: what a single act may cost is 500 here and another at ORG.md:32',
    ],
    [
      `${orgMd}\n## Policies\n\n### Budget\n- **Period:** weekly\n`,
      'org.yaml:5:22: this is for a month, and ORG.md:32 says a week',
    ],
    [
      '---\nmission: rest\n---\n',
      'org.yaml:3:12: the mission is "grow revenue for vertical SaaS using AI-native outbound" here and rest at ORG.md:2',
    ],
    ['## Structure\n\n### Ann (Human)\n', 'org.yaml:23:13: board is a person here, and ORG.md:3 names Ann'],
  ];
  for (const [text, message] of differing)
    assert.equal(refusal(() => readCharter({ orgMd: text, orgYaml: growthLab }), text).message, message);
});
