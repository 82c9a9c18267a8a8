import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBrief } from '../../src/brief/read/brief-text.ts';
import { readGlobs } from '../../src/text/paths.ts';
import { isProblem } from '../../src/text/problem.ts';
import { randomFrom } from '../../src/text/random.ts';

test('no sandbox that is accepted names a file of the harness, of people or of git', () => {
  const random = randomFrom('patterns');
  const parts = [
    '*',
    '**',
    '?',
    'harness',
    'h*',
    '*s',
    'spec',
    's',
    '[a-z]',
    '{harness,src}',
    '@(harness|x)',
    '+(h)',
    '!(x)',
    '.',
    '.git',
    '.GIT',
    'program',
    '.md',
    'x.js',
    '(',
    ')',
    '|',
    '"',
    "'",
    '\\',
    'src',
    '^',
    '$',
    ',',
  ];
  const guarded = [
    'harness/x.js',
    'harness/a/b',
    'harness',
    'program.md',
    'branches.md',
    'specs/0001.md',
    'ORG.md',
    'org.yaml',
    'policies/a.rego',
    '.github/workflows/a.yml',
    '.git/config',
    '.worktrees/a/x',
  ];
  let accepted = 0;
  for (let round = 0; round < 1_500; round++) {
    const segments = Array.from({ length: 1 + random.below(3) }, () =>
      Array.from({ length: 1 + random.below(3) }, () => random.pick(parts)).join(''),
    );
    const pattern = segments.join('/');
    const sandbox = sandboxOf(pattern);
    if (sandbox === undefined) continue;
    accepted += 1;
    const globs = readGlobs(sandbox);
    for (const path of guarded) assert.equal(globs.names(path), false, `${pattern} names ${path}`);
  }
  assert.ok(accepted > 200, `${accepted} patterns were accepted`);
});

function sandboxOf(pattern: string): readonly string[] | undefined {
  const keys = ['metric: m', 'direction: minimize', `sandbox: ${JSON.stringify(pattern)}`, 'score: x'];
  try {
    return parseBrief(`---\n${keys.join('\n')}\n---\n`, 'program.md').sandbox;
  } catch (error) {
    if (isProblem(error)) return undefined;
    throw error;
  }
}
