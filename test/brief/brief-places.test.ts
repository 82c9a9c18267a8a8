import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeIn } from '../../src/brief/read/brief-models.ts';

const text = `---
metric: loss
score: node harness/score.mjs
guards:
  lines: "<= +40"
  a.b: "< 3"
budget: { experiment: 5s }
holdout:
  - harness/a
  - harness/b
---
prose
`;

test('a brief tells where it says something: the value of a key, the name of what stands in a map', () => {
  const cases: readonly [readonly [string, ...string[]], number, number][] = [
    [['score'], 3, 8],
    [['guards', 'lines'], 5, 3],
    [['guards', 'a.b'], 6, 3],
    [['budget', 'experiment'], 7, 11],
    [['budget', 'night'], 7, 1],
    [['holdout', '1'], 10, 5],
    [['score', '0'], 3, 1],
    [['target'], 1, 1],
  ];
  for (const [path, line, column] of cases)
    assert.deepEqual(placeIn(text, 'orgrepo.md', ...path), { file: 'orgrepo.md', line, column }, path.join('.'));
});

test('a brief in plain sections has its places by the words it uses', () => {
  const plain =
    '# Mission\n\n## Success metric\n- scalar: loss = what is left\r\n- target: >= 0.6\n## Budget\n- 2k input tokens\n';
  assert.equal(placeIn(plain, 'program.md', 'metric').line, 4);
  assert.equal(placeIn(plain, 'program.md', 'target').line, 5);
  assert.equal(placeIn(plain, 'program.md', 'budget', 'tokens_in').line, 7);
  assert.equal(placeIn(plain, 'program.md', 'score').line, 1);
});
