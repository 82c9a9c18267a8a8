import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BudgetPolicy, Quantity } from '../../src/domain/staff/charter.ts';
import { noSum, type Sum, sumOf } from '../../src/domain/words/spending.ts';
import { spanAt } from '../../src/domain/words/spent.ts';
import { type AllowanceQuestion, allowanceFor, usesOf } from '../../src/spend/rules/allowance.ts';
import { said, unsaid } from '../support/charters.ts';

const span = spanAt('week', 1_795_000_000);
const usd = (dollars: number): Sum => sumOf({ usd: dollars, tokensIn: 0, tokensOut: 0 });
const credits = (amount: number): Quantity => ({ amount, unit: 'credits' });

const budget = (more: Partial<BudgetPolicy> = {}): BudgetPolicy => ({
  ...{ ...unsaid.policies.budget, perAgent: said(credits(1000), 'ORG.md:70') },
  ...more,
});

const asked = (agent: Sum, more: Partial<AllowanceQuestion> = {}): AllowanceQuestion => ({
  ...{ member: { id: 'qa-worker', limit: undefined }, counted: { agent, total: agent }, span },
  ...more,
});

test('a credit is a cent, unless the org says otherwise', () => {
  const used = (quantity: Quantity, sum: Sum, credit?: number): number | undefined =>
    usesOf(budget({ perAgent: said(quantity) }), asked(sum, { credit }))[0]?.used;
  assert.equal(used(credits(1000), usd(8)), 800);
  assert.equal(used(credits(1000), usd(8), 1), 8);
  assert.equal(used({ amount: 10, unit: 'usd' }, usd(8)), 8);
  assert.equal(used({ amount: 10, unit: 'tokens' }, sumOf({ usd: 1, tokensIn: 300, tokensOut: 20 })), 320);
});

test('an agent goes on up to its limit, and what follows is what the org says of overage', () => {
  const reason = 'qa-worker has used 1000 of 1000 credits in the week of 2026-11-16 (ORG.md:70)';
  const cases: readonly (readonly ['pause' | 'warn' | 'stop', number, number | undefined, string])[] = [
    ['pause', 7.99, 5, 'go'],
    ['pause', 9.99, 5, 'go'], // It may end above the limit: only then it is paused.
    ['pause', 10, undefined, 'pause'],
    ['pause', 12, undefined, 'pause'],
    ['warn', 10, 5, 'go'],
    ['warn', 40, 5, 'go'],
    ['stop', 9.5, undefined, 'go'],
    ['stop', 9.5, 0.5, 'go'],
    ['stop', 9.5, 0.51, 'stop'],
    ['stop', 10, undefined, 'stop'],
  ];
  for (const [overage, spent, most, kind] of cases) {
    const wanted = most === undefined ? undefined : { usd: most, tokensIn: 1, tokensOut: 1 };
    const result = allowanceFor(budget({ overage: said(overage) }), asked(usd(spent), { wanted }));
    assert.equal(result.kind, kind, `${overage} ${spent} ${most}`);
  }
  const paused = allowanceFor(budget(), asked(usd(10)));
  assert.equal(paused.kind === 'pause' && paused.reason, reason);
  const wanted = { usd: 1, tokensIn: 1, tokensOut: 1 };
  const stopped = allowanceFor(budget({ overage: said('stop') }), asked(usd(9.5), { wanted }));
  assert.equal(
    stopped.kind === 'stop' && stopped.reason,
    'qa-worker has used 950 of 1000 credits in the week of 2026-11-16 (ORG.md:70), and it might use more than the rest',
  );
});

test('the threshold is told with every answer, whatever the answer', () => {
  const alerts = (sum: Sum, more: Partial<BudgetPolicy> = {}): readonly (readonly [string, number])[] =>
    allowanceFor(budget(more), asked(sum)).alerts.map(({ whose, part }) => [whose, part]);
  assert.deepEqual(alerts(usd(7.99)), []);
  assert.deepEqual(alerts(usd(8)), [['qa-worker', 0.8]]);
  assert.deepEqual(alerts(usd(12)), [['qa-worker', 1.2]]);
  assert.deepEqual(alerts(usd(8), { alertAt: said(0.9) }), []);
  assert.deepEqual(alerts(usd(8), { total: said({ amount: 9, unit: 'usd' }) }), [
    ['qa-worker', 0.8],
    ['all agents', 8 / 9],
  ]);
});

test("a role's own limit goes before everybody's share, and the org's limit holds for all", () => {
  const rich = { id: 'qa-worker', limit: credits(5000) };
  assert.equal(allowanceFor(budget(), asked(usd(20), { member: rich })).kind, 'go');
  const poor = allowanceFor(budget(), asked(usd(2), { member: { id: 'qa-worker', limit: credits(100) } }));
  assert.equal(
    poor.kind === 'pause' && poor.reason,
    'qa-worker has used 200 of 100 credits in the week of 2026-11-16 (its role)',
  );
  const total = { total: said({ amount: 500, unit: 'usd' } as const, 'org.yaml:9') };
  const all = allowanceFor(budget(total), asked(usd(1), { counted: { agent: usd(1), total: usd(500) } }));
  assert.equal(
    all.kind === 'pause' && all.reason,
    'all agents have used $500 of $500 in the week of 2026-11-16 (org.yaml:9)',
  );
});

test('a single act that may cost too much waits for a person', () => {
  const careful = budget({ singleAct: said(5, 'org.yaml:7') });
  const wanted = (most: number | undefined) => ({ wanted: { usd: most, tokensIn: 1, tokensOut: 1 } });
  assert.equal(allowanceFor(careful, asked(noSum, wanted(5))).kind, 'go');
  assert.equal(allowanceFor(careful, asked(noSum, wanted(undefined))).kind, 'go');
  assert.deepEqual(allowanceFor(careful, asked(noSum, wanted(5.01))), {
    ...{ kind: 'person', alerts: [] },
    reason: "it may cost $5.01, and one act may cost $5 without a person's approval (org.yaml:7)",
  });
});

test('without limits everybody goes on; a limit of nothing holds from the start; unpriced tokens are told', () => {
  assert.deepEqual(allowanceFor(unsaid.policies.budget, asked(usd(999))), { kind: 'go', alerts: [] });
  assert.equal(allowanceFor(budget({ perAgent: said(credits(0)) }), asked(noSum)).kind, 'pause');
  const unpriced = sumOf({ usd: undefined, tokensIn: 70, tokensOut: 7 });
  assert.deepEqual(
    usesOf(budget(), asked(unpriced)).map((use) => [use.used, use.unpriced]),
    [[0, 77]],
  );
});
