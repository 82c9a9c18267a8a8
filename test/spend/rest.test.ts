import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caps, emptySpendLedger, openLedger, reserve } from '../../src/domain/words/spending.ts';
import { restOf, shorterCall, unspent } from '../../src/spend/rules/call-amounts.ts';

const when = { day: '2026-11-16', night: '2026-11-16' };
const payer = { agent: 'junior-1', spec: '0001', attempt: '0001.1' };
const usual = { usd: 20, tokensIn: 1_000_000, tokensOut: 50_000 };
const least = { usd: 0.01, tokensIn: 1_000, tokensOut: 100 };
const spent = openLedger([
  { kind: 'reserve', hold: { ...payer, ...when, most: { usd: 1.1, tokensIn: 400, tokensOut: 40 } } },
]);

test('what is left is that of the smallest cap, and can be set aside to the last nano-dollar', () => {
  const cases: readonly (readonly [Caps, Partial<typeof usual>])[] = [
    [{}, {}],
    [{ night: { usd: 5 } }, { usd: 3.9 }],
    [{ night: { usd: 5 }, attempt: { usd: 2 } }, { usd: 0.9 }],
    [{ night: { usd: 500 } }, {}],
    [
      { day: { tokensIn: 30_000 }, agent: { tokensOut: 1_000 } },
      { tokensIn: 29_600, tokensOut: 960 },
    ],
    [{ call: { usd: 0.5 } }, {}],
  ];
  for (const [caps, expected] of cases) {
    const rest = restOf(spent, caps, { ...payer, ...when }, { usual, least });
    if (caps.call === undefined) assert.deepEqual(rest, { ...usual, ...expected }, JSON.stringify(caps));
    assert.equal(reserve(spent, caps, { ...payer, ...when }, rest).kind, 'reserved', JSON.stringify(caps));
  }
});

test('caps tell what they leave of each kind, without reservations', () => {
  const most = { usd: 1.1, tokensIn: 400, tokensOut: 40 };
  const hold = { ...payer, ...when, most };
  const settled = openLedger([{ kind: 'settle', hold, counted: most }], spent);
  const caps: Caps = { call: { usd: 0.1 }, attempt: { usd: 2 }, night: { usd: 5, tokensOut: 100 } };
  const leftOf = (ledger: typeof spent) => unspent(ledger, caps, { ...payer, ...when }, []);
  assert.deepEqual(leftOf(spent), { usd: 2, tokensOut: 100 });
  assert.deepEqual(leftOf(settled), { usd: 0.8999999999999999, tokensOut: 60 });
  assert.deepEqual(unspent(settled, { call: { usd: 1 } }, { ...payer, ...when }, []), {});
});

test('where next to nothing is left, the least is asked for and refused, with the figures for a message', () => {
  const caps = { night: { usd: 1.105 } };
  const rest = restOf(spent, caps, { ...payer, ...when }, { usual, least });
  assert.equal(rest.usd, 0.01);
  const said = reserve(spent, caps, { ...payer, ...when }, rest);
  assert.deepEqual([said.kind, said.kind === 'refused' && said.what], ['refused', 'usd']);
});

test('where no price is known no money is set aside, and a new night begins at nothing', () => {
  const unpriced = restOf(
    spent,
    { night: { usd: 5 } },
    { ...payer, ...when },
    {
      usual: { ...usual, usd: undefined },
      least: { ...least, usd: undefined },
    },
  );
  assert.equal(unpriced.usd, undefined);
  const next = { day: '2026-11-17', night: '2026-11-17' };
  assert.equal(restOf(spent, { night: { usd: 5 } }, { ...payer, ...next }, { usual, least }).usd, 5);
  assert.equal(
    restOf(emptySpendLedger, { night: { usd: 5 } }, { ...payer, ...when }, { usual, least }, [{ ...spent }]).usd,
    3.9,
  );
});

test('what earlier nights have used up of a cap is not left', () => {
  const before = { nanos: 400_000_000, tokensIn: 100, tokensOut: 10, unpriced: 0, subscription: 0 };
  const caps: Caps = { spec: { usd: 2, tokensIn: 20_000, before } };
  const rest = restOf(emptySpendLedger, caps, { ...payer, ...when }, { usual, least });
  assert.deepEqual(rest, { ...usual, usd: 1.6, tokensIn: 19_900 });
  assert.equal(reserve(emptySpendLedger, caps, { ...payer, ...when }, rest).kind, 'reserved');
});

test('an answer is as long as what is left can pay, to the token, and never shorter than the least', () => {
  const upTo = (tokensOut: number) => ({
    usd: Math.ceil(200_000.5 + tokensOut * 75.3) / 1e9,
    tokensIn: 1_000,
    tokensOut,
  });
  const [most, least] = [upTo(32_000), upTo(2_048)];
  const fit = (rest: { usd: number; tokensOut: number }) => shorterCall({ most, least }, rest);
  assert.deepEqual(fit({ usd: most.usd, tokensOut: 32_000 }), most);
  assert.deepEqual(fit({ usd: least.usd - 1e-9, tokensOut: 32_000 }), least);
  assert.deepEqual(fit({ usd: 1, tokensOut: 2_000 }), least);
  assert.deepEqual(fit({ usd: 1, tokensOut: 9_000 }).tokensOut, 9_000);
  for (let nanos = 360_000; nanos < 2_600_000; nanos += 7_919) {
    const { usd = 0, tokensOut } = fit({ usd: nanos / 1e9, tokensOut: 50_000 });
    assert.ok(usd <= nanos / 1e9 && usd >= upTo(tokensOut).usd, `${nanos}: ${usd} for ${tokensOut}`);
    assert.ok(tokensOut === 2_048 || tokensOut === 32_000 || upTo(tokensOut + 2).usd > nanos / 1e9, `${nanos}`);
  }
});

test('an answer is as long as its tokens where no price is known, and as wanted where it is free', () => {
  const of = (usd: number | undefined) => (tokensOut: number) => ({ usd, tokensIn: 10, tokensOut });
  const [unknown, free] = [of(undefined), of(0)];
  const rest = { usd: undefined, tokensOut: 3_000 };
  assert.deepEqual(shorterCall({ most: unknown(8_192), least: unknown(2_048) }, rest), unknown(3_000));
  assert.deepEqual(shorterCall({ most: free(8_192), least: free(2_048) }, { usd: 0, tokensOut: 9_000 }), free(8_192));
  assert.deepEqual(shorterCall({ most: free(500), least: free(500) }, { usd: 0, tokensOut: 100 }), free(500));
});
