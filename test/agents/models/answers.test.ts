import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelAnswer, Part } from '../../../src/agents/models/model-contract.ts';
import { askIt, faultOf, fromUs, providers, withoutNative } from '../../support/model-question.ts';
import type { Counts, Said, Step } from '../../support/provider-server/script.ts';
import { startProviderServer } from '../../support/provider-server/server.ts';

/** The same turns with every provider, through its own SDK and over its own wire, have to come to the same. */

const usage: Counts = { tokensIn: 120, tokensOut: 40 };
const counted = { tokensIn: 120, tokensOut: 40, cacheRead: 0, cacheWrite: 0 };
const long = 'A line that comes in several pieces, with “quotes”, an emoji 🚀\nand a second line.';
const text = (said: string): Part => ({ kind: 'text', text: said });
const readCall = { id: 'c1', tool: 'read_file', input: { path: 'a.ts', lines: [1, 2] } };
const writeCall = { id: 'c2', tool: 'write_file', input: { path: 'b.ts', text: '{"not": "ours"}' } };

interface Case {
  readonly what: string;
  readonly said: Said;
  readonly parts: readonly Part[];
  readonly stop: ModelAnswer['stop'];
}

const cases: readonly Case[] = [
  { what: 'plain text', said: { text: long }, parts: [text(long)], stop: 'done' },
  { what: 'nothing at all', said: {}, parts: [], stop: 'done' },
  {
    what: 'a call',
    said: { text: 'I look.', calls: [readCall] },
    parts: [text('I look.'), { kind: 'call', ...readCall }],
    stop: 'calls',
  },
  {
    what: 'two calls at once',
    said: { calls: [readCall, writeCall] },
    parts: [
      { kind: 'call', ...readCall },
      { kind: 'call', ...writeCall },
    ],
    stop: 'calls',
  },
  {
    what: 'a call without input',
    said: { calls: [{ id: 'c1', tool: 'read_file', input: {} }] },
    parts: [{ kind: 'call', id: 'c1', tool: 'read_file', input: {} }],
    stop: 'calls',
  },
  { what: 'a refusal', said: { text: 'I will not.', stop: 'refused' }, parts: [text('I will not.')], stop: 'refused' },
  { what: 'a refusal without a word', said: { text: 'unsaid', stop: 'blocked' }, parts: [], stop: 'refused' },
  { what: 'an answer cut at its limit', said: { text: long, stop: 'length' }, parts: [text(long)], stop: 'length' },
  {
    what: 'thoughts, which are not for us',
    said: { thinking: { text: 'Let me see.', signature: 'c2lnbmVk' }, text: 'Done.' },
    parts: [text('Done.')],
    stop: 'done',
  },
];

for (const provider of providers) {
  for (const { what, said, parts, stop } of cases) {
    test(`${provider}: ${what}`, async (t) => {
      const server = await startProviderServer([{ ...said, usage }]);
      t.after(server.close);
      assert.deepEqual(withoutNative(await askIt(server, provider)), {
        message: { from: 'model', parts },
        stop,
        usage: counted,
        model: 'some-model-2',
      });
    });
  }

  for (const unread of ['{"path": "a', '["a.ts"]', 'null']) {
    test(`${provider}: a call whose input is ${unread} is told as what was said`, async (t) => {
      const server = await startProviderServer([{ calls: [{ id: 'c1', tool: 'write_file', input: unread }] }]);
      t.after(server.close);
      const { message, stop } = await askIt(server, provider);
      assert.equal(stop, 'calls');
      // Google reads calls itself, and its SDK keeps back what it says of one that it could not read.
      assert.deepEqual(message.parts, [
        provider === 'google'
          ? { kind: 'call', id: 'unreadable-1', tool: '', input: undefined, unread: 'MALFORMED_FUNCTION_CALL' }
          : { kind: 'call', id: 'c1', tool: 'write_file', input: undefined, unread },
      ]);
    });
  }

  test(`${provider}: the model that it says it used is passed on, not the one that was asked for`, async (t) => {
    const server = await startProviderServer([{ text: 'Hello.', model: 'some-model-2-20260101' }]);
    t.after(server.close);
    assert.equal((await askIt(server, provider)).model, 'some-model-2-20260101');
  });

  const lies: readonly Counts[] = [
    { tokensIn: -1, tokensOut: 4 },
    { tokensIn: 10, tokensOut: -4 },
    { tokensIn: 10.5, tokensOut: 4 },
    { tokensIn: Number.NaN, tokensOut: 4 },
    { tokensIn: '10', tokensOut: 4 },
    { tokensIn: 10, tokensOut: 1e300 },
    { tokensIn: 10, tokensOut: 4, cacheRead: 11 },
  ];
  for (const lie of lies) {
    test(`${provider}: a usage of ${JSON.stringify(lie)} is none`, async (t) => {
      const server = await startProviderServer([{ text: 'Hello.', usage: lie }]);
      t.after(server.close);
      const { usage, message } = await askIt(server, provider);
      assert.equal(usage, undefined);
      assert.deepEqual(message.parts, [text('Hello.')]);
    });
  }

  test(`${provider}: no usage is none, and the answer is one all the same`, async (t) => {
    const server = await startProviderServer([{ text: 'Hello.', usage: 'none' }]);
    t.after(server.close);
    const answer = await askIt(server, provider);
    assert.equal(answer.usage, undefined);
    assert.equal(answer.stop, 'done');
  });

  test(`${provider}: what was cached and what was thought is counted in, and the sums are the server's`, async (t) => {
    const cacheWrite = provider === 'google' ? 0 : 100; // Google's cache is its own affair: it says nothing of writing.
    const server = await startProviderServer([
      { text: 'One.', usage: { tokensIn: 1000, tokensOut: 50, cacheWrite } },
      { text: 'Two.', usage: { tokensIn: 1100, tokensOut: 70, cacheRead: 1000, thoughts: 30 } },
      (heard) => ({ text: heard.told }),
    ]);
    t.after(server.close);
    const answers: ModelAnswer[] = [];
    for (const said of ['a', 'b', 'c']) {
      answers.push(await askIt(server, provider, { messages: [fromUs({ kind: 'text', text: said })] }));
    }
    assert.deepEqual(answers[0]?.usage, { tokensIn: 1000, tokensOut: 50, cacheRead: 0, cacheWrite });
    assert.deepEqual(answers[1]?.usage, { tokensIn: 1100, tokensOut: 70, cacheRead: 1000, cacheWrite: 0 });
    assert.deepEqual(answers[2]?.message.parts, [text('c')]);
    const sum = (name: keyof typeof counted): number =>
      answers.reduce((all, { usage }) => all + (usage?.[name] ?? 0), 0);
    assert.deepEqual(server.tally(provider), {
      turns: 3,
      tokensIn: sum('tokensIn'),
      tokensOut: sum('tokensOut'),
      cacheRead: sum('cacheRead'),
      cacheWrite: sum('cacheWrite'),
    });
    assert.deepEqual(server.tally(), server.tally(provider));
  });
}

