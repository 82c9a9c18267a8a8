import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { type Cell, programDirs } from '../../src/jail/cell.ts';
import { inCell } from '../../src/jail/jail.ts';

const dir = mkdtempSync(path.join(tmpdir(), "orgrepo-cell's-"));
const [arena, out, open] = ['arena', 'out', 'open'].map((name) => path.join(dir, name)) as [string, string, string];
for (const part of [arena, out, open]) mkdirSync(part);
chmodSync(open, 0o777); // Where orgrepo runs as root, the cell belongs to nobody.
writeFileSync(path.join(arena, 'here.txt'), 'shown\n');
writeFileSync(path.join(dir, 'secret.txt'), 'not shown\n');
after(() => rmSync(dir, { recursive: true, force: true }));

const env = { PATH: process.env.PATH ?? '', ONLY: "it's this" };
const cell: Cell = {
  shown: [...programDirs(env.PATH, homedir()), arena],
  hidden: [],
  open: [open],
  memory: [out],
  scratchBytes: 1024 * 1024,
  network: false,
};

for (const level of ['bubblewrap', 'namespaces'] as const) {
  const inside = (script: string): { code: number | null; out: string } => {
    const [file = '', ...args] = inCell(level, cell, ['/bin/sh', '-c', script]);
    const ran = spawnSync(file, args, { encoding: 'utf8', env });
    return { code: ran.status, out: `${ran.stdout}${ran.stderr}` };
  };
  const works = inside('exit 7').code === 7;
  const options = works ? {} : { skip: `${level} is not to be had here` };

  test(`${level}: a cell shows what it is given and nothing else of the machine`, options, () => {
    assert.equal(inside(`cat ${quote(arena)}/here.txt`).out, 'shown\n');
    assert.deepEqual(
      inside(`ls ${quote(dir)}`)
        .out.trim()
        .split('\n')
        .sort(),
      ['arena', 'open', 'out'],
    );
    const root = inside('ls /').out.trim().split('\n');
    for (const name of ['home', 'root', 'work', 'var', 'mnt', 'srv', 'boot'])
      assert.equal(root.includes(name) && inside(`ls -A /${name}`).out !== '' && !leadsToPrograms(name), false, name);
    assert.equal(inside('cat /etc/shadow 2>/dev/null | wc -c').out.trim(), '0');
  });

  test(`${level}: nothing can be written but what is open, and what is scratch ends with the cell`, options, () => {
    for (const place of ['/', '/usr/', '/etc/', `${arena}/`])
      assert.notEqual(inside(`touch ${quote(place)}x`).code, 0, place);
    assert.equal(inside(`echo kept > ${quote(open)}/kept`).code, 0);
    assert.equal(existsSync(path.join(open, 'kept')), true);
    assert.equal(inside(`echo gone > ${quote(out)}/gone && echo gone > /tmp/gone`).code, 0);
    assert.equal(existsSync(path.join(out, 'gone')), false);
  });

  test(`${level}: an ordinary user has the same cells`, options, () => {
    if (process.getuid?.() !== 0) return; // Then all the others have shown it.
    const person = 65_534;
    const { getuid, getgid } = process;
    Object.assign(process, { getuid: () => person, getgid: () => person });
    const command = inCell(level, { ...cell, shown: [], open: [] }, ['/bin/sh', '-c', 'touch /x; id -u; echo $$']);
    Object.assign(process, { getuid, getgid });
    const [file = '', ...args] = ['setpriv', `--reuid=${person}`, `--regid=${person}`, '--clear-groups', ...command];
    const ran = spawnSync(file, args, { encoding: 'utf8', env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } });
    assert.match(ran.stderr, /^touch: cannot touch '\/x': Read-only file system\n$/);
    assert.match(ran.stdout, /^\d+\n1\n$/);
  });

  test(`${level}: scratch has an end`, options, () => {
    for (const place of [out, '/tmp'])
      assert.match(
        inside(`head -c 4000000 /dev/zero > ${quote(place)}/big`).out,
        /No space left|File size limit/,
        place,
      );
  });

  test(`${level}: there is no network, and nobody else’s process`, options, () => {
    assert.deepEqual(inside("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '").out.trim().split('\n'), ['lo']);
    const seen = Number(inside('ls /proc | grep -c "^[0-9]"').out);
    assert.equal(seen < 10, true, `${seen} processes`);
  });

  test(`${level}: the environment is what was given`, options, () => {
    const names = inside('env')
      .out.split('\n')
      .filter((line) => /^[A-Z]/.test(line) && !/^(PWD|SHLVL|OLDPWD)=/.test(line));
    assert.deepEqual(names.sort(), [`ONLY=${env.ONLY}`, `PATH=${env.PATH}`]);
  });

  test(`${level}: node runs in a cell`, options, () => {
    assert.equal(inside(`${quote(process.execPath)} -e 'console.log(6 * 7)'`).out, '42\n');
  });
}

/** A home has to be there when programs of the PATH live in it, and shows nothing else. */
const leadsToPrograms = (name: string): boolean => cell.shown.some((shown) => shown.startsWith(`/${name}/`));

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
