import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNot } from '../../src/jail/level.ts';
import type { AttackClass } from './attack.ts';
import { corpus } from './corpus/index.ts';
import { attackNight } from './night.ts';
import { waiting } from './waiting.ts';

/** The same attacks against orgrepo, all of a class in one night: none may come through. */
export async function holdAgainst(level: 'bubblewrap' | 'namespaces', classes: readonly AttackClass[]): Promise<void> {
  const missing = await whyNot(level);
  const options = missing === undefined ? {} : { skip: `${level} is not to be had here: ${missing}` };
  const all = corpus.filter((attack) => classes.includes(attack.class));
  for (const attack of all.filter(({ name }) => waiting.has(name)))
    test(`${level}: ${attack.name}`, { skip: waiting.get(attack.name) ?? false }, () => {});
  for (const one of classes) {
    const attacks = all.filter((attack) => attack.class === one && !waiting.has(attack.name));
    if (attacks.length === 0) continue;
    test(`${level}: of ${attacks.length} attacks of the class ${one} none succeeds`, options, async () => {
      const night = await attackNight(attacks, level);
      assert.deepEqual(night.breaches, [], night.output.slice(-3_000));
      if (one !== 'lucky draws') assert.deepEqual(night.controls, ['better: keep 4', 'equal: discard 5']);
    });
  }
}
