import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import {
  type Act,
  agentPrincipal,
  approvedBy,
  formatReasons,
  formatResult,
  toolAct,
} from '../../src/domain/rules/act.ts';
import { checkPolicies, openJudge } from '../../src/policy/policy-judge.ts';
import { isProblem, type Problem } from '../../src/text/problem.ts';
import { root } from '../support/org.ts';
import { paymentsRego } from '../support/payments-rego.ts';
import { until } from '../support/until.ts';

const bin = mkdtempSync(path.join(tmpdir(), 'orgrepo-opa-bin-'));
symlinkSync(path.join(root, 'test/support/opa.mjs'), path.join(bin, 'opa'));
after(() => rmSync(bin, { recursive: true, force: true }));
const usual = process.env.PATH ?? '';

const tree = 'a'.repeat(40);
const files = new Map(Object.entries(paymentsRego));
const act = (agent: string, server: string, name: string, input: Record<string, unknown>): Act =>
  toolAct(agentPrincipal(agent), { server, name }, input);
const charge = (amount: number, agent = 'seller'): Act => act(agent, 'stripe', 'charge', { amount_usd: amount });
const wire = (country: string): Act => act('seller', 'wire', 'send', { country, amount_usd: 20 });

async function refusal(texts: ReadonlyMap<string, string>): Promise<Problem> {
  const problem = await checkPolicies(texts, tree, []).catch((error: unknown) => error);
  if (isProblem(problem)) return problem;
  throw problem ?? new Error('it was taken');
}

test('without opa on the PATH Rego is refused, with what to do', async () => {
  process.env.PATH = '/nonexistent';
  try {
    for (const open of [() => refusal(files), () => openJudge(files, tree).catch((error: Problem) => error)]) {
      const problem = (await open()) as Problem;
      assert.equal(
        problem.message,
        'policies/payments.rego:1:1: Rego is decided by OPA, and there is no opa on the PATH',
      );
      assert.match(problem.hint, /^Install it: .* Or write the policy in Cedar/);
      assert.equal(problem.code, 'org/policy');
    }
  } finally {
    process.env.PATH = usual;
  }
});

test('the payments rules in Rego: the three cases, and nothing of the server is left', async () => {
  process.env.PATH = `${bin}:${usual}`;
  const judge = await openJudge(files, tree);
  const inWords = async (one: Act): Promise<string> => {
    const { result, reasons, id, policies } = await judge.judge(one);
    assert.match(id, /^[0-9a-f]{16}$/);
    assert.equal(policies, tree);
    return `${formatResult(result)} | ${formatReasons(reasons)}`;
  };
  const at = 'policies/payments.rego org.payments';
  assert.equal(await inWords(charge(500)), `allow | ${at}`);
  assert.equal(await inWords(charge(500, 'coder')), 'deny | no policy permits it');
  assert.equal(await inWords(wire('KP')), `deny | ${at}: wire to KP denied: jurisdiction not in allowed set`);
  assert.equal(await inWords(charge(501)), `needs-approval: person | ${at}`);
  assert.equal(await inWords(approvedBy(charge(501), ['ada'])), `allow | ${at}`);
  assert.equal(await inWords({ ...charge(1), unfit: 'too much' }), 'deny | too much');
  const before = opasRunning();
  assert.equal(before.length, 1);
  judge.close();
  await until('OPA is gone', () => opasRunning().length === 0);
  assert.match(await inWords(charge(1)), /^deny \| policies\/payments\.rego org\.payments: OPA cannot be asked: /);
});

test('where there is Cedar too both must allow it', async () => {
  process.env.PATH = `${bin}:${usual}`;
  const cedar =
    'permit (principal, action, resource); forbid (principal, action == Action::"tool", resource) when { principal.name == "mallory" };';
  const judge = await openJudge(new Map([...files, ['policies/a.cedar', cedar]]), tree);
  const kinds = await Promise.all(
    [charge(1), charge(1, 'coder'), charge(501), charge(1, 'mallory')].map(
      async (one) => (await judge.judge(one)).result.kind,
    ),
  );
  assert.deepEqual(kinds, ['allow', 'deny', 'needs-approval', 'deny']);
  judge.close();
});

