import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { type KeeperLanguage, keeperOf } from '../../src/jail/cell-keeper.ts';
import { whyNot } from '../../src/jail/jail.ts';

/** The keeper is written in two languages, for machines that have but one of them. Both do the same. */

const dir = mkdtempSync(path.join(tmpdir(), "orgrepo-keeper's place "));
after(() => rmSync(dir, { recursive: true, force: true }));
const [scratch, shelf] = ['scratch', 'shelf'].map((name) => path.join(dir, name)) as [string, string];
for (const part of [scratch, shelf]) mkdirSync(part);
writeFileSync(path.join(shelf, 'note'), 'shown\n');
writeFileSync(path.join(dir, 'file'), 'a file\n');

const renewal = {
  away: [scratch],
  fresh: [
    { to: scratch, options: 'mode=1777,size=1000000,nr_inodes=50' },
    { from: shelf, to: path.join(scratch, 'shelf'), make: 'directory' },
    { from: path.join(dir, 'file'), to: path.join(scratch, 'file'), make: 'file' },
  ],
} as const;

const missing = await whyNot('namespaces');

for (const language of ['perl', 'python3'] as const satisfies KeeperLanguage[]) {
  const why = missing ?? (existsSync(`/usr/bin/${language}`) ? undefined : `there is no ${language}`);
  const options = why === undefined ? {} : { skip: why };
  const run = (how: 'once' | 'loop', script: string, input: string, more = renewal) => {
    const [file = '', ...args] = keeperOf(how, more, ['/bin/sh', '-c', script, 'cell', scratch], language);
    const all = ['--user', '--map-root-user', '--mount', file, ...args];
    return spawnSync('unshare', all, { encoding: 'utf8', input, env: { PATH: '/usr/bin:/bin' } });
  };

  test(`${language}: a keeper puts memory where it belongs, and becomes the cell`, options, () => {
    const ran = run('once', 'cd "$1" && ls && cat shelf/note file && df --output=itotal . | tail -n 1; exit 3', '');
    assert.deepEqual([ran.status, ran.stderr], [3, '']);
    assert.equal(ran.stdout, 'file\nshelf\nshown\na file\n    50\n');
  });

  test(`${language}: for each word a cell, which reads on behind it and finds nothing of the last`, options, () => {
    const script = 'cd "$1"; IFS= read -r order; ls | tr "\\n" " "; : > left; eval "$order"';
    const ran = run('loop', script, ':\0exit 0\n:\0exit 7\n:\0kill -9 $$\n');
    assert.equal(ran.stderr, '');
    assert.equal(ran.stdout, 'ready\nfile shelf exit 0\nfile shelf exit 7\nfile shelf exit 137\n');
    assert.equal(existsSync(path.join(scratch, 'left')), false);
  });

  test(`${language}: what cannot be mounted ends the keeper, and it says what`, options, () => {
    const nowhere = { away: [], fresh: [{ to: '/no/such/place', options: '' }] } as never;
    const ran = run('loop', 'echo never', ':\0:\0', nowhere);
    assert.notEqual(ran.status, 0);
    assert.equal(ran.stdout, 'ready\n');
    assert.match(ran.stderr, /^mount \/no\/such\/place: No such file or directory$/m);
  });
}
