import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { anOrg } from '../support/builders.ts';
import { model, nightOf, orgWith, serverFor } from '../support/model-night.ts';
import { endings, runNight, scriptAgent, trailers } from '../support/night.ts';
import { briefText, quadratic, root, type TestOrg } from '../support/org.ts';
import type { Heard, Said } from '../support/provider-server/script.ts';
import { startHttpToolServer } from '../support/tool-server.ts';

const ref = 'refs/orgrepo/decisions';
const everything = 'permit (principal, action, resource);\n';
const ordinary = readFileSync(path.join(root, 'examples/policies/default.cedar'), 'utf8');

function governedOrg(policies: Readonly<Record<string, string>>, files: Readonly<Record<string, string>> = quadratic) {
  const named = Object.entries(policies).map(([name, text]) => [`policies/${name}`, text] as const);
  const org = anOrg({ ground: { ...files, ...Object.fromEntries(named) } });
  return org;
}

/** `allow claim 0001` for each decision, oldest first. */
const decisions = (org: TestOrg): string[] => {
  const range = [ref, '--not', 'main'];
  const [results, acts] = [trailers(org, 'Result', ...range), trailers(org, 'Act', ...range)];
  return results.map((result, index) => `${result} ${acts[index]}`);
};
const warnings = (facts: readonly { readonly fact: string; readonly [key: string]: unknown }[]): string[] =>
  facts.flatMap((one) => (one.fact === 'warning' ? [String(one.message)] : []));
const holds = async (org: TestOrg): Promise<void> => {
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
};

test('a night under ordinary policies is a night; every claim is a decision', async () => {
  const org = governedOrg({ 'default.cedar': ordinary });
  const night = await runNight(org, '--max', '3');
  assert.equal(night.code, 0, night.stderr);
  assert.equal(night.experiments.length, 3);
  assert.deepEqual(new Set(decisions(org)), new Set(['allow claim']));
  assert.equal((await org.orgrepo('replay', 'D1')).code, 0);
  await holds(org);
  assert.equal((await org.orgrepo('plan')).code, 0);
});

test('a spec that a policy keeps from agents is not claimed, and that is written down once', async () => {
  const critical = quadratic['specs/0001-first.md']?.replace('by: people', 'by: people\nrisk: critical') ?? '';
  const files = { ...quadratic, 'specs/0001-first.md': critical };
  const policy = `@id("people-first")
@message("a spec of critical risk is worked by people")
forbid (principal, action == Action::"claim", resource) when { resource.risk == "critical" };`;
  const org = governedOrg({ 'a.cedar': everything, 'b.cedar': policy }, files);
  const night = await runNight(org, '--max', '2');
  assert.equal(night.code, 0, night.stderr);
  assert.equal(org.git('for-each-ref', 'refs/heads/orgrepo/work/0001'), '');
  assert.equal(night.experiments.length, 2, 'there are other ideas');
  assert.equal(decisions(org).filter((one) => one === 'deny claim').length, 1);
  assert.deepEqual(
    warnings(night.facts).filter((one) => one.includes('wants to')),
    ['D1: junior-1 wants to claim 0001, and a policy is against it: a spec of critical risk is worked by people'],
  );
  await holds(org);
});

const edit = { tool: 'edit', input: { path: 'sandbox/numbers.txt', old: 'first 9', new: 'first 3' } };
const plays =
  (...calls: readonly { readonly tool: string; readonly input: Record<string, unknown> }[]) =>
  ({ turn }: Heard): Said => ({ calls: [calls[turn - 1] ?? { tool: 'finish', input: { title: 'done' } }] });

test('a tool that a policy refuses is not used, the model is told why, and goes on', async () => {
  const { org, server } = await orgWith(plays({ tool: 'delete', input: { path: 'sandbox/numbers.txt' } }, edit), {});
  org.write('policies/a.cedar', everything);
  org.write(
    'policies/b.cedar',
    `@id("no-delete") @message("{agent} removes no file such as {path}")
forbid (principal, action == Action::"tool", resource == Tool::"delete") when { context.texts.getTag("path") like "sandbox/*" };`,
  );
  org.commit('policies');
  const refused = await org.orgrepo('plan');
  assert.equal(refused.code, 6, 'a tag that may not be there cannot be asked for');
  assert.match(refused.stderr, /policies\/b\.cedar:2:\d+: .*tag/);
  org.write(
    'policies/b.cedar',
    `@id("no-delete") @message("{agent} removes no file such as {path}")
forbid (principal, action == Action::"tool", resource == Tool::"delete");`,
  );
  org.commit('policies');
  const night = await nightOf(org, '--max', '1');
  assert.equal(night.code, 0, night.complained);
  assert.deepEqual(endings(night.experiments), ['keep 90']);
  assert.match(
    server.heard[1]?.told ?? '',
    /This was not done: a policy is against it: junior-1 removes no file such as sandbox\/numbers\.txt\./,
  );
  const tools = decisions(org).filter((one) => one.endsWith(' tool'));
  assert.deepEqual(tools, ['deny tool', 'allow tool', 'allow tool']);
  assert.equal(decisions(org).filter((one) => one === 'allow spend').length, server.heard.length);
  await holds(org);
});

