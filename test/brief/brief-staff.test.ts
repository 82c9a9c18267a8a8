import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBrief, parseBrief } from '../../src/brief/read/brief-text.ts';
import type { Program, Staff } from '../../src/domain/staff/staff.ts';
import type { Provider } from '../../src/domain/words/model-id.ts';
import { isProblem } from '../../src/text/problem.ts';

const sonnet = 'claude-sonnet-4-5-20250929';
const api = (provider: 'anthropic' | 'openai' | 'google', id: string, baseUrl?: string) =>
  ({ kind: 'api', model: { provider, id }, baseUrl }) as const;

const program = (name: Program, provider?: Provider, id?: string) =>
  ({
    kind: 'program',
    program: name,
    model: provider === undefined || id === undefined ? undefined : { provider, id },
    baseUrl: undefined,
    ownConfig: false,
  }) as const;

const acp = (command = 'gemini --acp', id?: string) =>
  ({
    kind: 'acp',
    command,
    model: id === undefined ? undefined : { provider: 'anthropic' as const, id },
    baseUrl: undefined,
  }) as const;

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
    [
      `model: ${sonnet}\nbase_url: http://127.0.0.1:1\njunior: [{ model: gemini-2.5-flash, base_url: http://127.0.0.1:1 }]`,
      {
        chief: api('anthropic', sonnet, 'http://127.0.0.1:1'),
        juniors: [api('google', 'gemini-2.5-flash', 'http://127.0.0.1:1')],
      },
    ],
    [
      `model: gemma-3-27b-it\nbase_url: http://127.0.0.1:1/v1\nchief: { model: openai/${sonnet}, base_url: http://127.0.0.1:1/v1 }`,
      {
        chief: api('openai', sonnet, 'http://127.0.0.1:1/v1'),
        juniors: [api('openai', 'gemma-3-27b-it', 'http://127.0.0.1:1/v1')],
      },
    ],
    [
      `model: ${sonnet}\nbase_url: http://127.0.0.1:1/v1\nspeaks: openai`,
      { juniors: [{ ...api('anthropic', sonnet, 'http://127.0.0.1:1/v1'), speaks: 'openai' }] },
    ],
    [
      `agent: pi\nmodel: ${sonnet}\nbase_url: http://127.0.0.1:1/v1\nspeaks: openai`,
      { juniors: [{ ...program('pi', 'openai', sonnet), baseUrl: 'http://127.0.0.1:1/v1' }] },
    ],
    [`models: { fast: ${sonnet} }\nmodel: fast`, { juniors: [api('anthropic', sonnet)] }],
    ['model: claude-opus-4-6', { juniors: [api('anthropic', 'claude-opus-4-6')] }],
    [
      `model: ${sonnet}\neffort: high\nchief: { model: ${sonnet}, effort: low }`,
      {
        chief: { ...api('anthropic', sonnet), effort: 'low' },
        juniors: [{ ...api('anthropic', sonnet), effort: 'high' }],
      },
    ],
    ['models: { gpt-5: gpt-5 }\nmodel: gpt-5', { juniors: [api('openai', 'gpt-5')] }],
    [
      'models: { fast: "qwen3:8b" }\njunior: [{ model: fast, base_url: http://127.0.0.1:1/v1 }]',
      { juniors: [api('openai', 'qwen3:8b', 'http://127.0.0.1:1/v1')] },
    ],
    ['agent: { command: "./agent.sh" }', { chief: search }],
    ['agent: { acp: "gemini --acp" }', { chief: acp(), juniors: [acp()] }],
    [
      `junior: [{ agent: { acp: "opencode acp" }, model: ${sonnet} }]`,
      { chief: search, juniors: [acp('opencode acp', sonnet)] },
    ],
    [
      `agent: { acp: "opencode acp" }\nmodel: ${sonnet}\nbase_url: http://127.0.0.1:1`,
      { juniors: [{ ...acp('opencode acp', sonnet), baseUrl: 'http://127.0.0.1:1' }] },
    ],
    ['agent: human', { chief: { kind: 'human' }, juniors: [{ kind: 'human' }] }],
    ['junior: [{ agent: human }, { agent: search }]', { chief: search, juniors: [{ kind: 'human' }, search] }],
    ['agent: claude', { juniors: [program('claude')], chief: program('claude') }],
    [
      `agent: claude\nmodel: ${sonnet}\nown_config: true`,
      { juniors: [{ ...program('claude', 'anthropic', sonnet), ownConfig: true }] },
    ],
    [`junior: [{ agent: pi, model: ${sonnet} }]`, { juniors: [program('pi', 'anthropic', sonnet)] }],
    [
      'agent: codex\nmodel: qwen2.5-coder:7b\nbase_url: http://127.0.0.1:1/v1',
      { juniors: [{ ...program('codex', 'openai', 'qwen2.5-coder:7b'), baseUrl: 'http://127.0.0.1:1/v1' }] },
    ],
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
    ['models: { gpt-latest: gpt-latest }\nmodel: gpt-latest', /what is latest changes/],
    ['model: gpt-5', /Where it never means another: models: \{ gpt-5: gpt-5 \}/],
    [
      'model: scripted:/etc/passwd',
      /model is scripted:\/etc\/passwd, expected a file of this repository Write scripted:models/,
    ],
    ['model: scripted:models/../../x.json', /expected a file of this repository/],
    ['models: { fast: "scripted:../x.json" }\nmodel: fast', /models\.fast is .*expected a file of this repository/],
    [`model: ${sonnet}\neffort: hihg`, /effort is hihg, expected low or medium or high Did you mean high\?/],
    [`chief: { model: ${sonnet}, effort: 3 }`, /effort is 3, expected low or medium or high/],
    ['agent: search\neffort: low', /effort is for a model that is asked through its API Add model: beside it/],
    ['agent: claude\neffort: low', /effort is for a model that is asked through its API/],
    ['agent: serach', /Did you mean search\?/],
    ['agent: codex', /expected a model beside it.*codex does not tell/],
    [`agent: codex\nmodel: ${sonnet}`, /expected a model of OpenAI/],
    ['agent: pi\nmodel: scripted:models/junior.json', /that pi can speak with/],
    [`model: ${sonnet}\nown_config: true`, /only claude, codex, .* have a config of their own/],
    ['agent: claude\nown_config: yes', /true or false/],
    ['agent: api', /expected a model beside it/],
    ['agent: { acp: "gemini --acp", network: true }', /agent\.network is not a known key The keys here are acp\./],
    ['agent: { acp: "gemini --acp", command: "./agent.sh" }', /agent\.command is not a known key/],
    ['agent: { acp: "gemini --acp" }\nbase_url: http://127.0.0.1:1', /expected a model beside it/],
    ['agent: { acp: "gemini --acp" }\nmodel: scripted:models/junior.json', /that gemini --acp can speak with/],
    ['agent: { acp: "gemini --acp" }\nown_config: true', /have a config of their own/],
    [`agent: search\nmodel: ${sonnet}`, /is one that uses none/],
    ['base_url: http://127.0.0.1:1', /expected a model beside it/],
    [`model: ${sonnet}\nbase_url: ftp://example.com`, /begins with http/],
    ['model: "qwen3:8b"\nbase_url: http://127.0.0.1:1/v1/chat/completions', /Take \/chat\/completions out/],
    [`model: ${sonnet}\nbase_url: https://me:pass@example.com`, /is https:\/\/example.com, .*without a password in it/],
    [
      `model: ${sonnet}\nbase_url: http://127.0.0.1:1/v1?key=abc`,
      /is http:\/\/127\.0\.0\.1:1\/v1, and more behind \? or #/,
    ],
    [`model: ${sonnet}\nbase_url: "http://127.0.0.1:1/v1#part"`, /without either Keys come from the environment/],
    [`model: ${sonnet}\nbase_url: http://127.0.0.1:1/v1?`, /and more behind/],
    [
      `model: ${sonnet}\nbase_url: http://me:pass@127.0.0.1:99999`,
      /is http:\/\/127\.0\.0\.1:99999, which is not an address that can be read/,
    ],
    [`model: ${sonnet}\nspeaks: openai`, /speaks is openai, expected base_url beside it/],
    [`model: ${sonnet}\nbase_url: http://127.0.0.1:1\nspeaks: opneai`, /Did you mean openai\?/],
    [
      `agent: claude\nmodel: ${sonnet}\nbase_url: http://127.0.0.1:1\nspeaks: openai`,
      /claude speaks as it always does/,
    ],
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
        assert.doesNotMatch(`${error.message} ${error.hint}`, /abc|me:pass/, 'a key is not told');
        return true;
      },
    );
  }
});

test('what a word means is looked at on its own line, whoever uses it', () => {
  const cases: readonly (readonly [string, number, RegExp])[] = [
    ['model: fast\nmodels:\n  good: claude-opus-4-6\n  fast: claude-haiku-4-5', 9, /models\.fast is claude-haiku-4-5/],
    [`model: ${sonnet}\nmodels:\n  fast: gpt-5`, 8, /models\.fast is gpt-5, expected a pinned model/],
    [`model: ${sonnet}\nmodels:\n  fast: haiku`, 8, /models\.fast is haiku.*with its provider before it/],
    // Its own server has names of its own, and Anthropic has not.
    [
      'chief: { model: fast }\njunior: { model: fast, base_url: http://127.0.0.1:1/v1 }\nmodels:\n  fast: claude-haiku-4-5',
      9,
      /models\.fast is claude-haiku-4-5/,
    ],
  ];
  for (const [lines, line, words] of cases)
    assert.throws(
      () => staffOf(lines),
      (error) => isProblem(error) && error.place?.line === line && words.test(error.message),
      lines,
    );
});
