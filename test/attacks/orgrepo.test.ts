import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNot } from '../../src/jail/level.ts';
import { classes } from './attack.ts';
import { corpus } from './corpus/index.ts';
import { attackNight } from './night.ts';

/** The same attacks, all of a class in one night, against orgrepo: none may come through. */

for (const level of ['bubblewrap', 'namespaces'] as const) {
  const missing = await whyNot(level);
  const options = missing === undefined ? {} : { skip: `${level} is not to be had here: ${missing}` };
  for (const one of classes) {
    const attacks = corpus.filter((attack) => attack.class === one);
    test(`${level}: of ${attacks.length} attacks of the class ${one} none succeeds`, options, async () => {
      const night = await attackNight(attacks, level);
      assert.deepEqual(night.breaches, [], night.output.slice(-3_000));
      if (one !== 'lucky draws') assert.deepEqual(night.controls, ['better: keep 4', 'equal: discard 5']);
    });
  }
}
