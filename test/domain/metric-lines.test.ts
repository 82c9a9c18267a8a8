import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readNumbers } from '../../src/domain/words/printed-numbers.ts';

test('the metric and the other numbers are read from the lines of the harness', () => {
  const cases: readonly (readonly [string, number, Readonly<Record<string, number>>])[] = [
    ['waste_pct: 3.98', 3.98, {}],
    ['waste_pct: 3.98\n', 3.98, {}],
    ['  waste_pct :\t3.98  \r\nlines: 40\r\n', 3.98, { lines: 40 }],
    ['packing...\ndone in: 3 s\nwaste_pct: -1.5e-3\nparams: +12\nnote: fine\n', -0.0015, { params: 12 }],
    ['waste_pct: 0', 0, {}],
    ['waste_pct: -0.0', 0, {}],
    ['waste_pct: .5', 0.5, {}],
    ['waste_pct: 5.', 5, {}],
    ['waste_pct: 003.250', 3.25, {}],
    ['holdout_waste_pct: 2\nwaste_pct: 1', 1, { holdout_waste_pct: 2 }],
    ['10 %\r50 %\rwaste_pct: 1', 1, {}],
    ['lines: NaN\nlines: 3\nwaste_pct: 1', 1, { lines: 3 }],
    ['__proto__: 1\nconstructor: 2\nwaste_pct: 1', 1, {}],
    ['final waste_pct: 9\nwaste_pct: 1', 1, {}],
  ];
  for (const [stdout, score, numbers] of cases) {
    assert.deepEqual(readNumbers(stdout, 'waste_pct'), { kind: 'numbers', score, numbers }, JSON.stringify(stdout));
  }
});

test('anything but one finite number is a crash that says what was found', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['', 'the harness printed no line "waste_pct: number"; it printed nothing'],
    [' \n\n', 'the harness printed no line "waste_pct: number"; it printed nothing'],
    ['done in 3.1s\n', 'the harness printed no line "waste_pct: number"; its last line is "done in 3.1s"'],
    ['the waste_pct: 3', 'the harness printed no line "waste_pct: number"; its last line is "the waste_pct: 3"'],
    ['Waste_pct: 3', 'the harness printed no line "waste_pct: number"; its last line is "Waste_pct: 3"'],
    ['waste_pct = 3', 'the harness printed no line "waste_pct: number"; its last line is "waste_pct = 3"'],
    [
      '\u001b[31mwaste_pct: 3',
      'the harness printed no line "waste_pct: number"; its last line is "\\u001b[31mwaste_pct: 3"',
    ],
    ['waste_pct: 1\nwaste_pct: 1', 'the harness printed waste_pct 2 times (1, 1), expected one line of it'],
    ['waste_pct: ...\nwaste_pct: 1', 'the harness printed waste_pct 2 times (..., 1), expected one line of it'],
    ['lines: 1\nlines: 2\nwaste_pct: 1', 'the harness printed lines twice, expected one line of it'],
    ['waste_pct:', 'waste_pct is empty, expected a finite number such as 0.99'],
    ...[
      'NaN',
      'nan',
      'Infinity',
      '-inf',
      '0,99',
      '1e999',
      '-1e999',
      '1e-999',
      '0x10',
      '1_000',
      '1e',
      '--1',
      '٣',
      'null',
      '1.2.3',
    ].map((text) => [`waste_pct: ${text}`, `waste_pct is ${text}, expected a finite number such as 0.99`] as const),
    ['waste_pct: 3.2 %', 'waste_pct is "3.2 %", expected a finite number such as 0.99'],
    ['waste_pct: 1 2', 'waste_pct is "1 2", expected a finite number such as 0.99'],
    [`waste_pct: ${'9'.repeat(400)}`, `waste_pct is ${'9'.repeat(57)}..., expected a finite number such as 0.99`],
  ];
  for (const [stdout, reason] of cases) assert.deepEqual(readNumbers(stdout, 'waste_pct'), { kind: 'crash', reason });
});

const ops = 'x ([\\d,.]+) ops/sec';

test('a pattern finds the metric in one line, and other numbers are read as ever', () => {
  const cases: readonly (readonly [string, number, Readonly<Record<string, number>>])[] = [
    ['slug x 512 ops/sec', 512, {}],
    ['slug x 100,512 ops/sec ±1.2 %\r\nlines: 40', 100512, { lines: 40 }],
    ['slug x 1,100,512.25 ops/sec\n', 1100512.25, {}],
    ['ops: 3\nslug x 7.5 ops/sec', 7.5, {}],
  ];
  for (const [stdout, score, numbers] of cases)
    assert.deepEqual(readNumbers(stdout, 'ops', ops), { kind: 'numbers', score, numbers }, stdout);
});

test('anything but one match with one number is a crash that says what was found', () => {
  const expected = 'expected a finite number such as 0.99 or 100,512';
  const cases: readonly (readonly [string, string])[] = [
    ['', `the harness printed nothing that metric.pattern matches, ${ops}; it printed nothing`],
    ['x 1\nops/sec', `the harness printed nothing that metric.pattern matches, ${ops}; its last line is "ops/sec"`],
    ['x 1 ops/sec\nx 1 ops/sec', 'metric.pattern matches more than once (1, 1), expected one match'],
    ['x 1 ops/sec, x 2 ops/sec\n'.repeat(9), 'metric.pattern matches more than once (1, 2, 1), expected one match'],
    ['x 1.2.3 ops/sec', `ops is 1.2.3, ${expected}`],
    ['x 1,5 ops/sec', `ops is 1,5, ${expected}`],
    ['x ,512 ops/sec', `ops is ,512, ${expected}`],
    ['x 1,2345 ops/sec', `ops is 1,2345, ${expected}`],
  ];
  for (const [stdout, reason] of cases)
    assert.deepEqual(readNumbers(stdout, 'ops', ops), { kind: 'crash', reason }, stdout.slice(0, 40));
  const empty = { kind: 'crash', reason: `ops is empty, ${expected}` };
  assert.deepEqual(readNumbers('at 3', 'ops', 'at (x)?'), empty, 'parentheses that captured nothing');
});

test('an output that a pattern searches for too long is a crash', () => {
  const reason = 'there is too much output for metric.pattern: print less, or write a stricter one';
  assert.deepEqual(readNumbers('a'.repeat(2_000_000), 'ops', '(?:a?){90}(b)'), { kind: 'crash', reason });
});
