import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { programDirs } from '../../src/jail/cell.ts';
import { jailOf, whyNot } from '../../src/jail/jail.ts';
import { type Launcher, openLauncher } from '../../src/process/launcher.ts';
import type { Ran } from '../../src/process/run-process.ts';
import { until } from '../support/until.ts';

const env = { PATH: process.env.PATH ?? '' };
const dirs: string[] = [];
after(() => {
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
});

for (const walls of ['bubblewrap', 'namespaces'] as const) {
  const missing = await whyNot(walls);
  const options = missing === undefined ? {} : { skip: `${walls}: ${missing}` };

  const withLauncher = async (work: (launcher: Launcher, run: Run, out: string, made: string) => Promise<void>) => {
    const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-housed-'));
    dirs.push(dir);
    const [arena, out, pipes] = ['arena', 'out', 'pipes'].map((name) => path.join(dir, name)) as [
      string,
      string,
      string,
    ];
    for (const part of [arena, pipes]) mkdirSync(part);
    const shown = [...programDirs(env.PATH, undefined), arena, pipes];
    const jail = jailOf(walls, { shown, hidden: [], open: [], memory: [out], scratchBytes: 1e6, network: false });
    const launcher = await openLauncher(pipes, env, jail);
    assert.ok(launcher?.pid);
    const run: Run = async (script, deadlineMs = 10_000) => {
      const ran = await launcher.run({ file: '/bin/sh', args: ['-c', script], cwd: arena, env, deadlineMs });
      assert.ok(ran, 'the launcher is lost');
      return ran;
    };
    try {
      await work(launcher, run, out, jail.outside(launcher.pid, out));
    } finally {
      launcher.close();
    }
  };

  test(`${walls}: a launcher runs one command after the other, each in a cell of its own`, options, () =>
    withLauncher(async (_launcher, run, out, made) => {
      const first = await run(`echo here > ${out}/note; echo mine > /tmp/mine; echo said; echo wrong >&2; exit 3`);
      assert.deepEqual([first.code, first.stdout.text, first.stderr.text], [3, 'said\n', 'wrong\n']);
      assert.equal(readFileSync(path.join(made, 'note'), 'utf8'), 'here\n');
      assert.equal((await run('ls /tmp/mine')).code, 2);
      assert.equal((await run('kill -SEGV $$')).signal, 'SIGSEGV');
      const open = (await run('ls -l /proc/1/fd /proc/self/fd')).stdout.text.match(/-> \S+/g) ?? [];
      assert.deepEqual(
        open.filter((file) => !/null|\/proc\/|\/pipes\/std/.test(file)),
        [],
      );
    }),
  );

  const beat = (out: string): string =>
    `setsid sh -c 'while :; do echo x >> ${out}/beat; sleep 0.01; done' >/dev/null 2>&1 &`;

  test(`${walls}: after its end nothing of a command is left`, options, () =>
    withLauncher(async (_launcher, run, out, made) => {
      const size = () => readFileSync(path.join(made, 'beat')).length;
      assert.equal((await run(`${beat(out)} sleep 0.2; echo done`)).stdout.text, 'done\n');
      const after = size();
      assert.ok(after > 0);
      await setTimeout(200);
      assert.equal(size(), after);
    }),
  );

  test(`${walls}: a command finds nothing of the one before it, whatever that was called or has locked`, options, () =>
    withLauncher(async (_launcher, run, out) => {
      const places = `/tmp /dev/shm '${out}'`;
      const note = `mkdir "$d/$(printf 'left\\377')" "$d/left"; echo 5 > "$d/$(printf 'left\\377')/note"; chmod 500 "$d" 2> /dev/null`;
      assert.equal((await run(`for d in ${places}; do ${note}; done; ls -d /tmp/left* | wc -l`)).stdout.text, '2\n');
      const next = await run(
        `find ${places} -maxdepth 1 -name 'left*'; for d in ${places}; do touch "$d/mine" || exit 1; done`,
      );
      assert.deepEqual([next.code, next.stdout.text], [0, '']);
    }),
  );

  test(`${walls}: a network that somebody has used serves nobody else, because its counters would tell`, options, () =>
    withLauncher(async (launcher, run) => {
      const talk = await run(`bash -c 'echo hi > /dev/udp/127.0.0.1/9'; echo said`);
      assert.equal(talk.stdout.text, 'said\n');
      assert.equal(await launcher.run({ file: 'true', args: [], cwd: '/', env, deadlineMs: 10_000 }), undefined);
    }),
  );

  test(`${walls}: one that nobody has used serves the next command too`, options, () =>
    withLauncher(async (_launcher, run) => {
      const packets = `grep lo: /proc/net/dev | tr -s ' ' | cut -d' ' -f4`;
      assert.equal((await run(packets)).stdout.text, '0\n');
      assert.equal((await run(packets)).stdout.text, '0\n');
    }),
  );

  test(`${walls}: when orgrepo is killed, what it runs ends with it`, options, async () => {
    const token = `60.${process.pid}${Date.now()}`;
    const dir = path.join(mkdtempSync(path.join(tmpdir(), 'orgrepo-killed-')), 'pipes');
    dirs.push(path.dirname(dir));
    mkdirSync(dir);
    const program = `
      import { openLauncher } from '${new URL('../../src/process/launcher.js', import.meta.url)}';
      import { jailOf } from '${new URL('../../src/jail/jail.js', import.meta.url)}';
      const env = { PATH: process.env.PATH };
      const cell = { shown: ['${dir}'], hidden: [], open: [], memory: [], scratchBytes: 1e6, network: false };
      const launcher = await openLauncher('${dir}', env, jailOf('${walls}', cell));
      await launcher.run({ file: 'sh', args: ['-c', 'setsid sleep ${token} & sleep ${token}'], cwd: '/', env, deadlineMs: 60_000 });`;
    const orgrepo = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' });
    try {
      await until('it runs', () => commandLines().includes(`sleep\0${token}`));
    } finally {
      orgrepo.kill('SIGKILL');
    }
    await until('all of it is gone', () => !commandLines().includes(`sleep\0${token}`));
  });

  test(`${walls}: at the deadline the launcher ends, and with it everything that it has started`, options, () =>
    withLauncher(async (launcher, run, out) => {
      const token = `60.${process.pid}${Date.now()}`;
      const late = await run(`${beat(out)} setsid sleep ${token} & trap "" TERM INT; sleep ${token}`, 300);
      assert.equal(late.timedOut, true);
      assert.equal(await launcher.run({ file: 'true', args: [], cwd: '/', env, deadlineMs: 10_000 }), undefined);
      await until('all of it is gone', () => !commandLines().includes(token));
    }),
  );

  test(`${walls}: a deadline that passes before the walls are up is a deadline that has passed`, options, () =>
    withLauncher(async (launcher, run) => {
      const late = await run('sleep 30', 0); // What is quick enough may be done before the clock is looked at.
      assert.equal(late.timedOut, true);
      const next = await launcher.run({ file: 'true', args: [], cwd: '/', env, deadlineMs: 10_000 });
      assert.equal(next === undefined || next.code === 0, true);
    }),
  );

  test(`${walls}: a command finds nobody to talk to, and cannot get more rights`, options, () =>
    withLauncher(async (_launcher, run) => {
      const ran = await run('grep -h ^Cap /proc/self/status | cut -f2 | sort -u; unshare -U true 2>&1 | grep -c fail');
      assert.deepEqual(ran.stdout.text.trim().split('\n'), ['0000000000000000', '1']);
      const fork = await run('for i in $(seq 1 3000); do sleep 5 & done 2>&1 | head -1');
      assert.match(`${fork.stdout.text}${fork.stderr.text}`, /fork/);
    }),
  );

  test(`${walls}: when the launcher is closed, what it runs ends with it`, options, async () => {
    let ran: Promise<Ran> | undefined;
    let made = '';
    await withLauncher(async (_launcher, run, out, outside) => {
      ran = run(`touch ${out}/up; sleep 60`);
      made = outside;
      while (!existsSync(path.join(outside, 'up'))) await setTimeout(5);
    });
    const { signal, ms } = await (ran as Promise<Ran>);
    assert.notEqual(signal, undefined);
    assert.ok(ms < 10_000);
    assert.throws(() => readdirSync(made));
  });
}

type Run = (script: string, deadlineMs?: number) => Promise<Ran>;

const commandLines = (): string =>
  readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      } catch {
        return ''; // Gone meanwhile.
      }
    })
    .join('\n');
