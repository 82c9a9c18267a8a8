import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Amount,
  emptySpendLedger,
  openLedger,
  type SpendEvent,
  type SpendLedger,
  totalOf,
} from '../../src/domain/words/spending.ts';
import {
  formatAmount,
  formatSpent,
  formatUsd,
  parseAmount,
  parseSpent,
  parseUsd,
  spentOf,
} from '../../src/domain/words/spent.ts';

const hold = (agent: string, most: Amount): SpendEvent => ({
  kind: 'reserve',
  hold: { agent, spec: '0007', attempt: '1', day: '2026-11-16', night: '2026-11-16.2', most },
});

const some = openLedger([
  hold('junior-2', { usd: 0.5, tokensIn: 1_000, tokensOut: 200 }),
  hold('junior-1', { usd: undefined, tokensIn: 10, tokensOut: 2 }),
]);

/** What a line has of a ledger. */
const known = (ledger: SpendLedger): SpendLedger => ({
  ...ledger,
  totals: new Map([...ledger.totals].filter(([key]) => !/^(spec|attempt) /.test(key)).sort()),
});

test('the sums of a day, a night and its agents are one line that a person can read', () => {
  assert.equal(
    formatSpent(some),
    'day:2026-11-16=0,0,0,0+0.5,1010,202,12 night:2026-11-16.2=0,0,0,0+0.5,1010,202,12 agent:junior-1=0,0,0,0+0,10,2,12 agent:junior-2=0,0,0,0+0.5,1000,200,0',
  );
  const read = parseSpent(formatSpent(some));
  assert.deepEqual(read && known(read), known(some));
});

test('tokens of a subscription are a sum of their own, and a book without any is as it was', () => {
  const bySubscription = hold('junior-3', { usd: undefined, subscription: true, tokensIn: 900, tokensOut: 90 });
  const line = formatSpent(openLedger([bySubscription], some));
  assert.match(line, /night:2026-11-16\.2=0,0,0,0\+0\.5,1910,292,12,990 .* agent:junior-3=0,0,0,0\+0,900,90,0,990$/);
  const read = parseSpent(line);
  assert.deepEqual(read && formatSpent(read), line);
  const { held } = totalOf(read ?? emptySpendLedger, 'agent', 'junior-3');
  assert.deepEqual([spentOf(held).usd, spentOf(held).subscription], [undefined, 990]);
  const all = spentOf(totalOf(read ?? emptySpendLedger, 'night').held);
  assert.deepEqual([all.usd, all.unpriced, all.subscription], [undefined, 12, 990]);
  assert.deepEqual(spentOf({ ...held, nanos: 5e8, tokensIn: 1_900 }).usd, 0.5, 'what is paid for in dollars is known');
});

test('a line that nobody would write is none', () => {
  const line = formatSpent(some);
  for (const wrong of [
    undefined,
    '',
    'x',
    `${line} `,
    line.replace('day:', 'week:'),
    line.replace('0.5', '0.50'),
    line.replace('1010', '-1'),
    line.replace('1010', '1e3'),
    line.replace(',202', ''),
    line.split(' ').reverse().join(' '),
    formatSpent(emptySpendLedger),
  ])
    assert.equal(parseSpent(wrong), undefined, wrong);
});

test('money has nine places at most, no exponent, and is read back as it was', () => {
  for (const [usd, text] of [
    [0, '0'],
    [0.000_000_001, '0.000000001'],
    [1e-10, '0'],
    [0.1 + 0.2, '0.3'],
    [999.999_999_999, '999.999999999'],
    [12, '12'],
  ] as const)
    assert.equal(formatUsd(usd), text);
  for (const text of ['0', '0.000000001', '1234567.000000089', '7.5'])
    assert.equal(formatUsd(parseUsd(text) ?? -1), text);
  for (const wrong of ['', '.5', '1.', '01', '1.50', '1e3', '-1', '0x1', '1,5', '99999999'])
    assert.equal(parseUsd(wrong), undefined);
});

test('an amount whose price nobody knows says so', () => {
  for (const amount of [
    { usd: undefined, tokensIn: 1, tokensOut: 2 },
    { usd: 0, tokensIn: 0, tokensOut: 0 },
    { usd: 0.004305, tokensIn: 123_456, tokensOut: 7 },
    { usd: undefined, tokensIn: 5, tokensOut: 6, subscription: true as const },
  ])
    assert.deepEqual(parseAmount(formatAmount(amount)), amount);
  assert.equal(formatAmount({ usd: undefined, tokensIn: 1, tokensOut: 2 }), '?,1,2');
  for (const wrong of [undefined, '', '1,2', '?,?,1', '1,-2,3', '1,2,3,4', 'x,1,2'])
    assert.equal(parseAmount(wrong), undefined);
});
