import assert from 'node:assert/strict';
import { test } from 'node:test';
import { without } from '../support/tools.ts';
import type { Attack, AttackClass } from './attack.ts';
import { corpus } from './corpus/index.ts';
import { runNaively } from './naive.ts';
import { makeScene } from './scene.ts';
import { breachesInRows, breachesInWorld, lookBefore } from './witness.ts';

const lanes = 3;

/** What the attacks are worth: each of them beats the loop that people write in an evening. */
export function beatNaiveRunner(attackClass: AttackClass): void {
  const all = corpus.filter((attack) => attack.class === attackClass);
  const isInPython = ({ steps }: Attack): boolean => steps.some((step) => step.includes('python3'));
  const inPython = all.filter(isInPython);
  beat(
    `attacks of the class ${attackClass}`,
    all.filter((attack) => !isInPython(attack)),
  );
  if (inPython.length > 0) beat(`attacks in Python of the class ${attackClass}`, inPython, without('python3'));
}

function beat(which: string, attacks: readonly Attack[], skip: string | false = false): void {
  test(`each of ${attacks.length} ${which} beats the naive runner`, { skip }, async () => {
    const waiting = [...attacks];
    const failed: string[] = [];
    const workLane = async (): Promise<void> => {
      for (let attack = waiting.shift(); attack !== undefined; attack = waiting.shift())
        failed.push(...(await failureOf(attack)));
    };
    await Promise.all(Array.from({ length: lanes }, workLane));
    assert.deepEqual(failed, []);
  });
}

/** Nothing when the attack wins as it says; who has to be quick gets three nights, and a lucky draw more for its luck. */
async function failureOf(attack: Attack): Promise<string[]> {
  let seen = '';
  for (let night = 1; night <= (attack.noisy ? 6 : 3); night++) {
    const scene = await makeScene({ attacks: [attack], brief: {}, noisy: attack.noisy === true });
    try {
      const before = lookBefore(scene);
      const ran = await runNaively(scene, {
        attempts: attack.steps.length,
        limitSeconds: attack.wins === 'disk' || attack.wins === 'finished' ? 30 : 5, // A busy machine is no defence.
        mostMs: attack.wins === 'stalled' ? 6_000 : 40_000,
      });
      const found = [
        ...breachesInRows(attack, ran.rows),
        ...(await breachesInWorld(scene, before, { ...ran, ownsTrunk: true, graceMs: 0 }, attack.wins)),
      ];
      if (found.some(({ sign }) => sign === attack.wins)) return [];
      seen = `${attack.name}: not ${attack.wins} but ${JSON.stringify(found.slice(0, 4))} ${ran.output.slice(0, 300)}`;
    } finally {
      await scene.remove();
    }
  }
  return [seen];
}
