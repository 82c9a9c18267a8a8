import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { root } from './support/org.ts';

/** The runner of these very tests: what goes wrong in a file is told, and the files after it run all the same. */

interface Heard {
  readonly file: string;
  readonly name: string;
  readonly passed: boolean;
  readonly skipped?: string;
  readonly error?: string;
}

const files: Readonly<Record<string, string>> = {
  'a-good': "before(() => { globalThis.ground = 1; });\ntest('stands', () => assert.equal(globalThis.ground, 1));",
  'b-wrong': "test('is wrong', () => assert.equal(1, 2));\ntest('is right', () => assert.ok(true));",
  'c-skipped': "test('needs a tool', { skip: 'there is none' }, () => {});",
  'd-ground': "before(() => { throw new Error('no ground'); });\ntest('falls', () => {});",
  'e-stray': "test('leaves one behind', () => { void Promise.reject(new Error('nobody hears this')); });",
  'f-ends': "test('ends everything', () => process.exit(0));",
  'g-hangs': "test('never ends', () => new Promise(() => setInterval(() => {}, 1000)));",
  'h-environment': "process.env.LEFT_BEHIND = '1';\ntest('sets a variable', () => {});",
  'i-last': "test('finds none of that', () => assert.equal(process.env.LEFT_BEHIND, undefined));",
};

test('a test that is wrong, skipped, left behind, ended or hung is told with its file; the others pass', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-runner-'));
  const place = path.join(dir, 'build/test'); // What stands there gets the hooks of a file of tests.
  mkdirSync(place, { recursive: true });
  writeFileSync(path.join(dir, 'package.json'), '{ "type": "module" }');
  const imports = "import assert from 'node:assert/strict';\nimport { before, test } from 'node:test';\nvoid before;\n";
  for (const [name, text] of Object.entries(files))
    writeFileSync(path.join(place, `${name}.js`), `${imports}${text}\n`);
  const { runPool } = await import(pathToFileURL(path.join(root, 'scripts/tests/pool.mjs')).href);
  const heard: Heard[] = [];
  const done: { readonly file: string; readonly assertions: number }[] = [];
  await runPool({
    files: Object.keys(files).map((name) => path.join(place, `${name}.js`)),
    ...{ workers: 1, env: process.env, silenceMs: 10_000 },
    heard: (one: Heard) => heard.push(one),
    fileDone: (one: { file: string; assertions: number }) => done.push(one),
  });
  rmSync(dir, { recursive: true, force: true });
  const told = heard.map(({ file, name, passed, skipped }) => {
    const end = skipped === undefined ? (passed ? 'passed' : 'failed') : `skipped: ${skipped}`;
    return `${path.basename(file, '.js')}: ${name}: ${end}`;
  });
  assert.deepEqual(told.sort(), [
    'a-good: stands: passed',
    'b-wrong: is right: passed',
    'b-wrong: is wrong: failed',
    'c-skipped: needs a tool: skipped: there is none',
    'd-ground: falls: failed',
    'e-stray: leaves one behind: passed',
    'e-stray: the file itself: failed',
    'f-ends: the file itself: failed',
    'g-hangs: the file itself: failed',
    'h-environment: sets a variable: passed',
    'i-last: finds none of that: passed',
  ]);
  const errorOf = (file: string): string => heard.find((one) => one.file.includes(file) && !one.passed)?.error ?? '';
  assert.match(errorOf('e-stray'), /nobody waited for this: Error: nobody hears this/);
  assert.match(errorOf('f-ends'), /the process of tests ended: exit 0/);
  assert.match(errorOf('g-hangs'), /the process of tests ended: nothing was heard for 10 s/);
  const counted = new Map(done.map(({ file, assertions }) => [path.basename(file, '.js'), assertions]));
  assert.deepEqual([counted.size, counted.get('a-good'), counted.get('b-wrong')], [9, 1, 2]);
});
