import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'orgrepo-harness-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

test('the lists have the mean size of the published ones, 39.7, and sizes that fit a bin', async () => {
  const { makeKnownLists, makeFreshLists } = await import(join(root, 'harness/instances.mjs'));
  const known: Uint8Array[] = makeKnownLists();
  const fresh: Uint8Array[] = makeFreshLists('7');
  assert.deepEqual(
    [...known, ...fresh].map((sizes) => sizes.length),
    Array(14).fill(5000),
  );
  assert.deepEqual([meanOf(known), meanOf(fresh)], ['39.676', '39.633']);
  assert.ok([...known, ...fresh].every((sizes) => sizes.every((size) => size >= 1 && size <= 100)));
  assert.deepEqual(makeFreshLists('7'), fresh);
  assert.notDeepEqual(makeFreshLists('8'), fresh);
});

test('the sandbox starts as best fit, which wastes 3.99 % on public and on held-out lists', () => {
  const { dir, out } = makeTrial();
  assert.deepEqual(run(dir, out), { code: 0, stdout: '', stderr: '' });
  // Stage 2 has no sandbox: what it prints comes from the answers alone.
  rmSync(join(dir, 'sandbox'), { recursive: true });
  assert.deepEqual(score(dir, out), {
    code: 0,
    stdout: 'waste_pct: 3.9893\nholdout_waste_pct: 3.9923\nfresh_waste_pct: 3.9562\noverfit_pct: -0.0331\n',
    stderr: '',
  });
});

test('the lines of a candidate come from what orgrepo counted', () => {
  const { dir, out } = played();
  const candidate = join(dir, 'candidate.json');
  const files = [
    { path: 'sandbox/pack.mjs', bytes: 2000, lines: 70 },
    { path: 'sandbox/more.mjs', bytes: 20, lines: 2 },
  ];
  writeFileSync(candidate, JSON.stringify({ files }));
  assert.equal(
    score(dir, out, { ORGREPO_CANDIDATE: candidate }).stdout,
    'waste_pct: 3.9893\nholdout_waste_pct: 3.9923\nfresh_waste_pct: 3.9562\noverfit_pct: -0.0331\nlines: 72\n',
  );
});

const tamperings: readonly {
  readonly with: string;
  readonly change: (path: string, rooms: Uint8Array) => void;
  readonly says: RegExp;
}[] = [
  { with: 'an answer missing', change: (path, rooms) => writeFileSync(path, rooms.subarray(1)), says: /69999 bytes/ },
  { with: 'an answer too many', change: (path) => appendFileSync(path, 'x'), says: /70001 bytes, expected 70000/ },
  { with: 'nothing in it', change: (path) => writeFileSync(path, ''), says: /0 bytes, expected 70000/ },
  { with: 'a gigabyte in it', change: (path) => truncateSync(path, 2 ** 30), says: /1073741824 bytes/ },
  { with: 'a bin over capacity', change: answer(20_003, 1), says: /list 11, item 1428 of size \d+: .* with room 1 / },
  { with: 'a bin that is too large', change: answer(3, 101), says: /list 3, item 0 of size \d+: .* with room 101 / },
  { with: 'a bin that is not open', change: answer(3, 99), says: /list 3, item 0 of size \d+: .* with room 99 / },
  { with: 'a bin that was filled', change: (path, rooms) => twice(path, rooms), says: /list 3, item \d+ of size \d+/ },
  { with: 'no file', change: (path) => rmSync(path), says: /there are no answers/ },
  { with: 'a directory in its place', change: (path) => instead(path, mkdirSync), says: /not a regular file/ },
  {
    with: 'a link in its place',
    change: (path, rooms) => {
      writeFileSync(`${path}.kept`, rooms);
      instead(path, () => symlinkSync(`${path}.kept`, path));
    },
    says: /not a regular file/,
  },
];

for (const tampering of tamperings) {
  test(`answers with ${tampering.with} get no score`, () => {
    const { dir, out } = played();
    const path = join(out, 'rooms.bin');
    tampering.change(path, readFileSync(path));
    const scored = score(dir, out);
    assert.equal(scored.code, 1);
    assert.equal(scored.stdout, '');
    assert.match(scored.stderr, tampering.says);
  });
}

test('answers that are good on the known lists and not on those that nobody has seen are overfit', () => {
  const { dir, out } = played();
  const path = join(out, 'rooms.bin');
  // A bin for each item always fits, and is the worst that there is.
  writeFileSync(
    path,
    readFileSync(path).map((room, at) => (at % 14 < 10 ? room : 100)),
  );
  assert.match(
    score(dir, out).stdout,
    /^waste_pct: 3\.9893\n.*\nfresh_waste_pct: 15\d\.\d+\noverfit_pct: 1[45]\d\.\d+\n$/,
  );
});

