import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addTallies, tallyOf, triedIn } from '../../src/domain/words/experiment.ts';
import { emptyLedger, formatLedger, type Ledger, parseLedger } from '../../src/domain/words/ledger.ts';

const busy: Ledger = {
  specs: 1_204,
  experiments: 98_765,
  run: '2026-11-16.2',
  runFrom: 90_000,
  state: 'paused',
  halted: ['junior-1', 'junior-12'],
  frozen: true,
  orders: ['6:org', 'pause:agent/junior-2', 'stop:department/security'],
  acts: 3,
  needs: 2,
  closed: tallyOf(['keep', 'keep', 'discard', 'crash', 'timeout', 'tampered', 'void', 'failed', 'unchanged']),
};

test('a ledger survives being written in one line and read back', () => {
  for (const ledger of [emptyLedger, busy, { ...busy, state: 'ended' as const, closed: tallyOf([]) }]) {
    const line = formatLedger(ledger);
    assert.equal(line.includes('\n'), false);
    assert.deepEqual(parseLedger(line), ledger);
  }
});

test('the line names what a person would look for, and leaves out what never happened', () => {
  assert.equal(formatLedger(emptyLedger), 'specs=0 n=0 state=never');
  assert.equal(
    formatLedger(busy),
    'specs=1204 n=98765 run=2026-11-16.2 from=90000 state=paused halted=junior-1,junior-12 frozen=1 orders=6:org,pause:agent/junior-2,stop:department/security acts=3 needs=2 keep=2 discard=1 crash=1 timeout=1 tampered=1 unchanged=1 failed=1 void=1',
  );
});

test('a line that somebody wrote by hand is read for what it says, and the rest counts as nothing', () => {
  assert.deepEqual(parseLedger(''), emptyLedger);
  assert.deepEqual(parseLedger('specs=x n=-3 state=asleep halted=,a\tb keep=1e99 future=7'), emptyLedger);
  assert.deepEqual(parseLedger('n=5 keep=2'), { ...emptyLedger, experiments: 5, closed: tallyOf(['keep', 'keep']) });
});

test('tallies add up to what was tried', () => {
  const sum = addTallies(tallyOf(['keep', 'crash']), tallyOf(['keep', 'discard']));
  assert.deepEqual(sum, { ...tallyOf([]), keep: 2, crash: 1, discard: 1 });
  assert.equal(triedIn(sum), 4);
  assert.equal(triedIn({ ...emptyLedger, closed: sum }.closed), 4);
});
