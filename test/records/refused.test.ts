import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatRefused, parseRefused } from '../../src/records/queue/spec-text.ts';

test('specs that policies refuse are read back as they were written; anything else is passed over', () => {
  const refused = [
    { spec: '0001', n: 12, words: 'a policy is against it: not now' },
    { spec: '123456', n: 1, words: 'nothing permits it' },
  ];
  assert.deepEqual(parseRefused(formatRefused(refused)), refused);
  assert.deepEqual(parseRefused(formatRefused([{ spec: '0001', n: 1, words: 'two\nlines' }])), [
    { spec: '0001', n: 1, words: 'two lines' },
  ]);
  assert.deepEqual(parseRefused('words of a person\n0001 is done\n'), []);
});
