// Packs the objects of a repository until it is killed, and writes new ones meanwhile: node packer.js <directory> <round>

import { newObject, storeObject } from '../../src/git/objects/tree.ts';
import { sweepPacks } from '../../src/git/packs/pack-files.ts';
import { packLoose } from '../../src/git/packs/pack-loose.ts';
import { openRepo } from '../../src/git/repo.ts';

const [, , dir = '', round = ''] = process.argv;
const repo = await openRepo(dir);
sweepPacks(repo);
for (let n = 0; ; n++) {
  const ids: string[] = [];
  for (let m = 0; m < 20; m++) {
    const object = newObject(repo.hash, 'blob', Buffer.from(`round ${round}, ${n}, ${m}\n`.repeat(20)));
    storeObject(repo, object);
    ids.push(object.oid);
  }
  await repo.store.flush();
  process.stdout.write(`${ids.join('\n')}\n`); // Whatever was told is there for ever.
  await packLoose(repo, { atLeast: 1, olderThanMs: 0 }, new AbortController().signal);
}
