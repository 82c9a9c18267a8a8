import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { acmeOrg, asChecker, call, edit, finish } from '../support/acme.ts';
import { everything } from '../support/landing.ts';
import { runNight } from '../support/night.ts';

/** The lines of Acme's SDLC that are enforced: what they refuse, and what they allow. */

const removals: (() => void)[] = [];
after(() => {
  for (const remove of removals) remove();
});

/** `tsc --noEmit` of the file, played by a program that finds a mistake where the word stands. */
const bin = mkdtempSync(path.join(tmpdir(), 'orgrepo-bin-'));
removals.push(() => rmSync(bin, { recursive: true, force: true }));
writeFileSync(
  path.join(bin, 'tsc'),
  '#!/bin/sh\nif grep -q mistake sandbox/four.txt; then echo WRONG-TYPE; exit 2; fi\n',
);
chmodSync(path.join(bin, 'tsc'), 0o755);
process.env.PATH = `${bin}:${process.env.PATH}`;

const lines = (count: number): string => Array.from({ length: count }, (_, n) => `\nline ${n}`).join('');

/** Four files with a number that wants to be 3. Other lines are worth nothing, and each change is one part of one file. */
const ground = {
  'sandbox/one.txt': 'number 9\n',
  'sandbox/two.txt': 'number 7\n',
  'sandbox/three.txt': 'number 6\n',
  'sandbox/four.txt': 'number 8\n',
  'harness/run.sh': 'cat sandbox/one.txt sandbox/two.txt sandbox/three.txt sandbox/four.txt > "$ORGREPO_OUT/numbers"\n',
  'harness/score.sh': `awk '/^number/ { loss += ($2 - 3) ^ 2 } END { print "loss: " loss + 0 }' "$ORGREPO_OUT/numbers"\n`,
};

test('what Acme kept comes to main by a branch and a pull request alone, in changes that are not too large and pass the gate', async () => {
  const org = acmeOrg({
    sonnet: [
      { when: [asChecker], turns: [call('review', { decision: 'approve', summary: 'reads well', findings: [] })] },
    ],
    haiku: [
      { when: ['try 1 of'], turns: [edit('9', '3', 'one.txt'), finish({ title: 'the first' })] },
      { when: ['try 2 of'], turns: [edit('7', `3${lines(600)}`, 'two.txt'), finish({ title: 'the second' })] },
      { when: ['try 3 of'], turns: [edit('6', `3${lines(500)}`, 'three.txt'), finish({ title: 'the third' })] },
      { when: ['try 4 of'], turns: [edit('8', '3\nmistake', 'four.txt'), finish({ title: 'the fourth' })] },
    ],
    specs: { '0001': 'title: the backend numbers\nby: people' },
    keys: { budget: '{ experiment: 30s, agent: 30s, night: 1h, attempts: 4, patience: 1000 }' },
    files: ground,
  });
  removals.push(org.remove);
  const night = await runNight(org, '--max', '4');
  assert.deepEqual(
    night.experiments.map(({ event }) => event),
    ['keep', 'keep', 'keep', 'keep'],
    night.stdout,
  );
  const before = everything(org);

  const large = await org.orgrepo('land', '--yes');
  assert.equal(large.code, 3, 'above the hard limit');
  assert.match(large.stderr, /110\d lines change, and a change has at most 1000 \(ORG\.md:\d+\)/);
  const wrong = await org.orgrepo('land', '4', '--yes');
  assert.equal(wrong.code, 1, 'what must pass does not');
  assert.match(wrong.stderr, /tsc --noEmit[\s\S]* does not pass [\s\S]*WRONG-TYPE/);
  assert.equal(everything(org), before, 'nothing is written');

  const noted = await org.orgrepo('land', '1', '2', '--dry-run');
  assert.equal(noted.code, 0, noted.stderr);
  assert.match(noted.stdout, /note {14}60\d lines change, and a change has at most 500/);
  const main = org.git('rev-parse', 'main');
  const landed = await org.orgrepo('land', '1', '--yes');
  assert.equal(landed.code, 0, landed.stderr);
  assert.doesNotMatch(landed.stdout, /note/);
  // Direct pushes are never: main is where it was, and the branch is named as the file wants it and no orphan.
  assert.equal(org.git('rev-parse', 'main'), main);
  const [, branch = ''] = /^landed on (\S+): /m.exec(landed.stdout) ?? [];
  assert.match(branch, /^backend-senior-\d\/the-backend-numbers$/);
  assert.equal(org.git('rev-parse', `${branch}^`), main);
  org.git('branch', '--quiet', '-D', branch);

  // One line alone does not allow it, and both together do.
  const file = readFileSync(path.join(org.dir, 'ORG.md'), 'utf8');
  const pushed = file.replace('- **Direct push to main:** never', '- **Direct push to main:** allowed');
  org.write('ORG.md', pushed);
  org.commit('pushes are allowed, and pull requests required');
  const still = org.git('rev-parse', 'main');
  assert.equal((await org.orgrepo('land', '1', '--yes')).code, 0);
  assert.equal(org.git('rev-parse', 'main'), still);
  org.git('branch', '--quiet', '-D', branch);
  org.write('ORG.md', pushed.replace('- **Required:** yes — every change, even typo fixes', '- **Required:** no'));
  org.commit('no pull requests');
  const direct = await org.orgrepo('land', '1', '--yes');
  assert.equal(direct.code, 0, direct.stderr);
  assert.match(direct.stdout, /^landed on main: /m);
  assert.match(readFileSync(path.join(org.dir, 'sandbox/one.txt'), 'utf8'), /^number 3$/m);
  assert.equal((await org.orgrepo('verify')).code, 0, (await org.orgrepo('verify')).stdout);
});

test('orphan branches are forbidden, and a file that allows them is refused at its line', async () => {
  const org = acmeOrg({});
  removals.push(org.remove);
  assert.equal((await org.orgrepo('plan')).code, 0, (await org.orgrepo('plan')).stderr);
  const file = readFileSync(path.join(org.dir, 'ORG.md'), 'utf8');
  org.write('ORG.md', file.replace('**Orphan branches:** forbidden', '**Orphan branches:** allowed'));
  org.commit('orphans');
  const refused = await org.orgrepo('run', '--max', '1');
  assert.equal(refused.code, 6);
  assert.match(refused.stderr, /ORG\.md:\d+:\d+: .*orphan/i);
});
