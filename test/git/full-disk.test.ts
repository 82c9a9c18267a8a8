import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { without } from '../support/tools.ts';

/** A file system of two megabytes that nobody else sees. */
const aside = process.getuid?.() === 0 ? ['-m'] : ['-Urm'];
const mounted = (dir: string, command: string) =>
  spawnSync('unshare', [...aside, 'sh', '-c', `mount -t tmpfs -o size=2m tmpfs '${dir}' && ${command}`], {
    encoding: 'utf8',
  });
const unable = without('unshare') || (mounted(tmpdir(), 'true').status === 0 ? false : 'nothing can be mounted here');

test('a ref that cannot be moved because the disk is full is told so, and not as damage', { skip: unable }, () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-full-'));
  try {
    const script = fileURLToPath(new URL('./on-full-disk.js', import.meta.url));
    const ran = mounted(dir, `'${process.execPath}' '${script}' '${dir}'`);
    assert.equal(ran.status, 0, ran.stderr);
    const { moved, asked } = JSON.parse(ran.stdout);
    assert.deepEqual(
      [moved[0], moved[2]],
      ['disk/write', 'Free some disk space and run again; nothing was lost.'],
      moved[1],
    );
    assert.match(moved[1], /^refs\/orgrepo\/spend\/vm: .*couldn't write .*vm\.lock'/);
    assert.deepEqual([asked[0], asked[2]], ['disk/write', 'Free some disk space and run again.'], asked[1]);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
