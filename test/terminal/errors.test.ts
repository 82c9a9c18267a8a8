import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainPaint } from '../../src/terminal/look.ts';
import { formatProblem, problemJson } from '../../src/terminal/visible.ts';
import { Problem } from '../../src/text/problem.ts';

test('a problem says what, where and what to type', () => {
  const cases: readonly (readonly [Problem, string])[] = [
    [
      new Problem('brief/key', 'program.md:3:1: unknown key "metrc"', 'Write metric.', {
        file: 'program.md',
        line: 3,
        column: 1,
      }),
      'error  program.md:3:1: unknown key "metrc"  brief/key\n  try  Write metric.\n',
    ],
    [
      new Problem(
        'harness/baseline',
        'the harness printed no metric\nlast line: "done"',
        'node harness/score.mjs\norgrepo doctor',
        { file: 'harness/score.mjs' },
      ),
      'error  the harness printed no metric  harness/baseline\n  last line: "done"\n  harness/score.mjs\n  try  node harness/score.mjs\n       orgrepo doctor\n',
    ],
    [new Problem('git/failed', 'git said \u001b[2J', ''), 'error  git said \\x1b[2J  git/failed\n'],
  ];
  for (const [problem, text] of cases) assert.equal(formatProblem(problem, plainPaint), text);
});

test('a problem as JSON leaves out the place that is not known', () => {
  assert.deepEqual(problemJson(new Problem('brief/key', 'what', 'do', { file: 'program.md', line: 3 })), {
    error: { code: 'brief/key', message: 'what', file: 'program.md', line: 3, hint: 'do' },
  });
  assert.deepEqual(problemJson(new Problem('repo/none', 'what', 'do')), {
    error: { code: 'repo/none', message: 'what', hint: 'do' },
  });
});
