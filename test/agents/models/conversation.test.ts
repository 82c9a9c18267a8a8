import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Called, converse, type Tool } from '../../../src/agents/models/conversation.ts';
import type { ModelAnswer, ModelMessage, Part, Question } from '../../../src/agents/models/model-contract.ts';
import type { LeftOver } from '../../../src/agents/models/talk-watch.ts';

const limits = { mostBytes: 200_000, left: (): LeftOver => ({ seconds: 60, usd: undefined }) };

/** A whole conversation with a model that says one thing after the other. */
async function talk(turns: readonly (readonly string[] | 'cut')[]) {
  let turn = 0;
  const ask = async (): Promise<ModelAnswer> => {
    const said = turns[turn++] ?? [];
    const parts = said === 'cut' ? [] : said.map(callOf);
    const stop = said === 'cut' ? 'length' : parts.length > 0 ? 'calls' : 'done';
    return { message: { from: 'model', parts }, stop, usage: undefined, model: undefined };
  };
  const tools = [tool('good'), tool('bad', true), tool('finish')];
  const called: string[] = [];
  const onCall = ({ tool, failed, bytes }: Called) => called.push(`${tool} ${failed ? 'failed' : 'done'} ${bytes > 0}`);
  const messages: ModelMessage[] = [];
  const hear = (message: ModelMessage) => messages.push(message);
  const end = await converse(
    {
      onCall,
      hear,
      ask,
      model: 'some-model-2',
      system: '',
      opening: 'Go.',
      tools,
      mostTokens: 100,
      mostTurns: 20,
      ...limits,
    },
    new AbortController().signal,
  );
  return { end, turns: turn, called, results: messages.map(resultsIn).filter((texts) => texts.length > 0) };
}

const callOf = (name: string, at: number): Part => ({ kind: 'call', id: `c${at}`, tool: name, input: { at } });

const tool = (name: string, failed = false): Tool => ({
  ...{ name, description: name, input: { type: 'object', properties: {}, required: [] } },
  use: async () => ({ text: name, failed, ...(name === 'finish' ? { finish: { title: 'done', notes: '' } } : {}) }),
});

const resultsIn = ({ parts }: ModelMessage): readonly string[] =>
  parts.flatMap((part) => (part.kind === 'result' ? [part.text] : []));

const finished = { kind: 'finished', title: 'done', notes: '' };
const notYet = 'Not yet: another call of the same turn failed. See to it, and say it again.';

test('an end beside a call that failed is no end: the model hears of the failure first', async () => {
  const { end, results } = await talk([['bad', 'finish'], ['good'], ['finish']]);
  assert.deepEqual(end, finished);
  assert.deepEqual(results, [['bad', notYet], ['good'], ['finish']]);
  assert.deepEqual((await talk([['no-such-tool', 'finish'], ['finish']])).turns, 2);
});

test('an end beside calls that went well is one', async () => {
  const { end, turns, results } = await talk([['good', 'finish']]);
  assert.deepEqual([end, turns, results], [finished, 1, [['good', 'finish']]]);
});

test('whoever insists on the end has it with the third time', async () => {
  const { end, results } = await talk([['bad', 'finish'], ['bad', 'finish'], ['bad', 'finish'], ['good']]);
  assert.deepEqual(end, finished);
  assert.deepEqual(results, [
    ['bad', notYet],
    ['bad', notYet],
    ['bad', 'finish'],
  ]);
});

test('every call is heard of, also one of no tool, and one that breaks', async () => {
  const { called } = await talk([['no-such-tool', 'good'], ['bad'], ['finish']]);
  assert.deepEqual(called, ['no-such-tool failed true', 'good done true', 'bad failed true', 'finish done true']);
  const heard: Called[] = [];
  const call: Part = { kind: 'call', id: 'c1', tool: 'breaks', input: {} };
  const ask = async (): Promise<ModelAnswer> => ({
    ...{ message: { from: 'model', parts: [call] }, stop: 'calls', usage: undefined, model: undefined },
  });
  const breaks: Tool = {
    ...tool('breaks'),
    use: async () => {
      throw new Error('broken');
    },
  };
  const talked = converse(
    {
      ...{
        ask,
        model: 'some-model-2',
        system: '',
        opening: 'Go.',
        tools: [breaks],
        mostTokens: 100,
        mostTurns: 2,
        ...limits,
      },
      onCall: (one) => heard.push(one),
    },
    new AbortController().signal,
  );
  await assert.rejects(talked, /broken/);
  assert.deepEqual(
    heard.map(({ tool: name, failed }) => [name, failed]),
    [['breaks', true]],
  );
});

