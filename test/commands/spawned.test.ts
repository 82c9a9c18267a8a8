import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';
import { commandNames } from '../../src/commands/invoke.ts';
import { anOrg } from '../support/builders.ts';
import { root, type TestOrg } from '../support/org.ts';

/**
 * Most tests call a command in their own process. Here each verb is started once as people start it: the bundle, in a process of
 * its own, with arguments, standard output and an exit code.
 */

const orgMd = '# Acme\n\n## Structure\n\n### Worker\n- **Level:** 3\n';
let org: TestOrg;
before(() => {
  org = anOrg({ files: { 'ORG.md': orgMd } });
});

/** What is typed, the exit code, and what it says; in this order, as each may need what those before it did. */
const calls: readonly (readonly [words: readonly string[], code: number, said: RegExp])[] = [
  [['help'], 0, /^orgrepo \d+\.\d+\.\d+ /],
  [['completion', 'bash', '--', 'sta'], 0, /^status\t/],
  [['init'], 0, /left as it is/],
  [['doctor'], 0, /git/],
  [['plan', '--no-measure'], 0, /worker/],
  [['apply', '--yes'], 0, /^Applied: /m],
  [['run', '--max', '2'], 0, / run stop reason=.* exit=0$/m],
  [['status'], 0, /stopped/],
  [['log'], 0, /#/],
  [['show', '1'], 0, /#1/],
  [['report'], 0, /RESULT/],
  [['morning'], 0, /RESULT/],
  [['verify'], 0, /everything holds/],
  [['replay', '1'], 0, /#1/],
  [['submit', 'an idea'], 0, /an idea/],
  [['pause', 'worker'], 0, /worker/],
  [['resume', 'worker'], 0, /worker/],
  [['stop'], 64, /runs/],
  [['freeze', '--reason', 'a look'], 0, /has frozen the org/],
  [['thaw'], 0, /thawed/],
  [['approve', '999'], 1, /there is no experiment #999/],
  [['deny', '999'], 1, /there is no experiment #999/],
  [['export'], 0, /Acme/],
  [['land', '--dry-run'], 0, /#1/],
  [['compare', 'HEAD', 'HEAD', '--run', '1', '--max', '1'], 0, /difference/],
  [['ab-test', 'HEAD', 'nowhere'], 64, /git knows no commit "nowhere"/],
  [['attack', '--jail', 'paper'], 64, /paper/],
  [['demo', '--max', '1'], 0, /RESULT/],
];

for (const [words, code, said] of calls)
  test(`orgrepo ${words.join(' ')}`, () => {
    const ran = org.spawned(...words);
    assert.equal(ran.code, code, ran.stdout + ran.stderr);
    assert.match(ran.stdout + ran.stderr, said);
  });

test('every verb is among them', () => {
  const oldNames = ['ab-test', 'morning'];
  assert.deepEqual([...new Set(calls.map(([[verb]]) => verb))].sort(), [...commandNames, ...oldNames].sort());
});

test('orgrepo --version says the version of the package', () => {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  assert.deepEqual(org.spawned('--version'), { code: 0, stdout: `${version}\n`, stderr: '' });
});
