import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NightStory } from '../../src/domain/overview.ts';
import { courseOf } from '../../src/views/course.ts';
import type { Look } from '../../src/views/look.ts';
import { formatPlot } from '../../src/views/plot.ts';
import { ascii, assertAscii, assertFits, plain } from './look.ts';
import { experiment, longNight, night } from './night.ts';

const plotOf = (of: NightStory, look: Look): string => {
  const course = courseOf(of);
  return course === undefined ? 'nothing to draw' : formatPlot(course, look).join('\n');
};

const climbing: NightStory = {
  ...night,
  direction: 'maximize',
  baseline: -1,
  holdout: undefined,
  experiments: [
    experiment(1, { score: -1.3, best: -1 }),
    experiment(2, { event: 'keep', score: -0.5, best: -1 }),
    experiment(3, { event: 'keep', score: -0.2, best: -0.5 }),
    experiment(4, { event: 'crash', best: -0.2 }),
  ],
};

test('the plot gives its room to where the night was won, and says what lies outside', () => {
  assert.equal(
    plotOf(night, plain(80)),
    `4.089 ┤▴───────────────╮    ▴    ▴
      │                │
      │                │
3.846 ┤                ●────────────────────╮
      │                                     │
3.683 ┤                                     ●────────────────────╮
      │                                                     ·    │
      │                                                          │
3.439 ┤                                                          ●─────
      └───────────×────────────────────×─────────×────×──────────────── 12 tries
       ● kept   ─ best   · tried   × no score   ▴ above the scale, up to 40.200`,
  );
});

test('a score that should rise is drawn rising', () => {
  assert.equal(
    plotOf(climbing, plain(60)),
    `-0.152 ┤                                ●───────────
       │                                │
       │                                │
-0.488 ┤                      ●─────────╯
       │                      │
-0.712 ┤                      │
       │                      │
       │                      │
-1.048 ┤●─────────────────────╯
       └───────────────────────────────────────────× 4 tries
        ● kept   ─ best   · tried   × no score   ▾ below th…`,
  );
});

test('without Unicode the plot is drawn with ASCII', () => {
  assertAscii(plotOf(night, ascii(60)));
  assert.equal(
    plotOf(climbing, ascii(60)),
    `-0.152 +                                *-----------
       |                                |
       |                                |
-0.488 +                      *---------+
       |                      |
-0.712 +                      |
       |                      |
       |                      |
-1.048 +*---------------------+
       +-------------------------------------------x 4 tries
        * kept   - best   . tried   x no score   v below th~`,
  );
});

test('a night whose scores are all equal, even 0, is a level line', () => {
  const flat = {
    ...night,
    baseline: 0,
    experiments: [experiment(1, { score: 0, best: 0 }), experiment(2, { score: 0, best: 0 })],
  };
  assert.equal(
    plotOf(flat, plain(50)),
    ` 1.00 ┤
      │
      │
 0.25 ┤
      │●──────────────────────────────────
-0.25 ┤
      │
      │
-1.00 ┤
      └─────────────────────────────────── 2 tries
       ● kept   ─ best   · tried`,
  );
});

test('a night without a single score draws nothing, one with only a baseline draws that', () => {
  const crashed = [experiment(1, { event: 'crash' }), experiment(2, { event: 'timeout' })];
  assert.equal(
    plotOf({ ...night, baseline: undefined, holdout: undefined, experiments: [] }, plain(80)),
    'nothing to draw',
  );
  assert.equal(
    plotOf({ ...night, baseline: undefined, holdout: undefined, experiments: crashed }, plain(80)),
    'nothing to draw',
  );
  assert.match(plotOf({ ...night, holdout: undefined, experiments: crashed }, plain(80)), /●──/);
});

test('the plot of three thousand experiments fits every terminal and takes no time', () => {
  const long = longNight(3000);
  const started = performance.now();
  for (const columns of [10, 30, 60, 80, 100, 300]) assertFits(plotOf(long, plain(columns)), columns);
  assert.ok(performance.now() - started < 2000);
});

test('one absurd score does not squeeze the rest of the night into a line', () => {
  const course = courseOf({
    ...night,
    experiments: [...night.experiments, experiment(13, { score: 1e9, best: 3.475 })],
  });
  assert.ok(course !== undefined && course.range.high < 20);
});
