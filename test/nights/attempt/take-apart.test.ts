import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrg } from '../../support/builders.ts';
import { endings, runNight } from '../../support/night.ts';
import type { TestOrg } from '../../support/org.ts';

/** Numbers that want to be 3, an unread comment among them, and an agent that does what the brief says once. */
function orgWith(edits: string, keys: Readonly<Record<string, string>> = {}): TestOrg {
  const org = anOrg({
    brief: { agent: `{ command: "sh harness/agent.sh" }`, ...keys },
    files: {
      'harness/agent.sh': edits,
      'sandbox/numbers.txt': 'first 9\n# a\n# one\n# b\nsecond 7\n',
      'sandbox/other.txt': 'nobody reads this\n',
      'harness/score.sh': `grep -v '^#' "$ORGREPO_OUT/numbers" | awk '{ loss += ($2 - 3) ^ 2 } END { print "loss: " loss }'\n`,
    },
  });
  return org;
}

test('a kept change is taken apart: what carries the gain stays, what does not matter goes, each in a commit of its own', async () => {
  const org = orgWith(
    'sed -i "s/first 9/first 3/; s/# one/# ONE/; s/second 7/second 5/" sandbox/numbers.txt; echo changed > sandbox/other.txt; echo "three numbers"',
  );
  const ran = await runNight(org, '--max', '5');
  assert.deepEqual(endings(ran.experiments), ['keep 4', 'discard 40', 'keep 4', 'discard 16', 'keep 4'], ran.stderr);
  assert.deepEqual(
    ran.experiments.slice(1).map(({ title, reason }) => `${title}: ${reason}`),
    [
      '#1 without part 1 of 4, sandbox/numbers.txt:1: loss 40 without it against 4: it carries 36',
      '#1 without part 2 of 4, sandbox/numbers.txt:3: loss 4 without it against 4: as good with less',
      '#1 without part 3 of 4, sandbox/numbers.txt:5: loss 16 without it against 4: it carries 12',
      '#1 without part 4 of 4, sandbox/other.txt:1: loss 4 without it against 4: as good with less',
    ],
  );
  assert.equal(org.git('show', 'orgrepo/best:sandbox/numbers.txt'), 'first 3\n# a\n# one\n# b\nsecond 5\n');
  assert.equal(org.git('show', 'orgrepo/best:sandbox/other.txt'), 'nobody reads this\n');
  const best = org.git('log', '--first-parent', '--format=%an %s', 'main..orgrepo/best').trim().split('\n');
  assert.deepEqual(best.slice(0, 3), [
    'orgrepo keep: #1 without part 4 of 4, sandbox/other.txt:1 (loss stays 4)',
    'orgrepo keep: #1 without part 2 of 4, sandbox/numbers.txt:3 (loss stays 4)',
    'junior-1 keep: three numbers (loss 52 -> 4)',
  ]);
  assert.match(
    (await org.orgrepo('report')).stdout.replace(/\s+/g, ' '),
    /left out, sandbox\/numbers.txt:1 of #1, sandbox\/numbers.txt:5 of #1 cost score: they carry the gain; sandbox\/numbers.txt:3 of #1, sandbox\/other.txt:1 of #1 did not matter/,
  );
  assert.equal((await org.orgrepo('replay', '3')).code, 0);
});

test('a change of one piece is left alone, and so is one in a night that is over', async () => {
  const one = orgWith('sed -i "s/first 9/first 3/" sandbox/numbers.txt; echo "one number"');
  assert.deepEqual(endings((await runNight(one, '--max', '2')).experiments), ['keep 16', 'unchanged']);
  const over = orgWith('sed -i "s/first 9/first 3/; s/second 7/second 3/" sandbox/numbers.txt; echo "two numbers"');
  assert.deepEqual(endings((await runNight(over, '--max', '1')).experiments), ['keep 0']);
});
