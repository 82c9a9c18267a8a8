import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatExperimentRow,
  formatFactRow,
  formatRunHeading,
  formatTableHeader,
} from '../../src/commands/screen/run-table.ts';
import type { Fact } from '../../src/domain/words/fact.ts';
import { ansiPaint } from '../../src/terminal/look.ts';
import { anExperiment } from '../support/builders.ts';
import { ascii, assertAscii, assertFits, plain } from '../support/look.ts';
import { began, experiments } from '../support/night-story.ts';

const table = { metric: 'waste_pct', cost: false };

const facts: readonly Fact[] = [
  { kind: 'baseline', at: began, score: 14.435, samples: [14.435, 14.435, 14.435], commit: 'abc', again: false },
  ...experiments.map((one): Fact => ({ kind: 'experiment', at: one.at, experiment: one, best: one.best ?? 0 })),
  { kind: 'best-moved', at: began + 245, n: 11, score: 3.475, commit: 'abc', merged: false },
  { kind: 'best-moved', at: began + 246, n: 13, score: 3.4, commit: 'abc', merged: true },
  { kind: 'claim', at: began + 247, spec: '0007', agent: 'junior-1' },
  { kind: 'brief', at: began + 248, change: 'broken', message: 'program.md:3:1: unknown key "metrc"' },
  { kind: 'recovered', at: began + 249, message: 'measured #12, which was saved before the crash' },
  { kind: 'warning', at: began + 250, message: 'the disk is nearly full' },
  { kind: 'baseline', at: began + 251, score: 14.5, samples: [14.4, 14.6], commit: 'abc', again: true },
];

const rowsIn = (look: ReturnType<typeof plain>): string =>
  [formatTableHeader(table, look), ...facts.map((fact) => formatFactRow(fact, table, look))]
    .filter((line) => line !== undefined)
    .join('\n');

test('a night reads as a table from which nothing is missing that a person would ask for', () => {
  assert.equal(
    rowsIn(plain(100)),
    `    #  time   waste_pct    vs base    status      agent      what was tried
    0  22:41     14.435          –    baseline               as it stands, 3 runs, all equal
    1  22:41     14.900     +3.2 %  ○ discard     junior-2   sandbox/pack.mjs:30 24 -> 30
    2  22:41          –          –  × CRASH       junior-3   score printed no waste_pct (sandbox/pa…
    3  22:42      3.861    -73.3 %  ◆ WIN         junior-1   sandbox/pack.mjs:12 0 -> 2
    4  22:42      5.033    +30.4 %  ○ discard     junior-2   sandbox/pack.mjs:30 24 -> 20
    5  22:42     40.200     +941 %  ○ discard     junior-2   sandbox/pack.mjs:30 24 -> 90
    6  22:43          –          –  · unchanged   junior-3   the tree of #3 (nothing new)
    7  22:43      3.712     -3.9 %  ◆ WIN         junior-1   sandbox/pack.mjs:13 0 -> 46
    8  22:43          –          –  × TIMEOUT     junior-3   killed after 5 s (sandbox/pack.mjs:41 …
    9  22:44          –          –  ! BLOCKED     junior-3   harness/score.mjs is not in the sandbo…
   10  22:44      3.600     -3.0 %  ! CONFOUNDED  junior-2   lines is 90, the guard allows at most …
   11  22:44      3.475     -6.4 %  ◆ WIN         junior-1   sandbox/pack.mjs:12 2 -> 4
   12  22:45      3.474    -0.03 %  ○ discard     junior-2   sandbox/pack.mjs:30 24 -> 25
       22:45  best: #13, merged and measured: 3.400
       22:45  brief broken: program.md:3:1: unknown key "metrc"
       22:45  recovered: measured #12, which was saved before the crash
       22:45  warning: the disk is nearly full
    0  22:45     14.500          –    baseline               measured again, the rules changed, 2 r…`,
  );
});

