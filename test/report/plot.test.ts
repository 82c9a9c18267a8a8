import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NightStory } from '../../src/report/facts/overview.ts';
import { courseOf, formatPlot } from '../../src/report/pages/plot.ts';
import type { Look } from '../../src/terminal/look.ts';
import { anExperiment } from '../support/builders.ts';
import { ascii, assertAscii, assertFits, plain } from '../support/look.ts';
import { longNight, night, nightWith } from '../support/night-story.ts';

const plotOf = (of: NightStory, look: Look): string => {
  const course = courseOf(of);
  return course === undefined ? 'nothing to draw' : formatPlot(course, look).join('\n');
};

const climbing: NightStory = {
  ...night,
  direction: 'maximize',
  baseline: -1,
  holdout: undefined,
  ...nightWith([
    anExperiment({ n: 1, score: -1.3, best: -1 }),
    anExperiment({ n: 2, event: 'keep', score: -0.5, best: -1 }),
    anExperiment({ n: 3, event: 'keep', score: -0.2, best: -0.5 }),
    anExperiment({ n: 4, event: 'crash', best: -0.2 }),
  ]),
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
       ● taken   ─ best   · tried   × no score   ▴ above the scale, up to 40.200`,
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
        ● taken   ─ best   · tried   × no score   ▾ below t…`,
  );
});

test('without Unicode the plot is drawn with ASCII', () => {
  assertAscii(plotOf(night, ascii(60)));
  assert.equal(
    plotOf(climbing, ascii(60)),
    `-0.152 +                                @-----------
       |                                |
       |                                |
-0.488 +                      @---------+
       |                      |
-0.712 +                      |
       |                      |
       |                      |
-1.048 +@---------------------+
       +-------------------------------------------x 4 tries
        @ taken   - best   . tried   x no score   v below t~`,
  );
});

test('a night whose scores are all equal, even 0, is a level line', () => {
  const flat = {
    ...night,
    baseline: 0,
    ...nightWith([anExperiment({ n: 1, score: 0, best: 0 }), anExperiment({ n: 2, score: 0, best: 0 })]),
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
       ● taken   ─ best   · tried`,
  );
});

test('a night without a single score draws nothing, one with only a baseline draws that', () => {
  const crashed = [anExperiment({ n: 1, event: 'crash' }), anExperiment({ n: 2, event: 'timeout' })];
  assert.equal(
    plotOf({ ...night, baseline: undefined, holdout: undefined, ...nightWith([]) }, plain(80)),
    'nothing to draw',
  );
  assert.equal(
    plotOf({ ...night, baseline: undefined, holdout: undefined, ...nightWith(crashed) }, plain(80)),
    'nothing to draw',
  );
  assert.match(plotOf({ ...night, holdout: undefined, ...nightWith(crashed) }, plain(80)), /●──/);
});

test('the plot of three thousand experiments fits every terminal and takes no time', () => {
  const long = longNight(3000);
  const started = process.cpuUsage();
  for (const columns of [10, 30, 60, 80, 100, 300]) assertFits(plotOf(long, plain(columns)), columns);
  assert.ok(process.cpuUsage(started).user < 2000_000);
});

test('one absurd score does not squeeze the rest of the night into a line', () => {
  const course = courseOf({
    ...night,
    ...nightWith([...night.experiments, anExperiment({ n: 13, score: 1e9, best: 3.475 })]),
  });
  assert.ok(course !== undefined && course.range.high < 20);
});
