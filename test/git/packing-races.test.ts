import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { newObject, storeObject } from '../../src/git/objects/tree.ts';
import { sweepPacks } from '../../src/git/packs/pack-files.ts';
import { aPlace, counts, lost, pack } from './packed-place.ts';

test('kill -9 at any moment loses no object', async () => {
  const place = await aPlace();
  const { org } = place;
  const script = fileURLToPath(new URL('./packer.js', import.meta.url));
  const told: string[] = [];
  for (let round = 0; round < 15; round++) {
    const child = spawn(process.execPath, [script, org.dir, String(round)], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    await once(child.stdout, 'data');
    await wait(round * 17);
    child.kill('SIGKILL');
    await once(child, 'close');
    told.push(...text.split('\n').slice(0, -1));
  }
  assert.deepEqual(lost(place, told), []);
  org.git('fsck', '--full', '--strict');
  sweepPacks(place.repo);
  assert.equal(counts(place).garbage, 0);
});

for (const tidying of [
  ['gc', '--quiet', '--prune=now'],
  ['repack', '-A', '-d', '-q'],
]) {
  test(`a person's git ${tidying.join(' ')} and our packing lose nothing together`, async () => {
    const place = await aPlace();
    const { org, repo } = place;
    const [named, until] = [new Map<string, string>(), performance.now() + 2_500];
    const tidyUp = async (): Promise<void> => {
      while (performance.now() < until)
        await once(spawn('git', tidying, { cwd: org.dir, env: process.env, stdio: 'ignore' }), 'close');
    };
    const packOften = async (): Promise<void> => {
      while (performance.now() < until) {
        const { kind } = await pack(place);
        if (kind === 'nothing') await wait(5);
      }
    };
    const writeOn = async (): Promise<void> => {
      for (let n = 0; performance.now() < until; n++) {
        const object = newObject(repo.hash, 'blob', Buffer.from(`note ${n}\n`.repeat(20)));
        storeObject(repo, object);
        assert.equal(await repo.refs.move(`refs/orgrepo/notes/${n % 20}`, object.oid, named.get(`${n % 20}`)), true);
        named.set(`${n % 20}`, object.oid);
        await wait(2);
      }
    };
    await Promise.all([tidyUp(), packOften(), writeOn()]);
    assert.deepEqual(lost(place, [...named.values()]), []);
    org.git('fsck', '--full', '--strict');
  });
}
