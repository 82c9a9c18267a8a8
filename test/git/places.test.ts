import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { makeScratch } from '../../src/git/merge.ts';
import { openRepo, placesOfRepo } from '../../src/git/repo.ts';
import { makeRepo } from '../support/repo.ts';

for (const format of ['sha1', 'sha256'] as const) {
  test(`a scratch repository reads what it borrows, writes to itself, and both are to be hidden: ${format}`, async () => {
    const made = await makeRepo(format);
    const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-scratch-'));
    try {
      await makeScratch(made.repo, dir, 'trunk', { name: 'Ada', email: 'ada@example.invalid' });
      const scratch = await openRepo(dir);
      try {
        const tip = made.git('rev-parse', 'main').trim();
        assert.equal(await scratch.reader.has(tip), true);
        assert.equal(scratch.head, 'refs/heads/trunk');
        assert.equal(scratch.hash, format);
        const places = placesOfRepo(scratch);
        for (const place of [dir, made.dir, path.join(made.dir, '.git')])
          assert.equal(places.includes(realpathSync(place)), true, place);
        const before = made.git('count-objects', '-v') + made.git('for-each-ref');
        assert.equal(await scratch.refs.move('refs/heads/trunk', tip, undefined), true);
        assert.equal(made.git('count-objects', '-v') + made.git('for-each-ref'), before);
      } finally {
        await scratch.close();
      }
    } finally {
      await made.close();
      rmSync(dir, { recursive: true, force: true });
    }
  });
}
