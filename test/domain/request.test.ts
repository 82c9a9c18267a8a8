import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AskedAct, coveredBy, type RequestEvent, requestsAt } from '../../src/domain/rules/request.ts';

const asked: AskedAct = {
  ...{ kind: 'asked', id: 'A1', at: 100, until: 1_000, key: 'k', agent: 'seller', agents: ['seller'], act: 'spend' },
  ...{ words: 'spend $5', reason: 'more than $1', by: ['board', 'cfo'], usd: 5, decision: undefined },
};
const stageAfter = (...said: RequestEvent[]) => requestsAt([asked, ...said], 300)[0]?.stage;

test('a request that is used before everybody approved it waits on', () => {
  const half: RequestEvent = { kind: 'approved', id: 'A1', at: 200, as: ['board'] };
  const used: RequestEvent = { kind: 'used', agent: 'junior-1', id: 'A1', at: 210 };
  assert.deepEqual(stageAfter(used), { kind: 'waits', lacks: ['board', 'cfo'] });
  assert.deepEqual(stageAfter(half, used), { kind: 'waits', lacks: ['cfo'] });
  const rest: RequestEvent = { kind: 'approved', id: 'A1', at: 220, as: ['cfo'] };
  assert.equal(stageAfter(half, used, rest)?.kind, 'approved');
  assert.deepEqual(stageAfter(half, rest, { ...used, at: 230 }), {
    ...{ kind: 'used', at: 230, as: ['board', 'cfo'], agent: 'junior-1' },
  });
});

test('the yes of a person counts for the acts and names that they approve', () => {
  const ada = { id: 'ada', name: 'Ada', approves: ['payments', 'board'] };
  const cases: readonly (readonly [readonly string[], string, readonly string[]])[] = [
    [[], 'spend', ['ada']],
    [[], 'spawn', []],
    [['board', 'cfo'], 'spend', ['board']],
    [['person'], 'spend', ['person']],
    [['person'], 'spawn', []],
    [['Ada'], 'spawn', ['Ada']],
  ];
  for (const [by, act, covered] of cases)
    assert.deepEqual(coveredBy(ada, { by, act }), covered, `${by.join(', ')} for ${act}`);
});
