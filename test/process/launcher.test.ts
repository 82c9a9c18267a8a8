import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { type Housing, type Launcher, openLauncher } from '../../src/process/launcher.ts';
import { endProcessesIn, type ProcessCommand, startOf } from '../../src/process/run-process.ts';
import { until } from '../support/until.ts';

const dir = mkdtempSync(path.join(tmpdir(), "orgrepo-launcher's-"));
const work = path.join(dir, 'work');
mkdirSync(work);
after(() => rmSync(dir, { recursive: true, force: true }));

const env = { PATH: process.env.PATH ?? '', SHARED: 'by all' };
const shell = (script: string, more: Partial<ProcessCommand> = {}): ProcessCommand => ({
  file: '/bin/sh',
  args: ['-c', script],
  cwd: work,
  env,
  deadlineMs: 20_000,
  ...more,
});

let opened = 0;
async function withLauncher(use: (launcher: Launcher) => Promise<void>): Promise<void> {
  const launcher = await openLauncher(path.join(dir, `launcher-${++opened}`), env);
  assert.ok(launcher !== undefined, 'there is a bash and a mkfifo here');
  try {
    await use(launcher);
  } finally {
    launcher.close();
  }
}

test('a launcher runs one command after another, and says how each ended', () =>
  withLauncher(async (launcher) => {
    const cases: readonly [string, Record<string, unknown>][] = [
      ['echo out; echo err >&2', { code: 0, signal: undefined, out: 'out\n', err: 'err\n' }],
      ['exit 7', { code: 7, signal: undefined, out: '', err: '' }],
      ['kill -SEGV $$', { code: undefined, signal: 'SIGSEGV', out: '', err: '' }],
      ['cat; pwd', { code: 0, signal: undefined, out: `${work}\n`, err: '' }],
      ["printf '%s\\n' \"it's\nthree 'lines'\n\\$HOME\"", { code: 0, out: "it's\nthree 'lines'\n$HOME\n", err: '' }],
    ];
    for (const [script, expected] of cases) {
      const ran = await launcher.run(shell(script));
      const found = { code: ran?.code, signal: ran?.signal, out: ran?.stdout.text, err: ran?.stderr.text };
      assert.deepEqual(found, { signal: undefined, ...expected }, script);
    }
  }));

test('a command of a launcher sees the environment it was given, and nothing of the one before it', () =>
  withLauncher(async (launcher) => {
    await launcher.run(shell('true', { env: { ...env, FIRST: 'x' } }));
    const ran = await launcher.run(shell('env', { env: { ...env, ONLY: "it's" } }));
    const lines = (ran?.stdout.text ?? '').trim().split('\n').sort();
    const named = lines.filter((line) => !/^(PWD|OLDPWD|SHLVL|_)=/.test(line));
    assert.deepEqual(named, ["ONLY=it's", `PATH=${env.PATH}`, 'SHARED=by all']);
  }));

test('what cannot be started says so on standard error', () =>
  withLauncher(async (launcher) => {
    const missing = await launcher.run(shell('', { file: 'no-such-program', args: [] }));
    assert.equal(missing?.code, 127);
    assert.match(missing?.stderr.text ?? '', /no-such-program: not found/);
    const nowhere = await launcher.run(shell('true', { cwd: path.join(dir, 'nowhere') }));
    assert.match(nowhere?.stderr.text ?? '', /nowhere: No such file/);
    assert.equal((await launcher.run(shell('echo fine')))?.stdout.text, 'fine\n');
  }));

test('at the deadline the whole group is killed, and the launcher starts the next command', () =>
  withLauncher(async (launcher) => {
    const started = performance.now();
    const ran = await launcher.run(shell('sleep 60 & echo $!; trap "" TERM; sleep 60', { deadlineMs: 300 }));
    assert.deepEqual([ran?.timedOut, ran?.signal], [true, 'SIGKILL']);
    assert.equal(performance.now() - started < 30_000, true);
    await until('the child is gone', () => startOf(Number(ran?.stdout.text.trim())) === '');
    assert.equal((await launcher.run(shell('echo next')))?.stdout.text, 'next\n');
  }));

test('a child that a finished command left in its group is ended', () =>
  withLauncher(async (launcher) => {
    const ran = await launcher.run(shell('sleep 60 >/dev/null 2>&1 & echo $!'));
    assert.deepEqual([ran?.code, ran?.outlived], [0, false]);
    await until('the child is gone', () => startOf(Number(ran?.stdout.text.trim())) === '');
  }));

test('a command that stops itself is ended instead of waited for', () =>
  withLauncher(async (launcher) => {
    const ran = await launcher.run(shell('kill -STOP $$; echo never'));
    assert.deepEqual([ran?.signal, ran?.stdout.text], ['SIGSTOP', '']);
    assert.equal((await launcher.run(shell('echo next')))?.stdout.text, 'next\n');
  }));

