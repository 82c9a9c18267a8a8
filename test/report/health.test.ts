import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SpecTask } from '../../src/domain/staff/trust.ts';
import type { VerdictEvent } from '../../src/domain/words/experiment.ts';
import { bandOf, type ComponentName, type HealthFacts, healthOf, parts } from '../../src/report/advice/health-score.ts';
import { taskOf, tried } from '../support/tasks.ts';

const cycleSeconds = 900;

/** So many finished tasks, one after the other, each of `seconds`, the first attempt over after `first`. */
const tasks = (
  count: number,
  of: (index: number) => Partial<SpecTask> & { readonly events?: readonly VerdictEvent[] } = () => ({}),
) =>
  Array.from({ length: count }, (_, index) => {
    const { events = ['keep'], ...more } = of(index);
    const claimedAt = index * 2000;
    const experiments = events.map((event) => tried('a', event, { at: claimedAt + 450 }));
    return { ...taskOf('a', []), spec: `${1000 + index}`, claimedAt, endedAt: claimedAt + 1000, experiments, ...more };
  });

const facts = (more: Partial<HealthFacts>): HealthFacts => ({
  ...{ tasks: [], shifts: [], cycleSeconds, budget: undefined, now: 100_000 },
  ...more,
});

const part = (name: ComponentName, more: Partial<HealthFacts>) => {
  const found = healthOf(facts(more)).components.find((one) => one.name === name);
  return [found?.score === undefined ? undefined : Math.round(found.score), found?.words];
};

test('ack latency: from the claim to the first sign of life, in cycles', () => {
  const after = (cycles: number) => tasks(5, (index) => ({ ackedAt: index * 2000 + cycles * cycleSeconds }));
  const cases: readonly (readonly [number, number])[] = [
    [0, 100],
    [1, 100],
    [2, 50],
    [2.5, 25],
    [3, 0],
    [9, 0],
  ];
  for (const [cycles, score] of cases)
    assert.deepEqual(part('ack latency', { tasks: after(cycles) }), [
      score,
      `${cycles} cycles in the middle of 5 claims`,
    ]);
  assert.deepEqual(part('ack latency', { tasks: tasks(5) }), [100, '0.5 cycles in the middle of 5 claims']);
  assert.deepEqual(part('ack latency', { tasks: tasks(4) }), [undefined, 'unknown: 4 claimed specs, and it takes 5']);
  const silent = tasks(5, () => ({ events: [], endedAt: undefined, claimedAt: 100_000 - 4 * cycleSeconds }));
  assert.deepEqual(part('ack latency', { tasks: silent }), [0, '4 cycles in the middle of 5 claims']);
  const fresh = tasks(5, () => ({ events: [], endedAt: undefined, claimedAt: 99_900 }));
  assert.deepEqual(part('ack latency', { tasks: fresh })[0], undefined);
});

test('escalation rate: specs with an escalation, of all that were claimed', () => {
  const escalated = (count: number, of: number) => tasks(of, (index) => ({ escalations: index < count ? 2 : 0 }));
  const cases: readonly (readonly [number, number, number | undefined])[] = [
    [0, 10, 100],
    [1, 10, 100],
    [2, 10, 50],
    [3, 10, 0],
    [10, 10, 0],
    [1, 4, undefined],
  ];
  for (const [count, of, score] of cases)
    assert.equal(part('escalation rate', { tasks: escalated(count, of) })[0], score);
  assert.equal(part('escalation rate', { tasks: escalated(2, 10) })[1], '2 of 10 specs, 20%');
});

test('completion rate: specs that ended with a gain, or with the knowledge that there is none', () => {
  const ended = (count: number, failed: number, event: VerdictEvent) =>
    tasks(count, (index) => ({ events: [index < failed ? event : index % 2 === 0 ? 'keep' : 'discard'] }));
  assert.deepEqual(part('completion rate', { tasks: ended(10, 1, 'failed') }), [100, '9 of 10 specs, 90%']);
  assert.deepEqual(part('completion rate', { tasks: ended(10, 2, 'tampered') }), [50, '8 of 10 specs, 80%']);
  assert.deepEqual(part('completion rate', { tasks: ended(10, 3, 'failed') }), [0, '7 of 10 specs, 70%']);
  const open = tasks(10, () => ({ endedAt: undefined }));
  assert.deepEqual(part('completion rate', { tasks: open })[0], undefined);
  const closedUntried = [...ended(10, 0, 'failed'), ...tasks(5, () => ({ events: [] }))];
  assert.deepEqual(part('completion rate', { tasks: closedUntried }), [100, '10 of 10 specs, 100%']);
});

