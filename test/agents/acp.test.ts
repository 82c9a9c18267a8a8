import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choiceInWords } from '../../src/domain/staff/staff.ts';
import { anOrg } from '../support/builders.ts';
import { fakeAcp } from '../support/fake-acp.ts';
import { moveProviders } from '../support/far-providers.ts';
import { factsIn, startNight, trailers } from '../support/night.ts';

/** Nights with programs that speak ACP as real ones do; the real ones are in real-acp.test.ts. */

moveProviders();
process.env.ANTHROPIC_API_KEY = 'sk-ant-fake-93817264';
const model = 'anthropic/claude-sonnet-4-5-20250929';

function orgWith(keys: Readonly<Record<string, string>>, files: Readonly<Record<string, string>> = {}) {
  const brief = {
    chief: '{ agent: search }',
    juniors: '1',
    budget: '{ experiment: 10s, agent: 20s, night: 1h, attempts: 1, patience: 1000 }',
    ...keys,
  };
  return anOrg({ brief, files });
}

async function nightOf(
  keys: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
  max = '1',
) {
  const org = orgWith(keys, files);
  const run = startNight(org, 'run', '--json', '--max', max);
  const { code } = await run.ended;
  const experiments = factsIn(run.said()).flatMap(({ experiment }) => experiment ?? []);
  const told = (key: string): string => trailers(org, key, '--grep=^try:', 'orgrepo/work/0001')[0] ?? '';
  return { org, code, experiments, told, said: run.complained() + run.said() };
}

const edit = `const edit = (cwd) => fs.writeFileSync(cwd + '/sandbox/numbers.txt', 'first 3\\nsecond 7\\nthird -4\\nfourth 8\\n');`;
const options = `[
  { optionId: 'a', name: 'Always', kind: 'allow_always' }, { optionId: 'o', name: 'Once', kind: 'allow_once' },
  { optionId: 'n', name: 'No', kind: 'reject_once' }]`;

/** Two nights that wait for a deadline: they begin here, and other tests run meanwhile. */
function lateNights() {
  const usage = 'usage: { inputTokens: 7, outputTokens: 3, totalTokens: 10 }';
  const works = `setInterval(() => words('working'), 50);`;
  fakeAcp(
    'slow',
    `'session/prompt': () => new Promise((resolve) => { answers['session/cancel'] = () => resolve({ stopReason: 'cancelled', ${usage} }); ${works} }),`,
  );
  fakeAcp('stubborn', `'session/prompt': () => new Promise(() => { ${works} }),`);
  const budget = '{ experiment: 10s, agent: 4s, night: 1h, attempts: 1, patience: 1000 }';
  const nights = ['slow', 'stubborn'].map((program) => nightOf({ agent: `{ acp: ${program} }`, model, budget }));
  return Promise.allSettled(nights);
}

const late = lateNights();

test('a program that speaks ACP is called by its own name, without the variables before it', () => {
  const choice = { kind: 'acp', model: undefined, baseUrl: undefined } as const;
  const cases = [
    ['gemini --acp', 'gemini'],
    ['/opt/tools/bin/opencode acp', 'opencode'],
    [`A='{"b":"http://127.0.0.1/v1"}' C=1 opencode acp`, 'opencode'],
  ] as const;
  for (const [command, name] of cases) assert.equal(choiceInWords({ ...choice, command }), `acp ${name}`);
});

/** Asks before it edits, and says what it does. */
const worker = (more = '') => `
  'session/new': ({ cwd }) => { globalThis.cwd = cwd; return { sessionId: 's1' }; },
  'session/prompt': async () => {
    ${edit}
    update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } });
    update({ sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Lower it', kind: 'execute', rawInput: { by: 6 } });
    const { outcome } = await ask('session/request_permission', {
      toolCall: { toolCallId: 't1', title: 'Lower it', kind: 'execute', rawInput: { command: 'lower 6' } }, options: ${options},
    });
    if (outcome.optionId === 'o') edit(cwd);
    update({ sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed', content: [{ type: 'content', content: { type: 'text', text: 'lowered' } }] });
    words('It was too high.\\n\\n'); words('first to '); words(outcome.optionId === 'o' ? '3' : 'stay');
    return { stopReason: 'end_turn' };
  },
  ${more}`;