test('Rego that cannot be read, or would never be asked, is told with its line', async () => {
  process.env.PATH = `${bin}:${usual}`;
  const broken = await refusal(new Map([['policies/a.rego', 'package org.a\n\nallow := !! true\n']]));
  assert.equal(broken.message, 'policies/a.rego:3:1: unexpected ! token');
  const elsewhere = await refusal(new Map([['policies/a.rego', '# mine\npackage payments\n']]));
  assert.equal(elsewhere.message, 'policies/a.rego:2:1: it is of the package payments, which is never asked');
});

/** Puts an OPA that answers otherwise first on the PATH. */
function withOpa(name: string, script: string): void {
  const place = path.join(bin, name);
  mkdirSync(place);
  writeFileSync(path.join(place, 'opa'), script, { mode: 0o755 });
  process.env.PATH = `${place}:${usual}`;
}

test('an OPA that does not start is told with what it said', async () => {
  withOpa('busy', '#!/bin/sh\n[ "$1" = check ] || { echo "listen tcp: address already in use" >&2; exit 1; }\n');
  const problem = await openJudge(files, tree).catch((error: unknown) => error);
  assert.ok(isProblem(problem));
  assert.equal(problem.code, 'org/policy');
  assert.equal(problem.message, 'OPA did not start: listen tcp: address already in use');
  assert.equal(problem.hint, 'See what it says: opa run --server policies/');
});

test('an OPA that fails without saying where is told with its first line, or as it is', async () => {
  withOpa('broken', '#!/bin/sh\necho "panic: out of memory" >&2\necho "goroutine 1" >&2\nexit 2\n');
  const { message, hint } = await refusal(files);
  assert.equal(message, 'policies/payments.rego: panic: out of memory');
  assert.match(hint, /^The language: https:/);
  withOpa('silent', '#!/bin/sh\nexit 2\n');
  assert.equal((await refusal(files)).message, 'policies/payments.rego: OPA cannot read it');
});

test('an answer of OPA that cannot be understood is a no', async () => {
  const results = [{ allow: 'yes' }, { allow: true, deny: [5] }, { allow: true, require_approval: { board: true } }];
  for (const [at, result] of results.entries()) {
    const answer = JSON.stringify({ result });
    withOpa(
      `odd-${at}`,
      `#!/usr/bin/env node
const [verb, ...args] = process.argv.slice(2);
const [host, port] = (args[args.indexOf('--addr') + 1] ?? '').split(':');
const answer = (_, response) => response.end(${JSON.stringify(answer)});
if (verb === 'run') require('node:http').createServer(answer).listen(Number(port), host);
`,
    );
    const judge = await openJudge(files, tree);
    const { result: said, reasons } = await judge.judge(charge(1));
    judge.close();
    assert.equal(formatResult(said), 'deny', answer);
    assert.match(
      formatReasons(reasons),
      /org\.payments: its allow is not yes or no, or its deny or require_approval is not a list of texts$/,
    );
  }
});

test('whoever is killed, or just leaves, takes the server along', async () => {
  const script = path.join(bin, 'holder.mjs');
  const judge = path.join(root, 'build/src/policy/policy-judge.js');
  const text = `import { openJudge } from ${JSON.stringify(judge)};
await openJudge(new Map(Object.entries(${JSON.stringify(paymentsRego)})), 'a');
process.stdout.write('open');
process.stdin.once('data', () => process.exit());
`;
  writeFileSync(script, text);
  for (const leave of ['SIGKILL', 'SIGTERM', 'exit'] as const) {
    const holder = spawn(process.execPath, [script], { env: { ...process.env, PATH: `${bin}:${usual}` } });
    await new Promise((resolve) => holder.stdout.once('data', resolve));
    assert.equal(opasRunning().length, 1);
    if (leave === 'exit') holder.stdin.write('go');
    else holder.kill(leave);
    await until('OPA is gone', () => opasRunning().length === 0);
  }
});

/** Those of this test: they were started by its own stand-in. */
function opasRunning(): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[1] === path.join(bin, 'opa');
    } catch {
      return false;
    }
  });
}
