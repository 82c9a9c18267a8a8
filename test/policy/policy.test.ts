import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import {
  type Act,
  agentPrincipal,
  anyHost,
  approvedBy,
  claimAct,
  formatReasons,
  formatResult,
  landAct,
  networkAct,
  personPrincipal,
  spawnAct,
  spendAct,
  toolAct,
} from '../../src/domain/rules/act.ts';
import { formatAct, parseAct } from '../../src/policy/act-schema.ts';
import { decideByPolicies, loadPolicies } from '../../src/policy/policy.ts';
import { isProblem, type Problem } from '../../src/text/problem.ts';
import { root } from '../support/org.ts';

const tree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const load = (files: Readonly<Record<string, string>>) => loadPolicies(new Map(Object.entries(files)), tree);
const example = (name: string): string => readFileSync(path.join(root, 'examples/policies', name), 'utf8');
const inWords = ({ result, reasons }: ReturnType<typeof decideByPolicies>): string =>
  `${formatResult(result)} | ${formatReasons(reasons)}`;

const place = { file: 'ORG.md', line: 1 };
const seller = agentPrincipal('seller', {
  ...{ id: 'seller', name: 'Seller', level: 4, department: 'gtm', reportsTo: undefined, domains: ['sales'] },
  ...{ model: undefined, modelWords: undefined, limit: undefined, context: '', place },
  role: { name: 'Seller', index: 1, count: 1 },
});
const coder = agentPrincipal('junior-1');
const charge = (amount: unknown, who = seller): Act =>
  toolAct(who, { server: 'stripe', name: 'charge', spec: '0007' }, { amount_usd: amount, customer: 'c-1' });
const wire = (country: unknown): Act => toolAct(seller, { server: 'wire', name: 'send' }, { country, amount_usd: 20 });

test('payments: who may charge how much, and where money never goes', async () => {
  const policies = await load({ 'policies/payments.cedar': example('payments.cedar') });
  const cases: readonly (readonly [Act, string])[] = [
    [charge(500), 'allow | policies/payments.cedar:5 gtm-may-charge'],
    [charge('499.99'), 'allow | policies/payments.cedar:5 gtm-may-charge'],
    [
      charge(501),
      'needs-approval: board | policies/payments.cedar:14 charge-above-threshold: a charge of 501 dollars is above the 500 that need no approval',
    ],
    [
      charge(500.00001),
      'needs-approval: board | policies/payments.cedar:14 charge-above-threshold: a charge of 500.00001 dollars is above the 500 that need no approval',
    ],
    [
      charge('1e30'),
      'needs-approval: board | policies/payments.cedar:14 charge-above-threshold: a charge of 1e30 dollars is above the 500 that need no approval',
    ],
    [charge(10, coder), 'deny | no policy permits it'],
    // Nobody is asked to say yes to what would be refused all the same.
    [charge(501, coder), 'deny | no policy permits it'],
    [charge('a lot'), 'deny | no policy permits it'],
    [charge(-5), 'deny | no policy permits it'],
    [wire('AT'), 'allow | policies/payments.cedar:25 gtm-may-wire'],
    [
      wire('KP'),
      'deny | policies/payments.cedar:32 wire-jurisdiction: wire to KP denied: jurisdiction not in allowed set',
    ],
    [
      approvedBy(wire('KP'), ['board']),
      'deny | policies/payments.cedar:32 wire-jurisdiction: wire to KP denied: jurisdiction not in allowed set',
    ],
    [approvedBy(charge(501), ['board']), 'allow | policies/payments.cedar:5 gtm-may-charge'],
    [
      approvedBy(charge(501), ['somebody']),
      'needs-approval: board | policies/payments.cedar:14 charge-above-threshold: a charge of 501 dollars is above the 500 that need no approval',
    ],
  ];
  for (const [act, expected] of cases) assert.equal(inWords(decideByPolicies(policies, act)), expected);
});

test('every act of an ordinary org is permitted by the default policies, and a message waits for a person', async () => {
  const policies = await load({ 'policies/default.cedar': example('default.cedar') });
  const spec = { id: '0007', title: 'less room', by: 'chief', attempts: undefined, body: '' };
  const acts: readonly Act[] = [
    claimAct(coder, spec, 'high'),
    toolAct(coder, { server: 'orgrepo', name: 'write' }, { path: 'a', content: 'b' }),
    spendAct(coder, { provider: 'anthropic', model: 'x' }, { usd: 0.25, tokensIn: 10, tokensOut: 20 }),
    spendAct(coder, { provider: 'ollama', model: 'x' }, { usd: undefined, tokensIn: 10, tokensOut: 20 }),
    spawnAct(seller, { id: 'seller-2', role: 'seller', level: 2, department: 'gtm' }, 3),
    networkAct(coder, anyHost, { what: 'program', spec: '0007' }),
    landAct(personPrincipal('ada'), 'main', { files: 2, lines: 30, reviewed: true }),
  ];
  for (const act of acts) assert.equal(formatResult(decideByPolicies(policies, act).result), 'allow', act.act);
  const mail: Act = {
    ...{ act: 'message', principal: coder, approved: [] },
    resource: { id: 'press@example.org', channel: 'mail' },
    context: { text: 'hello', cut: false },
  };
  assert.equal(
    inWords(decideByPolicies(policies, mail)),
    'needs-approval: person | policies/default.cedar:24 messages-are-read-first: nothing is sent to press@example.org that no person has read',
  );
  assert.equal(formatResult(decideByPolicies(policies, approvedBy(mail, ['person'])).result), 'allow');
  assert.equal(
    formatResult(decideByPolicies(policies, landAct(coder, 'main', { files: 1, lines: 1, reviewed: true })).result),
    'deny',
  );
});