test('a program that speaks ACP works a spec in a home of its own, and its trace tells what it did', async () => {
  const program = fakeAcp('polite', worker());
  const { org, code, experiments, told, said } = await nightOf({ agent: '{ acp: "polite --acp" }' });
  assert.equal(code, 0, said);
  assert.deepEqual(
    experiments.map(({ event, title }) => [event, title]),
    [['keep', 'first to 3']],
    said,
  );
  assert.deepEqual([told('Model'), told('Tokens-In'), told('Cost-USD')], ['', '', '']);
  const { HOME, ANTHROPIC_API_KEY } = program.environment();
  assert.match(HOME ?? '', /orgrepo-task-.*\/home$/);
  assert.equal(ANTHROPIC_API_KEY, undefined, 'without a model it gets no key');
  const answered = program.heard().find((message) => 'result' in message);
  assert.deepEqual(answered, {
    jsonrpc: '2.0',
    id: 'q1',
    result: { outcome: { outcome: 'selected', optionId: 'o' } },
  });
  const trace = (await org.orgrepo('show', '1', '--trace')).stdout;
  for (const words of ['(thinks) hm', 'Lower it', 'allowed: execute Lower it', 'lowered', 'It was too high.'])
    assert.ok(trace.includes(words), `${words}:\n${trace}`);
  assert.equal((await org.orgrepo('verify')).code, 0);
});

