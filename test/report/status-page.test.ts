import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tallyOf } from '../../src/domain/words/experiment.ts';
import type { Status } from '../../src/report/facts/overview.ts';
import { formatStatus, statusJson } from '../../src/report/pages/status-page.ts';
import { ascii, assertAscii, assertFits, plain } from '../support/look.ts';
import { experiments, night } from '../support/night-story.ts';
import { printed } from '../support/printed.ts';

const running: Status = {
  name: 'acme-lab',
  state: 'running',
  pid: 4121,
  since: 8040,
  heartbeatAgo: 3,
  metric: 'waste_pct',
  direction: 'minimize',
  baseline: 14.435,
  best: night.best,
  tally: tallyOf(experiments.map(({ event }) => event)),
  agents: [
    { id: 'chief', doing: 'writing specs', tried: 0, kept: 0 },
    { id: 'junior-1', doing: 'measuring #62', spec: '0041', tried: 27, kept: 4 },
  ],
  queue: { open: 4, claimed: 3 },
  needsYou: night.needsYou,
  lastKeepAgo: 27,
  patience: 52,
  paused: false,
};

const never: Status = {
  name: 'acme-lab',
  state: 'never',
  metric: 'accuracy',
  direction: 'maximize',
  tally: tallyOf([]),
  agents: [],
  queue: { open: 1, claimed: 0 },
  needsYou: [],
  paused: false,
};

test('status says all that a person wants to know of a running org', () => {
  assert.equal(
    formatStatus(running, plain(100)),
    `acme-lab · running 2 h 14 m (pid 4121, heartbeat 3 s ago)

  best     3.475 waste_pct, lower is better  (#11, c0000be)   baseline 14.435   -75.9 %
  tried    12: 3 won, 4 discarded, 1 crashed, 1 timed out, 1 blocked, 1 unchanged, 1 confounded
           last taken 27 tries ago (stops at 52)
  queue    4 open, 3 claimed

  agent     doing                      tried    won
  chief     writing specs                  0      0
  junior-1  measuring #62, spec 0041      27      4

  needs you (1)
  ! merging #7 with #11 conflicts in sandbox/pack.mjs
      orgrepo show 7
`,
  );
});

test('status says all that there is to say before the first night', () => {
  assert.equal(
    formatStatus(never, plain(100)),
    `acme-lab · never started
  start it: orgrepo run

  best     none yet: accuracy, higher is better
  tried    nothing yet
  queue    1 open, 0 claimed
`,
  );
});

test('status says plainly how it stands and what to type', () => {
  const states: readonly (readonly [Partial<Status>, string])[] = [
    [
      { state: 'silent', heartbeatAgo: 2460 },
      'acme-lab · running but silent for 41 min (pid 4121)\n  a long measurement, or it hangs; stop it: orgrepo stop, or kill 4121\n',
    ],
    [
      { state: 'stopped', since: 3600, why: 'patience' },
      'acme-lab · stopped 1 h ago: patience\n  go on from the best: orgrepo run\n',
    ],
    [
      { state: 'crashed', since: 200, why: 'its process is gone' },
      'acme-lab · crashed 3 min ago: its process is gone\n  resume: orgrepo run   (nothing that was recorded is lost, what was saved is measured first)\n',
    ],
    [
      { state: 'running', paused: true },
      'acme-lab · running 2 h 14 m, paused (pid 4121, heartbeat 3 s ago)\n  no new work while paused: orgrepo resume\n',
    ],
    [{ state: 'running', pid: undefined, since: undefined, heartbeatAgo: undefined }, 'acme-lab · running\n'],
  ];
  for (const [given, head] of states) {
    const text = formatStatus({ ...running, ...given }, plain(100));
    assert.equal(text.slice(0, text.indexOf('\n\n') + 1), head);
  }
});

const spent = { usd: 1.4, known: 1.4, tokensIn: 2000, tokensOut: 300, unpriced: 0, subscription: 0 };
const unknown = { usd: undefined, known: 0.2, tokensIn: 1500, tokensOut: 20, unpriced: 1200, subscription: 0 };

