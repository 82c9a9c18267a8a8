import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Ending,
  endingInWords,
  nightEnds,
  type Progress,
  type RunLimits,
} from '../../src/domain/rules/stopping-rules.ts';
import { aBrief } from '../support/builders.ts';

const brief = aBrief({ target: 3, budget: { ...aBrief().budget, nightMs: 3_600_000 } });
const limits: RunLimits = { max: undefined, until: undefined, patience: undefined };
const began: Progress = { startedAt: 1_000, begun: 0, sinceKeep: 0, best: 10, reserveMs: 0 };

test('a night ends for one reason at a time, and goes on while there is none', () => {
  const cases: readonly [string, Partial<Progress>, Partial<RunLimits>, number, Ending | undefined][] = [
    ['nothing has happened yet', {}, {}, 1_000, undefined],
    ['the target is reached', { best: 3 }, {}, 1_000, 'target'],
    ['the target is passed', { best: 2 }, {}, 1_000, 'target'],
    ['just short of the target', { best: 3.0001 }, {}, 1_000, undefined],
    ['the last attempt of --max is still to come', { begun: 9 }, { max: 10 }, 1_000, undefined],
    ['--max attempts have begun', { begun: 10 }, { max: 10 }, 1_000, 'max'],
    ['one short of the patience of the brief', { sinceKeep: 24 }, {}, 1_000, undefined],
    ['the patience of the brief', { sinceKeep: 25 }, {}, 1_000, 'patience'],
    ['--patience counts instead of the brief', { sinceKeep: 25 }, { patience: 30 }, 1_000, undefined],
    ['--patience shorter than the brief', { sinceKeep: 2 }, { patience: 2 }, 1_000, 'patience'],
    ['before --until', {}, { until: 5_000 }, 4_999, undefined],
    ['at --until', {}, { until: 5_000 }, 5_000, 'until'],
    ['the night is nearly over', {}, {}, 3_600_999, undefined],
    ['the night is over', {}, {}, 3_601_000, 'night'],
    ['time is kept for the last pairs', { reserveMs: 600_000 }, {}, 3_001_000, 'night'],
    ['and no more than that', { reserveMs: 600_000 }, {}, 3_000_999, undefined],
    ['also before --until', { reserveMs: 1_000 }, { until: 5_000 }, 4_000, 'until'],
    ['a short night works for half of it', { reserveMs: 9e9 }, { until: 5_000 }, 2_999, undefined],
    ['and then has its last pairs', { reserveMs: 9e9 }, { until: 5_000 }, 3_000, 'until'],
    ['the good news first', { best: 1, begun: 10, sinceKeep: 99 }, { max: 10, until: 1 }, 9e9, 'target'],
  ];
  for (const [name, progress, given, now, expected] of cases)
    assert.equal(nightEnds({ ...began, ...progress }, brief, { ...limits, ...given }, now), expected, name);
});

test('a brief without a target is never done by its score', () => {
  assert.equal(nightEnds({ ...began, best: -1e300 }, { ...brief, target: undefined }, limits, 1_000), undefined);
});

test('a target is reached from below when more is better', () => {
  const upwards = { ...brief, direction: 'maximize' } as const;
  assert.equal(nightEnds({ ...began, best: 2.9 }, upwards, limits, 1_000), undefined);
  assert.equal(nightEnds({ ...began, best: 3.1 }, upwards, limits, 1_000), 'target');
});

test('a best that is worse than a person may bear ends the night', () => {
  const cases = [
    [{ ...brief, haltAt: 9 }, 'review'],
    [{ ...brief, haltAt: 10 }, undefined],
    [{ ...brief, direction: 'maximize', target: 20, haltAt: 11 }, 'review'],
    [{ ...brief, direction: 'maximize', target: 20, haltAt: 10 }, undefined],
  ] as const;
  for (const [given, expected] of cases) assert.equal(nightEnds(began, given, limits, 1_000), expected);
});

test('every ending is told in words', () => {
  const given = { max: 12, patience: 7, until: 0 };
  const words: Readonly<Record<Ending, string>> = {
    target: 'the target 3 was reached',
    patience: '7 experiments without progress',
    night: 'the night is over',
    until: 'the time given is over',
    max: '12 experiments were asked for',
    stopped: 'a person stopped it',
    interrupted: 'interrupted',
    terminated: 'terminated',
    'no-ideas': 'nobody has an idea left',
    refused: 'what is left needs a person',
    halted: 'no agent can go on, a person is needed',
    review: 'loss is above 9: the brief wants a person to look',
    capped: 'a cap on money or tokens was reached',
    touched: 'somebody has changed how git works in this repository',
  };
  for (const [ending, text] of Object.entries(words))
    assert.equal(endingInWords(ending as Ending, { ...brief, haltAt: 9 }, given), text);
});
