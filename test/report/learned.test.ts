import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Experiment } from '../../src/domain/words/experiment.ts';
import type { NightStory } from '../../src/report/facts/overview.ts';
import { learnedIn, lessonWords } from '../../src/report/pages/learned.ts';
import { anExperiment } from '../support/builders.ts';
import { longNight, night } from '../support/night-story.ts';

const wordsOf = (of: NightStory): readonly string[] =>
  learnedIn(of).map((lesson) => `${lesson.sign} ${lessonWords(lesson)}`);

const rows = (count: number, given: (n: number) => Partial<Experiment>): readonly Experiment[] =>
  Array.from({ length: count }, (_, index) => anExperiment({ n: index + 1, score: 5, best: 4, ...given(index + 1) }));

const quiet: NightStory = { ...night, holdout: undefined };

test('each lesson names the experiments it rests on', () => {
  assert.deepEqual(wordsOf(night), [
    '? sandbox/pack.mjs:12 gave 2 of 3 wins in 2 of 12 tries, which may be luck (#3 #11)',
    '- nothing won at sandbox/pack.mjs:30, 5 tries (#1 #4 #5 #10 #12)',
    '+ spec 0001 gave 3 of 3 wins in 3 of 12 tries (#3 #7 #11)',
    '- 1 gain came with a broken guard: lines is 90, the guard allows at most 80 (#10)',
    '- 2 of 12 tries gave no score, for one because: score printed no waste_pct (#2)',
    '- 1 of 12 tries offered nothing new (#6)',
  ]);
});

test('a night with nothing to learn teaches nothing', () => {
  assert.deepEqual(wordsOf({ ...quiet, experiments: [] }), []);
  assert.deepEqual(wordsOf({ ...quiet, experiments: rows(3, () => ({})) }), []);
});

test('a piece that was left out of a kept change is not counted as a try of its place', () => {
  const tried = rows(12, (n) => ({ title: `a.mjs:${n % 4} x`, event: n === 4 || n === 8 ? 'keep' : 'discard' }));
  const parts = rows(3, () => ({ title: 'a.mjs:0 x', event: 'keep', part: '1/2 of 4' }));
  const words = wordsOf({ ...quiet, experiments: [...tried, ...parts] });
  assert.equal(words[1], '? a.mjs:0 gave 2 of 2 wins in 3 of 12 tries, which may be luck (#4 #8)');
});

test('a place is praised only when luck is an unlikely reason', () => {
  const lucky = rows(12, (n) => ({ title: `a.mjs:${n % 4} x`, event: n === 4 || n === 8 ? 'keep' : 'discard' }));
  const sure = rows(60, (n) => ({ title: `a.mjs:${n % 6} x`, event: n % 6 === 1 ? 'keep' : 'discard' }));
  assert.equal(
    wordsOf({ ...quiet, experiments: lucky })[0],
    '? a.mjs:0 gave 2 of 2 wins in 3 of 12 tries, which may be luck (#4 #8)',
  );
  assert.equal(
    wordsOf({ ...quiet, experiments: sure })[0],
    '+ a.mjs:1 gave 10 of 10 wins in 10 of 60 tries (#1 #7 #13 #19 #25 #31 and 4 more)',
  );
});

test('the size of the steps is a lesson when it made the difference', () => {
  const steps = rows(60, (n) => ({
    title: `100 -> ${n % 2 === 0 ? 101 : 190}`,
    event: n % 6 === 0 ? 'keep' : 'discard',
  }));
  const even = rows(60, (n) => ({
    title: `100 -> ${n % 2 === 0 ? 101 : 190}`,
    event: n % 5 === 0 ? 'keep' : 'discard',
  }));
  assert.deepEqual(wordsOf({ ...quiet, experiments: steps }), [
    '+ small steps did better: 10 of 30 won up to 1 % of a number, 0 of 30 above (#6 #12 #18 #24 #30 #36 and 4 more)',
  ]);
  assert.deepEqual(wordsOf({ ...quiet, experiments: even }), []);
});

test('a gain that the held-out numbers do not share is said first', () => {
  assert.equal(
    wordsOf({ ...night, holdout: { from: 3.4, to: 3.6 } })[0],
    '? waste_pct got better but its held-out value did not (3.400 to 3.600): the gain may not carry over (#11)',
  );
});

test('crashes are counted with their usual reason, whatever figures it has in it', () => {
  const crashed = rows(5, (n) => ({
    event: 'crash',
    score: undefined,
    reason: n < 4 ? `exit code ${n}` : 'no metric',
  }));
  assert.deepEqual(wordsOf({ ...quiet, experiments: crashed }), [
    '- 5 of 5 tries gave no score, 3 of them because: exit code 1 (#1 #2 #3)',
  ]);
});

test('the same tree again is a repeat, and a long time without a gain is worth a line', () => {
  const again = rows(30, (n) => ({ tree: n > 28 ? 'same' : `tree ${n}`, event: n === 2 ? 'keep' : 'discard' }));
  assert.deepEqual(wordsOf({ ...quiet, experiments: again }), [
    '- 1 of 30 tries offered nothing new (#30)',
    '? the last win came 28 tries before the end (#2)',
  ]);
});

test('what was kept, merged or measured on is no repeat, also where its tree was there before', () => {
  const told = rows(6, (n) => ({
    tree: 'same',
    event: n === 1 || n === 2 ? 'keep' : n === 6 ? 'unchanged' : n === 5 ? 'inconclusive' : 'discard',
    merged: n === 2 || n === 3,
    continues: n === 4 || n === 5 ? 'c000001' : undefined,
  }));
  assert.deepEqual(wordsOf({ ...quiet, experiments: told }), ['- 1 of 4 tries offered nothing new (#6)']);
});

test('an experiment that changed two places in vain is named once', () => {
  const both = rows(6, (n) => ({
    event: n > 4 ? 'keep' : 'discard',
    title: n > 4 ? 'c.mjs:9 better' : 'a.mjs:1 and b.mjs:2 together',
  }));
  const barren = wordsOf({ ...quiet, experiments: both }).find((words) => words.includes('nothing won at'));
  assert.equal(barren, '- nothing won at a.mjs:1, 4 tries; b.mjs:2, 4 tries (#1 #2 #3 #4)');
});

test('there are at most six lessons, even in a long night, and text made to be slow is not', () => {
  const started = process.cpuUsage();
  assert.ok(learnedIn(longNight(3000)).length <= 6);
  const slow = rows(3000, () => ({ title: 'a.a.'.repeat(500), notes: '1'.repeat(5000), event: 'keep' }));
  learnedIn({ ...quiet, experiments: slow });
  assert.ok(process.cpuUsage(started).user < 3000_000);
});
