import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandNames } from '../../src/commands/index.ts';
import { exitCodeOf, Problem, type ProblemCode } from '../../src/domain/problem.ts';
import { anOrg } from '../support/builders.ts';
import type { TestOrg } from '../support/org.ts';
import { playCompany, playSpawn } from './company.ts';
import { assertGolden, formatDiff } from './golden.ts';
import { playChance, playPeople, playPlain, playReplaced, playSteered } from './nights.ts';
import { newObserved, type Observed } from './observed.ts';
import { shapeOf } from './shape.ts';
import { readSource, type Source } from './source.ts';

/** People script against what is recorded beside this file. These tests fail when a change of the source changes any of it. */

let playing: Promise<Observed> | undefined;
let source: Source | undefined;

const played = (): Promise<Observed> => {
  playing ??= play();
  return playing;
};

async function play(): Promise<Observed> {
  const observed = newObserved();
  for (const play of [playPlain, playPeople, playChance, playReplaced, playSteered, playCompany, playSpawn])
    await play(observed);
  return observed;
}

const sourceRead = (): Source => {
  source ??= readSource();
  return source;
};

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

test('answers in JSON have the recorded keys and types', async () => {
  const observed = await played();
  const groups = new Map<string, unknown[]>();
  for (const { verb, value } of observed.answers) {
    const heading = headingOf(verb, value as Readonly<Record<string, unknown>>);
    groups.set(heading, [...(groups.get(heading) ?? []), value]);
  }
  const parts = [...groups].sort(([one], [other]) => (one < other ? -1 : 1));
  assertGolden('json', parts.map(([heading, values]) => section(heading, shapeOf(values))).join('\n'));
});

test('each problem ends orgrepo with its recorded exit code', async () => {
  const { problemCodes } = sourceRead();
  assert.equal(problemCodes.length > 0, true);
  const codes = [...problemCodes].sort().map((code) => `${code}: ${exitOf(code)}`);
  const topic = (await said(anOrg(), 'help', 'exit-codes')).trimEnd().split('\n');
  assertGolden('exit-codes', [section('problems', codes), section('orgrepo help exit-codes', topic)].join('\n'));
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

/** Groups the answers of a verb by schema, and the facts of a run by kind. All verbs report a problem in one form. */
function headingOf(verb: string, { schema, fact, error, from }: Readonly<Record<string, unknown>>): string {
  if (error !== undefined) return 'any verb: error';
  if (schema === undefined) return `${verb} --trace: from ${from}`;
  return fact === undefined ? `${verb}: ${schema}` : `${verb}: ${schema} ${fact}`;
}

const exitOf = (code: string): number => exitCodeOf(new Problem(code as ProblemCode, '', ''));
