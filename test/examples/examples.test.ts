import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { anOrg } from '../support/builders.ts';
import { runNight, trailers } from '../support/night.ts';
import { root, type TestOrg } from '../support/org.ts';
import { type Edits, tinylmInAHurry } from '../support/template.ts';

/** The two example orgs, made as their READMEs say, through plan, run, verify and report, without a key. */

for (const name of Object.keys(process.env)) if (name.endsWith('_API_KEY')) delete process.env[name];

async function orgFromExample(example: string, edits: Edits = []): Promise<TestOrg> {
  const org = anOrg({ ground: { 'README.md': 'An org is to be made here.\n' } });
  const made = await org.orgrepo('init', '--template', example);
  assert.equal(made.code, 0, made.stderr);
  for (const [file, from, to] of edits) {
    const text = readFileSync(path.join(org.dir, file), 'utf8');
    assert.ok(text.includes(from), `${file} has no ${from}`);
    org.write(file, text.replace(from, to));
  }
  org.commit('the org of the example');
  return org;
}

async function agentsIn(org: TestOrg): Promise<string[]> {
  const plan = await org.orgrepo('plan', '--json', '--no-measure');
  assert.equal(plan.code, 0, plan.stdout);
  return JSON.parse(plan.stdout).org.agents.map(({ id }: { id: string }) => id);
}

async function holds(org: TestOrg): Promise<string> {
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  assert.equal((await org.orgrepo('plan', '--exit-code')).code, 0, 'the run has put the org into force');
  const report = await org.orgrepo('report');
  assert.equal(report.code, 0, report.stderr);
  return report.stdout;
}

test('the research lab: eight agents, and the juniors share the work', async () => {
  const org = await orgFromExample('research-lab', tinylmInAHurry);
  const juniors = Array.from({ length: 6 }, (_, index) => `junior-researcher-${index + 1}`);
  assert.deepEqual(await agentsIn(org), ['chief-scientist', ...juniors, 'checker-1']);
  const night = await runNight(org, '--max', '4');
  assert.ok(night.code === 0 || night.code === 3, night.stderr + night.stdout.slice(-2000));
  assert.equal(night.experiments.length, 4);
  const by = new Set(night.experiments.map(({ agent }) => agent));
  assert.ok(by.size > 1 && [...by].every((agent) => juniors.includes(agent)), [...by].join(' '));
  assert.match(await holds(org), /val_bpb/);
});

test('the bug-fix factory: a report becomes a fix, under the policies of the org', async () => {
  const org = await orgFromExample('bug-fix-factory');
  assert.deepEqual(await agentsIn(org), ['head-of-maintenance', 'engineer', 'critic-1', 'critic-2', 'checker-1']);
  const night = await runNight(org);
  assert.equal(night.code, 0, night.stderr + night.stdout.slice(-2000));
  assert.ok(night.experiments.every(({ agent }) => agent === 'engineer'));
  assert.equal(night.experiments.at(-1)?.event, 'keep');
  assert.equal(night.experiments.at(-1)?.score, 16);
  assert.ok(trailers(org, 'Act', 'main..refs/orgrepo/decisions').includes('claim'), 'policies were asked');
  assert.match(await holds(org), /tests_passed/);
});

test('the ten lines of the page on ORG.md are a working organisation', async () => {
  const page = readFileSync(path.join(root, 'docs/org.md'), 'utf8');
  const orgMd = /```markdown\n(# Packing Team\n[\s\S]*?)```/.exec(page)?.[1] ?? '';
  assert.equal(orgMd.trimEnd().split('\n').length, 10);
  const org = anOrg({ files: { 'ORG.md': orgMd } });
  assert.deepEqual(await agentsIn(org), ['lead', 'packer-1', 'packer-2']);
  const night = await runNight(org, '--max', '3');
  assert.equal(night.code, 0, night.stderr);
  assert.ok(night.experiments.every(({ agent }) => agent.startsWith('packer-')));
  await holds(org);
});
