import assert from 'node:assert/strict';
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { sweepPacks } from '../../src/git/packs/pack-files.ts';
import { packLoose } from '../../src/git/packs/pack-loose.ts';
import { openRepo } from '../../src/git/repo.ts';
import { aPlace, counts, forEver, litterOf, lost, pack, packsOf, write } from './packed-place.ts';

test('all loose objects are packed, also those that no ref names', async () => {
  const place = await aPlace();
  const ids = await write(place, 300, 'word');
  const before = await place.repo.reader.read(ids[0] ?? ''); // The reader has looked before the objects move.
  const loose = counts(place).count ?? 0;
  const packed = await pack(place);
  assert.deepEqual([packed.kind, packed.kind === 'packed' && packed.objects], ['packed', loose]);
  const { count, 'in-pack': inPack, packs, garbage } = counts(place);
  assert.deepEqual({ count, inPack, packs, garbage }, { count: 0, inPack: loose, packs: 1, garbage: 0 });
  const reader = await openRepo(place.org.dir);
  after(() => reader.close());
  for (const id of ids.slice(0, 50)) assert.equal((await reader.reader.read(id))?.type, 'blob');
  assert.equal(before?.type, 'blob');
  place.org.git('fsck', '--full', '--strict');
  assert.deepEqual(litterOf(place), []);
});

test('a reader that runs finds objects that are packed and joined meanwhile', async () => {
  const place = await aPlace();
  const reading = await openRepo(place.org.dir); // Remembers nothing of what the other has written.
  after(() => reading.close());
  for (let round = 0; round < 8; round++) {
    const ids = await write(place, 40, `round ${round}`);
    assert.equal(await reading.reader.has(ids[0] ?? ''), true);
    await pack(place);
    for (const id of ids) assert.equal((await reading.reader.read(id))?.type, 'blob');
  }
});

test('there are few packs after many rounds, and nothing is lost', async () => {
  const place = await aPlace();
  const ids: string[] = [];
  for (let round = 0; round < 20; round++) {
    ids.push(...(await write(place, 30, `round ${round}`)));
    await pack(place);
  }
  assert.ok(packsOf(place).length <= 6, `${packsOf(place).length} packs`);
  assert.deepEqual(lost(place, ids), []);
  place.org.git('fsck', '--full', '--strict');
});

test('a pack that was not made here is left alone', async () => {
  const place = await aPlace();
  place.org.git('repack', '-a', '-d', '-q');
  const [theirs = ''] = packsOf(place);
  for (let round = 0; round < 6; round++) {
    await write(place, 50, `round ${round}`);
    await pack(place);
  }
  assert.ok(packsOf(place).includes(theirs));
});

test('a pack that a person keeps is left alone', async () => {
  const place = await aPlace();
  await write(place, 30, 'first');
  await pack(place);
  const [kept = ''] = packsOf(place);
  writeFileSync(path.join(place.packs, kept.replace(/pack$/, 'keep')), '');
  for (let round = 0; round < 6; round++) {
    await write(place, 50, `round ${round}`);
    await pack(place);
  }
  assert.ok(packsOf(place).includes(kept));
});

test('nothing is packed while a gc runs', async () => {
  const place = await aPlace();
  await write(place, 30, 'word');
  writeFileSync(path.join(place.repo.gitDir, 'gc.pid'), `${process.pid} ${hostname()}`);
  assert.deepEqual(await pack(place), { kind: 'nothing' });
  rmSync(path.join(place.repo.gitDir, 'gc.pid'));
  assert.equal((await pack(place)).kind, 'packed');
});

test('few objects and young ones are left alone', async () => {
  const place = await aPlace();
  await write(place, 30, 'word');
  assert.deepEqual(await pack(place, 10_000), { kind: 'nothing' });
  assert.deepEqual(await packLoose(place.repo, { atLeast: 1, olderThanMs: 60_000 }, forEver), { kind: 'nothing' });
});

test('packing that is broken off leaves no litter and loses nothing', async () => {
  const place = await aPlace();
  const ids = await write(place, 2_000, 'word');
  for (const ms of [0, 1, 5, 10, 20, 40, 80]) {
    const breaking = new AbortController();
    const packing = pack(place, 1, breaking.signal);
    await wait(ms);
    breaking.abort();
    const { kind } = await packing;
    assert.ok(['stopped', 'packed', 'nothing'].includes(kind), kind);
    assert.deepEqual(litterOf(place), []);
    assert.deepEqual(lost(place, ids), []);
  }
});

test('an object that is damaged stops the packing, and the others stay as they are', async () => {
  const place = await aPlace();
  const [first = '', ...others] = await write(place, 30, 'word');
  truncateSync(path.join(place.repo.objectsDir, first.slice(0, 2), first.slice(2)), 20);
  const loose = counts(place).count;
  assert.equal((await pack(place)).kind, 'failed');
  assert.equal(counts(place).count, loose);
  assert.deepEqual(lost(place, others), []);
});

test('what a kill has left of a pack is removed', async () => {
  const place = await aPlace();
  await write(place, 30, 'word');
  await pack(place);
  const [name = ''] = packsOf(place);
  rmSync(path.join(place.packs, name.replace(/pack$/, 'idx'))); // As it is before a pack has its index.
  sweepPacks(place.repo);
  assert.deepEqual(packsOf(place), []);
});
