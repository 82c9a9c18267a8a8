import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FooterState, formatFooter } from '../../src/commands/screen/footer.ts';
import { tallyOf } from '../../src/domain/words/experiment.ts';
import { ascii, assertAscii, assertFits, plain } from '../support/look.ts';
import { began, experiments } from '../support/night-story.ts';

const state: FooterState = {
  now: began + 300,
  agents: [
    { id: 'chief', doing: 'thinking', detail: '0031 drafted, 4 in queue', since: began + 259 },
    { id: 'junior-1', doing: 'measuring', detail: '#24 penalty 40', since: began + 297 },
    { id: 'junior-2', doing: 'waiting', detail: 'for the measuring slot', since: undefined },
  ],
  best: { score: 3.475, n: 11 },
  course: [14.435, 14.435, 3.861, 3.861, 3.712, 3.475],
  tally: tallyOf(experiments.map(({ event }) => event)),
  open: 4,
  until: began + 300 + 7 * 3600 + 58 * 60,
  left: undefined,
  stopping: false,
};

const manyAgents = Array.from({ length: 17 }, (_, index) => ({
  id: `junior-${index + 1}`,
  doing: index % 2 === 0 ? ('measuring' as const) : ('thinking' as const),
  detail: `spec ${index} \u001b[2J 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字`,
  since: began,
}));

test('the footer says who does what, how good it is and how to stop it', () => {
  assert.deepEqual(formatFooter(state, plain(100)), [
    '────────────────────────────────────────────────────────────────────────────────────────────────────',
    ' chief     thinking   0031 drafted, 4 in queue                                               0:00:41',
    ' junior-1  measuring  #24 penalty 40                                                         0:00:03',
    ' junior-2  waiting    for the measuring slot',
    ' best 3.475 (#11)   ██▁▁▁▁   12 tried, 3 won, 2 failed, 1 blocked   7 h 58 m left   4 open specs',
    ' Ctrl-C stops after this measurement   elsewhere: orgrepo status | pause | stop',
  ]);
});

test('a keep that waits for a person is told as waiting, and is not among those kept', () => {
  const line = formatFooter({ ...state, waiting: 1 }, plain(120)).find((one) => one.startsWith(' best')) ?? '';
  assert.match(line, /12 tried, 2 won, 1 waits for you, 2 failed/);
});

test('before the first score and while stopping the footer says so', () => {
  const first = {
    ...state,
    agents: [],
    best: undefined,
    course: [],
    tally: tallyOf([]),
    until: undefined,
    left: 1,
    open: 1,
    stopping: true,
  };
  assert.deepEqual(formatFooter(first, plain(100)), [
    '────────────────────────────────────────────────────────────────────────────────────────────────────',
    ' no best yet   0 tried, 0 won   1 try left   1 open spec',
    ' Stopping after this measurement. Ctrl-C again kills it now; it will be measured at the next start.',
  ]);
});

test('no line of the footer is wider than the terminal, since a wrapped line cannot be drawn over', () => {
  for (const columns of [1, 5, 10, 20, 40, 60, 80, 100, 250]) {
    const lines = formatFooter({ ...state, agents: manyAgents }, plain(columns));
    assertFits(lines.join('\n'), columns);
    assert.equal(lines.length, 11);
    assert.ok(!lines.join('').includes('\u001b'));
  }
});

test('agents beyond what fits are counted, not listed', () => {
  assert.equal(
    formatFooter({ ...state, agents: manyAgents }, plain(100))[8],
    ' 10 more agents: 5 thinking, 5 measuring',
  );
});

test('without Unicode the footer is plain ASCII', () => {
  const lines = formatFooter(state, ascii(100));
  assertAscii(lines.join('\n'));
  assert.equal(
    lines[4],
    ' best 3.475 (#11)   ##____   12 tried, 3 won, 2 failed, 1 blocked   7 h 58 m left   4 open specs',
  );
});

test('where a model is asked the footer says what it has cost, and against which cap', () => {
  const cost = (usd: number | undefined, known: number, unpriced: number, subscription = 0) => ({
    usd,
    known,
    unpriced,
    subscription,
    tokensIn: 900,
    tokensOut: 100,
  });
  const line = (given: Partial<FooterState>): string =>
    formatFooter({ ...state, course: [], ...given }, plain(120)).at(-2) ?? '';
  assert.match(line({ spent: cost(0.61, 0.61, 0), usd: 5 }), /1 blocked {3}\$0\.61 of \$5\.00 {3}7 h/);
  assert.match(line({ spent: cost(0.0042, 0.0042, 0) }), / \$0\.0042 {3}/);
  assert.match(line({ spent: cost(0, 0, 0), usd: 5 }), / \$0\.00 of \$5\.00 /);
  assert.match(line({ spent: cost(undefined, 0, 1000), usd: 5 }), / cost unknown: 1000 tokens without a known price /);
  assert.match(
    line({ spent: cost(undefined, 0.61, 200), usd: 5 }),
    / \$0\.61 of \$5\.00 and 200 tokens without a known price /,
  );
  const bySubscription = line({ spent: cost(undefined, 0, 0, 1_000), usd: 5 });
  assert.match(bySubscription, / {3}1,000 tokens by subscription {3}/);
  assert.doesNotMatch(bySubscription, /\$/);
  assert.match(
    line({ spent: cost(0.61, 0.61, 0, 800), usd: 5 }),
    / {3}\$0\.61 of \$5\.00 and 800 tokens by subscription {3}/,
  );
  assert.doesNotMatch(line({ usd: 5 }), /\$/);
});