test('a program that speaks ACP sees what earlier tries changed', async () => {
  const program = fakeAcp('again', worker());
  const budget = '{ experiment: 10s, agent: 20s, night: 1h, attempts: 2, patience: 1000 }';
  const { said } = await nightOf({ agent: '{ acp: again }', budget }, {}, '2');
  const told = program
    .heard()
    .flatMap(({ method, params }) => (method === 'session/prompt' ? JSON.stringify(params) : []));
  assert.match(told[1] ?? '', /# What earlier tries of this spec changed.{1,400}-first 9\\n\+first 3/, said);
  assert.match(told[1] ?? '', /# What the best so far changed since the start/);
});

test('with a model it gets the key, is set to that model, and what it says it used is counted', async () => {
  const usage = `usage: { inputTokens: 100, outputTokens: 20, thoughtTokens: 15, cachedReadTokens: 40, totalTokens: 160 }`;
  const program = fakeAcp(
    'chooser',
    `'session/new': () => ({ sessionId: 's1', configOptions: [{ id: 'm', name: 'Model', category: 'model', type: 'select',
       currentValue: 'x', options: [{ value: 'x', name: 'X' }, { value: '${model}', name: 'C' }] }] }),
     'session/prompt': () => { words('looked'); return { stopReason: 'end_turn', ${usage} }; },`,
  );
  const { said, told } = await nightOf({
    agent: '{ acp: chooser }',
    model,
    budget: '{ experiment: 10s, agent: 20s, night: 1h, usd: 5, attempts: 1, patience: 1000 }',
  });
  assert.equal(program.environment().ANTHROPIC_API_KEY, 'sk-ant-fake-93817264');
  const chosen = program.heard().find(({ method }) => method === 'session/set_config_option')?.params;
  assert.deepEqual(chosen, { sessionId: 's1', configId: 'm', value: model }, said);
  assert.deepEqual([told('Model'), told('Tokens-In'), told('Tokens-Out')], [model, '140', '20'], said);
  assert.notEqual(told('Cost-USD'), '');
});

test('a cap on money alone is refused where the program has no model with a price', async () => {
  fakeAcp('unpriced', '');
  const org = orgWith({
    agent: '{ acp: unpriced }',
    budget: '{ experiment: 10s, agent: 20s, night: 1h, usd: 5, attempts: 1, patience: 1000 }',
  });
  const { code, stderr } = await org.orgrepo('run');
  assert.equal(code, 6);
  assert.match(stderr, /budget\.usd caps money, and nobody knows what acp unpriced costs/);
});

test('caps are refused for programs that never say what they used', async () => {
  fakeAcp('gemini', '');
  const caps: readonly (readonly [string, string, string])[] = [
    ['night: 1h, usd: 5', '', 'budget.usd'],
    ['night: 1h, usd: 5, tokens_in: 1M, tokens_out: 100k', '', 'budget.usd'],
    ['night: 1h', '{ spec: { tokens_out: 10k } }', 'caps.spec.tokens_out'],
  ];
  for (const [budget, more, at] of caps) {
    const agent = { agent: '{ acp: "gemini --acp" }', model: 'google/gemini-2.5-flash', caps: more };
    const org = orgWith({ ...agent, budget: `{ experiment: 10s, agent: 20s, attempts: 1, ${budget} }` });
    const { code, stderr } = await org.orgrepo('plan');
    assert.equal(code, 6, stderr);
    assert.ok(stderr.includes(`${at} is a cap, and acp gemini does not say what it used`), stderr);
    assert.match(stderr, /Use agent: gemini, whose use is counted/);
  }
});

test('under a cap on tokens a program that does not say what it used makes one attempt', async () => {
  fakeAcp('silent', worker());
  const budget =
    '{ experiment: 10s, agent: 20s, night: 1h, tokens_in: 1M, tokens_out: 100k, attempts: 3, patience: 1000 }';
  const { org, code, experiments, said } = await nightOf({ agent: '{ acp: silent }', budget }, {}, '3');
  assert.equal(code, 2, said);
  assert.equal(experiments.filter(({ event }) => event === 'keep').length, 1, said);
  const { spend } = JSON.parse((await org.orgrepo('report', '--json')).stdout);
  assert.deepEqual([spend.tokens_in, spend.set_aside?.tokens_in], [0, 1_000_000], said);
});

const broken: readonly (readonly [what: string, answers: string, reason: RegExp])[] = [
  [
    'prints something else',
    `initialize: () => { print('Welcome!'); process.exit(0); },`,
    /it ended with 0, and printed .*Welcome!.* where ACP was expected/,
  ],
  [
    'ends at once',
    `initialize: () => { fs.writeSync(2, 'no such option: --acp\\n'); process.exit(3); },`,
    /it ended with 3: no such option: --acp/,
  ],
  ['hangs', 'initialize: () => new Promise(() => {}),', /it (did not answer in 1 s|fell silent)/],
  [
    'speaks another version',
    'initialize: () => ({ protocolVersion: 2 }),',
    /it speaks version 2 of ACP, and orgrepo speaks 1/,
  ],
  ['wants a login', `'session/new': () => fault(-32000, 'Authentication required'),`, /Authentication required/],
];

for (const [index, [what, answers, reason]] of broken.entries())
  test(`a program that ${what} before it has a session is stopped with the reason, and the run needs a person`, async () => {
    fakeAcp(`broken-${index}`, answers);
    const { code, said } = await nightOf({
      agent: `{ acp: "broken-${index} --acp" }`,
      budget: `{ experiment: 10s, agent: ${what === 'hangs' ? '2s' : '20s'}, night: 1h, attempts: 1, patience: 1000 }`,
    });
    assert.equal(code, 3, said);
    assert.match(said, new RegExp(`junior-1 is stopped: broken-${index} could not be started: .*${reason.source}`));
  });

test('a program that offers an API key as its login is logged in with it', async () => {
  const program = fakeAcp(
    'locked',
    `initialize: () => ({ protocolVersion: 1, authMethods: [{ id: 'oauth', name: 'Log in' }, { id: 'x-api-key', name: 'Key' }] }),
     authenticate: () => { globalThis.isIn = true; return {}; },
     'session/new': () => globalThis.isIn ? { sessionId: 's1' } : fault(-32000, 'Authentication required'),`,
  );
  const { said } = await nightOf({ agent: '{ acp: locked }' });
  assert.deepEqual(
    program.heard().find(({ method }) => method === 'authenticate')?.params,
    { methodId: 'x-api-key' },
    said,
  );
});

test('a program that asks for a method that is not offered hears so, and goes on', async () => {
  const program = fakeAcp(
    'curious',
    `'session/prompt': async () => { const { code } = await ask('fs/read_text_file', { path: '/etc/passwd' }); words('refused with ' + code); return { stopReason: 'end_turn' }; },`,
  );
  const { org, said } = await nightOf({ agent: '{ acp: curious }' });
  assert.equal(
    program.heard().some(({ error }) => (error as { code?: number } | undefined)?.code === -32601),
    true,
    said,
  );
  assert.match((await org.orgrepo('show', '0001', '--trace')).stdout, /refused with -32601/);
});

test('a provider that is busy costs nothing, and a refused key stops the agent', async () => {
  fakeAcp(
    'turned-away',
    `'session/prompt': () => fault(-32603, 'Internal error', { details: '429 Too Many Requests' }),`,
  );
  const busy = await nightOf({ agent: '{ acp: turned-away }', model });
  assert.match(
    busy.experiments[0]?.reason ?? '',
    /^turned-away failed: Internal error: 429 Too Many Requests/,
    busy.said,
  );
  assert.match(busy.said, /turned-away says that its provider is busy; asked again in 60 s/);
  const { spend } = JSON.parse((await busy.org.orgrepo('report', '--json')).stdout);
  assert.deepEqual([spend.tokens_in, spend.set_aside], [0, undefined], busy.said);
  fakeAcp('locked-out', `'session/prompt': () => fault(-32603, '401 Unauthorized'),`);
  const refused = await nightOf({ agent: '{ acp: locked-out }', model });
  assert.equal(refused.code, 3, refused.said);
  assert.match(refused.said, /junior-1 is stopped: locked-out failed: 401 Unauthorized/);
});

test('a program whose model stops early has failed, and says with what', async () => {
  fakeAcp('cut-off', `'session/prompt': () => { words('I think'); return { stopReason: 'max_tokens' }; },`);
  const { experiments, said } = await nightOf({ agent: '{ acp: cut-off }' });
  assert.match(experiments[0]?.reason ?? '', /^cut-off stopped: max_tokens/, said);
});

test('what a program asks to be allowed is decided by the policies, where there are some', async () => {
  const policy = `permit (principal, action, resource);
forbid (principal, action == Action::"tool", resource) when { resource.server == "acp" && context.texts.hasTag("command") };
`;
  const program = fakeAcp('ruled', worker());
  const { org, said } = await nightOf({ agent: '{ acp: ruled }' }, { 'policies/tools.cedar': policy });
  const answered = program.heard().find((message) => 'result' in message) as { result?: unknown } | undefined;
  assert.deepEqual(answered?.result, { outcome: { outcome: 'selected', optionId: 'n' } }, said);
  assert.match((await org.orgrepo('show', '0001', '--trace')).stdout, /refused, .*: execute Lower it/);
});

test('doctor starts a program that speaks ACP, and names its name and version', async () => {
  fakeAcp('healthy', '');
  const well = await orgWith({ agent: '{ acp: "healthy --acp" }' }).orgrepo('doctor');
  assert.match(well.stdout, /ok {4}healthy 1\.2\.3 \(healthy --acp\) starts and speaks ACP/);
  fakeAcp('ill', 'initialize: () => { process.exit(3); },');
  const ill = await orgWith({ agent: '{ acp: "ill --acp" }' }).orgrepo('doctor');
  assert.match(ill.stdout, /fail +ill --acp does not work as a run starts it: it ended with 3/);
});

test('a program that is not installed is exit 6 before the night', async () => {
  const { code, stderr } = await orgWith({ agent: '{ acp: "nowhere-at-all --acp" }' }).orgrepo('run');
  assert.equal(code, 6);
  assert.match(stderr, /agent starts nowhere-at-all, and there is no nowhere-at-all on the PATH/);
});

test('a program that passes its deadline is asked to stop, then killed', async () => {
  const [slow, stubborn] = (await late).map((night) => {
    if (night.status === 'rejected') throw night.reason;
    return night.value;
  });
  assert.deepEqual([slow?.experiments[0]?.event, slow?.told('Tokens-In')], ['failed', '7'], slow?.said);
  assert.match(slow?.experiments[0]?.reason ?? '', /^slow was not done after \d s/);
  assert.match(stubborn?.experiments[0]?.reason ?? '', /^stubborn was not done after \d s/, stubborn?.said);
  const { spend } = JSON.parse((await stubborn?.org.orgrepo('report', '--json'))?.stdout ?? '');
  assert.deepEqual([spend.tokens_in, spend.set_aside?.usd], [0, 20], stubborn?.said);
});
