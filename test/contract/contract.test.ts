import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { commandNames } from '../../src/commands/invoke.ts';
import { exitCodeOf, Problem, type ProblemCode } from '../../src/text/problem.ts';
import { anOrg } from '../support/builders.ts';
import { root, type TestOrg } from '../support/org.ts';
import { assertGolden, formatDiff } from './golden.ts';
import { readSource } from './source.ts';

/** People script against what is recorded beside this file. These tests fail when a change of the source changes any of it. */

test('the help of every verb and topic reads as recorded', async () => {
  const org = anOrg();
  const help = await said(org, 'help');
  const topics = /Manual +orgrepo help (.+)$/m.exec(help)?.[1]?.split(' | ') ?? [];
  assert.equal(topics.length > 0, true, help);
  const pages = [`== orgrepo help\n${help.replace(/^orgrepo \d\S*/, 'orgrepo <version>')}`];
  for (const words of [['help', '--all'], ...topics.map((topic) => ['help', topic])])
    pages.push(`== orgrepo ${words.join(' ')}\n${await said(org, ...words)}`);
  for (const verb of commandNames) pages.push(`== orgrepo ${verb} --help\n${await said(org, verb, '--help')}`);
  assertGolden('help', pages.join('\n'));
});

test('each problem ends orgrepo with its recorded exit code', async () => {
  const { problemCodes } = readSource();
  assert.equal(problemCodes.length > 0, true);
  const codes = [...problemCodes].sort().map((code) => `${code}: ${exitOf(code)}`);
  const topic = (await said(anOrg(), 'help', 'exit-codes')).trimEnd().split('\n');
  assertGolden('exit-codes', [section('problems', codes), section('orgrepo help exit-codes', topic)].join('\n'));
});

test('docs/git.md explains every recorded trailer and event, and no others', () => {
  const recorded = readText('test/contract/trailers.golden.txt');
  const listed = (heading: string): string[] =>
    new RegExp(`^== ${heading}\\n([^=]*?)\\n\\n`, 'm').exec(recorded)?.[1]?.split('\n') ?? [];
  const [trailers, events] = [listed('trailers'), listed('values of Org-Event')];
  assert.equal(trailers.length > 50 && events.length > 30, true);
  assert.deepEqual(explainedBelow('### All trailers'), trailers);
  assert.deepEqual(explainedBelow('### Events'), events);
});

test('a difference is reported line by line, below its heading', () => {
  const before = ['== status', 'a: string', 'b: string', '== log', 'c: string'];
  const now = ['== status', 'a: string', 'b: number', '== log', 'c: string', 'd: string'];
  assert.equal(formatDiff(before, now), '  == status\n- b: string\n+ b: number\n  == log\n+ d: string');
});

async function said(org: TestOrg, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await org.orgrepo(...words);
  assert.equal(code, 0, stderr);
  return stdout;
}

const section = (heading: string, lines: readonly string[]): string => `== ${heading}\n${lines.join('\n')}\n`;

const readText = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** The words in the first column of the table below a heading of docs/git.md. */
function explainedBelow(heading: string): string[] {
  const below = readText('docs/git.md').split(`\n${heading}\n`)[1]?.split(/\n#/)[0] ?? '';
  const firstCells = below.split('\n').flatMap((line) => /^\| (`.*?) \|/.exec(line)?.[1] ?? []);
  return firstCells.flatMap((cell) => [...cell.matchAll(/`(.+?)`/g)].map(([, word = '']) => word)).sort();
}

const exitOf = (code: string): number => exitCodeOf(new Problem(code as ProblemCode, '', ''));
