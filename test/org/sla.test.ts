import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SlaRule } from '../../src/domain/staff/charter.ts';
import type { Priority } from '../../src/domain/words/spec.ts';
import { brokenFor, mustTell, type OpenSpec, type Promised, promiseInWords } from '../../src/org/rules/sla.ts';

const promise = (of: SlaRule['of'], what: SlaRule['what'], cycles: number): Promised => ({
  ...{ of, what, cycles, policy: 'Client SLA', place: { file: 'ORG.md', line: 7 } },
});

/** As the agency of the specification has them. */
const agency = [promise('critical', 'response', 1), promise('normal', 'completion', 10), promise('all', 'progress', 2)];

const waiting = (priority: Priority): OpenSpec => ({ priority, queuedAt: 1000, claimed: undefined });
const claimed = (priority: Priority, reportedAt: number, waitsForPerson = false): OpenSpec => ({
  ...{ priority, queuedAt: 1000, claimed: { reportedAt, waitsForPerson } },
});

/** What is broken at these seconds, where a cycle has a hundred of them. */
const broken = (spec: OpenSpec, now: number): string =>
  brokenFor(agency, spec, 100, now)
    .map(({ promise: { what }, cycles }) => `${what} ${cycles}`)
    .join(', ');

test('a response is due until somebody claims it, progress from then on, and completion all the time', () => {
  const rows: [OpenSpec, number, string][] = [
    [waiting('critical'), 1100, ''],
    [waiting('critical'), 1101, 'response 1.01'],
    [claimed('critical', 1090), 1200, ''],
    [claimed('critical', 1090), 1290, ''],
    [claimed('critical', 1090), 1300, 'progress 2.1'],
    [claimed('critical', 1090, true), 1300, ''],
    [waiting('normal'), 2000, ''],
    [waiting('normal'), 2010, 'completion 10.1'],
    [claimed('high', 2000), 2010, 'completion 10.1'],
    [claimed('low', 1000), 2010, 'completion 10.1, progress 10.1'],
    [claimed('critical', 3000), 3100, ''],
  ];
  for (const [spec, now, expected] of rows) assert.equal(broken(spec, now), expected, `${spec.priority} at ${now}`);
});

test('progress is told after so many attempts, or where another one could make it too late', () => {
  const told = (attempts: number, seconds: number): boolean => mustTell(agency, 'low', { attempts, seconds }, 100);
  assert.deepEqual([told(1, 10), told(2, 10), told(1, 100), told(1, 101)], [false, true, false, true]);
  assert.equal(mustTell([promise('critical', 'progress', 1)], 'low', { attempts: 9, seconds: 900 }, 100), false);
});

test('a promise has the same words wherever it stands', () => {
  assert.deepEqual(agency.map(promiseInWords), [
    'Client SLA: critical tasks, response within 1 cycle',
    'Client SLA: normal tasks, completion within 10 cycles',
    'Client SLA: all tasks, progress every 2 cycles',
  ]);
});