test('budget utilisation: what the period will have used at its end', () => {
  const cases: readonly (readonly [number, number, number | undefined])[] = [
    [0.2, 0.5, 100],
    [0.4, 0.5, 100],
    [0.3, 1, 50],
    [0.1, 0.5, 0],
    [0.875, 1, 50],
    [0.95, 1, 0],
    [0.5, 0.5, 0],
    [0.05, 0.1, undefined],
    [0.96, 0.1, 0],
  ];
  for (const [used, elapsed, score] of cases)
    assert.equal(part('budget utilisation', { budget: { used, elapsed } })[0], score, `${used} ${elapsed}`);
  assert.deepEqual(part('budget utilisation', {}), [undefined, 'unknown: no cap on a period']);
  assert.equal(
    part('budget utilisation', { budget: 'unread' })[1],
    'unknown: more calls in the period than are added up here',
  );
  assert.equal(
    part('budget utilisation', { budget: { used: 0.3, elapsed: 1 } })[1],
    '30% used with 100% of the period over',
  );
});

test('idle rate: the time that agents were there without a spec', () => {
  const idle = (busy: number) => ({
    shifts: [{ agent: 'a', from: 0, until: 10_000 }],
    tasks: [taskOf('a', [], { claimedAt: 0, endedAt: busy })],
  });
  assert.deepEqual(part('idle rate', idle(7000)), [100, '30% of the time of 1 agent']);
  assert.equal(part('idle rate', idle(5500))[0], 50);
  assert.equal(part('idle rate', idle(4000))[0], 0);
  assert.deepEqual(part('idle rate', { shifts: [{ agent: 'a', from: 0, until: 4000 }] })[0], undefined);
});

test('time to completion: the later half of the specs against the earlier', () => {
  const trend = (ratio: number, count = 10) =>
    tasks(count, (index) => ({ endedAt: index * 2000 + (index < count / 2 ? 1000 : 1000 * ratio) }));
  assert.deepEqual(part('time to completion', { tasks: trend(0.8) }), [
    100,
    '800 s in the middle lately, 1000 s before',
  ]);
  assert.equal(part('time to completion', { tasks: trend(1) })[0], 50);
  assert.equal(part('time to completion', { tasks: trend(1.25) })[0], 0);
  assert.deepEqual(part('time to completion', { tasks: trend(1, 7) }), [
    undefined,
    'unknown: 7 finished specs, and it takes 8',
  ]);
});

test('the score is over what is known, and unknown when that is less than half', () => {
  assert.equal(
    Object.values(parts).reduce((sum, { weight }) => sum + weight, 0),
    100,
  );
  const nothing = healthOf(facts({}));
  assert.deepEqual([nothing.score, nothing.band, nothing.known], [undefined, undefined, 0]);
  const few = healthOf(facts({ budget: { used: 0.5, elapsed: 0.8 }, shifts: [{ agent: 'a', from: 0, until: 9000 }] }));
  assert.deepEqual([few.score, few.known], [undefined, 25]);
  const some = healthOf(facts({ tasks: tasks(5) }));
  assert.deepEqual([some.score, some.band, some.known], [100, 'elite', 60]);
  const all = healthOf(
    facts({
      tasks: tasks(10, (index) => ({ escalations: index < 2 ? 1 : 0 })),
      shifts: [{ agent: 'a', from: 0, until: 20_000 }],
      budget: { used: 0.4, elapsed: 0.5 },
    }),
  );
  // 15 + 20 x 50% + 25 + 15 + 10 x 33% + 15 x 50%
  assert.deepEqual([all.score, all.band, all.known], [76, 'healthy', 100]);
});

test('the bands of the specification', () => {
  const cases: readonly (readonly [number, string])[] = [
    [100, 'elite'],
    [90, 'elite'],
    [89, 'healthy'],
    [70, 'healthy'],
    [69, 'needs attention'],
    [50, 'needs attention'],
    [49, 'restructure'],
    [0, 'restructure'],
  ];
  for (const [score, band] of cases) assert.equal(bandOf(score), band);
});
