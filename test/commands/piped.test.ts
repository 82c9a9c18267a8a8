import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chartedOrg } from '../support/chart.ts';
import { scriptAgent } from '../support/night.ts';

test('what is piped is whole: no name, spec or title is cut, whatever a terminal would show of it', async () => {
  const title =
    'Bring every single one of the numbers that stand in the file to where the harness would like to have it most';
  const tried =
    'the first of them is three now, because a number that is three has no distance to three, and distance counts';
  const agent = scriptAgent([`sed -i 's/^first .*/first 3/' sandbox/numbers.txt; echo "${tried}"`, 'echo "nothing"']);
  const org = chartedOrg({
    structure:
      '### Lead\n- **Level:** 7\n\n#### Patient Backend Numbers Worker\n- **Domain:** backend\n- **Level:** 3\n',
    specs: { '0001': `title: ${title}\nby: people\ndomain: backend` },
    keys: { agent: agent.brief },
  });
  try {
    const ran = await org.orgrepo('run', '--max', '1');
    assert.equal(ran.code, 0, ran.stderr);
    const worker = 'patient-backend-numbers-worker';
    const held: readonly (readonly [string, readonly string[]])[] = [
      ['plan', [worker]],
      ['plan --settings', [worker]],
      ['status', [worker]],
      ['log', [worker, tried]],
      ['report', [worker, tried]],
      ['show 0001', [title, tried]],
    ];
    for (const [words, parts] of held) {
      const { code, stdout } = await org.orgrepo(...words.split(' '));
      assert.equal(code, 0, words);
      for (const part of parts) assert.ok(stdout.includes(part), `${words} lacks ${part}:\n${stdout}`);
      assert.doesNotMatch(stdout, /…/, words);
    }
  } finally {
    org.remove();
  }
});
