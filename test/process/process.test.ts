import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { voiceOf } from '../../src/process/captured-output.ts';
import {
  commandLine,
  endProcessesIn,
  killGroup,
  type ProcessCommand,
  runCommand,
  startCompanion,
  startOf,
  supervise,
} from '../../src/process/run-process.ts';
import { until } from '../support/until.ts';

const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-process-'));
after(() => rmSync(dir, { recursive: true, force: true }));

const env = { PATH: process.env.PATH ?? '' };
const shell = (script: string, more: Partial<ProcessCommand> = {}): ProcessCommand => ({
  file: '/bin/sh',
  args: ['-c', script],
  cwd: dir,
  env,
  deadlineMs: 20_000,
  ...more,
});

const isGone = (pid: number): boolean => startOf(pid) === '';

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

test('how a command ended is a result, whatever it was', async () => {
  const cases: readonly [string, Record<string, unknown>][] = [
    ['echo out; echo err >&2', { code: 0, signal: undefined, out: 'out\n', err: 'err\n' }],
    ['exit 7', { code: 7, signal: undefined, out: '', err: '' }],
    ['kill -SEGV $$', { code: undefined, signal: 'SIGSEGV', out: '', err: '' }],
  ];
  for (const [script, expected] of cases) {
    const ran = await runCommand(shell(script));
    const { code, signal, timedOut, notStarted } = ran;
    assert.deepEqual(
      { code, signal, out: ran.stdout.text, err: ran.stderr.text, timedOut, notStarted },
      { ...expected, timedOut: false, notStarted: undefined },
      script,
    );
  }
});

test('who has ended is gone, also where nobody has asked how', async () => {
  const parent = spawn('/bin/sh', ['-c', 'sleep 0.5 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const [said] = (await once(parent.stdout, 'data')) as [Buffer];
    const child = Number(said.toString());
    await until('it has ended', () => /^State:\tZ/m.test(statusOf(child)));
    assert.equal(startOf(child), '');
    assert.notEqual(startOf(parent.pid ?? 0), '');
  } finally {
    parent.kill('SIGKILL');
  }
});

test('what a command said is heard, although we ourselves stood still when it ended', async () => {
  const child = spawn('/bin/sh', ['-c', 'echo out'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = Promise.resolve({ code: 0, signal: undefined, notStarted: undefined });
  const voices = { stdout: voiceOf(child.stdout), stderr: voiceOf(child.stderr) };
  const ran = supervise({ ...voices, ended, kill: () => {} }, shell('echo out'));
  await ended; // From here on its output is waited for; but this process gets no time to look.
  await new Promise(process.nextTick);
  do standStill(500);
  while (!isGone(child.pid as number));
  assert.equal((await ran).stdout.text, 'out\n');
});

const standStill = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test('no mistake in a number can kill everybody, or ourselves', () => {
  for (const pid of [0, 1, -1, Number.NaN, 1.5]) assert.throws(() => killGroup(pid), /no process group of ours/);
});

test('a command that cannot be started says why', async () => {
  const missing = await runCommand(shell('', { file: path.join(dir, 'no-such-program'), args: [] }));
  assert.equal(missing.code, undefined);
  assert.equal(missing.notStarted?.includes('ENOENT'), true, missing.notStarted);
  writeFileSync(path.join(dir, 'plain.txt'), 'text');
  const denied = await runCommand(shell('', { file: path.join(dir, 'plain.txt'), args: [] }));
  assert.equal(denied.notStarted?.includes('EACCES'), true, denied.notStarted);
});

test('a command sees the environment it was given and nothing of ours', async () => {
  process.env.ORGREPO_TEST_SECRET = 'secret';
  const ran = await runCommand(shell('env', { env: { ...env, ONLY: 'this' } }));
  delete process.env.ORGREPO_TEST_SECRET;
  const names = ran.stdout.text
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0])
    .filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name ?? ''))
    .sort();
  assert.deepEqual(names, ['ONLY', 'PATH']);
});

test('what is given on standard input arrives, and without any there is an end of file at once', async () => {
  assert.equal((await runCommand(shell('cat', { input: 'hello\n' }))).stdout.text, 'hello\n');
  assert.equal((await runCommand(shell('cat'))).stdout.text, '');
  assert.equal((await runCommand(shell('exit 0', { input: 'x'.repeat(1_000_000) }))).code, 0);
});

