import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { templates } from '../../src/commands/kit/templates.ts';
import { whyNot } from '../../src/jail/jail.ts';
import { contradictions, parseBranchesTable } from '../../src/records/queue/branches-table.ts';
import { moveProviders } from '../support/far-providers.ts';
import { endings, factsIn, type NightRan, runNight, spawnNight, trailers } from '../support/night.ts';
import { root, type TestOrg } from '../support/org.ts';
import type { Heard, Said } from '../support/provider-server/script.ts';
import { startProviderServer } from '../support/provider-server/server.ts';
import { orgFromTemplate } from '../support/template.ts';

/** The templates whose agents are models: a whole night of each, without a key. */

const missing = await whyNot('bubblewrap');
const jailed = missing === undefined ? {} : { skip: `bubblewrap is not to be had here: ${missing}` };

/** Nobody who runs this has their own key asked. */
for (const name of Object.keys(process.env)) if (name.endsWith('_API_KEY')) delete process.env[name];

async function nightOf(template: string): Promise<{ readonly org: TestOrg; readonly night: NightRan }> {
  const org = orgFromTemplate(template);
  const night = await runNight(org);
  assert.equal(night.code, 0, night.stderr + night.stdout.slice(-2000));
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
  return { org, night };
}

const textOf = (template: string, file: string): string =>
  readFileSync(path.join(root, 'templates', template, file), 'utf8');

test('every template is listed with a line, and has a table of branches that orgrepo takes', () => {
  const names = readdirSync(path.join(root, 'templates')).sort();
  assert.deepEqual(Object.keys(templates), names);
  for (const name of names) assert.deepEqual(contradictions(parseBranchesTable(textOf(name, 'branches.md'))), [], name);
});

test('prompt: one sentence for one habit is kept, thinking aloud and too many examples are not', jailed, async () => {
  const { org, night } = await nightOf('prompt');
  assert.deepEqual(endings(night.experiments), [
    'keep 36.25',
    'keep 58.75',
    'discard 0',
    'discard 58.75',
    'keep 70',
    'discard 45.42',
    'keep 73.75',
    'keep 85',
    'keep 89.58',
    'keep 95.42',
  ]);
  const heldOut = night.experiments.map(({ guards }) => guards.holdout_accuracy_pct ?? 0);
  assert.ok((heldOut[9] ?? 0) > 90, `held out: ${heldOut.join(' ')}`);
  const specs = trailers(org, 'By', '--grep=^claim:', '--all').filter((by) => by === 'chief');
  assert.equal(specs.length, 7, 'seven of the eight specs are enough for the target');
  const models = new Set(trailers(org, 'Model', '--grep=^try:', '--all'));
  assert.deepEqual(models, new Set(['scripted:models/claude-sonnet-4-6.json']));
  assert.match(org.git('show', 'orgrepo/best:sandbox/prompt.md'), /whole number of cents[\s\S]*null[\s\S]*For example/);
});

test('prompt: asked of its model instead of its script, the night begins in the same way', jailed, async () => {
  const { conversations } = JSON.parse(textOf('prompt', 'models/claude-sonnet-4-6.json')) as {
    conversations: readonly Played[];
  };
  const server = await startProviderServer((heard) => answerTo(heard, conversations));
  const model = 'model: claude-sonnet-4-6';
  const asked = `model: anthropic/claude-sonnet-4-6\nbase_url: ${server.baseUrl('anthropic')}`;
  const org = orgFromTemplate('prompt', [['program.md', `\n${model}`, `\n${asked}`]]);
  const night = spawnNight(org, 'run', '--json', '--max', '2');
  const { code } = await night.ended;
  await server.close();
  assert.equal(code, 0, night.complained() + night.said().slice(-2000));
  const experiments = factsIn(night.said()).flatMap(({ experiment }) => (experiment === undefined ? [] : [experiment]));
  assert.deepEqual(endings(experiments), ['keep 36.25', 'keep 58.75']);
  assert.ok(server.tally('anthropic').turns > 8);
});

interface Played {
  readonly when: readonly string[];
  readonly turns: readonly Said[];
}

