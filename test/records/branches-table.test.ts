import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contradictions, parseBranchesTable } from '../../src/records/queue/branches-table.ts';
import { formatLiveBranches } from '../../src/records/queue/queue.ts';

const table = `# Branches

Some words.

| ref | holds | written by |
|---|---|---|
| the trunk (\`main\`, or the branch the run started on) | brief | **people only**; orgrepo never writes it except in \`orgrepo land\`, which a person runs |
| \`orgrepo/queue\` | specs | chief, people, orgrepo |
| \`orgrepo/work/<spec-id>\` | the notebook | the holder of the claim |
| \`orgrepo/best\` | the best tree \\| known | orgrepo, after measuring |
| \`orgrepo/reports\` | reports | orgrepo |
| \`refs/orgrepo/wip/<spec-id>\` | candidates | orgrepo |
| \`refs/orgrepo/spend/<host>\` | spending | orgrepo on that host |
| \`gh-pages\` | the site | a bot |

After the table.
`;

test('the table of branches is read, and the shipped one says what orgrepo enforces', () => {
  const rows = parseBranchesTable(table);
  assert.equal(rows.length, 8);
  assert.deepEqual(rows[3], {
    line: 10,
    ref: '`orgrepo/best`',
    holds: 'the best tree | known',
    writtenBy: 'orgrepo, after measuring',
  });
  assert.deepEqual(contradictions(rows), []);
  assert.deepEqual(parseBranchesTable(table.replaceAll('\n', '\r\n')), rows);
  assert.deepEqual(parseBranchesTable('no table\n| a | b |\n|---|---|\n| c | d |\n'), []);
  const moved = '| Branch | Moved by |\n|:--|--:|\nmain | people';
  assert.deepEqual(parseBranchesTable(moved), [{ line: 3, ref: 'main', holds: '', writtenBy: 'people' }]);
});

test('a row that says something else than what orgrepo enforces is a contradiction', () => {
  const only = (who: string): string => `but only ${who} may write it`;
  const cases: readonly (readonly [ref: string, writtenBy: string, message: string | undefined])[] = [
    ['`main`', 'people', undefined],
    ['main', 'Ann and Bob', undefined],
    ['main', 'people (with `orgrepo land`)', undefined],
    ['main', 'people, never agents', undefined],
    ['main', 'orgrepo', `the trunk is said to be written by orgrepo, ${only('people')}`],
    ['the trunk', 'people and agents', `the trunk is said to be written by agents, ${only('people')}`],
    ['refs/heads/main', 'everyone', `the trunk is said to be written by everyone, ${only('people')}`],
    ['orgrepo/best', 'orgrepo; nobody else', undefined],
    ['orgrepo/best', '', undefined],
    ['orgrepo/best', 'juniors', `orgrepo/best is said to be written by juniors, ${only('orgrepo')}`],
    ['`orgrepo/best`', 'orgrepo or the chief', `orgrepo/best is said to be written by "the chief", ${only('orgrepo')}`],
    ['refs/heads/orgrepo/best', 'any agent', `orgrepo/best is said to be written by "any agent", ${only('orgrepo')}`],
    ['orgrepo/best', 'Ann', `orgrepo/best is said to be written by Ann, ${only('orgrepo')}`],
    [
      'orgrepo/queue',
      'juniors',
      `orgrepo/queue is said to be written by juniors, ${only('the chief, people and orgrepo')}`,
    ],
    ['orgrepo/work/0007', 'the junior that holds the claim', undefined],
    ['orgrepo/work/*', 'people', `orgrepo/work/* is said to be written by people, ${only('the holder of the claim')}`],
    ['orgrepo/reports', 'people', `orgrepo/reports is said to be written by people, ${only('orgrepo')}`],
    ['refs/orgrepo/wip/0007', 'agents', `refs/orgrepo/wip/0007 is said to be written by agents, ${only('orgrepo')}`],
    ['refs/orgrepo/spend/a', 'chief', `refs/orgrepo/spend/a is said to be written by chief, ${only('orgrepo')}`],
    ['orgrepo/bets', 'orgrepo', 'orgrepo/bets is not a ref that orgrepo has; did you mean orgrepo/best?'],
    ['orgrepo/notes', 'people', 'orgrepo/notes is not a ref that orgrepo has'],
    ['refs/orgrepo/wip', 'orgrepo', 'refs/orgrepo/wip is not a ref that orgrepo has'],
    ['feature/x', 'agents', undefined],
    ['my-orgrepo/best', 'agents', undefined],
  ];
  for (const [ref, writtenBy, message] of cases) {
    const found = contradictions([{ line: 7, ref, holds: '', writtenBy }]);
    assert.deepEqual(found, message === undefined ? [] : [{ line: 7, message }], `${ref} by ${writtenBy}`);
  }
  const trunk = contradictions([{ line: 1, ref: '`develop`', holds: '', writtenBy: 'agents' }], 'develop');
  assert.equal(trunk.length, 1);
});

test('the live table holds one row per branch, whatever its cells hold', () => {
  const text = formatLiveBranches([
    {
      branch: 'orgrepo/work/0007',
      agent: 'junior-2',
      spec: '0007',
      state: 'working',
      bestScore: 3.4,
      lastChange: 'keep: a | b\n| c',
    },
    {
      branch: 'orgrepo/work/0008',
      agent: '',
      spec: '0008',
      state: 'done',
      bestScore: undefined,
      lastChange: '\u001b[2J\\|',
    },
  ]);
  assert.equal(
    text,
    `# Branches

Written by orgrepo: one row per live branch.

| branch | agent | spec | state | best score | last change |
|---|---|---|---|---|---|
| orgrepo/work/0007 | junior-2 | 0007 | working | 3.4 | keep: a \\| b |
| orgrepo/work/0008 |  | 0008 | done |  | [2J\\\\\\| |
`,
  );
});
