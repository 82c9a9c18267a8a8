import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { closeToCells, isRoot, nobody, openToCells } from '../../src/jail/cell.ts';
import { type JailChoice, jailOf, whyNot } from '../../src/jail/jail.ts';
import { openLauncher } from '../../src/process/launcher.ts';
import { factsIn, runNight } from '../support/night.ts';
import { briefText, bundle, makeOrg, quadratic, type TestOrg } from '../support/org.ts';

/** Whose files cells work with: of the cell's user and of nobody else on the machine, whatever the umask. */

const made: string[] = [];
after(() => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

const modeOf = (file: string): string => (lstatSync(file).mode & 0o7777).toString(8);
const here = isRoot() ? nobody : process.getuid?.();
const scratch = (): string => {
  const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-owner-'));
  made.push(dir);
  return dir;
};

for (const walls of ['bubblewrap', 'namespaces', undefined] as const) {
  const missing = walls === undefined ? undefined : await whyNot(walls);
  const options = missing === undefined ? {} : { skip: `${walls}: ${missing}` };

  test(`${walls ?? 'no jail'}: nobody else can write to the pipes that a harness speaks through`, options, async () => {
    const dir = path.join(scratch(), 'pipes');
    mkdirSync(dir);
    const cell = { shown: [dir], hidden: [], open: [], memory: [], scratchBytes: 1e6, network: false };
    const env = { PATH: process.env.PATH ?? '' };
    const launcher = await openLauncher(dir, env, walls && jailOf(walls, cell));
    assert.ok(launcher);
    const owner = walls === undefined ? process.getuid?.() : here;
    try {
      for (const [file, mode] of [
        ['.', '700'],
        ['stdout', '600'],
        ['stderr', '600'],
      ] as const)
        assert.deepEqual(
          [file, modeOf(path.join(dir, file)), lstatSync(path.join(dir, file)).uid],
          [file, mode, owner],
        );
    } finally {
      launcher.close();
    }
  });
}

test('what is opened to a cell belongs to its user and to nobody else, and is ours again afterwards', () => {
  const dir = scratch();
  mkdirSync(path.join(dir, 'inner'));
  writeFileSync(path.join(dir, 'inner/file'), 'x', { mode: 0o400 });
  const beside = path.join(scratch(), 'beside');
  writeFileSync(beside, 'ours', { mode: 0o640 });
  spawnSync('ln', ['-s', beside, path.join(dir, 'link')]);
  chmodSync(dir, 0o777);
  openToCells(dir);
  assert.deepEqual([modeOf(dir), lstatSync(dir).uid], ['700', here]);
  assert.equal(lstatSync(path.join(dir, 'inner/file')).uid, here);
  assert.deepEqual([lstatSync(beside).uid, modeOf(beside)], [process.getuid?.(), '640'], 'what a link leads to stays');
  closeToCells(dir);
  assert.deepEqual([modeOf(dir), lstatSync(dir).uid], ['700', process.getuid?.()]);
  assert.equal(lstatSync(path.join(dir, 'inner/file')).uid, process.getuid?.());
});

/** An org whose agent tells, from outside its cell, whose its bench is meanwhile. */
function orgOfCommand(jail: JailChoice): TestOrg {
  const dir = scratch();
  chmodSync(dir, 0o755);
  const agent = path.join(dir, 'agent.sh');
  writeFileSync(agent, '#!/bin/sh\nsed -i s/4/3/ sandbox/numbers.txt && echo a smaller number\n');
  chmodSync(agent, 0o755);
  const org = makeOrg({ ...quadratic, 'program.md': briefText({ agent: `{ command: "${agent}" }` }) }, jail);
  made.push(org.dir);
  return org;
}

const anyWalls = (await whyNot('namespaces')) ?? (await whyNot('bubblewrap'));
const jailed = anyWalls === undefined ? {} : { skip: anyWalls };

test(
  'after a night nothing below .worktrees can be written to by others, and git works in a bench',
  jailed,
  async () => {
    const org = orgOfCommand('require');
    await runNight(org, '--max', '1');
    const open = spawnSync('find', [path.join(org.dir, '.worktrees'), '-perm', '/022', '-not', '-type', 'l'], {
      encoding: 'utf8',
    });
    assert.equal(open.stdout, '');
    const [bench = ''] = readdirSync(path.join(org.dir, '.worktrees'));
    assert.match(
      org.git('-C', path.join('.worktrees', bench), 'status', '--porcelain'),
      /^( M sandbox\/numbers.txt\n)?$/,
    );
  },
);

for (const umask of ['077', '027', '000'])
  test(`a night with a umask of ${umask} is held as any other`, jailed, async () => {
    const org = orgOfCommand('require');
    const script = `umask ${umask}; exec "$0" "$@"`;
    const args = ['-c', script, process.execPath, bundle, 'run', '--jail', 'require', '--max', '2', '--json'];
    const ran = spawnSync('sh', args, { cwd: org.dir, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } });
    assert.equal(ran.status, 0, ran.stdout.slice(-2_000) + ran.stderr);
    const [first] = factsIn(ran.stdout).filter(({ fact }) => fact === 'experiment');
    assert.equal((first as unknown as { experiment: { event: string } }).experiment.event, 'keep');
  });

const canHide = isRoot() && anyWalls === undefined;

test('as root without a jail, foreign code needs --jail none said aloud', canHide ? {} : { skip: 'not root' }, () => {
  const org = orgOfCommand('auto');
  const hide = 'for f in bwrap unshare; do mount --bind /dev/null "$(command -v $f)"; done; exec "$@"';
  const run = (...args: string[]) =>
    spawnSync('unshare', ['--mount', 'sh', '-c', hide, 'sh', process.execPath, bundle, ...args], {
      ...{ cwd: org.dir, encoding: 'utf8', env: { ...process.env, ORGREPO_JAIL: '', NO_COLOR: '1' } },
    });
  const refs = org.git('for-each-ref');
  const refused = run('run', '--max', '1');
  assert.equal(refused.status, 3, refused.stderr + refused.stdout);
  assert.match(
    refused.stderr,
    /orgrepo runs as root and this machine has no jail \(.*\): what agents write would run as root/,
  );
  assert.match(refused.stderr, /--jail none/);
  assert.doesNotMatch(refused.stderr, /apt install/, 'all of it is installed');
  assert.equal(org.git('for-each-ref'), refs);
  const aloud = run('run', '--max', '1', '--jail', 'none');
  assert.equal(aloud.status, 0, aloud.stderr);
  const search = makeOrg(quadratic, 'auto');
  made.push(search.dir);
  const warned = spawnSync(
    'unshare',
    ['--mount', 'sh', '-c', hide, 'sh', process.execPath, bundle, 'run', '--max', '1'],
    {
      ...{ cwd: search.dir, encoding: 'utf8', env: { ...process.env, ORGREPO_JAIL: '', NO_COLOR: '1' } },
    },
  );
  assert.equal(warned.status, 0, warned.stderr);
  assert.match(
    `${warned.stdout}${warned.stderr}`,
    /no jail, and you are root: candidates can read and change everything/,
  );
});
