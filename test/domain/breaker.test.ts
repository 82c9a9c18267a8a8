import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Attempt, whyCut, whyStopped } from '../../src/domain/rules/stopping-rules.ts';

interface Row extends Partial<Attempt> {
  readonly tokens?: number;
}

/** `failed 0001`, `keep 0001`: what is not measured has no seconds. */
const attempts = (rows: readonly (string | readonly [string, Row])[]): Attempt[] =>
  rows.map((row, at) => {
    const [text, more] = typeof row === 'string' ? [row, {}] : row;
    const [event, spec = '0001'] = text.split(' ') as [Attempt['event'], string | undefined];
    const measured = !['failed', 'unchanged', 'tampered', 'void'].includes(event);
    const { tokens, ...rest } = more as Row;
    return {
      ...{ n: at + 1, event, spec, agent: 'junior-1', seconds: measured ? 0.1 : undefined, merged: false },
      ...{
        part: undefined,
        spent: tokens === undefined ? undefined : { model: 'm', tokensIn: tokens, tokensOut: 0, usd: 1 },
      },
      ...rest,
    };
  });

const since = { n: 0, cap: {} };

const cuts: readonly [string, readonly (string | readonly [string, Row])[], string | undefined][] = [
  ['five failures', ['failed', 'failed', 'failed', 'failed', 'failed'], '5 attempts in a row (5 failed)'],
  ['four', ['keep', 'failed', 'unchanged', 'failed', 'tampered'], undefined],
  ['of every kind', ['failed', 'unchanged', 'unchanged', 'tampered', 'failed'], '(2 failed, 2 unchanged, 1 tampered)'],
  ['one was measured in between', ['failed', 'failed', 'failed', 'crash', 'failed', 'failed'], undefined],
  ['one was measured in vain in between', ['failed', 'failed', 'void', 'failed', 'failed', 'failed'], '5 attempts'],
  ['a merge is no attempt', ['failed', 'failed', 'failed', 'failed', ['failed', { merged: true }]], undefined],
  ['a part is no attempt', ['failed', 'failed', 'failed', 'failed', ['failed', { part: '1/2 of 3' }]], undefined],
  ['another spec', ['failed', 'failed', 'failed', 'failed', 'failed 0002'], undefined],
  ['whoever held it', [['failed', { agent: 'b' }], 'failed', 'failed', 'failed', 'failed'], '5 attempts'],
  ['a seed alone is not measured', Array(5).fill(['discard', { seconds: undefined }]), '(5 discard)'],
];
for (const [what, rows, expected] of cuts)
  test(`a spec is cut after five attempts in a row with nothing to measure: ${what}`, () => {
    const why = whyCut(attempts(rows), '0001');
    assert.equal(expected === undefined ? why === undefined : why?.includes(expected), true, why);
  });

const stops: typeof cuts = [
  ['on two specs', ['failed', 'failed', 'failed', 'unchanged 0002', 'failed 0002'], 'on 2 specs'],
  ['nearly', ['failed', 'failed', 'unchanged 0002', 'failed 0002'], undefined],
  ['one spec is no mark against anybody', ['failed', 'failed', 'failed', 'failed', 'failed', 'failed'], undefined],
  ['a candidate in between', ['failed', 'failed', 'discard 0002', 'failed 0002', 'failed 0002', 'failed'], undefined],
  ['of others', [['failed', { agent: 'b' }], 'failed', 'failed 0002', 'failed 0003', 'failed 0004'], undefined],
];
for (const [what, rows, expected] of stops)
  test(`an agent is stopped after five attempts in a row with nothing to measure, on several specs: ${what}`, () => {
    const why = whyStopped(attempts(rows), 'junior-1', since);
    assert.equal(expected === undefined ? why === undefined : why?.includes(expected), true, why);
  });

test('what a person has forgiven, and what was before this night, counts no more', () => {
  const night = attempts(['failed', 'failed', 'failed 0002', 'failed 0002', 'failed 0003', 'failed 0003']);
  assert.match(whyStopped(night, 'junior-1', { ...since, n: 1 }) ?? '', /^5 attempts/);
  assert.equal(whyStopped(night, 'junior-1', { ...since, n: 2 }), undefined);
});

const candidates = [
  ['keep', { agent: 'b', tokens: 100 }],
  ['discard', { agent: 'b', tokens: 50 }],
  ['crash', { agent: 'b', tokens: 5_000 }],
] as const;

test('an agent that uses more than ten times the median of a candidate, without one, is stopped', () => {
  const used = (...tokens: readonly number[]) =>
    whyStopped(
      attempts([...candidates, ...tokens.map((each) => ['failed', { tokens: each }] as const)]),
      'junior-1',
      since,
    );
  assert.equal(used(500, 500), undefined, 'just ten times');
  assert.equal(used(500, 501), '1001 tokens went into 2 attempts without a candidate, and 100 are usual for one with');
  assert.equal(used(9_000), undefined, 'once may be bad luck');
  const between = attempts([
    ...candidates,
    ['failed', { tokens: 900 }],
    ['discard', { tokens: 100 }],
    ['failed', { tokens: 900 }],
    ['failed', { tokens: 90 }],
  ]);
  assert.equal(whyStopped(between, 'junior-1', since), undefined, 'counted since its last candidate');
});

test('before there is a candidate, a quarter of what the night may use is the most', () => {
  const two = attempts([
    ['failed', { tokens: 100 }],
    ['unchanged', { tokens: 150 }],
  ]);
  const why = (cap: object): string | undefined => whyStopped(two, 'junior-1', { n: 0, cap });
  assert.equal(why({}), undefined, 'without a cap there is no part of it');
  assert.equal(why({ tokensIn: 1_000 }), undefined, 'just a quarter');
  assert.match(why({ tokensIn: 999 }) ?? '', /more than a quarter of the night's tokens to read$/);
  assert.match(why({ usd: 7.9 }) ?? '', /money$/);
  assert.equal(why({ usd: 8, tokensOut: 1 }), undefined);
});
