import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { everything, landingOrg } from '../support/landing.ts';
import { trailers } from '../support/night.ts';
import { root, type TestOrg } from '../support/org.ts';

const ordinary = readFileSync(path.join(root, 'examples/policies/default.cedar'), 'utf8');
const permitted = '@id("landing")\npermit (principal is Person, action == Action::"land", resource);\n';

/** An org with three kept changes in two files and four lines, whose branch then got these policies. */
async function landingUnder(policies: string, files: Readonly<Record<string, string>> = {}): Promise<TestOrg> {
  const org = await landingOrg(files);
  org.write('policies/landing.cedar', policies);
  org.commit('what may be landed');
  return org;
}

const decisions = (org: TestOrg, key: string): readonly string[] => trailers(org, key, 'main..refs/orgrepo/decisions');
const branches = (org: TestOrg): string => org.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/land');

test('an ordinary land is permitted by the ordinary policies, and names the decision that can be made again', async () => {
  const org = await landingUnder(ordinary);
  const before = everything(org);
  const dry = await org.orgrepo('land', '--dry-run');
  assert.equal(dry.code, 0, dry.stderr);
  assert.match(dry.stdout, /^ {2}policies say {6}allow; policies\/landing\.cedar:\d+ ordinary-landing$/m);
  assert.equal(everything(org), before);

  const landed = await org.orgrepo('land', '--yes', '--json');
  assert.equal(landed.code, 0, landed.stderr);
  assert.match((JSON.parse(landed.stdout) as { policy: string }).policy, /^allow; .*ordinary-landing$/);
  assert.deepEqual(decisions(org, 'Result'), ['allow']);
  assert.deepEqual(
    trailers(org, 'Decision', '-1', 'land/bring-them-to-three'),
    trailers(org, 'Decision', '-1', 'refs/orgrepo/decisions'),
  );
  const act = JSON.parse(org.git('log', '-1', '--format=%b', 'refs/orgrepo/decisions').split('\n\nOrg-')[0] ?? '') as {
    act: string;
    principal: unknown;
    resource: { id: string };
    context: unknown;
  };
  assert.deepEqual(
    [act.act, act.principal, act.resource.id, act.context],
    ['land', { kind: 'person', id: 'Test Person' }, 'main', { files: 2, lines: 4, reviewed: false }],
  );
  assert.equal((await org.orgrepo('replay', 'D1')).code, 0);
  assert.equal((await org.orgrepo('verify')).code, 0, (await org.orgrepo('verify')).stdout);
});

test('what a policy is against is not landed: only the decision is written, and a dry run writes not even that', async () => {
  const org = await landingUnder(
    `${permitted}@id("read-first")\n@message("{agent} lands on {resource} what nobody has read")\nforbid (principal, action == Action::"land", resource) unless { context.reviewed };\n`,
  );
  const before = everything(org);
  const dry = await org.orgrepo('land', '--dry-run');
  assert.equal(dry.code, 3);
  assert.match(dry.stderr, /a policy is against it: Test Person lands on main what nobody has read/);
  assert.equal(everything(org), before);

  const refused = await org.orgrepo('land', '--yes', '--json');
  assert.equal(refused.code, 3);
  const { error } = JSON.parse(refused.stdout) as { error: { code: string; message: string } };
  assert.equal(error.code, 'person/refused');
  assert.match(
    error.message,
    /^nothing is landed: D1: Test Person wants to land main, and a policy is against it: Test/,
  );
  assert.deepEqual([decisions(org, 'Result'), branches(org)], [['deny'], '']);
  const after = everything(org).split('\n');
  assert.deepEqual(
    after.filter((line) => !before.split('\n').includes(line)).map((line) => line.split(' ')[0]),
    ['refs/orgrepo/decisions'],
  );
  assert.equal((await org.orgrepo('replay', 'D1')).code, 0);

  for (const n of ['1', '2', '3']) assert.equal((await org.orgrepo('approve', n, '--reason', 'read it')).code, 0);
  assert.equal((await org.orgrepo('land', '--yes')).code, 0);
  assert.deepEqual(decisions(org, 'Result'), ['deny', 'allow']);
  assert.equal((await org.orgrepo('verify')).code, 0, (await org.orgrepo('verify')).stdout);
});

test('what needs approval waits for a person, is landed once by their yes, and is asked about again when it is another change', async () => {
  const org = await landingUnder(
    `${permitted}@id("large")\n@message("more than one file")\n@approval("board")\nforbid (principal, action == Action::"land", resource) when { context.files > 1 };\n`,
  );
  const before = everything(org);
  const dry = await org.orgrepo('land', '--dry-run');
  assert.equal(dry.code, 0, dry.stderr);
  assert.match(
    dry.stdout,
    /policies say {6}needs-approval: board; policies\/landing\.cedar:\d+ large: more than one file/,
  );
  assert.equal(everything(org), before);

  const waits = await org.orgrepo('land', '--yes');
  assert.equal(waits.code, 3);
  assert.match(waits.stderr, /D1: .* needs the approval of board: more than one file .*\n.*orgrepo approve A1/);
  assert.equal((await org.orgrepo('land', '--yes')).code, 3);
  assert.match((await org.orgrepo('approve')).stdout, /^A1 {2}Test Person wants to land main: #1 #2 #3: [^\n]*\n$/);
  assert.match((await org.orgrepo('status')).stdout, /A1/);
  assert.equal(branches(org), '');

  assert.equal((await org.orgrepo('land', '2', '--yes')).code, 0, 'one file needs nobody');
  assert.equal((await org.orgrepo('approve', 'A1')).code, 0);
  assert.match((await org.orgrepo('land', '--dry-run')).stdout, /policies say {6}allow/);
  const landed = await org.orgrepo('land', '--yes');
  assert.equal(landed.code, 0, landed.stderr);
  assert.deepEqual(trailers(org, 'Event', '-1', 'orgrepo/queue'), ['use']);
  assert.equal((await org.orgrepo('verify')).code, 0, (await org.orgrepo('verify')).stdout);

  org.git('branch', '--quiet', '-D', ...branches(org).trim().split('\n'));
  assert.equal((await org.orgrepo('land', '--yes')).code, 3, 'the yes was used');
  assert.match((await org.orgrepo('approve')).stdout, /^A2 /);
  assert.equal((await org.orgrepo('deny', 'A2', '--reason', 'once is enough')).code, 0);
  assert.match((await org.orgrepo('land', '--yes')).stderr, /A2 was denied/);
});

test('an agent that lands is asked about as an agent, and people by their names in the chart', async () => {
  const org = await landingUnder(permitted);
  const email = org.git('config', 'user.email').trim();
  org.git('config', 'user.email', 'junior-1@agents.invalid');
  const refused = await org.orgrepo('land', '--yes');
  assert.equal(refused.code, 3);
  assert.match(refused.stderr, /D1: junior-1 wants to land main/);
  org.git('config', 'user.email', email);
  org.write('ORG.md', '# Org\n\n## Structure\n\n### Test Person (Human)\nDecides.\n');
  org.commit('a chart');
  assert.equal((await org.orgrepo('land', '--yes')).code, 0);
  assert.deepEqual(decisions(org, 'Agent'), ['junior-1', 'test-person']);
  assert.equal((await org.orgrepo('verify')).code, 0, (await org.orgrepo('verify')).stdout);
});
