import assert from 'node:assert/strict';
import { test } from 'node:test';
import { playCompany, playSpawn } from './company.ts';
import { assertGolden } from './golden.ts';
import { playChance, playPeople, playPlain, playReplaced, playSteered } from './nights.ts';
import { newObserved, type Observed } from './observed.ts';
import { shapeOf } from './shape.ts';
import { readSource } from './source.ts';

/** What seven orgs write and answer when people run all verbs on them. These tests fail when a change of the source changes any of it. */

interface Played {
  readonly observed: Observed;
  /** The trailers of the first night's commits. */
  readonly plain: Observed['commits'];
}

let playing: Promise<Played> | undefined;

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

test('orgrepo writes only the recorded trailers and events', async () => {
  const { observed, plain } = await played();
  const { trailers, events: knownEvents } = readSource();
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

test('orgrepo writes only the recorded refs and files', async () => {
  const { refs, branchFiles, files } = (await played()).observed;
  assertGolden(
    'refs',
    [
      section('refs of some nights', [...refs].sort()),
      section('files on them that are not on the trunk', [...branchFiles].sort()),
      section('files beside them', [...files].sort()),
      section('how refs begin in the source', readSource().refs),
      section('.git/orgrepo in the source', readSource().files),
    ].join('\n'),
  );
});

const section = (heading: string, lines: readonly string[]): string => `== ${heading}\n${lines.join('\n')}\n`;

/** Groups the answers of a verb by schema, and the facts of a run by kind. All verbs report a problem in one form. */
function headingOf(verb: string, { schema, fact, error, from }: Readonly<Record<string, unknown>>): string {
  if (error !== undefined) return 'any verb: error';
  if (schema === undefined) return `${verb} --trace: from ${from}`;
  return fact === undefined ? `${verb}: ${schema}` : `${verb}: ${schema} ${fact}`;
}

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
