import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aider } from '../../src/agents/programs/aider.ts';
import { claude } from '../../src/agents/programs/claude.ts';
import { codex } from '../../src/agents/programs/codex.ts';
import { gemini } from '../../src/agents/programs/gemini.ts';
import { takeLines } from '../../src/agents/programs/json-lines.ts';
import { opencode } from '../../src/agents/programs/opencode.ts';
import { pi } from '../../src/agents/programs/pi.ts';
import type { ProgramForm, ProgramReport } from '../../src/agents/programs/program-contract.ts';

/** What each program printed when it was run, shortened to what is read; and what it prints when something is wrong. */

const sonnet = 'claude-sonnet-4-5-20250929';
const nothing: ProgramReport = { usage: undefined, usd: undefined, models: [], words: '', complaint: undefined };
const read = (form: ProgramForm, lines: readonly (object | string)[], log: readonly object[] = []): ProgramReport =>
  form.read({
    stdout: lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
    stderr: '',
    log: log.map((line) => JSON.stringify(line)).join('\n'),
  });

const said = (text: string) => ({ type: 'assistant', message: { model: sonnet, content: [{ type: 'text', text }] } });

test('claude: the sum of all models that it used, what it cost, and its last words', () => {
  const result = {
    ...{
      type: 'result',
      subtype: 'success',
      is_error: false,
      total_cost_usd: 0.007,
      result: 'Done.\n\nfirst is 3 now',
    },
    modelUsage: {
      [sonnet]: { inputTokens: 2236, outputTokens: 39, cacheReadInputTokens: 100, cacheCreationInputTokens: 7 },
      'claude-haiku-4-5-20251001': {
        inputTokens: 10,
        outputTokens: 1,
        cacheReadInputTokens: 0,
        cacheCreationInputTokens: 0,
      },
    },
  };
  const lines = [
    { type: 'system', subtype: 'init', model: sonnet },
    said('Looking.'),
    said('Done.\n\nfirst is 3 now'),
    result,
  ];
  assert.deepEqual(read(claude, lines), {
    ...{ usage: { tokensIn: 2353, tokensOut: 40, cacheRead: 100, cacheWrite: 7 }, usd: 0.007, models: [sonnet] },
    ...{ words: 'Done.\n\nfirst is 3 now', complaint: undefined },
  });
});

test('claude: what a provider refused is told as success, with an error beside it', () => {
  const synthetic = {
    type: 'assistant',
    message: { model: '<synthetic>', content: [{ type: 'text', text: 'Invalid API key' }] },
  };
  const refused = {
    type: 'result',
    subtype: 'success',
    is_error: true,
    result: 'Invalid API key',
    total_cost_usd: 0,
    modelUsage: {},
  };
  assert.equal(read(claude, [synthetic, refused]).complaint, 'Invalid API key');
  assert.deepEqual(read(claude, [synthetic, refused]).models, []);
  const budget = { type: 'result', subtype: 'error_max_budget_usd', is_error: true };
  assert.equal(read(claude, [budget]).complaint, 'error_max_budget_usd');
  const retry = { type: 'system', subtype: 'api_retry', attempt: 4, error_status: 401, error: 'authentication_failed' };
  assert.deepEqual(read(claude, [retry]), { ...nothing, complaint: '401 authentication_failed' });
});

test('claude: the window of a subscription that is used up, and one that is paid for beyond it', () => {
  const window = { status: 'rejected', resetsAt: 1_795_135_685, rateLimitType: 'five_hour', isUsingOverage: false };
  const told = (info: object) => ({ type: 'rate_limit_event', rate_limit_info: info });
  const failed = { type: 'result', subtype: 'success', is_error: true, result: "You've hit your 5-hour limit" };
  assert.equal(read(claude, [told(window), failed]).resetsAt, 1_795_135_685);
  assert.equal(read(claude, [told(window), { ...failed, is_error: false }]).resetsAt, undefined, 'it worked');
  assert.equal(read(claude, [told({ ...window, status: 'allowed' }), failed]).resetsAt, undefined);
  const extra = read(claude, [told({ ...window, isUsingOverage: true }), { ...failed, is_error: false }]);
  assert.deepEqual([extra.isExtra, extra.resetsAt], [true, undefined]);
  const extraToo = told({ ...window, isUsingOverage: true });
  assert.equal(read(claude, [extraToo, { ...failed, result: 'error_max_turns' }]).resetsAt, undefined);
  assert.equal(read(claude, [extraToo, { ...failed, api_error_status: 429 }]).resetsAt, 1_795_135_685);
});