test('attributes of agents, specs, hosts and money can be spoken of', async () => {
  const policies = await load({
    'policies/a.cedar': `
permit (principal is Agent, action == Action::"claim", resource) when { principal.level >= 4 || resource.risk == "low" };
permit (principal is Agent, action == Action::"network", resource) when { resource.name like "*.example.org" };
permit (principal is Agent, action == Action::"spend", resource)
  when { context has usd && context.usd.lessThan(decimal("1.0")) && principal.domains.contains("sales") && principal.trust >= 30 };
`,
  });
  const spec = { id: '0007', title: 'x', by: 'chief', attempts: undefined, body: '' };
  const results = [
    claimAct(coder, spec, 'low'),
    claimAct(coder, spec, 'high'),
    claimAct(seller, spec, 'high'),
    networkAct(coder, 'api.example.org', { what: 'server docs' }),
    networkAct(coder, 'example.com', { what: 'server docs' }),
    spendAct(seller, { provider: 'a', model: 'x' }, { usd: 0.99, tokensIn: 1, tokensOut: 1 }),
    spendAct(seller, { provider: 'a', model: 'x' }, { usd: 1, tokensIn: 1, tokensOut: 1 }),
    spendAct(seller, { provider: 'a', model: 'x' }, { usd: undefined, tokensIn: 1, tokensOut: 1 }),
  ].map((act) => decideByPolicies(policies, act).result.kind);
  assert.deepEqual(results, ['allow', 'deny', 'allow', 'allow', 'deny', 'allow', 'deny', 'deny']);
});

test('what is not in the schema of acts is refused, and so is what cannot be looked at as a whole', async () => {
  const policies = await load({ 'policies/all.cedar': 'permit (principal, action, resource);' });
  const one = toolAct(coder, { server: 'orgrepo', name: 'read' }, { path: 'a' });
  const cases: readonly (readonly [Act, RegExp])[] = [
    [{ ...one, act: 'fly' as Act['act'] }, /^deny \| there is no act fly$/],
    [{ ...one, context: { ...one.context, more: 1 } }, /^deny \| it is not in the schema of acts: .*`more`/],
    [{ ...one, context: {} }, /^deny \| it is not in the schema of acts: /],
    [
      toolAct(coder, { server: 'a', name: 'b' }, { 'x.y': 1, x: { y: 2 } }),
      /^deny \| two of its arguments have the same name$/,
    ],
    [
      toolAct(
        coder,
        { server: 'a', name: 'b' },
        Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`k${n}`, n])),
      ),
      /more than 200 arguments/,
    ],
  ];
  for (const [act, expected] of cases) assert.match(inWords(decideByPolicies(policies, act)), expected);
  const long = toolAct(coder, { server: 'a', name: 'b' }, { text: 'x'.repeat(10_000) });
  assert.equal(long.context.cut, true);
  assert.equal(decideByPolicies(policies, long).result.kind, 'allow');
});

test('a policy that fails while it is evaluated refuses the act: Cedar would leave it out', async () => {
  const policies = await load({
    'policies/a.cedar': `permit (principal, action, resource);
@id("overflow") forbid (principal is Agent, action == Action::"spend", resource) when { context.tokens_in * 9223372036854775807 > 5 };`,
  });
  const spend = spendAct(coder, { provider: 'a', model: 'x' }, { usd: 1, tokensIn: 10, tokensOut: 1 });
  assert.match(
    inWords(decideByPolicies(policies, spend)),
    /^deny \| policies\/a\.cedar:2 overflow: the policy cannot be evaluated: /,
  );
});

test('the same policies say the same of the same act, under the same id; another act has another one', async () => {
  const files = { 'policies/payments.cedar': example('payments.cedar') };
  const [one, two] = [await load(files), await load(files)];
  const first = decideByPolicies(one, charge(501));
  const again = parseAct(formatAct(charge(501)));
  assert.ok(again);
  assert.deepEqual(decideByPolicies(two, again), first);
  assert.match(first.id, /^[0-9a-f]{16}$/);
  assert.notEqual(decideByPolicies(one, charge(502)).id, first.id);
  const odd = toolAct(coder, { server: 'a', name: 'b' }, { text: 'é \u202e \u0000 \ud800 "\\ \n 日本 😀', 7: true });
  assert.deepEqual(parseAct(formatAct(odd)), JSON.parse(JSON.stringify(odd)));
  assert.equal(/[\u0000-\u001f\u202e]/.test(formatAct(odd)), false);
});