/** The wires whose every piece names the model: here the last one does not, and the first two differ. */
for (const [provider, events] of [
  [
    'openai',
    [
      { model: 'another-model', choices: [{ index: 0, delta: { content: 'Hello.' } }] },
      { model: 'some-model-2', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { model: '', choices: [] },
    ],
  ],
  [
    'google',
    [
      { modelVersion: 'another-model', candidates: [{ content: { role: 'model', parts: [{ text: 'Hello.' }] } }] },
      { modelVersion: 'some-model-2' },
      { candidates: [{ finishReason: 'STOP' }] },
    ],
  ],
] as const) {
  const body = (said: readonly object[]): string => said.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

  test(`${provider}: the model is the one that any piece names, and both where they differ`, async (t) => {
    const [first, second, last] = events;
    const server = await startProviderServer([
      { fault: 'raw', body: body([first, second, last]) },
      { fault: 'raw', body: body([second, last]) },
      {
        fault: 'raw',
        body: body([{ ...first, model: '', modelVersion: '' }, { ...second, model: '', modelVersion: '' }, last]),
      },
    ]);
    t.after(server.close);
    const models = [];
    for (let turn = 0; turn < 3; turn++) models.push((await askIt(server, provider)).model);
    assert.deepEqual(models, ['another-model and some-model-2', 'some-model-2', undefined]);
  });
}

const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;

/** Said as it is: the server would have to build it otherwise. */
const rawGoogle = (part: string): Step => ({
  fault: 'raw',
  body: `data: {"candidates":[{"content":{"role":"model","parts":[${part}]},"finishReason":"STOP"}]}\n\n`,
});

for (const provider of providers) {
  test(`${provider}: a call nested without end is one that cannot be read, and the next turn can be asked`, async (t) => {
    const call =
      provider === 'google'
        ? rawGoogle(`{"functionCall":{"id":"c1","name":"write_file","args":${deep}}}`)
        : { calls: [{ id: 'c1', tool: 'write_file', input: deep }] };
    const server = await startProviderServer([call, { text: 'Once more.' }]);
    t.after(server.close);
    const { message, stop } = await askIt(server, provider);
    assert.equal(stop, 'calls');
    assert.deepEqual(
      message.parts.map((part) => part.kind === 'call' && [part.tool, part.input, part.unread?.slice(0, 12)]),
      [['write_file', undefined, provider === 'google' ? '(nested too ' : '{"a":{"a":{"']],
    );
    const [part] = message.parts;
    const result = { kind: 'result', id: part?.kind === 'call' ? part.id : '', tool: 'write_file' } as const;
    const messages = [fromUs(text('Go.')), message, fromUs({ ...result, text: 'It could not be read.', failed: true })];
    assert.deepEqual((await askIt(server, provider, { messages })).message.parts, [text('Once more.')]);
  });
}

test('what is nested without end and would go back as it was is no answer', async (t) => {
  const server = await startProviderServer([rawGoogle(`{"text":"Hello.","other":${deep}}`)]);
  t.after(server.close);
  const fault = await faultOf(askIt(server, 'google'));
  assert.deepEqual([fault.kind, fault.begun], ['trouble', true]);
  assert.match(fault.message, /nested too deeply/);
});

for (const reason of ['LANGUAGE', 'OTHER', 'SPII'])
  test(`google: ${reason} is a refusal`, async (t) => {
    const body = `data: {"candidates":[{"content":{"role":"model","parts":[]},"finishReason":"${reason}"}]}\n\n`;
    const server = await startProviderServer([{ fault: 'raw', body }]);
    t.after(server.close);
    assert.equal((await askIt(server, 'google')).stop, 'refused');
  });

test('openai: servers that give every call the same index are understood', async (t) => {
  const calls = [readCall, writeCall].map((call) => ({ ...call, index: 0 }));
  const server = await startProviderServer([{ calls }]);
  t.after(server.close);
  assert.deepEqual((await askIt(server, 'openai')).message.parts, [
    { kind: 'call', ...readCall },
    { kind: 'call', ...writeCall },
  ]);
});
