import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Evidence, Outcome, Verdict } from '../../src/domain/words/experiment.ts';
import type { Numbers } from '../../src/domain/words/score.ts';
import { judge, judgeFailure, judgeRecorded, type Rules } from '../../src/score/judge/verdict.ts';
import { randomFrom } from '../../src/text/random.ts';

const rules: Rules = { metric: 'loss', direction: 'minimize', minEffect: 0, guards: [], samples: { min: 1, max: 8 } };
const rival = { score: 10, numbers: {}, baseline: {} };

/** What a deterministic metric gives: the same again and again. */
const exact = (score: number, numbers: Numbers = {}, ...more: number[]): Evidence => ({
  seeds: [1, 2, 3, 4],
  samples: [score, ...(more.length === 0 ? [score, score, score] : more)],
  against: [],
  noise: undefined,
  carried: 0,
  numbers,
});

/** Pairs with a spread of 1; the champion scores 10 in each. */
const pairs = (gains: readonly number[], carried = 0): Evidence => ({
  seeds: gains.map((_, at) => at),
  samples: gains.map((gain) => 10 - gain),
  against: gains.map(() => 10),
  noise: { squares: 8, count: 8 },
  carried,
  numbers: {},
});

test('a candidate is kept only for being better, in the direction that the brief asks for', () => {
  const cases: readonly [string, number, 'minimize' | 'maximize', Verdict][] = [
    ['lower', 9, 'minimize', { event: 'keep', reason: 'loss 9 against 10: better by 1' }],
    ['the same', 10, 'minimize', { event: 'discard', reason: 'loss 10 against 10: no change' }],
    ['higher', 11, 'minimize', { event: 'discard', reason: 'loss 11 against 10: worse' }],
    ['higher', 11, 'maximize', { event: 'keep', reason: 'loss 11 against 10: better by 1' }],
    ['lower', 9, 'maximize', { event: 'discard', reason: 'loss 9 against 10: worse' }],
    ['below zero', -1, 'minimize', { event: 'keep', reason: 'loss -1 against 10: better by 11' }],
  ];
  for (const [name, score, direction, expected] of cases)
    assert.deepEqual(judge(exact(score), rival, { ...rules, direction }), expected, `${name}, ${direction}`);
});

test('a deterministic metric needs one measurement to discard and three more to keep', () => {
  const once = (score: number): Evidence => ({ ...exact(score), samples: [score], seeds: [1] });
  assert.equal(judge(once(11), rival, rules)?.event, 'discard');
  assert.equal(judge(once(9), rival, rules), undefined);
  assert.equal(judge(exact(9, {}, 9, 9), rival, rules), undefined);
  assert.equal(judge(exact(9, {}, 9), rival, { ...rules, samples: { min: 1, max: 1 } })?.event, 'keep', 'two at least');
  assert.equal(
    judge(once(11), rival, { ...rules, samples: { min: 2, max: 8 } }),
    undefined,
    'as many as the brief asks',
  );
});

test('a candidate that draws lots of its own is not kept for a lucky one', () => {
  assert.deepEqual(judge(exact(2, {}, 9), rival, rules), {
    event: 'inconclusive',
    reason: 'loss 5.5 against 10, but it does not repeat itself (2, 9) while the metric does: its scores are chance',
  });
  assert.equal(judge(exact(2, {}, 30), rival, rules)?.event, 'discard');
});

test('a gain that is not above min_effect is discarded, and the reason names both', () => {
  const asked = { ...rules, minEffect: 0.5 };
  assert.deepEqual(judge(exact(9.5), rival, asked), {
    event: 'discard',
    reason: 'loss 9.5 against 10: better by 0.5, not by more than min_effect 0.5',
  });
  assert.equal(judge(exact(9.49), rival, asked)?.event, 'keep');
});

test('a reason shows no floating-point dust', () => {
  assert.equal(judge(exact(0.1), { ...rival, score: 0.3 }, rules)?.reason, 'loss 0.1 against 0.3: better by 0.2');
});

