import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Charter } from '../../src/domain/staff/charter.ts';
import { mentorOf } from '../../src/org/rules/roster.ts';
import { acme, agent, department, person, unsaid } from '../support/charters.ts';

const mentors = (charter: Charter, ...ids: string[]): (string | undefined)[] =>
  ids.map((id) => mentorOf(charter, id)?.id);

test('the mentor is the closest senior of the domain, else of the department, else the manager', () => {
  assert.deepEqual(mentors(acme, 'frontend-worker-1', 'qa-worker', 'security-worker', 'content-worker-2'), [
    'engineering-lead',
    'engineering-lead',
    'security-lead',
    'marketing-lead',
  ]);
  const [first = agent('x', 1)] = acme.members.filter(({ id }) => id === 'qa-worker');
  const hired = { ...acme, members: [...acme.members, { ...first, id: 'backend-worker', domains: ['Backend'] }] };
  assert.deepEqual(mentors(hired, 'backend-worker'), ['backend-senior-1'], 'of its own field');
  const far = agent('far', 8, { domains: ['backend'], reportsTo: 'coo' });
  const two = { ...hired, members: [far, ...hired.members] };
  assert.deepEqual(mentors(two, 'backend-worker'), ['backend-senior-1'], 'the closest one');
  const alone = { ...two, members: two.members.filter(({ id }) => !id.startsWith('backend-senior')) };
  assert.deepEqual(mentors(alone, 'backend-worker'), ['far'], 'the domain goes before the department');
});

test('nobody is looked after by somebody below, by themselves or by a person', () => {
  assert.deepEqual(mentors(acme, 'engineering-lead', 'backend-senior-1', 'coo', 'nobody'), [
    'coo',
    'backend-senior-2',
    undefined,
    undefined,
  ]);
  const small = {
    ...unsaid,
    people: [person('ada')],
    departments: [department('crew')],
    members: [
      agent('a', 4, { reportsTo: 'ada', department: 'crew' }),
      agent('b', 3, { reportsTo: 'a', department: 'crew' }),
    ],
  };
  assert.deepEqual(mentors(small, 'a', 'b'), [undefined, 'a'], 'where there is no senior it is the manager');
});