async function refusal(source: string): Promise<Problem> {
  try {
    await load({ 'policies/a.cedar': source });
  } catch (error) {
    if (isProblem(error)) return error;
    throw error;
  }
  throw new Error(`${source} was taken`);
}

test('a policy that is wrong is told with its file, line, column and what to do', async () => {
  const permit = 'permit (principal, action, resource);';
  const cases: readonly (readonly [string, string, RegExp])[] = [
    [
      `${permit}\n\n// é; "\npermit (principal, action, resource)\nwhen { "é" == };`,
      'policies/a.cedar:5:15: unexpected token `}`',
      /^Expected /,
    ],
    [
      'permit (principal, action, resource) when { context.x = 3 };',
      "policies/a.cedar:1:45: '=' is not a valid operator in Cedar",
      /^Try using '==' instead\.$/,
    ],
    [`permit (principal, action, resource)\n${permit}`, 'policies/a.cedar:2:8: unexpected token `(`', /./],
    ['permit (principal, action, resource)', 'policies/a.cedar:1:37: unexpected end of input', /./],
    [
      'permit (principal == ?principal, action, resource);',
      'policies/a.cedar:1:22: expected a static policy, got a template containing the slot ?principal',
      /./,
    ],
    [
      'permit (principal, action == Action::"tol", resource);',
      'policies/a.cedar:1:30: unrecognized action `Action::"tol"`',
      /Did you mean `Action::"(tool|land)"`\?$/,
    ],
    [
      `${permit}\n  permit (principal is Agent, action, resource)\n  when { principal.levl > 3 };`,
      'policies/a.cedar:3:10: attribute `levl` on entity type `Agent` not found',
      /Did you mean `level`\?$/,
    ],
    [`@approval("board")\n${permit}`, 'policies/a.cedar:1:1: @approval stands on a permit', /Write a forbid/],
    [
      `@id("a")\n@aproval("board")\nforbid (principal, action, resource);`,
      'policies/a.cedar:2:1: @aproval means nothing here',
      /Did you mean @approval/,
    ],
    ['@approval\nforbid (principal, action, resource);', 'policies/a.cedar:1:1: @approval names nobody', /board/],
    ['@approval("")\nforbid (principal, action, resource);', 'policies/a.cedar:1:1: @approval names nobody', /board/],
    ...['board, legal', 'a:b', ' board '].map(
      (name) =>
        [
          `@approval("${name}")\nforbid (principal, action, resource);`,
          `policies/a.cedar:1:1: @approval is "${name}", expected one name of letters, digits, . _ @ - and blanks inside it, 64 at most`,
          /board/,
        ] as const,
    ),
    [`@id("a") ${permit} @id("a") ${permit}`, 'policies/a.cedar:1:48: @id("a") is taken', /By policies\/a\.cedar:1\./],
    ['"never ends', 'policies/a.cedar:1:1: invalid token', /./],
    ['{{{', 'policies/a.cedar:1:1: unexpected token `{`', /./],
  ];
  for (const [source, message, hint] of cases) {
    const problem = await refusal(source);
    assert.equal(problem.message, message);
    assert.match(problem.hint, hint);
    assert.equal(problem.code, 'org/policy');
  }
});

test('a policy that can never apply is taken, and told', async () => {
  const { warnings } = await load({
    'policies/a.cedar':
      'permit (principal, action, resource);\nforbid (principal, action == Action::"claim", resource == Tool::"x");',
  });
  assert.equal(warnings.length > 0, true);
  assert.match(warnings[0]?.message ?? '', /^policies\/a\.cedar:2:1: /);
});

test('any text is read or refused as a person can put right, and quickly', async () => {
  const whole = `${example('payments.cedar')}\n${example('default.cedar')}`;
  let random = 1;
  const next = (most: number): number => {
    random = (random * 48_271) % 2_147_483_647;
    return random % most;
  };
  for (let round = 0; round < 300; round++) {
    const [from, to] = [next(whole.length), next(whole.length)];
    const odd = ['', '"', ';', '//', '\u0000', 'é', '@', '{', '\\'][next(9)] ?? '';
    const source = whole.slice(0, from) + odd + whole.slice(from + next(3), Math.max(from, to) + 40);
    await load({ 'policies/a.cedar': source }).catch((error) => {
      if (!isProblem(error)) throw error;
      assert.equal(error.place?.line !== undefined && error.place.column !== undefined && error.hint !== '', true);
    });
  }
});