test('a win that breaks a guard is confounded, and a loss that breaks one is simply worse', () => {
  const guarded = { ...rules, guards: [{ name: 'lines', strict: false, kind: '+', amount: 2 }] } as const;
  const against = { ...rival, baseline: { lines: 5 }, numbers: { lines: 7 } };
  assert.deepEqual(judge(exact(9, { lines: 8 }), against, guarded), {
    event: 'confounded',
    reason: 'loss 9 against 10, but lines is 8, the guard allows at most 7',
  });
  assert.equal(judge(exact(9, { lines: 7 }), against, guarded)?.event, 'keep');
  assert.equal(judge(exact(11, { lines: 8 }), against, guarded)?.event, 'discard');
  const ofBest = { ...rules, guards: [{ ...guarded.guards[0], of: 'best' }] } as const;
  assert.equal(judge(exact(9, { lines: 9 }), against, ofBest)?.event, 'keep', 'two more than what it was built on');
  assert.equal(judge(exact(9, { lines: 10 }), against, ofBest)?.event, 'confounded');
});

test('what gave no score gets a verdict of its own, whatever best is', () => {
  const cases: readonly [Exclude<Outcome, { kind: 'scored' }>, Verdict][] = [
    [
      { kind: 'crashed', reason: 'score ended with 1', output: 'noise' },
      { event: 'crash', reason: 'score ended with 1' },
    ],
    [
      { kind: 'timed-out', afterMs: 5_040, output: '' },
      { event: 'timeout', reason: 'not done after 5.0 s' },
    ],
    [
      { kind: 'void', reason: 'the machine slept' },
      { event: 'void', reason: 'the machine slept' },
    ],
  ];
  for (const [outcome, expected] of cases) assert.deepEqual(judgeFailure(outcome), expected);
});

test('a noisy metric is judged by pairs: more of them, a win that fresh ones confirm, a loss, or none of it', () => {
  const said = (gain: string, n: number, score: string, words: string): string =>
    `loss ${score} against 10 in ${n} pairs with a noise of 1: ${words}${gain}`;
  const cases: readonly [string, readonly number[], Verdict | undefined][] = [
    ['nothing measured yet', [], undefined],
    ['one pair says too little', [1], undefined],
    ['a clear loss', [-1], { event: 'discard', reason: said('', 1, '11', 'worse') }],
    ['no gain after three', [0.2, 0.1, 0.3], { event: 'discard', reason: said('', 3, '9.8', 'no gain') }],
    ['a win that is not confirmed yet', [1.5, 1.5, 1.5], undefined],
    ['half confirmed', [1.5, 1.5, 1.5, 1], undefined],
    ['confirmed', [1.5, 1.5, 1.5, 1, 1], { event: 'keep', reason: said('1.3', 5, '8.7', 'better by ') }],
    [
      'contradicted',
      [1.5, 1.5, 1.5, 0, -2],
      { event: 'inconclusive', reason: said('', 5, '9.5', 'fresh pairs did not confirm the gain') },
    ],
    ['turned around', [1.5, 1.5, 1.5, -2, -3], { event: 'discard', reason: said('', 5, '10.1', 'worse') }],
    [
      'better by the plain means, and only because of one wild pair',
      [9, -2, -3],
      {
        event: 'discard',
        reason:
          'loss 8.66667 against 10 in 3 pairs with a noise of 1, where no pair counts for more than 3 times that: worse',
      },
    ],
    [
      'no gain, for the same reason',
      [0, 0.1, 9, -2.5],
      {
        event: 'discard',
        reason:
          'loss 8.35 against 10 in 4 pairs with a noise of 1, where no pair counts for more than 3 times that: no gain',
      },
    ],
    [
      'as many as the brief allows',
      [0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6],
      { event: 'inconclusive', reason: said('', 8, '9.4', 'too close to call') },
    ],
  ];
  for (const [name, gains, expected] of cases) assert.deepEqual(judge(pairs(gains), rival, rules), expected, name);
});

