import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Experiment } from '../../src/domain/words/experiment.ts';
import { formatResults } from '../../src/report/pages/log-page.ts';
import { anExperiment } from '../support/builders.ts';

const kept = anExperiment({
  commit: '51fe0b3aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  event: 'keep',
  metric: 'val_bpb',
  score: 0.9979,
  numbers: { memory_gb: 44.04 },
  title: 'baseline',
});

test('results come out in the five columns of autoresearch, and what is not known is empty', () => {
  const experiments: readonly Experiment[] = [
    kept,
    { ...kept, event: 'discard', score: 1, numbers: {}, title: 'a\tb\u001b[2J' },
    { ...kept, event: 'crash', score: undefined, numbers: {}, title: 'c\nd' },
    { ...kept, event: 'timeout', score: undefined, numbers: {}, title: 'e' },
    { ...kept, event: 'confounded', score: 0.5, numbers: {}, title: 'f' },
  ];
  assert.equal(
    formatResults(experiments, 'val_bpb'),
    [
      'commit\tval_bpb\tmemory_gb\tstatus\tdescription',
      '51fe0b3\t0.997900\t44.0\tkeep\tbaseline',
      '51fe0b3\t1.000000\t\tdiscard\ta  b[2J',
      '51fe0b3\t\t\tcrash\tc',
      '51fe0b3\t\t\tcrash\te (timeout)',
      '51fe0b3\t0.500000\t\tdiscard\tf (confounded)',
      '',
    ].join('\n'),
  );
  assert.equal(formatResults([], 'x'), 'commit\tx\tmemory_gb\tstatus\tdescription\n');
});
