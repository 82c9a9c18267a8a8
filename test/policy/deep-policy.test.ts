import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadPolicies } from '../../src/policy/policy.ts';
import { isProblem } from '../../src/text/problem.ts';
import { anOrg } from '../support/builders.ts';
import type { TestOrg } from '../support/org.ts';

/** A policy that is too much for the engine is a policy that is wrong, with its place: not a bug. */

const everything = 'permit (principal, action, resource);\n';
const nested = (depth: number): string =>
  `permit (principal, action, resource) when {\n  ${'('.repeat(depth)}true${')'.repeat(depth)}\n};\n`;

function orgWith(policies: string): TestOrg {
  const org = anOrg({
    files: {
      'ORG.md': '# Acme\n\n## Structure\n\n### Lead\n- **Level:** 7\n\n#### Worker\n- **Level:** 3\n',
      'policies/a.cedar': policies,
    },
  });
  return org;
}

test('brackets deeper than the engine reads are refused where they pass what it can, in plan, apply and run', async () => {
  const org = orgWith(`${everything}${nested(200)}`);
  for (const words of [['plan'], ['apply', '--yes'], ['run', '--max', '1']]) {
    const ran = await org.orgrepo(...words);
    assert.equal(ran.code, 6, `${words.join(' ')}: ${ran.stderr}`);
    // The brace before them is the first that is open.
    assert.match(ran.stderr, /policies\/a\.cedar:3:42: this bracket is the 41st that is open, and at most 40 can be/);
  }
});

test('so are policies that are long instead, of which only the engine knows that they are too much', async () => {
  const org = orgWith(`${everything}permit (principal, action, resource) when {${'true && '.repeat(7000)}true};\n`);
  const ran = org.spawned('plan'); // A process of its own: an engine that fell over reads less from then on.
  assert.equal(ran.code, 6, ran.stderr);
  assert.match(ran.stderr, /policies\/a\.cedar:2:1: this is more than Cedar can read/);
});

test('so are policies that can be read but not checked: their file is named', () => {
  const org = orgWith(`permit (principal, action, resource) when {${'1 + '.repeat(2000)}1 > 0};\n`);
  const ran = org.spawned('plan');
  assert.equal(ran.code, 6, ran.stderr);
  assert.match(ran.stderr, /policies\/a\.cedar(?::1:1)?: this is more than Cedar can read/);
  assert.match(ran.stderr, /Make it shorter, or several policies of it/);
});

test('of several policies that are wrong the first is told, and how many there are', async () => {
  const wrong = 'permit (principal, action == Action::"claim", resource) when { context.nothing == 1 };\n';
  const files = { 'policies/b.cedar': wrong, 'policies/a.cedar': `${everything}${wrong}` };
  await assert.rejects(loadPolicies(new Map(Object.entries(files)), 'a'.repeat(40)), (error) => {
    assert.ok(isProblem(error));
    assert.deepEqual([error.code, error.place?.file, error.place?.line], ['org/policy', 'policies/a.cedar', 2]);
    assert.match(error.message, /^policies\/a\.cedar:2:\d+: attribute `nothing` in context for .* not found$/);
    assert.match(error.hint, /\n1 more in policies\/\.$/);
    return true;
  });
});

test('as many as it reads are read, and brackets in texts and comments are none', async () => {
  const load = (text: string) => loadPolicies(new Map([['policies/a.cedar', text]]), 'a'.repeat(40));
  const brackets = '([{'.repeat(30);
  const harmless = `// ${brackets}\n@message("${brackets} \\" ${brackets}")\n${nested(39)}`;
  assert.equal((await load(`${harmless}${nested(39)}`)).policies.size, 2, 'each counts from nothing');
  await assert.rejects(load(nested(40)), (error) => isProblem(error) && error.code === 'org/policy');
});
