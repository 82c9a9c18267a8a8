import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
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

const root = fileURLToPath(new URL('../..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'orgrepo-harness-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

test('the lists have the mean size of the published ones, 39.7, and sizes that fit a bin', async () => {
  const { makeLists } = await import(join(root, 'harness/instances.mjs'));
  const lists: Uint8Array[] = makeLists();
  assert.deepEqual(
    lists.map((sizes) => sizes.length),
    Array(10).fill(5000),
  );
  const sizes = lists.flatMap((list) => [...list]);
  assert.equal((sizes.reduce((sum, size) => sum + size, 0) / sizes.length).toFixed(3), '39.676');
  assert.ok(sizes.every((size) => size >= 1 && size <= 100));
});

test('the sandbox starts as best fit, which wastes 3.99 % on public and on held-out lists', () => {
  const { dir, out } = makeTrial();
  assert.deepEqual(run(dir, out), { code: 0, stdout: '', stderr: '' });
  // Stage 2 has no sandbox: what it prints comes from the packing alone.
  rmSync(join(dir, 'sandbox'), { recursive: true });
  assert.deepEqual(score(dir, out), {
    code: 0,
    stdout: 'waste_pct: 3.9893\nholdout_waste_pct: 3.9923\n',
    stderr: '',
  });
});

test('the lines of a candidate come from what orgrepo counted', () => {
  const { dir, out } = packed();
  const candidate = join(dir, 'candidate.json');
  const files = [
    { path: 'sandbox/pack.mjs', bytes: 2000, lines: 70 },
    { path: 'sandbox/more.mjs', bytes: 20, lines: 2 },
  ];
  writeFileSync(candidate, JSON.stringify({ files }));
  assert.equal(
    score(dir, out, { ORGREPO_CANDIDATE: candidate }).stdout,
    'waste_pct: 3.9893\nholdout_waste_pct: 3.9923\nlines: 72\n',
  );
});

const tamperings: readonly {
  readonly with: string;
  readonly change: (path: string, bins: string[]) => void;
  readonly says: RegExp;
}[] = [
  {
    with: 'an item missing',
    change: (path, bins) => write(path, [(bins[0] as string).split(' ').slice(1).join(' '), ...bins.slice(1)]),
    says: /item 0 is not packed/,
  },
  { with: 'a bin missing', change: (path, bins) => write(path, bins.slice(1)), says: /item 0 is not packed/ },
  {
    with: 'an item packed twice in one bin',
    change: (path, bins) => write(path, [`0 ${bins[0]}`, ...bins.slice(1)]),
    says: /list-03.txt:1: item 0 is packed twice/,
  },
  {
    with: 'an item packed twice, in two bins',
    change: (path, bins) => write(path, [...bins, '0']),
    says: /item 0 is packed twice/,
  },
  {
    with: 'a bin over capacity',
    change: (path, bins) => write(path, [bins.slice(0, 3).join(' '), ...bins.slice(3)]),
    says: /list-03.txt:1: the bin holds \d+, its capacity is 100/,
  },
  {
    with: 'an item that is not in the list',
    change: (path, bins) => write(path, [...bins, '5000']),
    says: /item 5000 is not in the list/,
  },
  { with: 'an empty bin', change: (path, bins) => write(path, [...bins, '']), says: /not a line of item numbers/ },
  { with: 'a negative item', change: (path, bins) => write(path, [...bins, '-1']), says: /not a line of item numbers/ },
  {
    with: 'junk',
    change: (path) => writeFileSync(path, '\0\u00ff{"waste_pct": 0}'),
    says: /not a line of item numbers/,
  },
  { with: 'nothing in the file', change: (path) => writeFileSync(path, ''), says: /not a line of item numbers/ },
  {
    with: 'a file of a gigabyte',
    change: (path) => truncateSync(path, 2 ** 30),
    says: /1073741824 bytes, a packing has/,
  },
  { with: 'no file', change: (path) => rmSync(path), says: /there is no packing of this list/ },
  {
    with: 'a directory in its place',
    change: (path) => {
      rmSync(path);
      mkdirSync(path);
    },
    says: /not a regular file/,
  },
  {
    with: 'a link in its place',
    change: (path) => {
      rmSync(path);
      symlinkSync('list-01.txt', path);
    },
    says: /not a regular file/,
  },
];

for (const tampering of tamperings) {
  test(`a packing with ${tampering.with} gets no score`, () => {
    const { dir, out } = packed();
    const path = join(out, 'list-03.txt');
    tampering.change(path, readFileSync(path, 'utf8').trimEnd().split('\n'));
    const scored = score(dir, out);
    assert.equal(scored.code, 1);
    assert.equal(scored.stdout, '');
    assert.match(scored.stderr, tampering.says);
  });
}

const rubbish: readonly { readonly answer: string; readonly says: RegExp }[] = [
  { answer: 'undefined', says: /list 0, item 0 of size \d+: choose\(\) returned a value of type undefined/ },
  { answer: '"100"', says: /returned a value of type string/ },
  { answer: 'NaN', says: /returned NaN/ },
  { answer: '99.5', says: /returned 99.5/ },
  { answer: '101', says: /returned 101/ },
  { answer: '-1', says: /returned -1/ },
  { answer: 'item', says: /expected the room of an open bin that it fits, or 100 for a new bin/ },
  { answer: '(open.fill(1), 99)', says: /returned 99/ },
  { answer: 'nobody.knows', says: /nobody is not defined/ },
];

for (const { answer, says } of rubbish) {
  test(`a rule that answers ${answer} is a crash with the reason`, () => {
    const { dir, out } = makeTrial();
    writeFileSync(join(dir, 'sandbox/pack.mjs'), `export const choose = (item, open) => ${answer};\n`);
    const ran = run(dir, out);
    assert.notEqual(ran.code, 0);
    assert.match(ran.stderr, says);
    assert.equal(score(dir, out).code, 1);
  });
}

let sample: string | undefined;

/** A trial's directory with the packing that best fit gives; each test has its own copy. */
function packed(): { readonly dir: string; readonly out: string } {
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

const write = (path: string, bins: readonly string[]): void => writeFileSync(path, `${bins.join('\n')}\n`);

const run = (dir: string, out: string) => node(dir, 'harness/run.mjs', { ORGREPO_OUT: out });

const score = (dir: string, out: string, environment: Record<string, string> = {}) =>
  node(dir, 'harness/score.mjs', { ORGREPO_OUT: out, ...environment });

function node(dir: string, script: string, environment: Record<string, string>) {
  const ran = spawnSync(process.execPath, [script], { cwd: dir, env: environment, encoding: 'utf8' });
  return { code: ran.status, stdout: ran.stdout, stderr: ran.stderr };
}
