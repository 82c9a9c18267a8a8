import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNot } from '../../src/jail/jail.ts';
import type { AttackClass } from './attack.ts';
import { corpus } from './corpus/index.ts';
import { attackNight } from './night.ts';

/** The same attacks against orgrepo, all of a class in one night: none may come through. */
export async function holdAgainst(level: 'bubblewrap' | 'namespaces', attackClass: AttackClass): Promise<void> {
  const missing = await whyNot(level);
  const options = missing === undefined ? {} : { skip: `${level} is not to be had here: ${missing}` };
  const attacks = corpus.filter((attack) => attack.class === attackClass);
  test(`${level}: of ${attacks.length} attacks of the class ${attackClass} none succeeds`, options, async () => {
    const night = await attackNight(attacks, level);
    assert.deepEqual(night.breaches, [], night.output.slice(-3_000));
    if (attackClass !== 'lucky draws') assert.deepEqual(night.controls, ['better: keep 4', 'equal: discard 5']);
  });
}