test('cancelling kills at once, also when it came before the start', () =>
  withLauncher(async (launcher) => {
    const controller = new AbortController();
    const running = launcher.run(shell('sleep 60'), controller.signal);
    setTimeout(() => controller.abort(), 100);
    assert.equal((await running)?.signal, 'SIGKILL');
    assert.equal((await launcher.run(shell('sleep 60'), controller.signal))?.signal, 'SIGKILL');
  }));

test('a daemon that still holds the pipes cannot speak for the next command', () =>
  withLauncher(async (launcher) => {
    const daemon = 'setsid sh -c "touch up; sleep 1; echo score: 0; sleep 5" &';
    const ran = await launcher.run(shell(`${daemon} while [ ! -e up ]; do sleep 0.01; done; echo mine`));
    assert.deepEqual([ran?.stdout.text, ran?.outlived], ['mine\n', true]);
    assert.equal(await launcher.run(shell('sleep 2; echo score: 1')), undefined);
    endProcessesIn(work);
  }));

test('pipes that somebody has replaced are not read', () =>
  withLauncher(async (launcher) => {
    rmSync(path.join(launcher.dir, 'stdout'));
    writeFileSync(path.join(launcher.dir, 'stdout'), 'score: 0\n');
    assert.equal(await launcher.run(shell('echo score: 1')), undefined);
  }));

test('a launcher whose directory is gone starts nothing and kills nobody', () =>
  withLauncher(async (launcher) => {
    rmSync(launcher.dir, { recursive: true });
    assert.equal(await launcher.run(shell('echo score: 1')), undefined);
  }));

test('pipes that go between the opening and the start are noticed, and nobody is killed for it', () =>
  withLauncher(async (launcher) => {
    const running = launcher.run(shell('echo score: 1')); // Our ends are open by now.
    for (const pipe of ['stdout', 'stderr']) rmSync(path.join(launcher.dir, pipe), { force: true });
    const ran = await running;
    // Either it was too late to matter, or nobody takes the silence for an answer.
    assert.equal(ran === undefined || ran.outlived || ran.stdout.text === 'score: 1\n', true, JSON.stringify(ran));
  }));

test('a launcher that is killed is the end of its command, and of nothing else', () =>
  withLauncher(async (launcher) => {
    const ran = await launcher.run(shell('kill -9 $PPID; sleep 60', { deadlineMs: 5_000 }));
    assert.equal(ran?.code, undefined);
    assert.equal(await launcher.run(shell('echo score: 1')), undefined);
  }));

test('a command that stops its launcher cannot outstay its deadline', () =>
  withLauncher(async (launcher) => {
    const started = performance.now();
    const ran = await launcher.run(shell('kill -STOP $PPID; sleep 60', { deadlineMs: 300 }));
    assert.equal(ran?.timedOut, true);
    assert.equal(performance.now() - started < 30_000, true);
    assert.equal(await launcher.run(shell('echo score: 1')), undefined);
  }));

test('a command that speaks for its launcher harms nobody, and forges nothing', () =>
  withLauncher(async (launcher) => {
    await launcher.run(shell('printf "exit 0\\npid 1\\npid 0\\nscore: 0\\n" > /proc/$PPID/fd/1'));
    const next = await launcher.run(shell('echo score: 1'));
    assert.equal(next === undefined || next.stdout.text === 'score: 1\n', true, next?.stdout.text);
  }));

test('a flood of output is cut in the middle and counted', () =>
  withLauncher(async (launcher) => {
    const ran = await launcher.run(shell('echo first; head -c 60000000 /dev/zero | tr "\\0" x; echo; echo last'));
    assert.equal(ran?.stdout.bytes, 60_000_012);
    assert.equal((ran?.stdout.text.length ?? 0) < 4_000_000, true);
    assert.match(ran?.stdout.text ?? '', /^first\n[\s\S]*\nlast\n$/);
  }));

test('closing a launcher leaves neither a process nor a directory', async () => {
  const launcher = await openLauncher(path.join(dir, 'closing'), env);
  const ran = await launcher?.run(shell('echo $PPID'));
  launcher?.close();
  assert.equal(existsSync(path.join(dir, 'closing')), false);
  await until('the shell is gone', () => startOf(Number(ran?.stdout.text.trim())) === '');
});

test('a launcher whose shell ends before it is ready is none, and leaves no directory', async () => {
  const housing: Housing = {
    launcher: () => ['/bin/sh', '-c', 'echo not yet; exit 1'],
    command: (shell) => shell,
    limits: { memoryBytes: 1 << 30, processes: 100, fileBytes: 1 << 20 },
    ...{ holds: false, owner: undefined, checkSound: () => true },
  };
  const place = path.join(dir, 'never-ready');
  assert.equal(await openLauncher(place, env, housing), undefined);
  assert.equal(existsSync(place), false);
});
