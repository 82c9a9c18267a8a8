import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  comparisonJson,
  comparisonVerdictWords,
  formatComparison,
  leastWords,
  pairWords,
} from '../../src/compare/compare-page.ts';
import {
  compareStarts,
  judgeDifferences,
  type PairedStart,
  type StartResult,
} from '../../src/compare/compare-verdict.ts';
import { plain } from '../support/look.ts';

test('a verdict in words says how sure it is, and "no difference" what could have been seen', () => {
  const words = (differences: readonly number[]): string =>
    comparisonVerdictWords(judgeDifferences(differences, 'minimize'), 'waste_pct');
  const twenty = (of: (index: number) => number): number[] => Array.from({ length: 20 }, (_, index) => of(index));
  assert.equal(
    words(twenty((index) => -0.14 + (index % 3) * 0.01)),
    'B is better: -0.131 waste_pct, 95 % interval [-0.134, -0.127], 20 paired starts.',
  );
  assert.match(words(twenty(() => 2)), /^B is worse: \+2 waste_pct, 95 % interval \[\+2, \+2\], 20 paired starts\.$/);
  assert.equal(
    words(twenty((index) => (index % 2 === 0 ? 0.4 : -0.4))),
    'No difference shown. 20 starts can only see gaps above 0.31.',
  );
  assert.equal(words(twenty(() => 0)), 'No difference shown. A and B scored the same in all 20 starts.');
  assert.equal(words([1]), 'No difference shown. 1 start cannot show any: it takes 7.');
});

const start: StartResult = {
  score: 4,
  tried: 10,
  kept: 2,
  claimed: 4,
  done: 3,
  seconds: 2.5,
  escalations: 0,
  spent: { usd: 0.5, known: 0.5, tokensIn: 100, tokensOut: 20, unpriced: 0, subscription: 0 },
};

test('the table has a row for everything, and what nobody knows is unknown', () => {
  const unpriced = { usd: undefined, known: 0.1, tokensIn: 100, tokensOut: 20, unpriced: 50, subscription: 0 };
  const pairs: PairedStart[] = Array.from({ length: 7 }, () => [start, { ...start, score: 3, spent: unpriced }]);
  const story = {
    a: 'program.md@HEAD~1',
    b: 'program.md\u001b[31m',
    metric: 'loss',
    direction: 'minimize' as const,
    seed: 1,
    max: 10,
    pairs,
    wanted: 7,
    comparison: compareStarts(pairs, 'minimize'),
    warnings: ['something'],
  };
  assert.equal(
    formatComparison(story, plain(100)),
    `              A program.md@HEAD~1  B program.md  B - A, 95 % interval
 best         4                    3             -1 [-1, -1]
 won          2                    2             0 [0, 0]
 tried        10                   10            0 [0, 0]
 specs done   75 %                 75 %          0 [0, 0]
 seconds      2.5                  2.5           0 [0, 0]
 escalations  0                    0             0 [0, 0]
 $            0.50                 unknown       unknown
 tokens       120                  120           0 [0, 0]
 $ / win      0.25                 unknown
note: something
B is better: -1 loss, 95 % interval [-1, -1], 7 paired starts. Only loss decides; the rest is described.
`,
  );
  const partial = { ...story, wanted: 20 };
  const words = 'Broken off after 7 of 20 pairs, so there is no verdict. Until then B was better in 7 and worse in 0.';
  const shown = formatComparison(partial, plain(100)).split('\n');
  assert.deepEqual([shown[1], shown.at(-2)], [' best         4                    3             -1 [-1, -1]', words]);
  const told = JSON.parse(JSON.stringify(comparisonJson(partial)));
  assert.deepEqual([told.verdict, told.words, told.starts, told.wanted], ['broken off', words, 7, 20]);
  const json = JSON.parse(JSON.stringify(comparisonJson(story)));
  assert.equal(json.schema, 'orgrepo/compare@1');
  assert.deepEqual(json.described[5], { name: 'usd', a: 0.5 });
  assert.deepEqual(json.pairs[0].b.spent, { tokens_in: 100, tokens_out: 20, usd_known: 0.1, unpriced_tokens: 50 });
});

test('a comparison says beforehand how long it takes at least, and after each pair how long it still takes', () => {
  assert.equal(
    leastWords(0.45, { runs: 20, max: 10, slots: 2 }),
    'one measurement takes 450 ms, so it takes at least 2 m 24 s',
  );
  const pair: PairedStart = [start, { ...start, score: 3 }];
  assert.equal(pairWords(pair, 2, 20, 'loss', 18_000), 'pair 2 of 20: loss A 4, B 3; about 5 m 24 s to go');
  assert.equal(pairWords(pair, 20, 20, 'loss', 18_000), 'pair 20 of 20: loss A 4, B 3');
});
