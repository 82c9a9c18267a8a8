import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readNumbers } from '../../src/domain/words/printed-numbers.ts';
import { likelyDirection, meantBy, metricsIn } from '../../src/setup/metric-in-output.ts';

const found = (stdout: string) => metricsIn(stdout).map(({ name, pattern, value }) => [name, pattern, value]);

test('numbers are found on lines of their own and by what stands around them', () => {
  const cases: readonly (readonly [string, readonly (readonly [string, string | undefined, number])[]])[] = [
    ['error_rate: 0.29\n', [['error_rate', undefined, 0.29]]],
    ['error rate = 0.29\n', [['error_rate', 'error rate = ([\\d,.]+)', 0.29]]],
    ['slug x 100,512 ops/sec\n', [['ops', 'slug x ([\\d,.]+) ops/sec', 100512]]],
    ['Found 7 issues\n', [['issues', 'Found ([\\d,.]+) issues', 7]]],
    ['BenchmarkX-8   \t  13070 ns/op\n', [['ns_op', 'BenchmarkX-[\\d,.]+\\s+([\\d,.]+) ns/op', 13070]]],
    ['took 1.5e-3 s\n', [['s', 'took (-?[\\d,]*\\.?\\d+(?:e[-+]?\\d+)?) s', 0.0015]]],
    ['v1.2.3 on 2026-11-19\n', []],
    ['nothing here\n', []],
    ['\u001b[32m7 issues\u001b[0m\n', []],
  ];
  for (const [stdout, expected] of cases) assert.deepEqual(found(stdout), expected, stdout);
});

test('a pattern that is proposed reads the output it comes from, also with other numbers in it', () => {
  const outputs = [
    ['a 1 ms\nb 2 ms\n', 'a 17 ms\nb 2.5 ms\n'],
    ['test a ... bench:   1,234 ns/iter (+/- 56)\n', 'test a ... bench:       9 ns/iter (+/- 1,000)\n'],
    ['requests/s: 12k\nlatency 3.5 ms (p99 8.25 ms)\n', 'requests/s: 9k\nlatency 13.5 ms (p99 118 ms)\n'],
  ] as const;
  for (const [first, second] of outputs) {
    const metrics = metricsIn(first).filter(({ pattern }) => pattern !== undefined);
    assert.ok(metrics.length > 0, first);
    for (const { name, pattern, value } of metrics) {
      assert.deepEqual(readNumbers(first, name, pattern), { ...readNumbers(first, name, pattern), score: value });
      assert.equal(readNumbers(second, name, pattern).kind, 'numbers', `${pattern} in ${second}`);
    }
  }
});

test('a name means its own line, else the number it stands beside', () => {
  const stdout = 'checked 40 mails\nerror rate 0.25 of all\nerrors: 10\n';
  const meant = (name: string) => meantBy(name, metricsIn(stdout)).map(({ name: as, value }) => [as, value]);
  assert.deepEqual(meant('errors'), [['errors', 10]]);
  assert.deepEqual(meant('mails'), [['mails', 40]]);
  assert.deepEqual(meant('error_rate'), [['error_rate', 0.25]]);
  assert.deepEqual(meant('loss'), []);
});

test('the direction is guessed from the name alone, and not where it says nothing', () => {
  const cases = { error_rate: 'minimize', ns_op: 'minimize', ops: 'maximize', f1: 'maximize', width: undefined };
  for (const [name, expected] of Object.entries(cases)) assert.equal(likelyDirection(name), expected, name);
});