test('a narrow terminal loses columns, not the verdict', () => {
  assert.equal(
    formatExperimentRow(experiments[2] ?? anExperiment({ n: 3 }), table, plain(60)),
    `    3      3.861    -73.3 %  ◆ WIN         sandbox/pack.mjs…`,
  );
  for (const columns of [20, 40, 60, 65, 66, 75, 76, 80, 100, 200]) assertFits(rowsIn(plain(columns)), columns);
});

test('without Unicode and without colour the verdict is still a sign and a word', () => {
  const row = formatExperimentRow(experiments[2] ?? anExperiment({ n: 3 }), table, ascii(100));
  assertAscii(rowsIn(ascii(100)));
  assert.match(row, / \* WIN /);
});

test('colour is added around a row and changes none of its words', () => {
  const look = { ...plain(100), paint: ansiPaint };
  const kept = experiments[2] ?? anExperiment({ n: 3 });
  assert.equal(
    formatExperimentRow(kept, table, look),
    `\u001b[32m${formatExperimentRow(kept, table, plain(100))}\u001b[39m`,
  );
});

test('money has a column only where money can be spent, and unknown is not zero', () => {
  const kept = experiments[2] ?? anExperiment({ n: 3 });
  const costly = { metric: 'waste_pct', cost: true };
  assert.equal(
    [
      formatTableHeader(costly, plain(100)),
      formatExperimentRow({ ...kept, spent: { model: 'm', tokensIn: 1, tokensOut: 1, usd: 0.02 } }, costly, plain(100)),
      formatExperimentRow(
        { ...kept, spent: { model: 'm', tokensIn: 1, tokensOut: 1, usd: undefined } },
        costly,
        plain(100),
      ),
      formatExperimentRow(kept, costly, plain(100)),
    ].join('\n'),
    `    #  time   waste_pct    vs base    status      agent           $  what was tried
    3  22:42      3.861    -73.3 %  ◆ WIN         junior-1     0.02  sandbox/pack.mjs:12 0 -> 2
    3  22:42      3.861    -73.3 %  ◆ WIN         junior-1        ?  sandbox/pack.mjs:12 0 -> 2
    3  22:42      3.861    -73.3 %  ◆ WIN         junior-1        –  sandbox/pack.mjs:12 0 -> 2`,
  );
});

test('a title cannot break out of its row', () => {
  const row = formatExperimentRow(
    anExperiment({ n: 1, title: 'a\n\u001b[2J| x |', agent: 'junior\u001b[1A' }),
    table,
    plain(120),
  );
  assert.equal(row, `    1  22:41          –          –  ○ discard     junior\\x…  not better (a \\x1b[2J| x |)`);
});

test('scores of every size and sign keep their columns', () => {
  const scores = [0, -0.5, 1e-7, 123456.7, 1.5e12, -3, 0.04567, 412];
  const rows = scores.map((score) => formatExperimentRow(anExperiment({ n: 1, score, best: 0 }), table, plain(100)));
  assert.deepEqual(
    rows.map((row) => row.slice(12, 36)),
    [
      '          0          0  ',
      '    -0.5000    -0.5000  ',
      '   1.000e-7  +1.000e-7  ',
      '   123456.7  +123456.7  ',
      '  1.500e+12  +1.500e+…  ',
      '         -3         -3  ',
      '   0.045670  +0.045670  ',
      '        412       +412  ',
    ],
  );
});

test('at 80 columns half of a row is left for what was tried', () => {
  const row = formatExperimentRow(experiments[7] ?? anExperiment({ n: 8 }), table, plain(80));
  assert.equal(row, '    8          –          –  × TIMEOUT     killed after 5 s (sandbox/pack.mjs:4…');
  const run = { kind: 'run-start', at: began, run: '2026-11-16', pid: 1, juniors: 3, slots: 2 } as const;
  const heading = (columns: number): string =>
    formatRunHeading({ ...run, agent: 'search', metric: 'loss', seed: '1' }, plain(columns));
  assert.equal(heading(80), 'run 2026-11-16 · search agents, no model · 3 juniors, 2 slots · seed 1');
  assert.equal(heading(90), `${heading(80)} · stop: Ctrl-C`);
});
