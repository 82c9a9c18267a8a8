import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { commandNames } from '../../src/commands/verb-list.ts';
import { exitCodeOf, Problem, type ProblemCode } from '../../src/text/problem.ts';
import { anOrg } from '../support/builders.ts';
import { root, type TestOrg } from '../support/org.ts';
import { playCompany, playSpawn } from './company.ts';
import { assertGolden, formatDiff } from './golden.ts';
import { playChance, playPeople, playPlain, playReplaced, playSteered } from './nights.ts';
import { newObserved, type Observed } from './observed.ts';
import { shapeOf } from './shape.ts';
import { readSource, type Source } from './source.ts';

/** People script against what is recorded beside this file. These tests fail when a change of the source changes any of it. */

interface Played {
  readonly observed: Observed;
  /** The trailers of the first night's commits. */
  readonly plain: Observed['commits'];
}

let playing: Promise<Played> | undefined;
let source: Source | undefined;

const played = (): Promise<Played> => {
  playing ??= play();
  return playing;
};

async function play(): Promise<Played> {
  const observed = newObserved();
  await playPlain(observed);
  const plain = [...observed.commits];
  for (const play of [playPeople, playChance, playReplaced, playSteered, playCompany, playSpawn]) await play(observed);
  return { observed, plain };
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
  const { observed } = await played();
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

test('orgrepo writes only the recorded trailers and events', async () => {
  const { observed, plain } = await played();
  const { trailers, events: knownEvents } = sourceRead();
  const known = { names: trailers.map((name) => `Org-${name}`), events: knownEvents };
  const written = observed.commits.flat().map((line) => line.split(': '));
  const names = new Set(written.map(([name = '']) => name));
  const events = new Set(written.flatMap(([name, value = '']) => (name === 'Org-Event' ? [value] : [])));
  assert.equal(events.size > 30, true);
  assertGolden(
    'trailers',
    [
      section('trailers', known.names),
      section('values of Org-Event', known.events),
      section('what the commits of a plain night carry, by Org-Event', carriedIn(plain)),
    ].join('\n'),
  );
  const unknown = { names: without(names, known.names), events: without(events, known.events) };
  assert.deepEqual(unknown, { names: [], events: [] }, 'commits have what source.ts does not find in the source');
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

test('orgrepo writes only the recorded refs and files', async () => {
  const { refs, branchFiles, files } = (await played()).observed;
  assertGolden(
    'refs',
    [
      section('refs of some nights', [...refs].sort()),
      section('files on them that are not on the trunk', [...branchFiles].sort()),
      section('files beside them', [...files].sort()),
      section('how refs begin in the source', sourceRead().refs),
      section('.git/orgrepo in the source', sourceRead().files),
    ].join('\n'),
  );
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

/** Groups the answers of a verb by schema, and the facts of a run by kind. All verbs report a problem in one form. */
function headingOf(verb: string, { schema, fact, error, from }: Readonly<Record<string, unknown>>): string {
  if (error !== undefined) return 'any verb: error';
  if (schema === undefined) return `${verb} --trace: from ${from}`;
  return fact === undefined ? `${verb}: ${schema}` : `${verb}: ${schema} ${fact}`;
}

const exitOf = (code: string): number => exitCodeOf(new Problem(code as ProblemCode, '', ''));

const without = (words: Iterable<string>, known: readonly string[]): string[] =>
  [...words].filter((word) => !known.includes(word)).sort();

/** `claim: Agent, Brief?`: a question mark marks a trailer that some commits of this event do not have. */
function carriedIn(commits: Observed['commits']): string[] {
  const groups = new Map<string, string[][]>();
  for (const lines of commits) {
    const trailers = lines.map((line) => line.split(': ') as [string, string]);
    const event = trailers.find(([name]) => name === 'Org-Event')?.[1];
    if (event === undefined) continue;
    // Only on a busy machine is a measurement disturbed.
    const names = trailers.map(([name]) => name.slice('Org-'.length)).filter((name) => name !== 'Disturbed');
    groups.set(event, [...(groups.get(event) ?? []), names]);
  }
  return [...groups]
    .map(([event, all]) => {
      const names = [...new Set(all.flat())].sort();
      return `${event}: ${names.map((name) => (all.every((one) => one.includes(name)) ? name : `${name}?`)).join(', ')}`;
    })
    .sort();
}
