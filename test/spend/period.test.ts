import assert from 'node:assert/strict';
import { test } from 'node:test';
import { elapsedOf, isIn, spanAt, spanInWords } from '../../src/domain/words/spent.ts';

const at = (iso: string): number => new Date(iso).getTime() / 1000;

test('an instant is in one day, one week from Monday on, and one month', () => {
  const cases = [
    ['day', '2026-11-16T00:00:00Z', '2026-11-16', '2026-11-16'],
    ['day', '2026-11-16T23:59:59Z', '2026-11-16', '2026-11-16'],
    ['week', '2026-11-16T00:00:00Z', '2026-11-16', '2026-11-22'],
    ['week', '2026-11-22T23:59:59Z', '2026-11-16', '2026-11-22'],
    ['week', '2026-01-01T00:00:00Z', '2025-12-29', '2026-01-04'],
    ['week', '1970-01-01T00:00:00Z', '1969-12-29', '1970-01-04'],
    ['month', '2026-11-30T12:00:00Z', '2026-11-01', '2026-11-30'],
    ['month', '2028-02-29T00:00:00Z', '2028-02-01', '2028-02-29'],
    ['month', '2100-02-10T00:00:00Z', '2100-02-01', '2100-02-28'],
    ['month', '2026-12-31T23:59:59Z', '2026-12-01', '2026-12-31'],
  ] as const;
  for (const [period, instant, firstDay, lastDay] of cases) {
    const span = spanAt(period, at(instant));
    assert.deepEqual([span.firstDay, span.lastDay], [firstDay, lastDay], `${period} ${instant}`);
    assert.equal(span.from, at(`${firstDay}T00:00:00Z`));
    assert.equal(span.until, at(`${lastDay}T00:00:00Z`) + 86_400);
  }
});

test('days agree with the calendar of the machine for four hundred years', () => {
  for (let day = -10_000; day < 136_000; day += 1) {
    assert.equal(spanAt('day', day * 86_400 + 5).firstDay, new Date(day * 86_400_000).toISOString().slice(0, 10));
  }
});

test('a span knows which days are in it, how much of it is over, and its name', () => {
  const span = spanAt('week', at('2026-11-18T12:00:00Z'));
  assert.deepEqual(
    ['2026-11-15', '2026-11-16', '2026-11-22', '2026-11-23'].map((day) => isIn(span, day)),
    [false, true, true, false],
  );
  assert.equal(elapsedOf(span, at('2026-11-19T12:00:00Z')), 0.5);
  assert.equal(elapsedOf(span, at('2027-01-01T00:00:00Z')), 1);
  assert.equal(spanInWords(span), 'the week of 2026-11-16');
  assert.equal(spanInWords(spanAt('month', span.from)), 'the month 2026-11');
  assert.equal(spanInWords(spanAt('day', span.from)), 'the day 2026-11-16');
});
