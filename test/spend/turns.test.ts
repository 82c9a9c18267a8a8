import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Payer, Refused } from '../../src/domain/words/spending.ts';
import type { Reservation } from '../../src/spend/books/spend-book.ts';
import { takeTurns } from '../../src/spend/books/take-turns.ts';
import { untilClosing } from '../../src/steps/night/night-basics.ts';

const most = { usd: 1, tokensIn: 1, tokensOut: 1 };
const reserved: Reservation = {
  ...{ kind: 'reserved', commit: '0'.repeat(40), most },
  settle: () => ({ counted: most, disbelieved: false }),
  keep: () => {},
  release: () => {},
};
const refused: Refused = {
  ...{ kind: 'refused', scope: 'night', name: 'n', what: 'usd' },
  ...{ cap: 1, counted: 1, wanted: 1 },
};
const ever = new AbortController().signal;

type Said = Refused | Reservation;

const payer = (agent: string, spec = '0001'): Payer => ({ agent, spec, attempt: `${spec}.1` });
const [first, second, third] = [payer('a'), payer('b', '0002'), payer('c', '0003')];

test('a call that does not fit waits until a colleague gives back, and no longer than its signal', async () => {
  const turns = takeTurns();
  let free = false;
  const held = await turns.take(first, async () => reserved, ever);
  const patience = new AbortController();
  const ask = async (): Promise<Said> => (free ? reserved : refused);
  const impatient = turns.take(second, ask, patience.signal);
  const patient = turns.take(third, ask, ever);
  setImmediate(() => patience.abort());
  await assert.rejects(impatient, { name: 'AbortError' });
  free = true;
  if (held.kind === 'reserved') held.release();
  assert.equal((await patient).kind, 'reserved');
});

test('a call is refused when nobody holds anything, after it has asked for less', async () => {
  const asked: boolean[] = [];
  const ask = async (isAlone: boolean): Promise<Said> => {
    asked.push(isAlone);
    return refused;
  };
  assert.deepEqual(await takeTurns().take(first, ask, ever), refused);
  assert.deepEqual(asked, [false, true]);
});

test('a call asks for less only when all that others hold is given back', async () => {
  const turns = takeTurns();
  const held = await turns.take(first, async () => reserved, ever);
  const asked: boolean[] = [];
  const ask = async (isAlone: boolean): Promise<Said> => {
    asked.push(isAlone);
    return isAlone ? reserved : refused;
  };
  const waiting = turns.take(second, ask, ever);
  setImmediate(() => held.kind === 'reserved' && held.settle(undefined, undefined));
  assert.equal((await waiting).kind, 'reserved');
  assert.deepEqual(asked, [false, false, true]);
});

test('calls that are refused at the same moment do not wait for each other', async () => {
  const turns = takeTurns();
  const answers = [3, 1, 2].map((ms, at) =>
    turns.take(
      [first, second, third][at] ?? first,
      () => new Promise<Said>((say) => setTimeout(say, ms, refused)),
      ever,
    ),
  );
  assert.deepEqual(await Promise.all(answers), [refused, refused, refused]);
});

test('nobody waits for what makes no room under the cap that stands against a call', async () => {
  const turns = takeTurns();
  await turns.take(first, async () => reserved, ever);
  for (const scope of ['call', 'attempt', 'spec', 'agent'] as const)
    assert.equal((await turns.take(second, async () => ({ ...refused, scope }), ever)).kind, 'refused', scope);
});

test('who has not begun waits no longer than the night', async () => {
  let over = false;
  const waits = (signal: AbortSignal): Promise<string> =>
    new Promise((said) => signal.addEventListener('abort', () => said('over')));
  const waiting = untilClosing(() => over, ever, waits);
  assert.equal(
    await untilClosing(
      () => false,
      ever,
      async () => 'begun',
    ),
    'begun',
  );
  assert.equal(
    await untilClosing(
      () => false,
      AbortSignal.abort(),
      async ({ aborted }) => aborted,
    ),
    true,
  );
  over = true;
  assert.equal(await waiting, 'over');
});
