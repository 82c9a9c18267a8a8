import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Amount,
  type Caps,
  countedIn,
  emptySpendLedger,
  type Hold,
  openLedger,
  type Payer,
  reserve,
  type SpendEvent,
  type SpendLedger,
  scopes,
  sumOf,
  totalOf,
} from '../../src/domain/words/spending.ts';
import { believe } from '../../src/spend/rules/call-amounts.ts';
import { type Random, randomFrom } from '../../src/text/random.ts';

const when = { day: '2026-11-16', night: '2026-11-16.2' };
const payer: Payer = { agent: 'junior-1', spec: '0007', attempt: '3' };
const amount = (usd: number | undefined, tokensIn: number, tokensOut: number): Amount => ({ usd, tokensIn, tokensOut });
const most = amount(0.5, 1_000, 200);

function reserved(ledger: SpendLedger, wanted = most, who = payer, at = when): { ledger: SpendLedger; hold: Hold } {
  const result = reserve(ledger, {}, { ...who, ...at }, wanted);
  assert.equal(result.kind, 'reserved');
  return result as { kind: 'reserved'; ledger: SpendLedger; hold: Hold };
}

/** What was set aside becomes what was used, as far as that can be believed. */
function settle(ledger: SpendLedger, hold: Hold, used: Amount | undefined) {
  const believed = believe(hold, used);
  return { ...believed, ledger: openLedger([{ kind: 'settle', hold, counted: believed.counted }], ledger) };
}

const release = (ledger: SpendLedger, hold: Hold): SpendLedger => openLedger([{ kind: 'release', hold }], ledger);

test('what is reserved counts in every scope until it is settled, and then what was used counts', () => {
  const { ledger, hold } = reserved(emptySpendLedger);
  const settled = settle(ledger, hold, amount(0.1, 900, 20));
  assert.deepEqual([settled.counted, settled.disbelieved], [amount(0.1, 900, 20), false]);
  for (const [scope, name] of [
    ['attempt', '0007/3'],
    ['spec', '0007'],
    ['agent', 'junior-1'],
    ['night', ''],
    ['day', ''],
  ] as const) {
    assert.deepEqual(countedIn(totalOf(ledger, scope, name)), sumOf(most), scope);
    assert.deepEqual(totalOf(settled.ledger, scope, name).spent, sumOf(amount(0.1, 900, 20)), scope);
    assert.deepEqual(totalOf(settled.ledger, scope, name).held, sumOf(amount(0, 0, 0)), scope);
    assert.deepEqual(countedIn(totalOf(release(ledger, hold), scope, name)), sumOf(amount(0, 0, 0)), scope);
  }
});

test('a refusal names the smallest scope that stands against it, with the figures', () => {
  const { ledger } = reserved(emptySpendLedger);
  const refusals: readonly (readonly [Caps, unknown])[] = [
    [{ call: { usd: 0.49 } }, ['call', 'junior-1', 'usd', 0.49, 0, 0.5]],
    [{ attempt: { usd: 0.99 }, day: { usd: 0.99 } }, ['attempt', '0007/3', 'usd', 0.99, 0.5, 0.5]],
    [{ spec: { tokensIn: 1_999 } }, ['spec', '0007', 'tokensIn', 1_999, 1_000, 1_000]],
    [{ agent: { tokensOut: 399 } }, ['agent', 'junior-1', 'tokensOut', 399, 200, 200]],
    [{ night: { usd: 0.999_999_999 } }, ['night', '2026-11-16.2', 'usd', 0.999_999_999, 0.5, 0.5]],
    [{ day: { usd: 0 } }, ['day', '2026-11-16', 'usd', 0, 0.5, 0.5]],
  ];
  for (const [caps, expected] of refusals) {
    const said = reserve(ledger, caps, { ...payer, ...when }, most);
    assert.equal(said.kind, 'refused');
    if (said.kind === 'refused')
      assert.deepEqual([said.scope, said.name, said.what, said.cap, said.counted, said.wanted], expected);
  }
  const just = Object.fromEntries(scopes.map((scope) => [scope, { usd: 1, tokensIn: 2_000, tokensOut: 400 }]));
  assert.equal(reserve(ledger, just, { ...payer, ...when }, most).kind, 'reserved', 'up to the cap and not beyond it');
});

test('what a provider says beyond the reservation, or not at all, is not believed: the whole of it counts', () => {
  const unbelievable: readonly (Amount | undefined)[] = [
    undefined,
    amount(0.1, 1_001, 20),
    amount(0.1, 900, 201),
    amount(0.500_000_001, 900, 20),
    amount(undefined, 900, 20),
    amount(0.1, -1, 20),
    amount(0.1, 0.5, 20),
    amount(Number.NaN, 900, 20),
    amount(-0.1, 900, 20),
    amount(0.1, Number.POSITIVE_INFINITY, 20),
  ];
  for (const used of unbelievable) assert.deepEqual(believe({ most }, used), { counted: most, disbelieved: true });
  assert.deepEqual(believe({ most }, most), { counted: most, disbelieved: false });
});