test('a tool of a server is known by its server and its own name, and a server by its host', async () => {
  const web = await startHttpToolServer('json');
  const search = { tool: 'docs__search', input: { text: 'a needle' } };
  const provider = await serverFor(({ turn }) => plays(search, search, edit)({ turn: ((turn - 1) % 4) + 1 } as Heard));
  const brief = briefText({
    agent: '',
    mcp: `{ docs: { url: "${web.url}" } }`,
    junior: `{ model: anthropic/${model}, base_url: ${provider.baseUrl('anthropic')}, mcp: [docs] }`,
    chief: '{ agent: search }',
  });
  const policy = `@message("no needles") forbid (principal, action == Action::"tool", resource == Tool::"docs.search")
when { context.texts.hasTag("text") && context.texts.getTag("text") like "*needle*" };`;
  const org = governedOrg({ 'a.cedar': everything, 'b.cedar': policy }, { ...quadratic, 'program.md': brief });
  const night = await nightOf(org, '--max', '1');
  assert.equal(night.code, 0, night.complained);
  assert.match(provider.heard[1]?.told ?? '', /This was not done: a policy is against it: no needles\./);
  assert.equal(web.heard.filter(({ method }) => method === 'tools/call').length, 0);
  assert.equal(decisions(org).filter((one) => one === 'allow network').length, 1);
  org.write('policies/b.cedar', 'forbid (principal, action == Action::"network", resource == Host::"127.0.0.1");');
  org.commit('no network');
  const before = [web.heard.length, provider.heard.length] as const;
  assert.equal((await nightOf(org, '--max', '1')).code, 0);
  await web.close();
  assert.equal(web.heard.length, before[0], 'the server was not even greeted');
  const opening = provider.heard[before[1]]?.told ?? '';
  assert.match(opening, /Note that the tools of docs are not there: a policy is against it: b#1\./);
  await holds(org);
});

test('money that a policy refuses is not set aside, and the attempt fails with the reason', async () => {
  const { org, server } = await orgWith(plays(edit), {});
  org.write('policies/a.cedar', everything);
  org.write(
    'policies/b.cedar',
    `@message("no call may cost more than a tenth of a cent")
forbid (principal, action == Action::"spend", resource) when { context has usd && context.usd.greaterThan(decimal("0.001")) };`,
  );
  org.commit('policies');
  const night = await nightOf(org, '--max', '1');
  assert.equal(night.code, 0, night.complained);
  assert.equal(server.heard.length, 0);
  assert.deepEqual(
    night.experiments.map(({ event, reason }) => `${event}: ${reason}`),
    ['failed: a policy is against it: no call may cost more than a tenth of a cent'],
  );
  assert.equal(org.git('for-each-ref', 'refs/orgrepo/spend'), '');
  await holds(org);
});

test('an agent that may not have the network is not started, and is stopped until a person looks', async () => {
  const agent = scriptAgent(['echo "first 3" > sandbox/numbers.txt; echo tried']);
  const online = agent.brief.replace(' }', ', network: true }');
  const policy = 'forbid (principal, action == Action::"network", resource) when { resource.name == "*" };';
  const org = governedOrg(
    { 'a.cedar': everything, 'b.cedar': policy },
    { ...quadratic, 'program.md': briefText({ agent: online, chief: '{ agent: search }' }) },
  );
  const night = await runNight(org, '--max', '2');
  assert.equal(night.code, 3, night.stderr);
  assert.deepEqual(
    night.experiments.map(({ event, reason }) => `${event}: ${reason}`),
    ['failed: the network: a policy is against it: b#1'],
  );
  assert.deepEqual(decisions(org), ['allow claim', 'deny network']);
});

test('a policy that is wrong is exit 6 with its line, from plan, doctor and run, and nothing is begun', async () => {
  const org = governedOrg({ 'a.cedar': `${everything}\n\npermit (principal, acton, resource);\n` });
  for (const verb of ['plan', 'run']) {
    const ran = await org.orgrepo(verb, '--json');
    assert.equal(ran.code, 6, ran.stderr);
    const { error } = JSON.parse(ran.stdout || ran.stderr) as { error: Record<string, unknown> };
    assert.deepEqual([error.code, error.file, error.line], ['org/policy', 'policies/a.cedar', 4]);
    assert.notEqual(error.hint, '');
  }
  assert.equal((await org.orgrepo('doctor')).code !== 0, true);
  assert.equal(org.git('for-each-ref', 'refs/heads/orgrepo', 'refs/orgrepo'), '');
});

test('a file that nobody would obey, or that is none, is refused too', async () => {
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['payments.ceder', everything, /policies\/payments\.ceder:1:1: it is neither \.cedar nor \.rego/],
    ['more/payments.cedar', everything, /policies\/more:1:1: it is a directory/],
    [
      'big.cedar',
      `// ${'x'.repeat(1024 * 1024)}`,
      /policies\/big\.cedar:1:1: it has \d+ bytes, expected at most 1048576/,
    ],
    [
      'payments.rego',
      'package org.payments\n',
      /policies\/payments\.rego:1:1: Rego is decided by OPA, and there is no opa/,
    ],
  ];
  for (const [name, text, message] of cases) {
    const org = governedOrg({ [name]: text });
    const ran = await org.orgrepo('run');
    assert.equal(ran.code, 6, ran.stderr);
    assert.match(ran.stderr, message);
  }
});
