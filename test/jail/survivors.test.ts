import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countSurvivors, escapes } from '../../bench/survivors.ts';
import { whyNot } from '../../src/jail/jail.ts';

/** The short form of `npm run bench -- survivors`, which tries it 500 times. */
for (const level of ['bubblewrap', 'namespaces'] as const) {
  const missing = await whyNot(level);
  const options = missing === undefined ? {} : { skip: `${level} is not to be had here: ${missing}` };
  test(
    `${level}: a second after its deadline no process of a candidate is left, whichever way it tried to escape`,
    options,
    async () => {
      assert.equal(Object.keys(escapes).length, 8);
      const { survived, idle } = await countSurvivors(16, level);
      assert.deepEqual({ survived, idle }, { survived: [], idle: [] });
    },
  );
}