test('who cannot be stopped is counted with what he says, and only what cannot be is taken from the reservation', () => {
  const said: readonly (readonly [Amount | undefined, Amount, boolean])[] = [
    [amount(5, 2_000, 400), amount(5, 2_000, 400), false],
    [amount(0.1, 900, 20), amount(0.1, 900, 20), false],
    [amount(undefined, 900, 400), amount(0.5, 900, 400), true],
    [amount(Number.NaN, 900, 20), amount(0.5, 900, 20), true],
    [amount(-1, 900, 20), amount(0.5, 900, 20), true],
    [amount(5_000, 900, 20), amount(0.5, 900, 20), true],
    [amount(5, 0.5, 20), amount(5, 1_000, 20), true],
    [undefined, most, true],
  ];
  for (const [used, counted, disbelieved] of said)
    assert.deepEqual(believe({ most, rest: true }, used), { counted, disbelieved });
  const unpriced = { ...most, usd: undefined };
  const counted = amount(undefined, 2_000, 400);
  assert.deepEqual(believe({ most: unpriced, rest: true }, amount(5, 2_000, 400)), { counted, disbelieved: false });
  const paid = { subscription: true as const };
  const bySubscription = { most: { ...unpriced, ...paid }, rest: true } as const;
  for (const usd of [undefined, 5])
    assert.deepEqual(believe(bySubscription, amount(usd, 2_000, 400)).counted, { ...counted, ...paid }, 'no dollars');
  assert.deepEqual(believe(bySubscription, amount(0, -1, 20)).counted, { ...amount(undefined, 1_000, 20), ...paid });
});

test('an unknown price is never nothing: it counts as tokens, against the caps on tokens alone', () => {
  const unknown = amount(undefined, 1_000, 200);
  const caps: Caps = { night: { usd: 0.1, tokensIn: 1_500 } };
  const first = reserve(emptySpendLedger, caps, { ...payer, ...when }, unknown);
  assert.equal(first.kind, 'reserved');
  if (first.kind !== 'reserved') return;
  const settled = settle(first.ledger, first.hold, amount(0.05, 600, 100));
  assert.deepEqual(settled.counted, amount(undefined, 600, 100), 'no cap on money was asked when it went out');
  assert.deepEqual(totalOf(settled.ledger, 'night').spent, {
    nanos: 0,
    tokensIn: 600,
    tokensOut: 100,
    unpriced: 700,
    subscription: 0,
  });
  assert.equal(reserve(settled.ledger, caps, { ...payer, ...when }, unknown).kind, 'refused');
});

test('a new day and a new night begin at nothing, and what is settled late goes to the day it was asked for', () => {
  const evening = reserved(emptySpendLedger);
  const morning = reserved(evening.ledger, amount(1, 1, 1), payer, { ...when, day: '2026-11-17' });
  assert.deepEqual(countedIn(totalOf(morning.ledger, 'day')), sumOf(amount(1, 1, 1)));
  assert.deepEqual(countedIn(totalOf(morning.ledger, 'night')), sumOf(amount(1.5, 1_001, 201)));
  const late = settle(morning.ledger, evening.hold, amount(0.1, 1, 1)).ledger;
  assert.deepEqual(countedIn(totalOf(late, 'day')), sumOf(amount(1, 1, 1)));
  assert.deepEqual(countedIn(totalOf(late, 'night')), sumOf(amount(1.1, 2, 2)));
  const next = reserved(late, most, payer, { day: '2026-11-17', night: '2026-11-17' }).ledger;
  assert.deepEqual(countedIn(totalOf(next, 'spec', '0007')), sumOf(most));
  assert.deepEqual(countedIn(totalOf(next, 'day')), sumOf(amount(1.5, 1_001, 201)));
  const back = reserved(next, most, payer, { day: '2026-11-16', night: '2026-11-17' });
  assert.equal(back.hold.day, '2026-11-17', 'a clock that goes back opens no second day');
});

test("other hosts' books count towards the same day, and towards all that is of the same night", () => {
  const { ledger: there } = reserved(emptySpendLedger);
  const caps = (cap: Caps): string => reserve(emptySpendLedger, cap, { ...payer, ...when }, most, [there]).kind;
  assert.deepEqual(
    [{ day: { usd: 0.9 } }, { night: { usd: 0.9 } }, { spec: { usd: 0.9 } }, { day: { usd: 1 } }].map(caps),
    ['refused', 'refused', 'refused', 'reserved'],
  );
  const later = { day: '2026-11-17', night: '2026-11-17' };
  for (const scope of ['day', 'night', 'agent', 'spec', 'attempt'] as const)
    assert.equal(
      reserve(emptySpendLedger, { [scope]: { usd: 0.9 } }, { ...payer, ...later }, most, [there]).kind,
      'reserved',
    );
});

