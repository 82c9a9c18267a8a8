import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { classes, offer } from './attack.ts';
import { corpus } from './corpus/index.ts';
import { runNaively } from './naive.ts';
import { makeScene } from './scene.ts';
import { breachesInRows, breachesInWorld, lookBefore } from './witness.ts';

/** What the attacks are worth: each of them beats the loop that people write in an evening. */

test('there are at least 80 attacks, some in every class, and no two have the same name', () => {
  assert.equal(corpus.length >= 80, true, `${corpus.length} attacks`);
  assert.equal(new Set(corpus.map(({ name }) => name)).size, corpus.length);
  for (const one of classes) {
    const count = corpus.filter((attack) => attack.class === one).length;
    assert.equal(count >= 6, true, `${one}: ${count}`);
  }
});

test('the naive runner keeps an honest gain, and an honest change breaks nothing', async () => {
  const honest = offer('sed "s/.*/plain/"\n# an honest remark');
  const attack = { name: 'honest', class: 'forged output', steps: [honest], wins: 'kept' } as const;
  const scene = await makeScene({ attacks: [attack], brief: {}, noisy: false });
  const before = lookBefore(scene);
  const ran = await runNaively(scene, 1, 30_000);
  assert.deepEqual(
    ran.rows.map(({ kept, score }) => ({ kept, score })),
    [{ kept: false, score: 5 }],
    ran.output,
  );
  const found = await breachesInWorld(scene, before, { ...ran, ownsTrunk: true });
  await scene.remove();
  assert.deepEqual(found, []);
});

const lost: string[] = [];
const lanes = 3;
const waiting = [...corpus];
after(() => assert.deepEqual(lost, []));

for (let lane = 1; lane <= lanes; lane++) {
  test(`each attack beats the naive runner, lane ${lane} of ${lanes}`, { concurrency: true }, async () => {
    for (let attack = waiting.shift(); attack !== undefined; attack = waiting.shift()) {
      // A lucky draw needs luck: it gets a few nights for it.
      let seen = '';
      for (let night = 1; night <= (attack.noisy ? 6 : 1); night++) {
        const scene = await makeScene({ attacks: [attack], brief: {}, noisy: attack.noisy === true });
        const before = lookBefore(scene);
        const ran = await runNaively(scene, attack.steps.length, attack.wins === 'stalled' ? 6_000 : 30_000);
        const found = [
          ...breachesInRows(attack, ran.rows),
          ...(await breachesInWorld(scene, before, { ...ran, ownsTrunk: true }, attack.wins)),
        ];
        await scene.remove();
        if (found.some(({ sign }) => sign === attack.wins)) {
          seen = '';
          break;
        }
        seen = `${attack.name}: not ${attack.wins} but ${JSON.stringify(found.slice(0, 4))} ${ran.output.slice(0, 300)}`;
      }
      if (seen !== '') lost.push(seen);
    }
  });
}
