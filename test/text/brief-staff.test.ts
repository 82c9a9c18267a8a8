import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isProblem } from '../../src/domain/problem.ts';
import type { Staff } from '../../src/domain/staff.ts';
import { formatBrief, parseBrief } from '../../src/text/brief.ts';

const sonnet = 'claude-sonnet-4-5-20250929';
const api = (provider: 'anthropic' | 'openai' | 'google', id: string, baseUrl?: string) =>
  ({ kind: 'api', model: { provider, id }, baseUrl }) as const;

const brief = (lines: string): string =>
  `---\nmetric: loss\ndirection: minimize\nsandbox: [sandbox/**]\nscore: sh harness/score.sh\n${lines}\n---\nMake it small.\n`;

const staffOf = (lines: string): Staff => parseBrief(brief(lines), 'program.md').staff;

test('a model makes everybody a model, a role may say otherwise, and juniors are dealt out in turn', () => {
  const search = { kind: 'search' } as const;
  const cases: readonly (readonly [string, Partial<Staff>])[] = [
    ['', { chief: search, juniors: [search] }],
    [`model: ${sonnet}`, { chief: api('anthropic', sonnet), juniors: [api('anthropic', sonnet)] }],
    [
      `model: ${sonnet}\nchief: { model: openai/gpt-5-2025-08-07 }`,
      { chief: api('openai', 'gpt-5-2025-08-07'), juniors: [api('anthropic', sonnet)] },
    ],
    [
      `junior: [{ model: ${sonnet} }, { model: gemini-2.5-flash }]\nchief: { agent: search }`,
      { chief: search, juniors: [api('anthropic', sonnet), api('google', 'gemini-2.5-flash')] },
    ],
    [
      'model: qwen2.5-coder:7b\nbase_url: http://127.0.0.1:11434/v1/',
      { juniors: [api('openai', 'qwen2.5-coder:7b', 'http://127.0.0.1:11434/v1')] },
    ],
    [`models: { fast: ${sonnet} }\nmodel: fast`, { juniors: [api('anthropic', sonnet)] }],
    ['agent: { command: "./agent.sh" }', { chief: search }],
    [
      'model: scripted:models/junior.json',
      { juniors: [{ kind: 'api', model: { provider: 'scripted', id: 'models/junior.json' }, baseUrl: undefined }] },
    ],
  ];
  for (const [lines, expected] of cases) {
    const staff = staffOf(lines);
    for (const [role, choice] of Object.entries(expected)) assert.deepEqual(staff[role as keyof Staff], choice, lines);
    const again = parseBrief(formatBrief(parseBrief(brief(lines), 'program.md')), 'program.md').staff;
    assert.deepEqual(again, staff, `${lines}, written and read again`);
  }
});

test('a model that may be another one tomorrow is refused, with its line', () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['model: claude-sonnet-4-5', /may mean another model tomorrow/],
    ['model: sonnet', /with its provider before it/],
    ['model: gpt-5', /may mean another/],
    ['model: claude-3-5-sonnet-latest', /what is latest changes/],
    ['model: gemini-flash-latest', /what is latest changes/],
    ['model: llama3:latest\nbase_url: http://127.0.0.1:1/v1', /what is latest changes/],
    ['agent: serach', /Did you mean search\?/],
    ['agent: codex', /no codex agent yet/],
    ['agent: api', /expected a model beside it/],
    [`agent: search\nmodel: ${sonnet}`, /is one that uses none/],
    ['base_url: http://127.0.0.1:1', /expected a model beside it/],
    [`model: ${sonnet}\nbase_url: ftp://example.com`, /begins with http/],
    [`model: ${sonnet}\nbase_url: https://me:pass@example.com`, /without a password in it/],
    [`chief: [{ model: ${sonnet} }, { model: ${sonnet} }]`, /one chief/],
    ['chief: { modle: x }', /Did you mean model\?/],
  ];
  for (const [lines, words] of cases) {
    assert.throws(
      () => staffOf(lines),
      (error) => {
        assert.ok(isProblem(error), lines);
        assert.match(`${error.message} ${error.hint}`, words, lines);
        assert.ok((error.place?.line ?? 0) >= 6, `${lines}: ${error.message}`);
        return true;
      },
    );
  }
});