test('at the deadline the command and its children are killed', async () => {
  const started = performance.now();
  const ran = await runCommand(shell('sleep 60 & echo $!; trap "" TERM; sleep 60', { deadlineMs: 300 }));
  assert.equal(ran.timedOut, true);
  assert.equal(ran.signal, 'SIGKILL');
  assert.equal(performance.now() - started < 30_000, true);
  const child = Number(ran.stdout.text.trim());
  await until('the child is gone', () => isGone(child));
});

test('a child that a finished command left in the background is ended, and nobody waits for it', async () => {
  const started = performance.now();
  const ran = await runCommand(shell('sleep 60 & echo $!', { deadlineMs: 60_000 }));
  assert.deepEqual([ran.code, ran.timedOut], [0, false]);
  assert.equal(performance.now() - started < 30_000, true);
  await until('the child is gone', () => isGone(Number(ran.stdout.text.trim())));
});

test('a daemon that left its group and holds our pipe open cannot make us wait beyond the deadline', async () => {
  const started = performance.now();
  const ran = await runCommand(shell('setsid sleep 12 & echo $!; sleep 12', { deadlineMs: 300 }));
  assert.equal(ran.timedOut, true);
  const waited = performance.now() - started;
  process.kill(Number(ran.stdout.text.trim()), 0); // It is the daemon that is meant: nothing but a namespace ends it.
  assert.equal(waited < 5_000, true, `waited ${waited} ms`);
});

test('cancelling kills at once, also when it came before the start', async () => {
  const controller = new AbortController();
  const running = runCommand(shell('sleep 60'), controller.signal);
  setTimeout(() => controller.abort(), 100);
  const ran = await running;
  assert.deepEqual([ran.signal, ran.timedOut], ['SIGKILL', false]);
  const late = await runCommand(shell('sleep 60'), controller.signal);
  assert.equal(late.signal, 'SIGKILL');
});

test('of a flood of output the beginning, the end and the count are kept, and no more', async () => {
  const ran = await runCommand(shell('echo first; head -c 60000000 /dev/zero | tr "\\0" x; echo; echo last'));
  assert.equal(ran.code, 0);
  assert.equal(ran.stdout.bytes, 60_000_012);
  assert.equal(ran.stdout.text.length < 4_000_000, true, `${ran.stdout.text.length} kept`);
  assert.equal(ran.stdout.text.startsWith('first\n'), true);
  assert.equal(ran.stdout.text.endsWith('\nlast\n'), true);
  assert.equal(/… \d+ bytes left out …/.test(ran.stdout.text), true);
});

test('a line of plain words starts without a shell; anything else is for the shell', () => {
  const cases: readonly [string, string, readonly string[]][] = [
    ['node harness/run.mjs', 'node', ['harness/run.mjs']],
    ['  sh   a.sh --seed=3 ', 'sh', ['a.sh', '--seed=3']],
    ['/opt/agent.sh', '/opt/agent.sh', []],
    ['A=1 node x', '/bin/sh', ['-c', 'A=1 node x']],
    ['a | b', '/bin/sh', ['-c', 'a | b']],
    ['echo "two words"', '/bin/sh', ['-c', 'echo "two words"']],
    ['ls *.txt', '/bin/sh', ['-c', 'ls *.txt']],
  ];
  for (const [line, file, args] of cases) assert.deepEqual(commandLine(line), { file, args }, line);
});

test('what a killed orgrepo left running is known by where it runs, and nobody else is touched', async () => {
  const room = path.join(dir, 'room');
  const beside = path.join(dir, 'room-next-door');
  mkdirSync(path.join(room, 'arena'), { recursive: true });
  mkdirSync(beside);
  const script = 'echo started > started; exec sleep 60';
  const inside = runCommand(shell(script, { cwd: path.join(room, 'arena') }));
  const stranger = new AbortController();
  const outside = runCommand(shell(script, { cwd: beside }), stranger.signal);
  const begun = (place: string): boolean => existsSync(path.join(place, 'started'));
  await until('both run', () => begun(path.join(room, 'arena')) && begun(beside));
  endProcessesIn(room);
  assert.equal((await inside).signal, 'SIGKILL');
  assert.equal(await Promise.race([outside, Promise.resolve('still there')]), 'still there');
  stranger.abort();
  await outside;
});

test('a companion that dies does not take us with it', async () => {
  const companion = startCompanion('/bin/sh', ['-c', 'exit 3'], env);
  await companion.ended;
  companion.stdin.write('too late\n');
  await new Promise((resolve) => setImmediate(resolve));
});
