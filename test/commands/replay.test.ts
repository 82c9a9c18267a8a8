import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { obedientOrg, say, scriptAgent } from '../support/night.ts';

const agent = scriptAgent([
  say('echo "loss: 8"', 'less'),
  say('exit 1', 'crash'),
  'echo nothing was done',
  say('sleep 20; echo "loss: 1"', 'slow'),
  say('echo "loss: 9$(od -An -N6 -tu2 /dev/urandom | tr -d " ")"', 'whatever comes'),
]);
const org = obedientOrg(agent.brief, {
  budget: '{ experiment: 1s, agent: 10s, night: 1h, attempts: 100, patience: 1000 }',
});
after(() => org.remove());

test('replay --all measures everything again, counts apart what never was, and fails when one comes out otherwise', () => {
  assert.equal(org.orgrepo('run', '--json', '--max', '4').code, 0);
  const all = org.orgrepo('replay', '--all');
  assert.deepEqual([all.code, all.stdout], [0, '3 of 3 reproduced, 1 was never measured\n']);
  assert.equal(org.orgrepo('run', '--json', '--max', '1').code, 0);
  const { code, stdout } = org.orgrepo('replay', '--all');
  assert.deepEqual(
    [code, stdout.replaceAll(/\d{6,}/g, '<number>')],
    [1, '#5  measured <number>   recorded <number>   DIFFERS\n3 of 4 reproduced, 1 was never measured\n'],
  );
  const lines = org.orgrepo('replay', '--all', '--json').stdout.trimEnd().split('\n');
  const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    told.map(({ schema, n, reproduced }) => [schema, n, reproduced]),
    [
      ['orgrepo/replay@1', 1, true],
      ['orgrepo/replay@1', 2, true],
      ['orgrepo/replay@1', 4, true],
      ['orgrepo/replay@1', 5, false],
      ['orgrepo/replays@1', undefined, 3],
    ],
  );
});

test('replay takes a number or --all', () => {
  for (const args of [['replay'], ['replay', '1', '--all']]) {
    const { code, stderr } = org.orgrepo(...args);
    assert.equal(code, 64);
    assert.match(stderr, /a number or --all/);
  }
});
