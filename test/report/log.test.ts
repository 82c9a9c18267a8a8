import assert from 'node:assert/strict';
import { test } from 'node:test';
import { experimentJson } from '../../src/report/pages/fact-lines.ts';
import { formatLog } from '../../src/report/pages/log-page.ts';
import { anExperiment } from '../support/builders.ts';
import { ascii, assertAscii, assertFits, plain } from '../support/look.ts';
import { experiments } from '../support/night-story.ts';
import { printed } from '../support/printed.ts';

const newestFirst = [...experiments].reverse();

test('the log shows wins as a line, what is on best marked, the rest beside it', () => {
  assert.equal(
    formatLog(newestFirst, { ...plain(100), hidden: 3, places: new Map([[11, { kind: 'on best', as: 11 }]]) }),
    `● taken  ◆ won  ○ discarded  ? unclear  × no score  ! blocked, confounded, rejected  · other
  ○ #12      3.474  -0.03 %  junior-2  c0000ce  sandbox/pack.mjs:30 24 -> 25                    0002
╭─╯
●   #11      3.475   -6.4 %  junior-1  c0000be  sandbox/pack.mjs:12 2 -> 4                      0001
│ ! #10      3.600   -3.0 %  junior-2  c0000ae  sandbox/pack.mjs:30 24 -> 23                    0002
│ ! #9     blocked        –  junior-3  c00009e  easier lists                                    0003
│ × #8     timeout        –  junior-3  c00008e  sandbox/pack.mjs:41 1 -> 1000                   0003
├─╯
◆   #7       3.712   -3.9 %  junior-1  c00007e  sandbox/pack.mjs:13 0 -> 46                     0001
│ · #6   unchanged        –  junior-3  c00006e  nothing new                                     0003
│ ○ #5      40.200   +941 %  junior-2  c00005e  sandbox/pack.mjs:30 24 -> 90                    0002
│ ○ #4       5.033  +30.4 %  junior-2  c00004e  sandbox/pack.mjs:30 24 -> 20                    0002
├─╯
◆   #3       3.861  -73.3 %  junior-1  c00003e  sandbox/pack.mjs:12 0 -> 2                      0001
│ × #2       crash        –  junior-3  c00002e  sandbox/pack.mjs:40 < -> <=                     0003
│ ○ #1      14.900   +3.2 %  junior-2  c00001e  sandbox/pack.mjs:30 24 -> 30                    0002
~   3 experiments not shown: orgrepo log --all
`,
  );
});

test('the log fits every terminal and needs no Unicode', () => {
  for (const columns of [30, 60, 80, 120]) {
    assertFits(formatLog(newestFirst, { ...plain(columns), hidden: 3 }), columns);
  }
  assertAscii(formatLog(newestFirst, { ...ascii(100), hidden: 3 }));
  assert.equal(
    formatLog(newestFirst.slice(0, 2), { ...ascii(100), hidden: 1 }),
    `@ taken  * won  o discarded  ? unclear  x no score  ! blocked, confounded, rejected  . other
  o #12  3.474  -0.03 %  junior-2  c0000ce  sandbox/pack.mjs:30 24 -> 25                        0002
+-+
*   #11  3.475   -6.4 %  junior-1  c0000be  sandbox/pack.mjs:12 2 -> 4                          0001
~   1 experiment not shown: orgrepo log --all
`,
  );
});

test('an empty log says how to start', () => {
  assert.equal(formatLog([], { ...plain(80), hidden: 0 }), 'No experiments yet. Start: orgrepo run\n');
  assert.equal(formatLog([], { ...plain(80), hidden: 2 }), '~   2 experiments not shown: orgrepo log --all\n');
});

test('a hostile title cannot move the cursor in the log', () => {
  const log = formatLog([anExperiment({ n: 1, title: '\u001b[2J\u202e', agent: 'a\nb' })], {
    ...plain(100),
    hidden: 0,
  });
  assert.equal(
    log.split('\n')[1],
    `  ○ #1  discard  –  a b  c00001e  \\x1b[2J\\u202e                                                 0001`,
  );
});

test('an experiment as JSON has the names of the contract and leaves out what is not known', () => {
  assert.deepEqual(printed(experimentJson(experiments[2] ?? anExperiment({ n: 3 }))), {
    schema: 'orgrepo/experiment@1',
    n: 3,
    commit: 'c00003e000000000000000000000000000000000',
    spec: '0001',
    agent: 'junior-1',
    event: 'keep',
    metric: 'waste_pct',
    score: 3.861,
    samples: [3.861],
    best: 14.435,
    guards: { lines: 62, holdout_waste_pct: 3.911 },
    seconds: 0.25,
    at: '2026-11-15T22:42:00Z',
    title: 'sandbox/pack.mjs:12 0 -> 2',
    reason: '3.861 beats 14.435 by 10.574',
  });
  assert.deepEqual(printed(experimentJson(anExperiment({ n: 2, event: 'crash', seconds: undefined }))), {
    schema: 'orgrepo/experiment@1',
    n: 2,
    commit: 'c00002e000000000000000000000000000000000',
    spec: '0001',
    agent: 'junior-1',
    event: 'crash',
    metric: 'waste_pct',
    samples: [],
    guards: {},
    at: '2026-11-15T22:41:40Z',
    title: 'try 2',
    reason: 'not better',
  });
});
