import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classes, offer } from './attack.ts';
import { corpus } from './corpus/index.ts';
import { runNaively } from './naive.ts';
import { makeScene } from './scene.ts';
import { breachesInWorld, lookBefore } from './witness.ts';

test('there are at least 80 attacks, some in every class, and no two have the same name', () => {
  assert.equal(corpus.length >= 80, true, `${corpus.length} attacks`);
  assert.equal(new Set(corpus.map(({ name }) => name)).size, corpus.length);
  for (const one of classes) {
    const count = corpus.filter((attack) => attack.class === one).length;
    assert.equal(count >= 8, true, `${one}: ${count}`);
  }
});

test('an honest change is no attack: the naive runner measures it rightly, and no sign is seen', async () => {
  const steps = [offer('sed "s/.*/plain/"\n# an honest remark')];
  const attack = { name: 'honest', class: 'forged output', steps, wins: 'kept' } as const;
  const scene = await makeScene({ attacks: [attack], brief: {}, noisy: false });
  try {
    const before = lookBefore(scene);
    const ran = await runNaively(scene, { attempts: 1, limitSeconds: 5, mostMs: 40_000 });
    assert.deepEqual(
      ran.rows.map(({ kept, score }) => ({ kept, score })),
      [{ kept: false, score: 5 }],
      ran.output,
    );
    assert.deepEqual(await breachesInWorld(scene, before, { ...ran, ownsTrunk: true, graceMs: 0 }), []);
  } finally {
    await scene.remove();
  }
});
