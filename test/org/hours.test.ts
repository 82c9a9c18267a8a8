import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOpen, nextOpening, openingFor } from '../../src/domain/rules/stopping-rules.ts';
import type { WorkingHours } from '../../src/domain/staff/charter.ts';

const at = (iso: string): number => new Date(iso).getTime() / 1000;
const iso = (seconds: number | undefined): string | undefined =>
  seconds === undefined ? undefined : new Date(seconds * 1000).toISOString().slice(0, 16);

function hours(text: string, zone = 'UTC', criticalAnyway = true): WorkingHours {
  const [from = 0, to = 0] = text.split('-').map((clock) => {
    const [hour = 0, minute = 0] = clock.split(':').map(Number);
    return hour * 60 + minute;
  });
  return { from, to, zone, criticalAnyway, origin: 'ORG.md:90' };
}

test('hours are open from their first minute to the one before the last, on the clock of their zone', () => {
  const cases: readonly (readonly [string, string, string, boolean])[] = [
    ['08:00-22:00', 'UTC', '2026-01-15T08:00:00Z', true],
    ['08:00-22:00', 'UTC', '2026-01-15T07:59:59Z', false],
    ['08:00-22:00', 'UTC', '2026-01-15T21:59:59Z', true],
    ['08:00-22:00', 'UTC', '2026-01-15T22:00:00Z', false],
    ['08:00-22:00', 'Europe/Vienna', '2026-01-15T07:00:00Z', true],
    ['08:00-22:00', 'Europe/Vienna', '2026-07-15T06:00:00Z', true],
    ['08:00-22:00', 'Asia/Kolkata', '2026-01-15T02:30:00Z', true],
    ['08:00-22:00', 'Asia/Kolkata', '2026-01-15T02:29:00Z', false],
    ['22:00-06:00', 'UTC', '2026-01-15T23:00:00Z', true],
    ['22:00-06:00', 'UTC', '2026-01-15T05:59:00Z', true],
    ['22:00-06:00', 'UTC', '2026-01-15T06:00:00Z', false],
    ['22:00-06:00', 'UTC', '2026-01-15T12:00:00Z', false],
    ['00:00-24:00', 'UTC', '2026-01-15T00:00:00Z', true],
    ['00:00-24:00', 'UTC', '2026-01-15T23:59:59Z', true],
    ['09:00-09:00', 'UTC', '2026-01-15T03:00:00Z', true],
  ];
  for (const [text, zone, instant, open] of cases)
    assert.equal(isOpen(hours(text, zone), at(instant)), open, `${text} ${zone} ${instant}`);
});

test('the next opening is found across midnight and across changes of the clock', () => {
  const cases: readonly (readonly [string, string, string, string])[] = [
    ['08:00-22:00', 'UTC', '2026-01-15T22:00:00Z', '2026-01-16T08:00'],
    ['08:00-22:00', 'UTC', '2026-01-15T07:59:30Z', '2026-01-15T08:00'],
    ['22:00-06:00', 'UTC', '2026-01-15T06:00:00Z', '2026-01-15T22:00'],
    ['08:00-22:00', 'Europe/Vienna', '2026-01-15T21:30:00Z', '2026-01-16T07:00'],
    ['08:00-22:00', 'Europe/Vienna', '2026-03-28T22:00:00Z', '2026-03-29T06:00'], // The night that has an hour less.
    ['08:00-22:00', 'Europe/Vienna', '2026-10-24T21:00:00Z', '2026-10-25T07:00'], // And the one that has an hour more.
    ['02:30-05:00', 'Europe/Vienna', '2026-03-29T00:00:00Z', '2026-03-29T01:00'], // 02:30 never comes: at 03:00 it is open.
    ['02:10-02:40', 'Europe/Vienna', '2026-03-29T00:00:00Z', '2026-03-30T00:10'], // Left out altogether on that day.
  ];
  for (const [text, zone, instant, expected] of cases)
    assert.equal(iso(nextOpening(hours(text, zone), at(instant))), expected, `${text} ${zone} ${instant}`);
});

test('outside of the hours only critical work begins, where the org says so', () => {
  const night = at('2026-01-15T23:00:00Z');
  const closed = {
    ...{ kind: 'closed', opensAt: at('2026-01-16T08:00:00Z') },
    reason: 'outside of the working hours 08:00-22:00 UTC (ORG.md:90)',
  };
  assert.deepEqual(openingFor(hours('08:00-22:00'), night, 'high'), closed);
  assert.deepEqual(openingFor(hours('08:00-22:00'), night, 'critical'), { kind: 'open' });
  assert.deepEqual(openingFor(hours('08:00-22:00', 'UTC', false), night, 'critical'), closed);
  assert.deepEqual(openingFor(hours('08:00-22:00'), at('2026-01-15T12:00:00Z'), 'low'), { kind: 'open' });
  assert.deepEqual(openingFor(undefined, night, 'low'), { kind: 'open' });
});

test('zones are those that this machine knows', () => {
  for (const zone of ['UTC', 'Europe/Vienna', 'America/St_Johns'])
    assert.equal(isOpen(hours('00:00-24:00', zone), 0), true, zone);
  for (const zone of ['', 'Europe/Atlantis', 'org timezone', '../../etc'])
    assert.throws(() => isOpen(hours('00:00-24:00', zone), 0), RangeError, zone);
});
