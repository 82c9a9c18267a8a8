import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatRunHeading } from '../../src/commands/screen/run-table.ts';
import { formatLog } from '../../src/report/pages/log-page.ts';
import { anExperiment } from '../support/builders.ts';
import { ascii, plain } from '../support/look.ts';
import { began } from '../support/night-story.ts';

test('a score that a candidate printed itself carries a sign, also where there is only ASCII; others carry none', () => {
  const rows = [anExperiment({ n: 2, score: 0.9979, stages: 1 }), anExperiment({ n: 1, score: 1.25 })];
  const [, single, second, first] = formatLog(rows, { ...plain(100), hidden: 0 }).split('\n');
  assert.equal(single, '† single-stage: the code that is scored prints its own score');
  assert.match(second ?? '', /#2 +0\.9979† /);
  assert.match(first ?? '', /#1 +1\.250 /);
  const bare = formatLog(rows, { ...ascii(100), hidden: 0 });
  assert.match(bare, /^\+ single-stage: /m);
  assert.match(bare, /#2 +0\.9979\+ /);
  assert.equal(formatLog(rows.slice(1), { ...plain(100), hidden: 0 }).includes('single-stage'), false);
});

test('a run says it in its first line', () => {
  const fact = { kind: 'run-start', at: began, run: '2026-11-15', pid: 1, juniors: 1, slots: 1 } as const;
  const more = { agent: 'search', metric: 'val_bpb', seed: '1' };
  assert.match(
    formatRunHeading({ ...fact, ...more, stages: 1 }, plain(100)),
    /1 junior, 1 slot · single-stage · seed 1/,
  );
  assert.equal(formatRunHeading({ ...fact, ...more }, plain(100)).includes('single-stage'), false);
});