test('money is shown only where it was spent, against its cap, and what is unknown is never 0', () => {
  assert.doesNotMatch(formatStatus(running, plain(100)), /spent|\$/);
  const costly = { ...running, spent: { total: spent, held: undefined, agents: [] }, usdCap: 5 };
  assert.match(formatStatus(costly, plain(100)), /\n {2}spent {4}\$1\.40 of \$5\.00 · 2,000 tokens in, 300 out\n/);
  const [first] = running.agents;
  const dear = { ...costly, agents: [{ ...(first ?? assert.fail()), spent: unknown }] };
  assert.match(
    formatStatus({ ...dear, spent: { ...costly.spent, total: unknown } }, plain(100)),
    /\$0\.20 of \$5\.00 and 1200 tokens without a known price/,
  );
  assert.match(formatStatus(dear, plain(100)), / \$\n.* \?\n/);
  const json = printed(statusJson(dear)) as { spent: unknown; agents: Record<string, unknown>[] };
  assert.deepEqual(json.spent, { usd: 1.4, tokens_in: 2000, tokens_out: 300 });
  assert.equal('usd' in (json.agents[0] ?? {}), false);
  assert.equal(json.agents[0]?.unpriced_tokens, 1200);
});

test('status fits the terminal and needs no Unicode', () => {
  for (const columns of [20, 60, 80, 100]) assertFits(formatStatus(running, plain(columns)), columns);
  assertAscii(formatStatus(running, ascii(100)));
});

test('status as JSON has the names of the contract and leaves out what is not known', () => {
  assert.deepEqual(printed(statusJson(running)), {
    schema: 'orgrepo/status@1',
    name: 'acme-lab',
    state: 'running',
    paused: false,
    pid: 4121,
    since_seconds: 8040,
    heartbeat_seconds_ago: 3,
    metric: 'waste_pct',
    direction: 'minimize',
    baseline: 14.435,
    best: { score: 3.475, n: 11, commit: 'c0000be000000000000000000000000000000000' },
    tried: 12,
    kept: 3,
    tally: {
      keep: 3,
      rejected: 0,
      discard: 4,
      inconclusive: 0,
      crash: 1,
      timeout: 1,
      tampered: 1,
      unchanged: 1,
      failed: 0,
      confounded: 1,
      void: 0,
    },
    last_keep_ago: 27,
    patience: 52,
    queue: { open: 4, claimed: 3 },
    spent: {},
    agents: [
      { id: 'chief', doing: 'writing specs', tried: 0, kept: 0 },
      { id: 'junior-1', doing: 'measuring #62', spec: '0041', tried: 27, kept: 4 },
    ],
    needs_you: [{ what: 'merging #7 with #11 conflicts in sandbox/pack.mjs', command: 'orgrepo show 7' }],
  });
  assert.deepEqual(printed(statusJson(never)), {
    schema: 'orgrepo/status@1',
    name: 'acme-lab',
    state: 'never',
    paused: false,
    metric: 'accuracy',
    direction: 'maximize',
    tried: 0,
    kept: 0,
    tally: {
      keep: 0,
      rejected: 0,
      discard: 0,
      inconclusive: 0,
      crash: 0,
      timeout: 0,
      tampered: 0,
      unchanged: 0,
      failed: 0,
      confounded: 0,
      void: 0,
    },
    queue: { open: 1, claimed: 0 },
    spent: {},
    agents: [],
    needs_you: [],
  });
});

test('where not all experiments are counted for the agents the table says of how many', () => {
  const long = { ...running, agentsOfLast: 1000 };
  assert.match(formatStatus(long, plain(100)), /\n\n {2}of the last 1000 tries:\n {2}agent {5}doing /);
  assert.equal(printed(statusJson(long)).agents_of_last, 1000);
  assert.equal('agents_of_last' in printed(statusJson(running)), false);
});