test('what was settled once cannot be settled again', () => {
  const { ledger, hold } = reserved(emptySpendLedger);
  const once = settle(ledger, hold, most).ledger;
  assert.throws(() => settle(once, hold, most), /more is given back than was set aside/);
  assert.throws(() => release(once, hold), /more is given back/);
});

const caps: Caps = {
  call: { usd: 0.9, tokensIn: 950 },
  attempt: { usd: 2, tokensIn: 5_000, tokensOut: 900 },
  spec: { usd: 5, tokensIn: 15_000 },
  agent: { usd: 12.345_678, tokensOut: 9_000 },
  night: { usd: 30, tokensIn: 60_000, tokensOut: 30_000 },
  day: { usd: 40, tokensIn: 70_000 },
};

interface Story {
  readonly events: SpendEvent[];
  readonly ledger: SpendLedger;
  readonly refused: number;
}

/** Agents that ask, are answered, hang up or are killed in any order. `after` is told every ledger. */
function tell(random: Random, steps: number, after: (ledger: SpendLedger) => void): Story {
  const events: SpendEvent[] = [];
  const open: Hold[] = [];
  let [ledger, refused] = [emptySpendLedger, 0];
  for (let step = 0; step < steps; step++) {
    const chosen = random.below(10);
    const hold = chosen < 5 ? undefined : open.splice(random.below(open.length), 1)[0];
    if (hold === undefined) {
      const price = random.below(5) === 0 ? undefined : random.below(1_000_000_000) / 1e9;
      const wanted = amount(price, random.below(1_000), random.below(200));
      const who = { agent: `junior-${random.below(4)}`, spec: `000${random.below(6)}`, attempt: `${random.below(3)}` };
      const said = reserve(ledger, caps, { ...who, ...when }, wanted);
      if (said.kind === 'refused') refused += 1;
      else {
        ledger = said.ledger;
        open.push(said.hold);
        events.push({ kind: 'reserve', hold: said.hold });
      }
    } else if (chosen === 9) {
      ledger = release(ledger, hold);
      events.push({ kind: 'release', hold });
    } else if (chosen > 5) {
      const share = random.below(120) / 100; // Some say more than they can have used.
      const said = amount(
        random.below(9) === 0 || hold.most.usd === undefined ? undefined : hold.most.usd * share,
        Math.floor(hold.most.tokensIn * share),
        Math.floor(hold.most.tokensOut * share),
      );
      const settled = settle(ledger, hold, random.below(9) === 0 ? undefined : said);
      ledger = settled.ledger;
      events.push({ kind: 'settle', hold, counted: settled.counted });
    } // Or killed: nobody will ever say what became of it.
    after(ledger);
  }
  return { events, ledger, refused };
}

test('whatever agents do in whatever order, what is spent and set aside is never above any cap', () => {
  let refused = 0;
  for (let seed = 0; seed < 40; seed++)
    refused += tell(randomFrom(`caps ${seed}`), 400, (ledger) => {
      for (const [key, total] of ledger.totals) {
        const cap = caps[key.split(' ')[0] as keyof Caps];
        const { nanos, tokensIn, tokensOut } = countedIn(total);
        assert.equal(nanos <= Math.round((cap?.usd ?? 1e6) * 1e9), true, key);
        assert.equal(tokensIn <= (cap?.tokensIn ?? 1e9), true, key);
        assert.equal(tokensOut <= (cap?.tokensOut ?? 1e9), true, key);
      }
    }).refused;
  assert.equal(refused > 1_000, true, 'the caps were tried');
});

test('a ledger is the sum of its events, to the billionth of a dollar, in whatever order they are summed', () => {
  for (let seed = 0; seed < 20; seed++) {
    const random = randomFrom(`order ${seed}`);
    const { events, ledger } = tell(random, 300, () => {});
    assert.deepEqual(openLedger(events), ledger);
    // A reservation stays before its own end; otherwise they may come as they like.
    const reserves = events.filter(({ kind }) => kind === 'reserve').map((event) => [random.next(), event] as const);
    const ends = events.filter(({ kind }) => kind !== 'reserve').map((event) => [random.next(), event] as const);
    const mixed = [...reserves, ...ends.map(([at, event]) => [at + 1, event] as const)]
      .sort((a, b) => a[0] - b[0])
      .map(([, event]) => event);
    const again = openLedger(mixed);
    assert.deepEqual(new Map([...again.totals].sort()), new Map([...ledger.totals].sort()));
  }
});