test('the samples of the brief bound the pairs that decide', () => {
  const few = { ...rules, samples: { min: 1, max: 2 } };
  assert.equal(judge(pairs([0.6, 0.6]), rival, few)?.event, 'inconclusive');
  const many = { ...rules, samples: { min: 4, max: 8 } };
  assert.equal(judge(pairs([-1, -1, -1]), rival, many), undefined, 'not before the fewest, however clear it is');
  assert.equal(judge(pairs([-1, -1, -1, -1]), rival, many)?.event, 'discard');
});

test('an inconclusive contest may be gone on with once, up to twice the samples, and is looked at from then on', () => {
  const close = [0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6];
  assert.equal(judge(pairs(close, 8), rival, rules), undefined, 'nothing new yet');
  assert.equal(judge(pairs([...close, 0.6], 8), rival, rules), undefined);
  assert.equal(judge(pairs([...close, 2.5, 2.5, 1, 1], 8), rival, rules)?.event, 'keep');
  const rest = Array.from({ length: 8 }, () => 0.3);
  assert.equal(judge(pairs([...close, ...rest], 8), rival, rules)?.event, 'inconclusive');
});

test('a gain that is real but small is not worth keeping either way', () => {
  const gains = [1.5, 1.5, 1.5, 1, 1];
  assert.equal(judge(pairs(gains), rival, { ...rules, minEffect: 1.4 })?.event, 'discard');
  assert.equal(judge(pairs(gains), rival, { ...rules, minEffect: 1.2 })?.event, 'keep');
});

test('a verdict computed from what was recorded is the verdict that was given, to the letter', () => {
  const random = randomFrom('recorded');
  for (let contest = 0; contest < 500; contest++) {
    const effect = random.next() < 0.3 ? 1 : 0;
    let evidence: Evidence = { ...pairs([]), noise: { squares: 7 + random.next(), count: 8 } };
    let verdict = judge(evidence, rival, rules);
    while (verdict === undefined) {
      const against = 10 + random.normal();
      const samples = [...evidence.samples, against - effect + random.normal()];
      evidence = { ...evidence, samples, against: [...evidence.against, against] };
      verdict = judge(evidence, rival, rules);
    }
    const read = JSON.parse(JSON.stringify(evidence)) as Evidence;
    assert.deepEqual(judgeRecorded({ ...read, best: 3 }, rules, rival), verdict);
  }
  assert.equal(judgeRecorded({ ...pairs([]), best: undefined }, rules, rival), undefined, 'nothing was measured');
});

test('a win that only its own noise puts in doubt gets the pairs that are left', () => {
  const wild = [22, 18, 27];
  assert.equal(judge(pairs(wild), rival, rules), undefined, 'three say too little');
  assert.equal(judge(pairs([...wild, 21, 24, 19]), rival, rules)?.event, 'keep');
  const lucky = [30, 2, 1, 0.5, 28, -20, 9, -3, 1, 2];
  assert.notEqual(judge(pairs(lucky), rival, rules)?.event, 'keep');
});

test('what would win is confounded when its tests failed, and nothing else is', () => {
  const cases: readonly [Evidence, Verdict][] = [
    [exact(9), { event: 'keep', reason: 'loss 9 against 10: better by 1' }],
    [
      { ...exact(9), tests: 'passed' },
      { event: 'keep', reason: 'loss 9 against 10: better by 1' },
    ],
    [
      { ...exact(9), tests: 'ended with 1: FAIL' },
      {
        event: 'confounded',
        reason: 'loss 9 against 10: better by 1, but the tests do not pass: ended with 1: FAIL',
      },
    ],
    [
      { ...exact(11), tests: 'ended with 1' },
      { event: 'discard', reason: 'loss 11 against 10: worse' },
    ],
  ];
  for (const [evidence, expected] of cases) {
    assert.deepEqual(judge(evidence, rival, rules), expected);
    assert.deepEqual(judgeRecorded({ ...evidence, best: 10 }, rules, rival), expected);
  }
  const simpler = judge({ ...exact(10), tests: 'ended with 1' }, rival, rules, 'simpler');
  assert.equal(simpler?.event, 'confounded');
});
