import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { type Act, agentPrincipal, formatResult, spendAct, toolAct } from '../../src/domain/rules/act.ts';
import { readPolicyFiles } from '../../src/org/force/policy-files.ts';
import { findDecision, openDecisionBook } from '../../src/policy/decision-book.ts';
import { openPolicyDecider } from '../../src/policy/policy-decider.ts';
import { openJudge } from '../../src/policy/policy-judge.ts';
import { type Org, openOrg, trunkTip } from '../../src/records/org.ts';
import { learnSecrets } from '../../src/secrets/known-secrets.ts';
import { emptyRef } from '../support/damage.ts';
import { forge, verify } from '../support/forge.ts';
import { runNight, trailers } from '../support/night.ts';
import { makeOrg, quadratic, root, type TestOrg } from '../support/org.ts';

const removals: (() => void)[] = [];
after(() => {
  for (const remove of removals) remove();
});

const ref = 'refs/orgrepo/decisions';
const example = (name: string): string => readFileSync(path.join(root, 'examples/policies', name), 'utf8');
const seller = agentPrincipal('seller');
const charge = (amount: number, note = ''): Act =>
  toolAct(seller, { server: 'stripe', name: 'charge', spec: '0001' }, { amount_usd: amount, note });
const payments = example('payments.cedar').replaceAll('principal in Department::"gtm"', 'principal == Agent::"seller"');

function orgWith(policies: Readonly<Record<string, string>>): TestOrg {
  const files = Object.entries(policies).map(([name, text]) => [`policies/${name}`, text] as const);
  const org = makeOrg({ ...quadratic, ...Object.fromEntries(files) });
  removals.push(org.remove);
  return org;
}

async function within<T>({ dir }: TestOrg, work: (org: Org) => Promise<T>): Promise<T> {
  const org = await openOrg(dir);
  try {
    return await work(org);
  } finally {
    await org.repo.close();
  }
}

const treeOf = async (org: Org): Promise<string> => {
  const commit = await org.repo.reader.read(await trunkTip(org));
  return /^tree (\w+)/.exec(commit?.content.toString() ?? '')?.[1] ?? '';
};

/** Acts one after the other, as a night would have them. */
const governed = (org: TestOrg, acts: readonly Act[], approvals: Readonly<Record<string, readonly string[]>> = {}) =>
  within(org, async (opened) => {
    const told: string[] = [];
    const policies = await openPolicyDecider(opened, await treeOf(opened), {
      approvalsOf: async ({ act }) => ({ as: approvals[String(act.numbers?.amount_usd)] ?? [] }),
      onRefusal: (decision, n) => told.push(`D${n} ${formatResult(decision.result)}`),
    });
    const results: string[] = [];
    for (const act of acts) results.push(formatResult((await policies.decide(act)).result));
    await policies.close();
    return { results, told };
  });

test('a decision is a commit that git log can tell of, and replay decides it again', async () => {
  const org = orgWith({ 'payments.cedar': payments });
  const { results, told } = await governed(org, [charge(20), charge(600), charge(700), charge(30)], { 700: ['board'] });
  assert.deepEqual(results, ['allow', 'needs-approval: board', 'allow', 'allow']);
  assert.deepEqual(told, ['D2 needs-approval: board']);
  const range = [ref, '--not', 'main'];
  assert.deepEqual(trailers(org, 'Number', ...range), ['1', '2', '3', '4']);
  assert.deepEqual(trailers(org, 'Result', ...range), results);
  assert.deepEqual(trailers(org, 'Act', ...range), ['tool', 'tool', 'tool', 'tool']);
  assert.deepEqual(trailers(org, 'Spec', ...range), ['0001', '0001', '0001', '0001']);
  const policies = org.git('rev-parse', 'main:policies').trim();
  assert.deepEqual(new Set(trailers(org, 'Policies', ...range)), new Set([policies]));
  assert.equal(org.git('rev-parse', `${ref}:policies`).trim(), policies, 'they stay for as long as the decision');
  assert.equal(
    trailers(org, 'Reason', ...range)[1],
    'policies/payments.cedar:14 charge-above-threshold: a charge of 600 dollars is above the 500 that need no approval',
  );
  org.write('policies/payments.cedar', 'permit (principal, action, resource);');
  org.commit('other policies');
  const id = trailers(org, 'Decision', ...range)[1] ?? '';
  for (const word of ['D2', 'd2', id, id.slice(0, 12)]) {
    const ran = await org.orgrepo('replay', word);
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal(
      ran.stdout,
      `D2  seller wants to use the tool stripe.charge   decided needs-approval: board   recorded needs-approval: board   REPRODUCED
  policies/payments.cedar:14 charge-above-threshold: a charge of 600 dollars is above the 500 that need no approval
  policies ${policies.slice(0, 7)}, decision ${id}\n`,
    );
  }
  const json = JSON.parse((await org.orgrepo('replay', 'D3', '--json')).stdout) as Record<string, unknown>;
  assert.deepEqual([json.schema, json.decided, json.reproduced], ['orgrepo/decision@1', 'allow', true]);
  assert.deepEqual((json.act as Act).approved, ['board']);
  assert.equal((await org.orgrepo('replay', 'D9')).code, 1);
});

