import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseBrief } from '../../src/brief/read/brief-text.ts';
import type { BudgetPolicy, Charter } from '../../src/domain/staff/charter.ts';
import type { Brief } from '../../src/domain/words/brief.ts';
import { elapsedOf, spanAt } from '../../src/domain/words/spent.ts';
import { type Org, openOrg } from '../../src/records/org.ts';
import { readBudgetUse } from '../../src/report/facts/condition.ts';
import { openSpendBook } from '../../src/spend/books/spend-book.ts';
import { readPeriodSpent } from '../../src/spend/books/spent-so-far.ts';
import { agent, said, unsaid } from '../support/charters.ts';
import { briefText } from '../support/org.ts';
import { makeRepo, type TestRepo } from '../support/repo.ts';

/** A book of one night: what two agents were billed, what never began, and what nobody heard the end of. */
let made: TestRepo;
let org: Org;
const now = Date.now() / 1000;

before(async () => {
  made = await makeRepo();
  org = await openOrg(made.dir);
  const book = await openSpendBook(org, 'n1', () => ({}));
  const most = { usd: 2, tokensIn: 1_000, tokensOut: 200 };
  const call = { spec: '0001', attempt: '1', provider: 'test', model: 'costly-1', most };
  const reserve = async (id: string) => {
    const answer = await book.reserve({ ...call, agent: id });
    return answer.kind === 'reserved' ? answer : assert.fail(answer.kind);
  };
  (await reserve('ada')).settle({ tokensIn: 900, tokensOut: 100 }, 1.5);
  (await reserve('bob')).settle({ tokensIn: 100, tokensOut: 50 }, 0.5);
  (await reserve('bob')).release();
  await reserve('bob');
  await book.written();
});
after(async () => {
  await org.repo.close();
  await made.close();
});

const brief = (keys: Readonly<Record<string, string>>): Brief => parseBrief(briefText(keys), 'program.md');

const charter = (budget: Partial<BudgetPolicy>): Charter => ({
  ...unsaid,
  members: [agent('ada', 4), agent('bob', 4, { limit: { amount: 500, unit: 'credits' } })],
  policies: { ...unsaid.policies, budget: { ...unsaid.policies.budget, ...budget } },
});

const work = { at: now, run: { from: now - 1_800, until: undefined } };

test('a period counts what was settled, and in full what never was', async () => {
  const spent = await readPeriodSpent(org, spanAt('week', now), 100);
  assert.deepEqual([...(spent?.agents ?? [])].sort(), [
    ['ada', { nanos: 1.5e9, tokensIn: 900, tokensOut: 100, unpriced: 0, subscription: 0 }],
    ['bob', { nanos: 2.5e9, tokensIn: 1_100, tokensOut: 250, unpriced: 0, subscription: 0 }],
  ]);
  assert.deepEqual(spent?.total, { nanos: 4e9, tokensIn: 2_000, tokensOut: 350, unpriced: 0, subscription: 0 });
  assert.equal((await readPeriodSpent(org, spanAt('week', now + 14 * 86_400), 100))?.agents.size, 0);
});

test('a period of more entries than are read is not known: a part would look like all of it', async () => {
  assert.equal(await readPeriodSpent(org, spanAt('week', now), 6), undefined);
  const use = await readBudgetUse(org, { brief: brief({}), charter: charter({}), work, run: 'n1' }, 6);
  assert.deepEqual([use.health, use.uses], ['unread', []]);
});

test("a chart's limits are looked at one by one, and its total speaks for all of them", async () => {
  const elapsed = elapsedOf(spanAt('week', now), now);
  const each = await readBudgetUse(
    org,
    { brief: brief({}), charter: charter({ perAgent: said({ amount: 10, unit: 'usd' }) }), work, run: 'n1' },
    100,
  );
  assert.deepEqual(
    each.uses.map(({ whose, used, part }) => [whose, used, part]),
    [
      ['ada', 1.5, 0.15],
      ['bob', 250, 0.5],
    ],
  );
  assert.deepEqual(each.health, { used: 0.325, elapsed });
  const all = await readBudgetUse(
    org,
    { brief: brief({}), charter: charter({ total: said({ amount: 5, unit: 'usd' }) }), work, run: 'n1' },
    100,
  );
  assert.deepEqual(all.health, { used: 0.8, elapsed });
  assert.deepEqual(
    all.uses.map(({ whose, part }) => [whose, part]),
    [
      ['all agents', 0.8],
      ['bob', 0.5],
    ],
  );
});

test("without a chart's limits the brief's cap on a day counts, and without that its cap on the night", async () => {
  const model = { model: 'claude-sonnet-4-5-20250929', agent: '' };
  const day = await readBudgetUse(
    org,
    { brief: brief({ ...model, caps: '{ day: { usd: 8 } }' }), charter: undefined, work, run: 'n1' },
    100,
  );
  assert.deepEqual(day.health, { used: 0.5, elapsed: elapsedOf(spanAt('day', now), now) });
  const night = brief({ ...model, budget: '{ night: 1h, usd: 16, tokens_in: 4000 }' });
  assert.deepEqual((await readBudgetUse(org, { brief: night, charter: undefined, work, run: 'n1' }, 100)).health, {
    used: 0.5,
    elapsed: 0.5,
  });
  const over = { at: now, run: { from: undefined, until: now - 60 } };
  assert.deepEqual(
    (await readBudgetUse(org, { brief: night, charter: undefined, work: over, run: 'n1' }, 100)).health,
    { used: 0.5, elapsed: 1 },
  );
  const unread = { at: now, run: { from: undefined, until: undefined } };
  assert.equal(
    (await readBudgetUse(org, { brief: night, charter: undefined, work: unread, run: 'n1' }, 100)).health,
    'unread',
  );
});

test('where no model was asked no limit says anything', async () => {
  const night = brief({ model: 'claude-sonnet-4-5-20250929', agent: '', budget: '{ usd: 16 }' });
  assert.deepEqual(await readBudgetUse(org, { brief: night, charter: undefined, work, run: 'n2' }, 100), {
    health: undefined,
    uses: [],
    elapsed: 0,
  });
});
