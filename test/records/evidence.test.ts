import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatGain,
  formatList,
  formatNoise,
  type Gain,
  parseGain,
  parseList,
  parseNoise,
} from '../../src/domain/words/score.ts';

test('numbers read back as the very same numbers', () => {
  const values = [0.1 + 0.2, 1 / 3, -5e-324, 1.7976931348623157e308, 0, 12];
  assert.deepEqual(parseList(formatList(values)), values);
  assert.equal(formatList([]), undefined);
  for (const text of [undefined, '', '1,', 'x', '1,,2', 'NaN', '1,Infinity'])
    assert.deepEqual(parseList(text), [], text);
});

test('noise reads back as it was, and no noise is none', () => {
  const noise = { squares: 0.1 + 0.2, count: 11 };
  assert.deepEqual(parseNoise(formatNoise(noise)), noise);
  assert.equal(formatNoise(undefined), '0/3');
  for (const text of [undefined, '', '0/3', '1', '1/0', '-1/8', 'x/8', 'Infinity/8'])
    assert.equal(parseNoise(text), undefined, text);
});

test('what a night was worth reads back as it was', () => {
  const gain: Gain = {
    pairs: [
      [9.1, 10],
      [-1e-7, 1e21],
    ],
    mean: 1 / 3,
    low: -0.1,
    high: 2e-9,
  };
  const written = formatGain(gain);
  assert.deepEqual(written, { Pairs: '9.1/10,-1e-7/1e+21', Gain: '0.3333333333333333', Interval: '-0.1..2e-9' });
  assert.deepEqual(
    parseGain((key) => written[key]),
    gain,
  );
  assert.equal(
    parseGain(() => undefined),
    undefined,
  );
  assert.equal(
    parseGain((key) => (key === 'Pairs' ? '1/2/3' : written[key])),
    undefined,
  );
});
