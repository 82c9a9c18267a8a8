import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWritten } from '../../../src/agents/models/written-calls.ts';

const input = { type: 'object', properties: {} };
const tools = ['read', 'finish'].map((name) => ({ name, description: name, input }));
const read = (text: string) => readWritten(text, tools, (index) => `c${index}`);
const call = (at: number, tool: string, given: object) => ({ kind: 'call', id: `c${at}`, tool, input: given });
const json = (name: string, more: object): string => JSON.stringify({ name, ...more }, null, 2);

test('calls are read from every form in which local models write them', () => {
  const path = { path: 'a' };
  const one = [call(0, 'read', path)];
  const rows: readonly (readonly [string, string, readonly object[]])[] = [
    [`<tool_call>\n${json('read', { arguments: path })}\n</tool_call>`, '', one],
    [`I look.\n<tool_call>${json('read', { arguments: path })}`, 'I look.', one],
    [json('read', { arguments: path }), '', one],
    [json('read', { arguments: JSON.stringify(path) }), '', one],
    [json('read', { parameters: path }), '', one],
    [`I look.\n\n\`\`\`json\n${json('read', { arguments: path })}\n\`\`\`\n`, 'I look.', one],
    [
      `[${json('read', { arguments: path })}, ${json('finish', { arguments: {} })}]`,
      '',
      [...one, call(1, 'finish', {})],
    ],
    [
      `<tool_call>${json('read', { arguments: path })}</tool_call>\n<tool_call>{"name": "finish"}</tool_call>`,
      '',
      [...one, call(1, 'finish', {})],
    ],
    [`<think>\nread it?\n</think>\n${json('read', { arguments: path })}`, '', one],
  ];
  for (const [said, text, calls] of rows) assert.deepEqual(read(said), { text, calls, looksWritten: true }, said);
});

test('what is no call of a tool stays text, and is told where it looks like one', () => {
  for (const [said, looksWritten] of [
    ['I am sorry.', false],
    ['{"first": 3}', false],
    [json('remove', { arguments: {} }), true],
    ['<tool_call>{"name": "read", "argu', true],
    ['{"name": "read"', true],
    [`It has:\n{"arguments": 1}\nand more.`, false],
  ] as const)
    assert.deepEqual(read(said), { text: said, calls: [], looksWritten }, said);
  assert.deepEqual(readWritten(json('read', { arguments: {} }), [], String).calls, []);
});

test('thoughts at the beginning are dropped, whole, cut off or without their beginning', () => {
  for (const [said, text] of [
    ['<think>\nHm.\n</think>\n\nNearer to 3', 'Nearer to 3'],
    ['  <think></think>Nearer to 3', 'Nearer to 3'],
    ['<think>\nHm, and', ''],
    ['Hm.\n</think>\nNearer to 3', 'Nearer to 3'],
    ['It strips <think>…\n</think> from titles', 'It strips <think>…\n</think> from titles'],
  ] as const)
    assert.equal(read(said).text, text, said);
});

test('a text of megabytes takes no time, whatever it is made of', () => {
  const long = 4_000_000;
  for (const said of [' ', '\n', '{\n', '[', '<tool_call>', '<think>', '```\n', '{ "arguments"'])
    for (const text of [said.repeat(long / said.length), `{${said.repeat(long / said.length)}"arguments"`]) {
      const begun = performance.now();
      read(text);
      assert.ok(performance.now() - begun < 2_000, JSON.stringify(text.slice(0, 20)));
    }
});