test('answers that are cut off are counted in a row', async () => {
  const often = await talk(['cut', 'cut', ['good'], 'cut', 'cut', ['bad'], 'cut', ['finish']]);
  assert.deepEqual(often.end, finished);
  const { end } = await talk(['cut', ['good'], 'cut', 'cut', 'cut', ['finish']]);
  assert.deepEqual(end, { kind: 'broken', reason: 'its answers were cut off 3 times in a row' });
});

test("nothing in place of an optional argument of a server's tool is no mistake", async () => {
  const told = async (additionalProperties: boolean): Promise<readonly string[]> => {
    const results: string[] = [];
    const input = { type: 'object', properties: { name: { type: 'string' } }, required: [], additionalProperties };
    const call: Part = { kind: 'call', id: 'c1', tool: 'greet', input: { name: null } };
    const answer = { stop: 'calls', usage: undefined, model: undefined } as const;
    const talk = {
      ...{ model: 'some-model-2', system: '', opening: 'Go.', mostTokens: 100, mostTurns: 1, ...limits },
      ask: async (): Promise<ModelAnswer> => ({ ...answer, message: { from: 'model', parts: [call] } }),
      tools: [{ name: 'greet', description: 'greets', input, use: async () => ({ text: 'hello' }) }],
      hear: (message: ModelMessage) => void results.push(...resultsIn(message)),
    };
    await converse(talk, new AbortController().signal);
    return results;
  };
  assert.match((await told(true)).join(), /^hello/);
  assert.match((await told(false)).join(), /^greet wants name to be string\./);
});

test('a model that ends without a call is reminded once, where there is something to remind it of', async () => {
  for (const [reminder, turns] of [
    ['Use the tools.', 2],
    [undefined, 1],
  ] as const) {
    const heard: string[] = [];
    let asked = 0;
    const ask = async ({ messages }: Question): Promise<ModelAnswer> => {
      asked += 1;
      heard.push(
        messages
          .at(-1)
          ?.parts.map((part) => (part.kind === 'text' ? part.text : ''))
          .join() ?? '',
      );
      const parts: Part[] = [{ kind: 'text', text: 'I would change it.' }];
      return { message: { from: 'model', parts }, stop: 'done', usage: undefined, model: undefined };
    };
    const talked = {
      ask,
      model: 'some-model-2',
      system: '',
      opening: 'Go.',
      tools: [],
      mostTokens: 100,
      mostTurns: 9,
      ...limits,
    };
    const end = await converse({ ...talked, remind: () => reminder }, new AbortController().signal);
    assert.deepEqual(end, { kind: 'silent', words: 'I would change it.' });
    assert.deepEqual([asked, heard.slice(1)], [turns, reminder === undefined ? [] : [reminder]]);
  }
});

test('"1" is 1 for a tool that takes an integer, and nothing else is', async () => {
  const taken: unknown[] = [];
  const properties = { from: { type: 'integer' }, path: { type: 'string' } };
  const count: Tool = {
    ...{ name: 'count', description: 'Counts.', input: { type: 'object', properties, required: [] } },
    use: async (input) => {
      taken.push(input);
      return { text: 'done' };
    },
  };
  const inputs = [{ from: '12', path: '12' }, { from: '-1' }, { from: '1.5' }, { from: '' }, { from: '9'.repeat(20) }];
  const parts = inputs.map((input, at): Part => ({ kind: 'call', id: `c${at}`, tool: 'count', input }));
  const turns: readonly Part[][] = [parts, []];
  const ask = async ({ messages }: Question): Promise<ModelAnswer> => ({
    message: { from: 'model', parts: turns[messages.length === 1 ? 0 : 1] ?? [] },
    ...{ stop: 'calls', usage: undefined, model: undefined },
  });
  await converse(
    {
      ask,
      model: 'some-model-2',
      system: '',
      opening: 'Go.',
      tools: [count],
      mostTokens: 100,
      mostTurns: 9,
      ...limits,
    },
    new AbortController().signal,
  );
  assert.deepEqual(taken, [{ from: 12, path: '12' }, { from: -1 }]);
});

