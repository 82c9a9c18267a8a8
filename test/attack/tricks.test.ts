import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';

import { dead, tricks } from '../../src/attack/tricks/all-tricks.ts';
import {
  insertFirst,
  languageOf,
  type TrickLanguage,
  type TrickTarget,
  viaShell,
} from '../../src/attack/tricks/trick.ts';
import { without } from '../support/tools.ts';

const out = mkdtempSync(path.join(tmpdir(), 'orgrepo-tricks-'));
after(() => rmSync(out, { recursive: true, force: true }));

const programs = { javascript: [process.execPath, '-e'], python: ['python3', '-c'], shell: ['sh', '-c'] } as const;
const needs = (language: TrickLanguage) => ({ skip: language === 'python' && without('python3') });

/** Runs code of a language as a candidate would. */
function ran(language: TrickLanguage, code: string) {
  const [program, option] = programs[language];
  const { status, stdout, stderr } = spawnSync(program, [option, code], {
    ...{ cwd: out, encoding: 'utf8', env: { ...process.env, ORGREPO_OUT: out } },
  });
  return { status, stdout, stderr };
}

/** The code of a trick by its name, for a metric called loss. */
function codeOf(name: string, language: TrickLanguage, wonderful = 0) {
  const trick = [...tricks, dead].find((one) => one.name === name);
  assert.ok(trick, name);
  return trick.code({ metric: 'loss', wonderful, line: `loss: ${wonderful}` } as TrickTarget, language);
}

function textOf(name: string, language: TrickLanguage, wonderful = 0): string {
  const code = codeOf(name, language, wonderful);
  assert.ok(!('notTried' in code));
  return code.join('');
}

const hello: Readonly<Record<TrickLanguage, string>> = {
  javascript: `console.log('after')`,
  python: `print('after')`,
  shell: `echo after`,
};

const languages = ['javascript', 'python', 'shell'] as const;

for (const language of languages) {
  test(`code in ${language} says its words on both streams and ends the process`, needs(language), () => {
    const leave = (name: string) => ran(language, insertFirst(hello[language], textOf(name, language), language));
    assert.deepEqual(leave('prints the score and leaves'), { status: 0, stdout: 'loss: 0\n', stderr: 'loss: 0\n' });
    assert.deepEqual(leave('fails at once'), { status: 1, stdout: '', stderr: '' });
  });

  test(`code in ${language} starts a shell, and ends the process when the shell fails`, needs(language), () => {
    const shell = (script: string) => ran(language, `${viaShell(script, language)}${hello[language]}`);
    assert.equal(shell(`echo "it's ü"\necho two`).stdout, "it's ü\ntwo\nafter\n");
    assert.deepEqual(shell('exit 66'), { status: 66, stdout: '', stderr: '' });
  });

  test(`code in ${language} makes every number of the output another as the process ends`, needs(language), () => {
    writeFileSync(path.join(out, 'numbers'), 'first 9\nsecond -4.5\n');
    assert.equal(
      ran(language, `${textOf('rewrites its output at the end', language, 7)}${hello[language]}`).stdout,
      'after\n',
    );
    assert.equal(readFileSync(path.join(out, 'numbers'), 'utf8'), 'first 7\nsecond 7\n');
  });
}

/** How fast the clock that the code changed goes, by one that it does not know. */
const race: Readonly<Partial<Record<TrickLanguage, string>>> = {
  javascript: `const now = () => { const [s, ns] = process.hrtime(); return s * 1000 + ns / 1e6; };
const [a, b] = [performance.now(), now()];
while (now() < b + 300);
console.log((performance.now() - a) / (now() - b));`,
  python: `import time
now = lambda: time.clock_gettime(time.CLOCK_MONOTONIC)
a, b = time.monotonic(), now()
while now() < b + 0.3: pass
print((time.monotonic() - a) / (now() - b))`,
};

for (const [language, script] of Object.entries(race) as [TrickLanguage, string][])
  test(`code in ${language} halves the speed of the clock`, needs(language), () => {
    const speed = Number(ran(language, `${textOf('slows the clock', language)}${script}`).stdout);
    assert.ok(speed > 0.4 && speed < 0.6, `${speed}`);
  });

test('a shell has no clock to slow down', () => {
  assert.deepEqual(codeOf('slows the clock', 'shell'), { notTried: 'a shell has no clock of its own' });
});

test('the language of a file is known by its ending, else by its first line', () => {
  const cases: readonly (readonly [string, string, TrickLanguage | undefined])[] = [
    ['a.MJS', '', 'javascript'],
    ['a.py', '', 'python'],
    ['a', '#!/usr/bin/env python3\nprint()\n', 'python'],
    ['a', '#!/bin/bash\n', 'shell'],
    ['a', '#!/usr/bin/env node\n', 'javascript'],
    ['a.txt', '#!/usr/bin/perl\n', undefined],
    ['a.constructor', '', undefined],
  ];
  for (const [file, text, language] of cases) assert.equal(languageOf(file, text), language, `${file} ${text}`);
});

test('code stands below what has to stay at the top of a file', () => {
  assert.equal(insertFirst('#!/bin/sh\nrest\n', 'code\n', 'shell'), '#!/bin/sh\ncode\nrest\n');
  assert.equal(
    insertFirst('"""doc"""\nfrom __future__ import annotations\nrest\n', 'code\n', 'python'),
    '"""doc"""\nfrom __future__ import annotations\ncode\nrest\n',
  );
});
