import assert from 'node:assert/strict';
import { chmodSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { anOrg } from '../support/builders.ts';
import { chartedOrg } from '../support/chart.ts';
import type { TestOrg } from '../support/org.ts';

/** A price counts where anybody asks its model, be it the brief or the chart that says so; any other is a slip. */

const charted = (prices: string, keys = {}): TestOrg => {
  const structure =
    '### Lead\n- **Level:** 7\n\n#### Worker\n- **Level:** 3\n- **Model:** claude-sonnet-4-6\n\n#### Other\n- **Level:** 3\n';
  const org = chartedOrg({ structure, keys: { prices, ...keys } });
  org.write('.orgrepo/keys', 'ANTHROPIC_API_KEY=a-key-that-opens-nothing\n'); // That none is there is told by doctor before.
  chmodSync(path.join(org.dir, '.orgrepo/keys'), 0o600);
  org.write('.git/info/exclude', '/.orgrepo/\n');
  return org;
};

/** `program.md:7:11`: where these words stand in the brief. */
function placeOf(org: TestOrg, words: string): string {
  const lines = readFileSync(path.join(org.dir, 'program.md'), 'utf8').split('\n');
  const line = lines.findIndex((one) => one.includes(words));
  return `program.md:${line + 1}:${(lines[line]?.indexOf(words) ?? 0) + 1}: `;
}

test('a model that only the chart names may have its price in the brief', async () => {
  for (const name of ['claude-sonnet-4-6', 'anthropic/claude-sonnet-4-6']) {
    const org = charted(`{ "${name}": { in: 3, out: 15 } }`);
    const plan = await org.orgrepo('plan');
    assert.equal(plan.code, 0, plan.stderr);
    assert.doesNotMatch(plan.stdout + plan.stderr, /prices has/);
  }
});

test('a price of a model that really nobody asks is exit 6 with its line and column, in plan, doctor and run', async () => {
  const bare = anOrg({ brief: { prices: '{ my-model: { in: 3, out: 15 } }' } });
  const table = [
    [charted('{ claude-sonnet-4-9: { in: 3, out: 15 } }'), 'claude-sonnet-4-9', /Did you mean claude-sonnet-4-6\?/],
    [
      charted('{ fast: { in: 3, out: 15 } }', { models: '{ fast: claude-haiku-4-5-20251001 }' }),
      'fast: { in',
      /Take it out: the models here are claude-sonnet-4-6\./,
    ],
    [bare, 'my-model', /Take it out: no agent here asks a model\./],
  ] as const;
  for (const [org, words, hint] of table)
    for (const command of [['plan'], ['doctor'], ['run', '--max', '1']]) {
      const ran = await org.orgrepo(...command);
      const told = ran.stdout + ran.stderr;
      assert.equal(ran.code, 6, `${command[0]}: ${told}`);
      const name = words.split(':')[0];
      assert.ok(
        told.includes(`${placeOf(org, words)}prices has ${name}, and no agent here asks such a model`),
        `${command[0]}: ${told}`,
      );
      assert.match(told, hint);
    }
});
