import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import PQueue from 'p-queue';
import type { Fact } from '../../../src/domain/words/fact.ts';
import { newObject, storeObject } from '../../../src/git/objects/tree.ts';
import { setPace } from '../../../src/process/pace.ts';
import { type Org, openOrg } from '../../../src/records/org.ts';
import type { Scale } from '../../../src/score/measure/hold-contest.ts';
import { keepPacked } from '../../../src/steps/night/keep-packed.ts';
import { anOrg } from '../../support/builders.ts';
import { runNight } from '../../support/night.ts';
import { fastPace } from '../../support/pace.ts';
import { until } from '../../support/until.ts';

const opened: Org[] = [];
after(() => Promise.all(opened.map(({ repo }) => repo.close())));
const often = { packAfter: 30, packLookMs: 10, packAgeMs: 0 };
after(() => setPace(fastPace));

const packsIn = (dir: string): string[] => {
  const names = readdirSync(path.join(dir, '.git/objects/pack'));
  return names.filter((name) => name.endsWith('.pack'));
};

/** As much of a night as is needed, with more loose objects than there may be. */
async function aNight(noise: Scale['noise']) {
  setPace({ ...fastPace, ...often });
  const org = await openOrg(anOrg().dir, 'none');
  opened.push(org);
  const { repo } = org;
  for (let n = 0; n < 50; n++) storeObject(repo, newObject(repo.hash, 'blob', Buffer.from(`word ${n}`)));
  await repo.store.flush();
  const facts: Fact[] = [];
  const slots = new PQueue({ concurrency: 1 });
  const scale: Scale = { noise, usualMs: 1, load: { usualMs: 1, time: () => 1, patienceMs: 1 } };
  const night = {
    run: { org, slots, say: (fact: Fact) => facts.push(fact) },
    tally: { scales: new Map([['one', scale]]) },
  };
  return { night, facts, slots, dir: repo.root };
}

/** A measurement that goes on until it is told to end. */
function measuring(slots: PQueue): () => void {
  let end = (): void => {};
  void slots.add(
    () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  );
  return () => end();
}

test('objects are packed beside the measurement of a metric without noise', async () => {
  const { night, slots, dir } = await aNight(undefined);
  const end = measuring(slots);
  const packing = keepPacked(night);
  await until('there is a pack', () => packsIn(dir).length > 0);
  end();
  await packing.stop();
});

test('objects are packed between the measurements of a noisy metric, and never beside one', async () => {
  const { night, slots, dir } = await aNight({ squares: 1, count: 8 });
  const end = measuring(slots);
  const packing = keepPacked(night);
  const looks = performance.now();
  await until('it has looked often', () => performance.now() - looks > 300);
  assert.deepEqual(packsIn(dir), []);
  end();
  await until('there is a pack', () => packsIn(dir).length > 0);
  await packing.stop();
});

test('packing that has begun ends when a noisy measurement begins', async () => {
  const { night, slots, dir } = await aNight({ squares: 1, count: 8 });
  const packing = keepPacked(night);
  const end = measuring(slots); // In the same turn: git has been asked for nothing yet.
  const looks = performance.now();
  await until('it has looked often', () => performance.now() - looks > 300);
  assert.deepEqual(packsIn(dir), []);
  end();
  await packing.stop();
});

test('what cannot be packed is told once, and the night goes on', async () => {
  const { night, facts, dir } = await aNight(undefined);
  mkdirSync(path.join(dir, '.git/objects/ab'), { recursive: true });
  writeFileSync(path.join(dir, '.git/objects/ab', 'c'.repeat(38)), 'no object');
  const packing = keepPacked(night);
  await until('it is told', () => facts.length > 0);
  await packing.stop();
  const [fact] = facts;
  assert.match(fact?.kind === 'warning' ? fact.message : '', /^git's objects were not packed: .*git gc$/s);
  assert.equal(facts.length, 1);
});

test('a night packs what it writes, and everything holds', async () => {
  setPace({ ...fastPace, ...often });
  const org = anOrg({ brief: { juniors: '3', slots: '2' } });
  const ran = await runNight(org, '--max', '30');
  assert.equal(ran.code, 0, ran.stderr);
  assert.ok(packsIn(org.dir).length > 0);
  org.git('fsck', '--full', '--strict');
  assert.equal((await org.orgrepo('verify')).code, 0);
});