/** What the scripted model would say, from the other side of the wire. */
function answerTo({ body }: Heard, conversations: readonly Played[]): Said {
  const messages = body.messages as readonly { readonly role: string; readonly content: unknown }[];
  const told = `${wordsIn(body.system)}\n${wordsIn(messages[0]?.content)}`;
  const given = messages.filter(({ role }) => role === 'assistant').length;
  const played = conversations.find(({ when }) => when.every((words) => told.includes(words)));
  return played?.turns[given] ?? { text: 'nothing more' };
}

const wordsIn = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : (content as readonly { readonly text?: string }[]).map(({ text }) => text).join('\n');

test('watcher: its program.md is the one that was printed, and its night ends at the target', jailed, async () => {
  const digest = createHash('sha256').update(textOf('watcher', 'program.md')).digest('hex');
  assert.equal(digest, 'dfa72c878447bd3934a2bc99b00b96a89a0d60715cfe4d5dd1322f5b300004d3');
  const { org, night } = await nightOf('watcher');
  const scores = ['keep 0.5294', 'discard 0.4286', 'discard 0.5143', 'keep 0.5882', 'keep 0.6471'];
  assert.deepEqual(endings(night.experiments), scores);
  assert.match((await org.orgrepo('report')).stdout, /target 0\.6000 reached/);
  const script = 'models/claude-sonnet-4-6-2026-01-08.json';
  const warnings = night.facts.filter(({ fact }) => fact === 'warning').map(({ message }) => message);
  assert.deepEqual(warnings, [
    `there is no key for anthropic/claude-sonnet-4-6-2026-01-08: the script ${script} plays its part`,
  ]);
  assert.deepEqual(new Set(trailers(org, 'Model', '--grep=^try:', '--all')), new Set([`scripted:${script}`]));
  const report = org.git('show', 'orgrepo/best:reports/weekly-2026-46.md').split('\n');
  assert.equal(report.filter((line) => line.startsWith('- [')).length, 7);
  assert.equal(report.join('\n').includes('harbor.example/pricing'), false, 'what was not fetched is not told');
});

test('watcher: with the key its model is asked and no script is played', jailed, async () => {
  moveProviders();
  process.env.ANTHROPIC_API_KEY = 'a-key-that-opens-nothing';
  const org = orgFromTemplate('watcher');
  delete process.env.ANTHROPIC_API_KEY;
  const { stdout } = await org.orgrepo('doctor');
  assert.match(stdout, /ok +ANTHROPIC_API_KEY is set, for chief and junior-1/);
  assert.equal(stdout.includes('plays its part'), false, stdout);
});

test('watcher: without the script a missing key is exit 4, before anything is begun', jailed, async () => {
  const org = orgFromTemplate('watcher');
  org.git('rm', '-q', '-r', 'models');
  org.commit('no stand-in');
  const ran = await org.orgrepo('run');
  assert.deepEqual([ran.code, org.git('branch', '--list', 'orgrepo/*')], [4, '']);
  assert.match(ran.stderr, /ANTHROPIC_API_KEY is not set/);
});

test('bugfix: a report becomes a plan, a critique, a fix that is rejected, and one that is not', jailed, async () => {
  const { org, night } = await nightOf('bugfix');
  assert.deepEqual(endings(night.experiments), ['keep 14', 'keep 16']);
  const format =
    '--format=%an %(trailers:key=Org-Event,valueonly,separator=) %(trailers:key=Org-Decision,valueonly,separator=)';
  const story = org.git('log', '--first-parent', '--reverse', format, 'orgrepo/work/0001').trim().split('\n');
  assert.deepEqual(
    story.map((line) => line.trim()).slice(2),
    [
      'junior-1 claim',
      'junior-1 plan',
      'critic-1 critique',
      'critic-2 critique',
      'junior-1 plan',
      'junior-1 keep',
      'checker-1 review reject',
      'junior-1 keep',
      'checker-1 review approve',
    ].slice(0, story.length - 2),
  );
  const shown = (await org.orgrepo('show', '2')).stdout;
  assert.match(shown, /^story +\d\d:\d\d:\d\d {2}plan .*\n.* critique {2}critic-1 .*T-118/m);
  assert.match(shown, / review +checker-1 +rejected: Tickets that are deleted elsewhere/);
  const best = (file: string): string => org.git('show', `orgrepo/best:sandbox/${file}`);
  assert.match(best('store.mjs'), /return openTickets\(store, project\)\.length/);
  assert.match(best('board.test.mjs'), /archived elsewhere[\s\S]*number on the tab/, 'the tests stay with the fix');
});
