import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeDuration, formatDuration, parseDuration } from '../../src/text/quantity.ts';

test('a time is read with its units, and nothing else is a time', () => {
  const cases: Readonly<Record<string, number | undefined>> = {
    '5s': 5_000,
    '10m': 600_000,
    '8h': 28_800_000,
    '1h30m': 5_400_000,
    '1h 30m': 5_400_000,
    '250ms': 250,
    '1.5h': 5_400_000,
    '2d': 172_800_000,
    '1d2h3m4s5ms': 93_784_005,
    '0s': 0,
    '0.1s': 100,
    '90': undefined,
    '': undefined,
    s: undefined,
    '5 s': undefined,
    '-5s': undefined,
    '+5s': undefined,
    '5S': undefined,
    '30m1h': undefined,
    '1m1m': undefined,
    '5sx': undefined,
    x5s: undefined,
    '5s ': undefined,
    ' 5s': undefined,
    '1e3s': undefined,
    '.5s': undefined,
    '99999999999999999999d': undefined,
  };
  for (const [text, ms] of Object.entries(cases)) assert.equal(parseDuration(text), ms, text);
});

test('a time that is written is read back exactly', () => {
  for (const ms of [0, 1, 250, 999, 1_000, 1_001, 60_000, 61_001, 3_600_000, 5_400_000, 86_400_000, 2_592_000_000]) {
    assert.equal(parseDuration(formatDuration(ms)), ms);
  }
  assert.deepEqual([5_000, 5_400_000, 86_400_000, 0].map(formatDuration), ['5s', '1h30m', '24h', '0s']);
});

test('people are told two figures at most', () => {
  const cases: readonly (readonly [number, string])[] = [
    [0, '0 ms'],
    [250, '250 ms'],
    [999.6, '1.0 s'],
    [4_100, '4.1 s'],
    [59_949, '59.9 s'],
    [59_951, '1 m 0 s'],
    [725_000, '12 m 5 s'],
    [3_599_600, '1 h 0 m'],
    [27_060_000, '7 h 31 m'],
    [90_000_000, '25 h 0 m'],
  ];
  for (const [ms, text] of cases) assert.equal(describeDuration(ms), text);
});