test('what a model says is no complaint of the program, whatever it speaks of', () => {
  const subject = 'Now I look at the authentication module: 401, 429, billing.';
  const budget = { type: 'result', subtype: 'error_max_budget_usd', is_error: true };
  assert.equal(read(claude, [said(subject), budget]).complaint, 'error_max_budget_usd');
  assert.equal(read(claude, [said(subject), { type: 'result' }]).complaint, 'no success');
  assert.equal(read(claude, [said(subject)]).complaint, undefined);
  const stderr = 'Error executing tool read_file: src/authentication.ts is not there\n';
  const spoken = [
    { type: 'message', role: 'assistant', content: subject },
    { type: 'tool_use', tool_name: 'read_file' },
  ];
  for (const line of spoken)
    assert.equal(gemini.read({ stdout: JSON.stringify(line), stderr, log: '' }).complaint, undefined);
  const asked = JSON.stringify({ type: 'message', role: 'user', content: subject });
  assert.equal(gemini.read({ stdout: asked, stderr: '401\n', log: '' }).complaint, '401');
  const end = { role: 'assistant', stopReason: 'stop', content: [{ type: 'text', text: subject }] };
  assert.equal(read(pi, [{ type: 'message_end', message: end }]).complaint, undefined);
  assert.equal(read(opencode, [{ type: 'text', part: { text: subject } }]).complaint, undefined);
  assert.equal(
    read(codex, [{ type: 'item.completed', item: { type: 'agent_message', text: subject } }]).complaint,
    undefined,
  );
  const sent = { event: 'message_send', properties: { prompt_tokens: 5, completion_tokens: 2 } };
  assert.equal(read(aider, ['litellm.AuthenticationError is what it throws'], [sent]).complaint, undefined);
});

test('codex: the last count is the sum, and what was cached is part of it', () => {
  const lines = [
    { type: 'thread.started', thread_id: '01a1' },
    { type: 'item.completed', item: { type: 'error', message: 'Model metadata not found.' } },
    { type: 'item.completed', item: { type: 'agent_message', text: 'I changed it.\n\nfirst is 3 now' } },
    { type: 'turn.completed', usage: { input_tokens: 10, cached_input_tokens: 0, output_tokens: 1 } },
    {
      type: 'turn.completed',
      usage: { input_tokens: 20139, cached_input_tokens: 139, cache_write_input_tokens: 0, output_tokens: 26 },
    },
  ];
  assert.deepEqual(read(codex, lines), {
    ...nothing,
    ...{
      usage: { tokensIn: 20139, tokensOut: 26, cacheRead: 139, cacheWrite: 0 },
      words: 'I changed it.\n\nfirst is 3 now',
    },
  });
  const failed = [
    { type: 'error', message: 'Reconnecting... 5/5' },
    { type: 'turn.failed', error: { message: 'unexpected status 401 Unauthorized' } },
  ];
  assert.deepEqual(read(codex, failed), { ...nothing, complaint: 'unexpected status 401 Unauthorized' });
  const worked = { type: 'item.started', item: { type: 'command_execution', command: 'ls' } };
  assert.equal(read(codex, [worked, ...failed]).hasActed, true, 'it used tokens and does not say how many');
});

test('gemini: thoughts are in the total only, and words come in pieces', () => {
  const word = (content: string) => ({ type: 'message', role: 'assistant', content, delta: true });
  const stats = { total_tokens: 24097, input_tokens: 24000, output_tokens: 37, cached: 1000 };
  const lines = [
    'YOLO mode is enabled.',
    { type: 'init', model: 'gemini-2.5-flash' },
    word('Looking.'),
    { type: 'tool_use', tool_name: 'write_file' },
    { type: 'tool_result', status: 'success' },
    word('I changed it'),
    word('.\n\nfirst is 3 now'),
    { type: 'result', status: 'success', stats: { ...stats, models: { 'gemini-2.5-flash': stats } } },
  ];
  assert.deepEqual(read(gemini, lines), {
    ...{
      usage: { tokensIn: 24000, tokensOut: 97, cacheRead: 1000, cacheWrite: 0 },
      usd: undefined,
      models: ['gemini-2.5-flash'],
    },
    ...{ words: 'I changed it.\n\nfirst is 3 now', complaint: undefined },
  });
  const failed = { type: 'result', status: 'error', error: { message: '[API Error: 429 RESOURCE_EXHAUSTED]' } };
  assert.deepEqual(read(gemini, [failed]), { ...nothing, complaint: '[API Error: 429 RESOURCE_EXHAUSTED]' });
  assert.equal(
    gemini.read({ stdout: '', stderr: 'a\nnot in a trusted directory\n', log: '' }).complaint,
    'not in a trusted directory',
  );
});

