import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { pricesOf } from '../../../src/agents/models/prices.ts';
import { askIt } from '../../support/model-question.ts';
import { briefText, makeOrg, quadratic, root } from '../../support/org.ts';
import { startProviderServer } from '../../support/provider-server/server.ts';

/** The models that Anthropic's package calls old, with the day of each. */
const list = readFileSync(path.join(root, 'node_modules/@anthropic-ai/sdk/resources/messages/messages.mjs'), 'utf8');
const [, entries = ''] = /const DEPRECATED_MODELS = \{([^}]*)\}/.exec(list) ?? [];
const ends = new Map([...entries.matchAll(/'([^']+)': '([^']+)'/g)].map(([, id = '', day = '']) => [id, day]));
const [old = ''] = [...ends.keys()].filter((id) => /-20[0-9]{6}$/.test(id));

test('a model that will be gone is told of once by plan and doctor, with its day, and one that stays is not', async () => {
  assert.notEqual(old, '', 'the package calls a dated model old');
  for (const [model, warned] of [
    [old, 1],
    ['claude-sonnet-4-6', 0],
  ] as const) {
    const org = makeOrg({ ...quadratic, 'program.md': briefText({ agent: '', model, juniors: '3' }) });
    try {
      const plan = await org.orgrepo('plan', '--json', '--no-measure');
      assert.equal(plan.code, 0, plan.stdout + plan.stderr);
      const words = `model anthropic/${model} reaches its end of life on ${ends.get(model)}`;
      const warnings = JSON.parse(plan.stdout).warnings.map(({ message }: { message: string }) => message);
      assert.equal(warnings.filter((message: string) => message === words).length, warned);
      assert.equal(plan.stderr, '', "and not in the package's own words");
      assert.equal((await org.orgrepo('doctor')).stdout.includes(words), warned === 1);
    } finally {
      org.remove();
    }
  }
});

test('the package that asks an old model says nothing on the console, and what we say there goes on', async (t) => {
  const server = await startProviderServer([{ text: 'Done.' }]);
  t.after(server.close);
  const warned: unknown[] = [];
  const { warn } = console;
  console.warn = (words: unknown) => void warned.push(words);
  try {
    await askIt(server, 'anthropic', { model: old });
    console.warn('ours');
  } finally {
    console.warn = warn;
  }
  assert.deepEqual(warned, ['ours']);
});

test('no template, example or page names a model that is called old or whose price nobody knows', async () => {
  const texts = ['templates', 'examples', 'docs', 'README.md'].flatMap((place) => filesUnder(path.join(root, place)));
  const named = texts.flatMap((file) =>
    (readFileSync(file, 'utf8').match(/\bclaude-[a-z]+-[0-9][0-9a-z-]*[0-9]/g) ?? []).map((id) => ({ file, id })),
  );
  assert.ok(named.length > 10);
  const refused = 'claude-sonnet-4-5'; // An example of a name that is refused.
  for (const { file, id } of named) {
    if (id === refused) continue;
    assert.equal(ends.get(id), undefined, `${file}: ${id}`);
    assert.notEqual((await pricesOf('anthropic', id)).mostCost(1, 1), undefined, `${file}: ${id}`);
  }
});

function filesUnder(place: string): string[] {
  if (place.endsWith('.md')) return [place];
  return readdirSync(place, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(md|json|yaml)$/.test(name))
    .map((name) => path.join(place, name));
}
