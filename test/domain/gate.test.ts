import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectionsTo } from '../../src/domain/rules/spec-words.ts';
import type { Draft } from '../../src/domain/words/spec.ts';

const whole = `Hypothesis: small gaps are wasted.
Prediction: waste_pct falls by 0.4.
Control: the best as it is.
Held fixed: the order of the items.
Wrong if: waste_pct does not fall.`;

const draft = (title: string, body: string): Draft => ({ title, by: 'chief', attempts: undefined, body });

test('a spec that says all five things passes, however it writes them', () => {
  assert.deepEqual(objectionsTo(draft('leave less room', whole), []), []);
  const headings = `## Hypothesis\n\nSmall gaps are wasted.\n\n## Predicted effect\nminus 0.4\n\n**Control:** best\n\n- **Held fixed**: the order\n\n1. Wrong if - it does not fall`;
  assert.deepEqual(objectionsTo(draft('leave less room', headings), []), []);
});

test('each of the five is missed by its name', () => {
  for (const name of ['Hypothesis', 'Prediction', 'Control', 'Held fixed', 'Wrong if']) {
    const without = whole
      .split('\n')
      .filter((line) => !line.startsWith(name))
      .join('\n');
    const [objection, ...more] = objectionsTo(draft('leave less room', without), []);
    assert.match(objection ?? '', new RegExp(`no "${name}:"`));
    assert.deepEqual(more, []);
    const empty = whole.replace(new RegExp(`^${name}:.*$`, 'm'), `${name}: …`);
    assert.match(objectionsTo(draft('leave less room', empty), [])[0] ?? '', new RegExp(`no "${name}:"`));
  }
});

test('a prediction is a number', () => {
  const vague = whole.replace('falls by 0.4', 'gets much better');
  assert.deepEqual(objectionsTo(draft('leave less room', vague), []), ['its prediction has no number']);
});

test('what was on the queue before is not put there again in other letters', () => {
  const earlier = { ...draft('Leave less room', whole), id: '0007' };
  const same = draft('leave  LESS room!', whole.replace('gaps', 'holes'));
  assert.deepEqual(objectionsTo(same, [earlier]), ['it repeats 0007 "Leave less room"']);
  assert.deepEqual(objectionsTo(draft('another title', whole), [earlier]), ['it repeats 0007 "Leave less room"']);
  const other = draft('another title', whole.replace('0.4', '0.5'));
  assert.deepEqual(objectionsTo(other, [earlier]), []);
});

test('a night of thousands of specs and pages of blank lines are read in no time', () => {
  const earlier = Array.from({ length: 5_000 }, (_, at) => draft(`idea ${at}`, whole.replace('0.4', `0.${at + 10}`)));
  const blank = draft('leave less room', `Hypothesis:${'\n'.repeat(60_000)}`);
  const began = process.cpuUsage();
  for (const one of earlier.slice(-200)) assert.equal(objectionsTo({ ...one }, earlier).length, 1);
  assert.equal(objectionsTo(blank, []).length, 5);
  const { user } = process.cpuUsage(began); // Read anew each time they took more than a minute.
  assert.ok(user < 6_000_000, `${user / 1000} ms`);
});