test('opencode: every step tells its own, and cached tokens are beside the others', () => {
  const step = (input: number, read_: number) => ({
    type: 'step_finish',
    part: { cost: 0.5, tokens: { input, output: 3, reasoning: 2, cache: { read: read_, write: 1 } } },
  });
  const lines = [step(10, 4), { type: 'text', part: { text: 'done' } }, step(20, 0)];
  assert.deepEqual(read(opencode, lines), {
    ...nothing,
    ...{ usage: { tokensIn: 36, tokensOut: 10, cacheRead: 4, cacheWrite: 2 }, usd: 1, words: 'done' },
  });
  const failed = { type: 'error', error: { name: 'APIError', data: { message: 'Too Many Requests' } } };
  assert.deepEqual(read(opencode, [failed]), { ...nothing, complaint: 'Too Many Requests' });
});

test('aider: its log has the counts, and a model that it does not know is not named', () => {
  const sent = (main_model: string) => ({
    event: 'message_send',
    properties: { main_model, prompt_tokens: 5, completion_tokens: 2, cost: 0.25 },
  });
  assert.deepEqual(
    read(
      aider,
      ['I changed it.', 'first is 3 now', 'Tokens: 5 sent'],
      [sent(`anthropic/${sonnet}`), sent('anthropic/REDACTED')],
    ),
    {
      ...{ usage: { tokensIn: 10, tokensOut: 4, cacheRead: 0, cacheWrite: 0 }, usd: 0.5, models: [sonnet] },
      ...{ words: 'first is 3 now', complaint: undefined },
    },
  );
  assert.equal(
    read(aider, [
      'litellm.AuthenticationError: AnthropicException',
      'The API provider is not able to authenticate you.',
    ]).complaint,
    'litellm.AuthenticationError: AnthropicException',
  );
});

test('what cannot be is not believed, and part of a sum is no sum', () => {
  const end = (usage: object) => ({ type: 'message_end', message: { role: 'assistant', model: sonnet, usage } });
  const good = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, cost: { total: 1 } };
  for (const bad of [{}, { ...good, input: -1 }, { ...good, output: 'many' }, { ...good, input: null }])
    assert.equal(read(pi, [end(good), end(bad)]).usage, undefined, JSON.stringify(bad));
  assert.equal(read(pi, [end(good), end({ ...good, cost: {} })]).usd, undefined);
  for (const form of [claude, codex, gemini, opencode, aider, pi])
    for (const line of [
      '',
      'null',
      '[]',
      '{',
      '{"type":null}',
      '{"type":"result","stats":7,"modelUsage":[]}',
      '{"__proto__":{"type":"result"}}',
    ])
      assert.equal(read(form, [line]).usage, undefined, line);
});

test('lines that count are taken as they come, in any pieces, and one that is lost is known to be', () => {
  const long = 'x'.repeat(100_000);
  const said = [
    `{"type":"message_update","text":"${long} message_end"}`,
    `{"type":"message_end","usage":1,"text":"${long}"}`,
    'no line of ours: "message_end"',
    '{"text":"y","type":"message_end"}',
    '{"type":"message_end","cut":"o',
  ].join('\n');
  for (const size of [1, 7, 65_536, said.length]) {
    const lines = takeLines(['message_end']);
    for (let at = 0; at < said.length; at += size) lines.hear(Buffer.from(said.slice(at, at + size)));
    const taken = lines
      .text()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      taken.map(({ type, usage, text }) => [type, usage, text.length < 40_000, text.at(-1)]),
      [
        ['message_end', 1, true, 'x'],
        ['message_end', undefined, true, 'y'],
      ],
    );
    assert.equal(lines.lost(), false);
  }
});

test('a line without end is lost when it may have counted, and no matter otherwise', () => {
  const piece = Buffer.alloc(1024 * 1024, 120);
  for (const [type, lost] of [
    ['message_end', true],
    ['agent_end', false],
  ] as const) {
    const lines = takeLines(['message_end']);
    lines.hear(Buffer.from(`{"type":"${type}","text":"`));
    for (let mib = 0; mib < 17; mib++) lines.hear(piece);
    lines.hear(Buffer.from('"}\n{"type":"message_end"}\n'));
    assert.deepEqual([lines.text(), lines.lost()], ['{"type":"message_end"}\n', lost]);
  }
});
