import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAbove, isLead, managersAbove, personAbove, workersOf } from '../../src/domain/staff/chart.ts';
import { acme, agent, person, unsaid } from '../support/charters.ts';

test('who is above whom', () => {
  const above = (id: string): readonly string[] => managersAbove(acme, id).map((member) => member.id);
  assert.deepEqual(above('qa-worker'), ['engineering-lead', 'coo']);
  assert.deepEqual(above('coo'), []);
  assert.deepEqual(above('nobody'), []);
  assert.equal(isAbove(acme, 'coo', 'qa-worker'), true);
  assert.equal(isAbove(acme, 'security-lead', 'qa-worker'), false);
  assert.equal(isAbove(acme, 'qa-worker', 'qa-worker'), false);
  assert.equal(isLead(acme, 'security-lead'), true);
  assert.equal(isLead(acme, 'coo'), false);
});

test('a circle ends where it closes', () => {
  const members = [
    agent('a', 4, { reportsTo: 'b' }),
    agent('b', 4, { reportsTo: 'c' }),
    agent('c', 4, { reportsTo: 'b' }),
  ];
  assert.deepEqual(
    managersAbove({ ...unsaid, members }, 'a').map(({ id }) => id),
    ['b', 'c'],
  );
  assert.deepEqual(
    managersAbove({ ...unsaid, members: [agent('a', 4, { reportsTo: 'a' })] }, 'a').map(({ id }) => id),
    [],
  );
});

test('at the end of every line there is a person, where the org has one', () => {
  assert.equal(personAbove(acme, 'qa-worker'), 'human-principal');
  const two = { ...unsaid, people: [person('ann'), person('bob')] };
  assert.equal(personAbove({ ...two, members: [agent('a', 4, { reportsTo: 'bob' })] }, 'a'), 'bob');
  assert.equal(personAbove({ ...two, members: [agent('a', 4)] }, 'a'), 'ann');
  assert.equal(personAbove({ ...unsaid, members: [agent('a', 4)] }, 'a'), undefined);
});

test('those whom nobody reports to do the work', () => {
  const members = [agent('chief', 9), agent('a', 2, { reportsTo: 'chief' }), agent('b', 2, { reportsTo: 'chief' })];
  assert.deepEqual(
    workersOf({ members }).map(({ id }) => id),
    ['a', 'b'],
  );
  assert.deepEqual(
    workersOf({ members: [agent('alone', 4)] }).map(({ id }) => id),
    ['alone'],
  );
});
