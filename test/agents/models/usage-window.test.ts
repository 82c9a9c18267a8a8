import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endOfWindow } from '../../../src/agents/models/usage-window.ts';

const now = Date.UTC(2026, 10, 19, 22, 49, 30);

test('the end of a usage window is read from what programs tell people, by the clock of UTC', () => {
  const cases: readonly (readonly [words: string, end: string | undefined])[] = [
    ['Claude AI usage limit reached|1795135685', '2026-11-20T00:48:05.000Z'],
    // The seconds are cut off, so the minute has to be over.
    ["You've hit your usage limit. Try again at 11:05 PM.", '2026-11-19T23:06:00.000Z'],
    [
      'You’ve hit your usage limit. Visit x to purchase more credits or try again at Nov 23rd, 2026 10:09 AM.',
      '2026-11-23T10:10:00.000Z',
    ],
    ["You've hit your 5-hour limit · resets 12:48am (UTC)", '2026-11-20T00:49:00.000Z'],
    ["You've hit your weekly limit · resets Nov 21, 3pm (UTC)", '2026-11-21T15:01:00.000Z'],
    ["You've hit your weekly limit · resets Jan 2, 12pm (UTC)", '2027-01-02T12:01:00.000Z'],
    ['5-hour limit reached ∙ resets 2am', '2026-11-20T02:01:00.000Z'],
    // Over while the program was ending: not tomorrow's.
    ['Try again at 10:48 PM.', '2026-11-19T22:49:00.000Z'],
    ['Your workspace is out of credits. Add credits to continue.', undefined],
    ['try again later', undefined],
    ['unexpected status 503 at 3 pm', undefined],
  ];
  for (const [words, end] of cases) {
    const found = endOfWindow(words, now);
    assert.equal(found === undefined ? undefined : new Date(found).toISOString(), end, words);
  }
});