const rubbish: readonly { readonly answer: string; readonly says: RegExp }[] = [
  { answer: 'undefined', says: /item 0 of size \d+: choose\(\) returned a value of type undefined/ },
  { answer: '"100"', says: /returned a value of type string/ },
  { answer: 'NaN', says: /returned NaN/ },
  { answer: '99.5', says: /returned 99.5/ },
  { answer: '101', says: /returned 101/ },
  { answer: '-1', says: /returned -1/ },
  { answer: 'item', says: /expected the room of an open bin that it fits, or 100 for a new bin/ },
  { answer: '(open.fill(1), 99)', says: /returned 99/ },
  { answer: 'nobody.knows', says: /nobody is not defined/ },
  { answer: 'process.exit(0)', says: /^item 0: the sandbox's process ended before it had answered\n$/ },
  { answer: 'process.kill(process.pid, 9)', says: /^item 0: the sandbox's process ended before it had answered\n$/ },
  {
    answer: "process.getBuiltinModule('fs').writeSync(1, Buffer.alloc(99)), 100",
    says: /^item 0: the sandbox's process gave more than 14 answers\n$/,
  },
];

for (const { answer, says } of rubbish) {
  test(`a rule that answers ${answer} is a crash with the reason`, () => {
    const { dir, out } = makeTrial();
    writeFileSync(join(dir, 'sandbox/pack.mjs'), `export const choose = (item, open) => (${answer});\n`);
    const ran = run(dir, out);
    assert.notEqual(ran.code, 0);
    assert.match(ran.stderr, says);
    assert.equal(score(dir, out).code, 1);
  });
}

// Each is tried where the rule is; what it gets is said on stderr.
const reaches: Readonly<Record<string, string>> = {
  'the lists': "fs.readFileSync(new URL('../harness/instances.mjs', import.meta.url))",
  'the lists by another way': "await import('../harness/instances.mjs')",
  'the environment of the one that asks': "fs.readFileSync('/proc/' + process.ppid + '/environ')",
  'the memory of the one that asks': "fs.openSync('/proc/' + process.ppid + '/mem', 'r+')",
  'its own files': "fs.readdirSync('/proc/self/fd')",
  'shared memory': "fs.writeFileSync('/dev/shm/orgrepo-note', 'x')",
  'its directory': "fs.writeFileSync('note', 'x')",
  'a database': "new (process.getBuiltinModule('node:sqlite').DatabaseSync)('note')",
  'a program': "process.getBuiltinModule('child_process').spawnSync('true')",
  'another program in its place': "process.execve('/bin/true')",
  'a thread': "new (process.getBuiltinModule('worker_threads').Worker)('', { eval: true })",
  'machine code': "process.dlopen({ exports: {} }, '/bin/true')",
  'files by way of WASI':
    "new (process.getBuiltinModule('wasi').WASI)({ version: 'preview1', preopens: { '/': '/' } })",
  'the insides of node': "process.binding('fs')",
  'a debugger for the one that asks':
    "(process.kill(process.ppid, 'SIGUSR1'), await new Promise((go) => setTimeout(go, 200)), await fetch('http://127.0.0.1:9229/json'))",
  'an environment': 'process.env.ORGREPO_OUT.length + process.env.ORGREPO_SEED.length',
};

test('a rule has nothing in reach but the sandbox: no list, no output, no process', () => {
  const { dir, out } = makeTrial();
  const tries = Object.entries(reaches).map(
    ([what, code]) => `try { ${code}; console.error(${JSON.stringify(what)}); } catch {}`,
  );
  const rule = readFileSync(join(dir, 'sandbox/pack.mjs'), 'utf8');
  writeFileSync(join(dir, 'sandbox/pack.mjs'), ["import fs from 'node:fs';", ...tries, rule].join('\n'));
  assert.deepEqual(run(dir, out), { code: 0, stdout: '', stderr: '' });
  assert.deepEqual(readdirSync(out), ['rooms.bin']);
  assert.match(score(dir, out).stdout, /^waste_pct: 3\.9893\n/);
});

test('what a rule imports from the sandbox is there', () => {
  const { dir, out } = makeTrial();
  mkdirSync(join(dir, 'sandbox/parts'));
  cpSync(join(dir, 'sandbox/pack.mjs'), join(dir, 'sandbox/parts/rule.mjs'));
  writeFileSync(join(dir, 'sandbox/pack.mjs'), "export { choose } from './parts/rule.mjs';\n");
  assert.deepEqual(run(dir, out), { code: 0, stdout: '', stderr: '' });
});

let sample: string | undefined;

/** A trial's directory with the answers that best fit gives; each test has its own copy. */
function played(): { readonly dir: string; readonly out: string } {
  const trial = makeTrial();
  if (sample === undefined) {
    sample = makeTrial().out;
    run(trial.dir, sample);
  }
  cpSync(sample, trial.out, { recursive: true });
  return trial;
}

function makeTrial(): { readonly dir: string; readonly out: string } {
  const dir = mkdtempSync(join(scratch, 'trial-'));
  const out = mkdtempSync(join(scratch, 'out-'));
  for (const name of ['harness', 'sandbox'])
    cpSync(join(root, name), join(dir, name), { recursive: true, dereference: true });
  return { dir, out };
}

/** Another answer in this place, counted turn by turn. */
function answer(at: number, room: number): (path: string, rooms: Uint8Array) => void {
  return (path, rooms) => writeFileSync(path, rooms.fill(room, at, at + 1));
}

/** Where a new bin should be opened in list 3, the answer before is given again: that bin has less room by then. */
function twice(path: string, rooms: Uint8Array): void {
  for (let at = 3; at < rooms.length; at += 14) if (rooms[at] === 100) rooms[at] = rooms[at - 14] ?? 100;
  writeFileSync(path, rooms);
}

function instead(path: string, put: (path: string) => void): void {
  rmSync(path);
  put(path);
}

const meanOf = (lists: readonly Uint8Array[]): string => {
  const sizes = lists.flatMap((list) => [...list]);
  return (sizes.reduce((sum, size) => sum + size, 0) / sizes.length).toFixed(3);
};

const run = (dir: string, out: string) => node(dir, 'harness/run.mjs', { ORGREPO_OUT: out });

const score = (dir: string, out: string, environment: Record<string, string> = {}) =>
  node(dir, 'harness/score.mjs', { ORGREPO_OUT: out, ...environment });

function node(dir: string, script: string, environment: Record<string, string>) {
  const ran = spawnSync(process.execPath, [script], { cwd: dir, env: environment, encoding: 'utf8' });
  return { code: ran.status, stdout: ran.stdout, stderr: ran.stderr };
}
