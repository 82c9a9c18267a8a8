import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Refused } from '../../src/domain/words/spending.ts';
import type { Reservation } from '../../src/spend/books/spend-book.ts';
import { untilClosing } from '../../src/steps/night/night-basics.ts';
import { takeTurns } from '../../src/steps/night/night-models.ts';

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

test('who is refused while somebody has all waits for his end, and is heard when he waits no longer', async () => {
  const turns = takeTurns();
  let free = false;
  const all = await turns.take(true, async () => reserved, ever);
  const patience = new AbortController();
  const ask = async (): Promise<Refused | Reservation> => (free ? reserved : refused);
  const impatient = turns.take(false, ask, patience.signal);
  const patient = turns.take(false, ask, ever);
  setImmediate(() => patience.abort());
  await assert.rejects(impatient, { name: 'AbortError' });
  free = true;
  if (all.kind === 'reserved') all.release();
  assert.equal((await patient).kind, 'reserved');
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