/** Says what the script has for each turn, of tools that always answer the same. */
async function circle(names: readonly string[], left = limits.left, mostTurns = 60) {
  let turn = 0;
  const ask = async (): Promise<ModelAnswer> => {
    const part: Part = { kind: 'call', id: 'c', tool: names[turn++ % names.length] ?? '', input: {} };
    return { message: { from: 'model', parts: [part] }, stop: 'calls', usage: undefined, model: undefined };
  };
  const messages: ModelMessage[] = [];
  const end = await converse(
    {
      ...{
        ask,
        model: 'some-model-2',
        system: '',
        opening: 'Go.',
        mostTokens: 100,
        mostTurns,
        mostBytes: 200_000,
        left,
      },
      tools: [...new Set(names)].map((name) => tool(name)),
      hear: (message) => messages.push(message),
    },
    new AbortController().signal,
  );
  const said = messages.flatMap(({ from, parts }) =>
    from === 'us' ? parts.map((part) => ('text' in part ? part.text : '')) : [],
  );
  return { end, said };
}

test('tools that are used in turn with the same results are a circle, which the model hears of before it is ended', async () => {
  const inCircles = { kind: 'broken', reason: 'it did the same thing 4 times with the same result' };
  for (const names of [['list'], ['list', 'read'], ['list', 'read', 'search'], ['a', 'b', 'c', 'd']]) {
    const { end, said } = await circle(names);
    assert.deepEqual([end, said.length], [inCircles, 1 + 4 * names.length], names.join());
    assert.match(said.join('\n'), /You did this before, with the same results: do something else\./);
  }
  assert.deepEqual((await circle(['a', 'b', 'c', 'd', 'e'], limits.left, 30)).end, {
    ...{ kind: 'broken', reason: 'not done after 30 turns' },
  });
});

test('a model hears what it has left at the beginning, and when half, a quarter and a tenth are left of anything', async () => {
  const names = Array.from({ length: 61 }, (_, at) => `t${at}`);
  const lefts = async (left: () => LeftOver): Promise<string[]> =>
    (await circle(names, left)).said.flatMap((one) => /You have .* left\./.exec(one) ?? []);
  assert.deepEqual(await lefts(() => ({ seconds: 600, usd: undefined })), [
    'You have 60 turns and 600 s left.',
    'You have 30 turns and 600 s left.',
    'You have 15 turns and 600 s left.',
    'You have 6 turns and 600 s left.',
  ]);
  let [seconds, usd] = [601, 11];
  const spends = (): LeftOver => {
    seconds -= 1;
    if (seconds <= 598) usd -= 1;
    return { seconds, usd: seconds <= 598 ? usd : undefined };
  };
  assert.deepEqual(await lefts(spends), [
    'You have 60 turns and 600 s left.',
    'You have 53 turns, 593 s and $5.00 left.',
    'You have 50 turns, 590 s and $2.00 left.',
    'You have 49 turns, 589 s and $1.00 left.',
  ]);
  let tokensOut = 100_000;
  const says = (): LeftOver => {
    tokensOut -= 5_000;
    return { seconds: 600, usd: 5, tokensIn: 2_000_000, tokensOut };
  };
  assert.deepEqual((await lefts(says)).slice(0, 2), [
    'You have 60 turns, 600 s, $5.00, 2000000 tokens to read and 95000 tokens to say left.',
    'You have 50 turns, 600 s, $5.00, 2000000 tokens to read and 45000 tokens to say left.',
  ]);
});
