import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  calibrate,
  evidence,
  isConfirmed,
  learnFrom,
  meanGain,
  nextContestStep,
  spreadOf,
} from '../../src/domain/rules/contest.ts';
import { randomFrom } from '../../src/text/random.ts';

test('a metric that repeats itself has no noise, and one that does not has about as much as it shows', () => {
  assert.equal(spreadOf(calibrate([0, 0, 0])), 0);
  const random = randomFrom('calibrate');
  const spread = spreadOf(calibrate(Array.from({ length: 400 }, () => 5 * random.normal())));
  assert.equal(spread > 4.5 && spread < 5.5, true, `${spread}`);
});

test('one wild pair does not pass as noise', () => {
  const spread = spreadOf(calibrate([0.1, -0.2, 0.15, -0.1, 0.2, -0.15, 0.1, 900]));
  assert.equal(spread < 0.4, true, `${spread}`);
});

test('noise that shows only now and then is noise all the same', () => {
  assert.equal(spreadOf(calibrate([0, 0, 0, 0, 0, 0, 0, 0.8])) > 0, true);
});

test('contests teach how noisy the metric is, whatever their challengers are worth', () => {
  const random = randomFrom('learn');
  let noise = calibrate([0.3, -0.3, 0.2, -0.4, 0.3, -0.2, 0.4, -0.3]); // Far too quiet.
  for (let contest = 0; contest < 400; contest++) {
    noise = learnFrom(
      noise,
      [1, 2, 3].map(() => 10 + random.normal()),
    );
  }
  const spread = spreadOf(noise);
  assert.equal(spread > 0.8 && spread < 1.1, true, `${spread}`);
  assert.deepEqual(learnFrom(noise, [7]), noise, 'a single pair says nothing about noise');
});

test('the decisions, by example', () => {
  const cases: readonly [readonly number[], ReturnType<typeof nextContestStep>][] = [
    [[0.1], 'more'],
    [[-0.2], 'more'],
    [[-0.3], 'discard'],
    [[2.9], 'keep'],
    [[2.0, -2.9], 'discard'],
    [[1.0, 1.2], 'more'],
    [[1.4, 1.6, 1.5], 'keep'],
    [[0.3, 0.2, 0.1], 'discard'],
    [[0.6, 0.5, 0.7], 'more'],
    [[0.6, 0.5, 0.7, 0.6, 0.5, 0.7, 0.6, 0.5], 'inconclusive'],
  ];
  for (const [gains, expected] of cases) assert.equal(nextContestStep(gains, 1), expected, gains.join(' '));
  assert.equal(nextContestStep([0.6, 0.5], 1, 2), 'inconclusive', 'as many pairs as the brief allows');
});

test('decisions depend on the scale of nothing', () => {
  for (const scale of [1e-9, 1, 1e9]) {
    assert.equal(
      nextContestStep(
        [1.4, 1.6, 1.5].map((gain) => gain * scale),
        scale,
      ),
      'keep',
    );
    assert.equal(evidence([1.5 * scale, scale], scale).toFixed(6), evidence([1.5, 1], 1).toFixed(6));
  }
});

test('an outlier counts as three spreads and no more', () => {
  assert.equal(meanGain([1e6, 0], 1), 1.5);
  assert.equal(nextContestStep([1e6, -0.5], 1), nextContestStep([3, -0.5], 1));
});

test('a keep that fresh pairs contradict is not confirmed', () => {
  assert.equal(isConfirmed([1.5, 1.6, 1.4], [1.2, 1.3], 1), true);
  assert.equal(isConfirmed([1.5, 1.6, 1.4], [-0.5, -0.4], 1), false);
});

test('twenty thousand challengers that are no better: a keep is rarer than one in twenty', () => {
  const random = randomFrom('nothing to gain');
  let kept = 0;
  for (let challenger = 0; challenger < 20_000; challenger++) {
    const gains = [random.normal()];
    while (nextContestStep(gains, 1) === 'more') gains.push(random.normal());
    if (nextContestStep(gains, 1) === 'keep' && isConfirmed(gains, [random.normal(), random.normal()], 1)) kept += 1;
  }
  assert.equal(kept / 20_000 < 0.05, true, `${kept} of 20,000`);
  assert.equal(kept > 0, true, 'and the test can see one');
});

test('a challenger with a noise of its own does not win by it, and wins all the same when it is far enough ahead', () => {
  const random = randomFrom('wild');
  let kept = 0;
  for (let challenger = 0; challenger < 4_000; challenger++) {
    const gains = [60 * random.normal()];
    while (nextContestStep(gains, 1) === 'more') gains.push(60 * random.normal());
    const fresh = [60 * random.normal(), 60 * random.normal()];
    if (nextContestStep(gains, 1) === 'keep' && isConfirmed(gains, fresh, 1)) kept += 1;
  }
  assert.equal(kept / 4_000 < 0.02, true, `${kept} of 4,000`);
  assert.equal(nextContestStep([40, 90], 1), 'more', 'two say next to nothing about a noise that nobody knows');
  assert.equal(nextContestStep([40, 90, 70, 55, 80], 1), 'keep');
  assert.equal(nextContestStep([38, 44, 41], 1), 'keep', 'so far ahead that three are enough');
});