test('a result that was changed afterwards differs, and an act that was changed does not verify', async () => {
  const org = orgWith({ 'payments.cedar': payments });
  assert.equal((await runNight(org, '--max', '1')).code, 3, 'nothing permits a claim');
  await governed(org, [charge(600)]);
  assert.deepEqual(await verify(org), { code: 0, findings: [] });
  const last = (): string => `D${trailers(org, 'Number', '-1', ref)[0]}`;
  forge(org, ref, (text) => text.replace('Org-Result: needs-approval: board', 'Org-Result: allow'));
  const ran = await org.orgrepo('replay', last());
  assert.equal(ran.code, 1);
  assert.match(ran.stdout, /decided needs-approval: board {3}recorded allow {3}DIFFERS/);
  forge(org, ref, (text) => text.replace('"amount_usd":"600"', '"amount_usd":"6"'));
  const { code, findings } = await verify(org);
  assert.equal(code, 5);
  assert.deepEqual(
    findings.map(({ what }) => what),
    ['it is the decision on another act, or by other policies'],
  );
});

test('without the policies it was made by a decision cannot be made again: exit 5', async () => {
  const org = orgWith({ 'payments.cedar': payments });
  await governed(org, [charge(20)]);
  const blob = org.git('rev-parse', 'main:policies/payments.cedar').trim();
  const tree = org.git('rev-parse', 'main:policies').trim();
  for (const id of [blob, tree]) {
    rmSync(path.join(org.dir, '.git/objects', id.slice(0, 2), id.slice(2)));
    const ran = await org.orgrepo('replay', 'D1');
    assert.equal(ran.code, 5, ran.stderr);
    assert.match(ran.stderr, /the policies [0-9a-f]+ are missing from the repository/);
  }
});

test('a secret is in no decision, and the decision can be made again all the same', async () => {
  learnSecrets([{ name: 'STRIPE_KEY', value: 'sk-live-0123456789abcdef' }]);
  const org = orgWith({ 'payments.cedar': payments });
  await governed(org, [charge(20, 'pay with sk-live-0123456789abcdef'), charge(600, 'sk-live-0123456789abcdef')]);
  const said = org.git('log', ref, '--format=%B');
  assert.equal(said.includes('sk-live'), false);
  assert.match(said, /pay with \[secret STRIPE_KEY\]/);
  for (const word of ['D1', 'D2']) assert.equal((await org.orgrepo('replay', word)).code, 0);
});

test('an act that does not fit into a message is a file, and is whole', async () => {
  const org = orgWith({ 'all.cedar': 'permit (principal, action, resource);' });
  const texts = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`text${n}`, `${n} é`.repeat(1_000)]));
  assert.equal((await runNight(org, '--max', '1')).code, 0);
  await governed(org, [toolAct(seller, { server: 'a', name: 'b' }, texts)]);
  assert.match(org.git('ls-tree', '--name-only', ref), /^act\.json\npolicies\n$/);
  const n = trailers(org, 'Number', '-1', ref)[0];
  assert.equal((await org.orgrepo('replay', `D${n}`)).code, 0);
  assert.deepEqual(await verify(org), { code: 0, findings: [] });
});

test('two who write at once lose nothing, and numbers are given once', async () => {
  const org = orgWith({ 'payments.cedar': payments });
  await within(org, async (one) =>
    within(org, async (two) => {
      const found = await readPolicyFiles(one, await treeOf(one));
      assert.ok(found);
      const judge = await openJudge(found.files, found.tree);
      const books = [openDecisionBook(one), openDecisionBook(two)] as const;
      const numbers = await Promise.all(
        Array.from({ length: 100 }, async (_, n) => books[n % 2 === 0 ? 0 : 1].write(await judge.judge(charge(n + 1)))),
      );
      assert.deepEqual(
        [...numbers].sort((a, b) => a - b),
        Array.from({ length: 100 }, (_, n) => n + 1),
      );
      assert.equal((await findDecision(one, 'D100'))?.n, 100);
    }),
  );
});

test('without policies everything is allowed and nothing is written', async () => {
  const org = orgWith({});
  const { results } = await governed(org, [charge(1_000_000)]);
  assert.deepEqual(results, ['allow']);
  assert.equal(org.git('for-each-ref', ref), '');
  const readme = orgWith({ 'README.md': 'none yet' });
  assert.deepEqual((await governed(readme, [charge(1)])).results, ['allow']);
});

test('policies of a later commit are taken up; what is wrong with them leaves the old ones in force', async () => {
  const org = orgWith({ 'payments.cedar': payments });
  await within(org, async (opened) => {
    const policies = await openPolicyDecider(opened, await treeOf(opened));
    const spend = spendAct(seller, { provider: 'a', model: 'b' }, { usd: 1, tokensIn: 1, tokensOut: 1 });
    assert.equal((await policies.decide(spend)).result.kind, 'deny');
    org.write('policies/payments.cedar', 'permit (principal, action, resource');
    org.commit('broken');
    assert.match((await policies.follow(await treeOf(opened)))?.message ?? '', /^policies\/payments\.cedar:1:36: /);
    assert.equal((await policies.decide(spend)).result.kind, 'deny');
    org.write('policies/payments.cedar', 'permit (principal, action, resource);');
    org.commit('mended');
    assert.equal(await policies.follow(await treeOf(opened)), undefined);
    assert.equal((await policies.decide(spend)).result.kind, 'allow');
    await policies.close();
  });
});

test('decisions that a power failure has taken off their ref are found again', async () => {
  const org = orgWith({ 'all.cedar': 'permit (principal, action, resource);' });
  assert.equal((await runNight(org, '--max', '1')).code, 0);
  await governed(org, [charge(1), charge(2)]);
  const before = org.git('rev-parse', ref);
  emptyRef(org, ref);
  const night = await runNight(org, '--max', '1');
  assert.equal(night.code, 0, night.stderr);
  assert.equal(org.git('merge-base', before.trim(), ref), before);
  assert.deepEqual(await verify(org), { code: 0, findings: [] });
});
