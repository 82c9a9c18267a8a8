import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import type { Amount } from '../../src/domain/words/spending.ts';
import { anOrg } from '../support/builders.ts';
import { fakeProgram, printed, processesWith } from '../support/fake-program.ts';
import { moveProviders } from '../support/far-providers.ts';
import { factsIn, spawnNight, trailers } from '../support/night.ts';
import { briefText, ordinarily, type TestOrg } from '../support/org.ts';
import { startProviderServer } from '../support/provider-server/server.ts';

/** Whole nights with programs that print what the real ones print; the real ones are in real-programs.test.ts. */

moveProviders();
process.env.ANTHROPIC_API_KEY = 'sk-ant-fake-93817264';
process.env.ORGREPO_TEST_OTHER = 'somebody-elses';
const model = 'anthropic/claude-sonnet-4-5-20250929';

async function nightOf(
  keys: Readonly<Record<string, string>>,
  max = '1',
  files: Readonly<Record<string, string>> = {},
) {
  const brief = briefText({
    model,
    chief: '{ agent: search }',
    budget: '{ experiment: 10s, agent: 20s, night: 1h, attempts: 1, patience: 1000 }',
    ...keys,
  });
  const org = anOrg({ files: { ...files, 'program.md': brief }, starter: ordinarily });
  const run = spawnNight(org, 'run', '--json', '--max', max);
  const { code } = await run.ended;
  const facts = factsIn(run.said());
  const experiments = facts.flatMap(({ experiment }) => experiment ?? []);
  const told = (key: string): string => trailers(org, key, '--grep=^try:', 'orgrepo/work/0001')[0] ?? '';
  return { org, code, facts, experiments, told, said: run.complained() + run.said() };
}

const edit = "sed -i 's/first 9/first 3/' sandbox/numbers.txt";

const outputs = {
  opencode: [
    { type: 'step_start', sessionID: 'ses_1', part: { type: 'step-start' } },
    { type: 'tool_use', part: { tool: 'edit', state: { status: 'completed' } } },
    {
      type: 'step_finish',
      part: {
        reason: 'tool-calls',
        cost: 0.01,
        tokens: { input: 100, output: 20, reasoning: 5, cache: { read: 40, write: 10 } },
      },
    },
    { type: 'text', part: { type: 'text', text: 'It was too high.\n\nfirst to 3' } },
    {
      type: 'step_finish',
      part: {
        reason: 'stop',
        cost: 0.02,
        tokens: { input: 200, output: 30, reasoning: 0, cache: { read: 0, write: 0 } },
      },
    },
  ],
  pi: [
    { type: 'session', version: 3, id: 'x' },
    { type: 'message_end', message: { role: 'user', content: [{ type: 'text', text: 'hello' }] } },
    {
      type: 'message_end',
      message: {
        ...{ role: 'assistant', model: 'claude-sonnet-4-5-20250929', stopReason: 'toolUse', content: [] },
        usage: { input: 100, output: 25, cacheRead: 40, cacheWrite: 10, cost: { total: 0.01 } },
      },
    },
    {
      type: 'message_end',
      message: {
        ...{ role: 'assistant', model: 'claude-sonnet-4-5-20250929', stopReason: 'stop' },
        content: [{ type: 'text', text: 'It was too high.\n\nfirst to 3' }],
        usage: { input: 200, output: 30, cacheRead: 0, cacheWrite: 0, cost: { total: 0.02 } },
      },
    },
  ],
} as const;

const events = [
  { event: 'launched', properties: {} },
  {
    event: 'message_send',
    properties: {
      main_model: 'anthropic/claude-sonnet-4-5-20250929',
      prompt_tokens: 150,
      completion_tokens: 25,
      cost: 0.01,
    },
  },
  {
    event: 'message_send',
    properties: {
      main_model: 'anthropic/claude-sonnet-4-5-20250929',
      prompt_tokens: 200,
      completion_tokens: 30,
      cost: 0.02,
    },
  },
];
const logged = `log=; for word in "$@"; do [ "$last" = --analytics-log ] && log=$word; last=$word; done; { ${printed(...events)}\n} > "$log"`;

const fakes: Readonly<Record<string, string>> = {
  opencode: `${edit}\n${printed(...outputs.opencode)}`,
  pi: `${edit}\n${printed(...outputs.pi)}`,
  aider: `for key in name email; do git config --global user.$key > /dev/null || exit 9; done\n${edit}\n${logged}\necho 'It was too high.'\necho 'first to 3'\necho 'Tokens: 200 sent, 30 received.'`,
};

for (const [program, script] of Object.entries(fakes)) {
  test(`${program} works a spec, and what it told of itself is in the commit`, async () => {
    const fake = fakeProgram(program, script);
    const { org, code, experiments, told, said } = await nightOf({ agent: program });
    assert.equal(code, 0, said);
    assert.deepEqual(
      experiments.map(({ event, score, title }) => [event, score, title]),
      [['keep', 90, 'first to 3']],
      JSON.stringify(experiments),
    );
    assert.deepEqual(['Model', 'Tokens-In', 'Tokens-Out', 'Cost-USD'].map(told), [model, '350', '55', '0.03']);
    const environment = fake.environment();
    assert.equal([...environment.values()].includes('sk-ant-fake-93817264'), true, 'it has the key of its provider');
    assert.equal(environment.has('ORGREPO_TEST_OTHER'), false);
    assert.equal(fake.args().join(' ').includes('sk-ant'), false, 'and not where others could read it');
    assert.equal(environment.get('HOME') === process.env.HOME, false);
    if (program !== 'aider') assert.match(fake.input(), /Your spec, try 1 of 1[\s\S]*<data-[0-9a-f]{16}>/);
    assert.equal((await org.orgrepo('verify')).code, 0, (await org.orgrepo('verify')).stdout);
  });
}

test('a program that is a chief writes specs', async () => {
  const body =
    'Hypothesis: a.\n\nPrediction: 36.\n\nControl: best.\n\nHeld fixed: the rest.\n\nWrong if: it does not fall.';
  fakeProgram(
    'opencode',
    `cat > specs/first.md <<'EOF'\n# bring the first number to 3\n\n${body}\nEOF\n${printed(...outputs.opencode)}`,
  );
  const { facts, said } = await nightOf(
    { agent: 'search', model: '', chief: `{ agent: opencode, model: ${model} }`, juniors: '2' },
    '1',
  );
  const specs = facts.filter(({ fact }) => fact === 'spec').map(({ title, by }) => [title, by]);
  assert.deepEqual(specs[0], ['bring the first number to 3', 'chief'], said);
});

const begun = printed({ type: 'session', version: 3, id: 'x' });
const left = 'setsid sleep 600 < /dev/null > /dev/null 2>&1 &';
const faults: readonly (readonly [what: string, script: string, event: string, reason: RegExp, code: number])[] = [
  [
    'hangs while it talks',
    `${left}\nwhile :; do echo '{}'; sleep 0.1; done`,
    'failed',
    /^pi was not done after 2 s$/,
    0,
  ],
  ['falls silent', `${left}\nsleep 600`, 'failed', /^pi fell silent, and was stopped after 1 s$/, 0],
  ['breaks', `${begun}\n${left}\necho 'it went wrong' >&2; exit 7`, 'failed', /^pi ended with 7: it went wrong$/, 0],
  [
    'prints the key',
    `${begun}\n${left}\nenv | grep KEY >&2; exit 7`,
    'failed',
    /^pi ended with 7: (?!.*sk-ant).*\[secret/,
    0,
  ],
  ['edits nothing and says that it did', printed(...outputs.pi), 'unchanged', /nothing was changed/, 0],
  ['edits the harness', `echo >> harness/run.sh\n${printed(...outputs.pi)}`, 'tampered', /harness\/run\.sh/, 0],
  [
    'meets a busy provider',
    `${printed({ type: 'message_end', message: { role: 'assistant', stopReason: 'error', errorMessage: '429 rate limit' } })}\nexit 1`,
    'failed',
    /^pi ended with 1: 429 rate limit$/,
    0,
  ],
  [
    'is refused its key',
    `${printed({ type: 'message_end', message: { role: 'assistant', stopReason: 'error', errorMessage: '401 invalid x-api-key' } })}\nexit 1`,
    'failed',
    /^pi ended with 1: 401 invalid x-api-key$/,
    3,
  ],
  [
    'breaks on what its work is about',
    `${begun}\necho 'cannot parse authentication.ts: 429 lines' >&2\nexit 1`,
    'failed',
    /^pi ended with 1: cannot parse authentication\.ts: 429 lines$/,
    0,
  ],
  [
    'ends twice before it has begun',
    `echo 'error: unknown option --mode' >&2; exit 1`,
    'failed',
    /^pi could not be started: error: unknown option --mode$/,
    3,
  ],
  [
    'begins only when it is started again',
    `[ -e $HERE/../again ] || { touch $HERE/../again; exit 1; }\n${begun}\nexit 7`,
    'failed',
    /^pi ended with 7$/,
    0,
  ],
  [
    'speaks with another model',
    `${edit}\n${printed(...outputs.pi).replaceAll('claude-sonnet-4-5-20250929', 'claude-haiku-4-5-20251001')}`,
    'failed',
    /^asked for anthropic\/claude-sonnet-4-5-20250929, and claude-haiku-4-5-20251001 answered$/,
    3,
  ],
];

for (const [what, script, event, reason, expected] of faults) {
  test(`a program that ${what} is a recorded outcome, and nothing of it is left`, async () => {
    const fake = fakeProgram('pi', script);
    const budget = '{ experiment: 10s, agent: 2s, night: 1h, attempts: 1, patience: 1000 }';
    const { org, code, experiments, said } = await nightOf({ agent: 'pi', budget });
    assert.equal(code, expected, said);
    assert.equal(experiments[0]?.event, event, said);
    assert.match(experiments[0]?.reason ?? '', reason);
    // Whoever asks the same provider waits: a quota that is used up must not be followed by a hundred starts.
    assert.equal(/its provider is busy; asked again in 60 s/.test(said), what === 'meets a busy provider');
    const home = fake.environment().get('HOME') ?? '';
    assert.equal(processesWith(home), 0, 'a process is left');
    assert.equal((await org.orgrepo('verify')).code, 0, (await org.orgrepo('verify')).stdout);
    assert.equal(said.includes('sk-ant-fake'), false);
  });
}

test('a program that locks its home and its bench ends no night', async () => {
  // As Go's cache of modules does; and directories that something has to be put back into.
  const lock = 'mkdir -p $HOME/go/pkg && touch $HOME/go/pkg/one && chmod -R a-w $HOME/go\nchmod 555 sandbox .';
  const second = "sed -i 's/second 7/second 3/' sandbox/numbers.txt";
  const fake = fakeProgram(
    'pi',
    `if [ $ORGREPO_ATTEMPT = 1 ]; then ${edit}; else ${second}; fi\n${lock}\n${printed(...outputs.pi)}`,
  );
  const budget = '{ experiment: 10s, agent: 20s, night: 1h, attempts: 2, patience: 1000 }';
  const files = { 'sandbox/CLAUDE.md': 'obey me\n', 'CLAUDE.md': 'me too\n' };
  const { code, experiments, said } = await nightOf({ agent: 'pi', budget, include: '[CLAUDE.md]' }, '2', files);
  assert.equal(code, 0, said);
  assert.deepEqual(
    experiments.map(({ event, score }) => [event, score]),
    [
      ['keep', 90],
      ['keep', 74],
    ],
    said,
  );
  assert.equal(existsSync(fake.environment().get('HOME') ?? ''), false, 'its home is left');
});

test('what a cap leaves is set aside for a program, and given back when it tells what it used', async () => {
  fakeProgram('pi', `${edit}\n${printed(...outputs.pi)}`);
  const budget = '{ experiment: 10s, agent: 20s, night: 1h, usd: 0.05, attempts: 1, patience: 1000 }';
  // Two programs at once: the second waits for the first instead of ending the night.
  const { org, code, experiments, said } = await nightOf({ agent: 'pi', budget, juniors: '2' }, '2');
  assert.equal(code, 0, said);
  assert.equal(experiments.length, 2);
  const book = org.git('for-each-ref', '--format=%(refname)', 'refs/orgrepo/spend').trim();
  const reserved = trailers(org, 'Cost-USD', '--grep=^reserve', book);
  assert.deepEqual(reserved.slice(0, 2), ['0.05', '0.02']);
});

/** A message of a model as pi tells it. */
const message = (usd: number, tokensIn: number, text: string): object => ({
  type: 'message_end',
  message: {
    ...{ role: 'assistant', model: 'claude-sonnet-4-5-20250929', stopReason: 'stop' },
    content: [{ type: 'text', text }],
    usage: { input: tokensIn, output: 100, cacheRead: 0, cacheWrite: 0, cost: { total: usd } },
  },
});

test('a program that uses more than was set aside is counted with what it says, and the cap is met sooner', async () => {
  fakeProgram('pi', `sed -i "s/first .*/first $$/" sandbox/numbers.txt\n${printed(message(5, 1_000, 'first'))}`);
  const budget = '{ experiment: 10s, agent: 20s, night: 1h, usd: 10, attempts: 10, patience: 1000 }';
  const { org, code, said } = await nightOf({ agent: 'pi', budget, caps: '{ attempt: { usd: 1 } }' }, '6');
  assert.equal(code, 2, said);
  const book = org.git('for-each-ref', '--format=%(refname)', 'refs/orgrepo/spend').trim();
  assert.deepEqual(trailers(org, 'Cost-USD', '--grep=^settle', book), ['5', '5']);
  assert.deepEqual(trailers(org, 'Reason', '--grep=^settle', book), Array(2).fill('more was used than was set aside'));
  assert.deepEqual(JSON.parse((await org.orgrepo('status', '--json')).stdout).spent.usd, 10);
  assert.equal((await org.orgrepo('verify')).code, 0, (await org.orgrepo('verify')).stdout);
});

test('what a program used is counted to the last message, however much it prints', async () => {
  const long = Array.from({ length: 10 }, () => message(0.5, 1_000, `${'y'.repeat(400_000)}\nfirst to 3`));
  fakeProgram('pi', `${edit}\n${printed(...long)}`);
  const { experiments, told, said } = await nightOf({ agent: 'pi' });
  assert.deepEqual(experiments[0]?.title, 'first to 3', said.slice(0, 2_000));
  assert.deepEqual(['Tokens-In', 'Tokens-Out', 'Cost-USD'].map(told), ['10000', '1000', '5']);
});

test('a run whose chief cannot be started ends with exit 3 and the reason', async () => {
  fakeProgram('opencode', `echo 'error: unknown option --auto' >&2; exit 1`);
  const { code, facts, said } = await nightOf(
    { agent: 'search', model: '', chief: `{ agent: opencode, model: ${model} }` },
    '5',
  );
  assert.equal(code, 3, said);
  const reason = 'no agent can go on, a person is needed: opencode could not be started: error: unknown option --auto';
  assert.equal(facts.at(-1)?.reason, reason);
});

/** The last line of claude. */
const claudeEnd = (rest: object): object => ({
  ...{ type: 'result', subtype: 'success', is_error: false, result: 'first to 3', total_cost_usd: 0.01 },
  ...{ usage: { input_tokens: 10, output_tokens: 5 }, modelUsage: {} },
  ...rest,
});

for (const [version, help] of [
  ['has', '--permission-prompts <mode>'],
  ['lacks', '--permission-mode <mode>'],
] as const)
  test(`claude gets a newer option only where it is in its help: this one ${version} it`, async () => {
    const fake = fakeProgram(
      'claude',
      `[ "$1" = --help ] && { echo '${help}'; exit 0; }\n${edit}\n${printed(claudeEnd({ total_cost_usd: 0 }))}`,
    );
    const budget = '{ experiment: 10s, agent: 20s, night: 1h, usd: 5, attempts: 1, patience: 1000 }';
    const { code, experiments, facts, said } = await nightOf({ agent: 'claude', model: '', budget });
    assert.deepEqual([code, experiments[0]?.event], [0, 'keep'], said);
    assert.equal(fake.args().includes('--permission-prompts=none'), version === 'has');
    assert.equal(fake.args().includes('--permission-mode'), true);
    assert.deepEqual(
      facts.at(-1)?.spent,
      { usd: 0, tokens_in: 10, tokens_out: 5 },
      'its own 0 dollars are 0, not unknown',
    );
    assert.doesNotMatch(said, /cannot be|does not say what/);
  });

for (const [status, words, code] of [
  ['429', 'API Error: Request rejected (429)', 0],
  ['401', 'Failed to authenticate. API Error: 401', 3],
] as const)
  test(`a ${status} costs claude nothing where orgrepo has no price for it`, async () => {
    const refused = { is_error: true, result: words, total_cost_usd: 0, usage: { input_tokens: 0, output_tokens: 0 } };
    fakeProgram('claude', `${printed(claudeEnd(refused))}\nexit 1`);
    const budget = '{ experiment: 10s, agent: 20s, night: 1h, usd: 5, attempts: 1, patience: 1000 }';
    const ran = await nightOf({ agent: 'claude', model: '', budget });
    assert.equal(ran.code, code, ran.said);
    assert.equal(ran.experiments[0]?.reason, `claude ended with 1: ${words}`);
    assert.deepEqual(ran.facts.at(-1)?.spent, { usd: 0, tokens_in: 0, tokens_out: 0 });
    assert.equal(ran.facts.at(-1)?.reserved, undefined);
    assert.doesNotMatch(ran.said, /cannot be|does not say what/);
    const book = ran.org.git('for-each-ref', '--format=%(refname)', 'refs/orgrepo/spend').trim();
    assert.match(ran.org.git('log', '-1', '--format=%s', book), /^release/);
  });

test('opencode is stopped when its provider is busy before the first answer, and nothing is spent', async () => {
  const log =
    'timestamp=x level=ERROR message="stream error" small=false error.error="AI_APICallError: rate limit, 429"';
  fakeProgram('opencode', `echo '${log}' >&2\nsleep 600`);
  const { code, experiments, facts, said } = await nightOf({ agent: 'opencode' });
  assert.equal(code, 0, said);
  assert.equal(experiments[0]?.reason, 'opencode was stopped: its provider is busy: rate limit, 429');
  assert.match(said, /its provider is busy; asked again in 60 s/);
  assert.deepEqual([facts.at(-1)?.spent, facts.at(-1)?.reserved], [{ usd: 0, tokens_in: 0, tokens_out: 0 }, undefined]);
});

test('what is set aside for a program that is killed before its first answer is called reserved, never spent', async () => {
  fakeProgram('pi', `${begun}\nsleep 600`);
  const budget = '{ experiment: 10s, agent: 1s, night: 1h, usd: 5, attempts: 1, patience: 1000 }';
  const { org, facts, experiments, said } = await nightOf({ agent: 'pi', budget });
  assert.equal(experiments[0]?.event, 'failed', said);
  const set = { usd: 5, tokens_in: 50_000_000, tokens_out: 2_000_000 };
  const reserved = facts.filter(({ fact }) => fact === 'reserved');
  assert.deepEqual(
    reserved.map(({ agent, night }) => [agent, night]),
    [['junior-1', set]],
  );
  assert.deepEqual([facts.at(-1)?.spent, facts.at(-1)?.reserved], [{ usd: 0, tokens_in: 0, tokens_out: 0 }, set]);
  assert.equal(
    facts.some(({ fact }) => fact === 'spent'),
    false,
  );
  const status = await org.orgrepo('status');
  assert.match(status.stdout, /spent {4}\$0\.00 of \$5\.00 · 0 tokens in, 0 out · up to \$5\.00 reserved/);
  const report = await org.orgrepo('report');
  assert.match(report.stdout, /SPEND {3}\$0\.00 of \$5\.00 · 0 tokens in, 0 out · up to \$5\.00 reserved/);
  const json = JSON.parse((await org.orgrepo('report', '--json')).stdout);
  assert.deepEqual([json.spend.usd, json.spend.set_aside], [0, set]);
  assert.equal((await org.orgrepo('verify')).code, 0);
});

test('a program that does not start as a run starts it fails in doctor, with its version', async () => {
  const doctor = async (rest: string) => {
    fakeProgram('pi', `[ "$1" = --version ] && { echo 'v2.3.4'; exit 0; }\n${rest}`);
    const org = anOrg({ brief: { model, agent: 'pi', chief: '{ agent: search }' } });
    return org.orgrepo('doctor');
  };
  const broken = await doctor(`echo 'error: unknown option --mode' >&2; exit 1`);
  assert.equal(broken.code, 6);
  const why =
    /fail {2}pi 2\.3\.4 \(\/\S+\) does not work as a run starts it: it ended with 1: error: unknown option --mode\n +fix: Install it anew: npm/;
  assert.match(broken.stdout, why);
  const url = `sed 's,.*"baseUrl":"http://\\([^"]*\\)".*,\\1,' $HOME/.pi/models.json`;
  const post = 'exec 3<> /dev/tcp/$0/$1; printf "POST / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n" >&3; sleep 600';
  const fine = await doctor(`url=$(${url})\nbash -c '${post}' "\${url%:*}" "\${url#*:}"`);
  assert.match(fine.stdout, /ok {4}pi 2\.3\.4 \(\/\S+\) starts and asks its model\n/);
});

for (const [how, end] of [
  ['at its deadline', 'while :; do echo; sleep 0.1; done'],
  ['by somebody', 'kill -KILL $$'],
  ['inside a shell', 'exit 143'],
] as const)
  test(`a program that is killed ${how} after its first answers has used all that was set aside`, async () => {
    fakeProgram('pi', `${printed(...outputs.pi.slice(0, 3))}\n${end}`);
    const budget = '{ experiment: 10s, agent: 1s, night: 1h, usd: 0.05, attempts: 1, patience: 1000 }';
    const { org, code, experiments, told, said } = await nightOf({ agent: 'pi', budget });
    assert.deepEqual([code, experiments[0]?.event], [0, 'failed'], said);
    assert.equal(told('Cost-USD'), '', 'what nobody told is no number');
    const book = org.git('for-each-ref', '--format=%(refname)', 'refs/orgrepo/spend').trim();
    assert.match(org.git('log', '-1', '--format=%(trailers:key=Org-Spent)', book), /0\.05/);
    assert.equal((await org.orgrepo('verify')).code, 0, (await org.orgrepo('verify')).stdout);
  });

test('a cap that leaves next to nothing ends the night with exit 2, and nobody is started', async () => {
  const fake = fakeProgram('pi', `${edit}\n${printed(...outputs.pi)}`);
  const budget = '{ experiment: 10s, agent: 20s, night: 1h, usd: 0.005, attempts: 1, patience: 1000 }';
  const { code, said } = await nightOf({ agent: 'pi', budget });
  assert.equal(code, 2, said);
  assert.throws(() => fake.args());
});

test('a program that is not installed, or has no key, is told before anything is written', async () => {
  const bare = (keys: Readonly<Record<string, string>>): TestOrg => {
    const org = anOrg({ brief: { model, ...keys } });
    return org;
  };
  const missing = bare({ agent: 'search', model: '', junior: `[{ agent: aider-x }]`.replace('aider-x', 'gemini') });
  const { PATH = '' } = process.env;
  process.env.PATH = PATH.split(':')
    .filter((dir) => !dir.includes('.programs'))
    .join(':');
  try {
    const ran = await missing.orgrepo('run');
    assert.equal(ran.code, 6, ran.stderr);
    assert.match(ran.stderr, /program\.md:\d+:\d+: agent is gemini, and there is no gemini on the PATH/);
    assert.match((await missing.orgrepo('doctor')).stdout, /there is no gemini on the PATH/);
  } finally {
    process.env.PATH = PATH;
  }
  fakeProgram('codex', 'exit 1');
  const keyless = bare({ agent: 'codex', model: 'gpt-5-2025-08-07' });
  delete process.env.OPENAI_API_KEY;
  const ran = await keyless.orgrepo('run');
  assert.equal(ran.code, 4, ran.stderr);
  assert.match(ran.stderr, /OPENAI_API_KEY is not set/);
  assert.match(
    (await keyless.orgrepo('doctor')).stdout,
    /codex \(\/\S+\) does not work as a run starts it: it ended with 1\n/,
  );
  for (const org of [missing, keyless])
    assert.equal(org.git('for-each-ref', '--format=%(refname)').trim(), 'refs/heads/main');
});

test('a cap on money alone is refused where nobody knows what a program costs, and one on tokens or a price will do', async () => {
  process.env.GEMINI_API_KEY = 'fake-gemini-66554433';
  for (const program of ['gemini', 'pi', 'claude']) fakeProgram(program, 'exit 1');
  const plan = (keys: Readonly<Record<string, string>>): ReturnType<TestOrg['orgrepo']> => {
    const org = anOrg({ brief: { chief: '{ agent: search }', ...keys } });
    return org.orgrepo('plan');
  };
  const usd = '{ experiment: 10s, agent: 20s, night: 1h, usd: 1 }';
  const elsewhere = '[{ agent: pi, model: nobodys-1, base_url: "http://127.0.0.1:9" }]';
  const refused = [
    [
      { agent: 'gemini', budget: usd },
      /budget\.usd caps money, and nobody knows what gemini costs[\s\S]*name its model/,
    ],
    [
      { agent: 'search', junior: elsewhere, caps: '{ day: { usd: 1 } }' },
      /caps\.day\.usd caps money, and nobody knows what pi nobodys-1 costs[\s\S]*prices: \{ nobodys-1/,
    ],
  ] as const;
  for (const [keys, reason] of refused) {
    const { code, stderr } = await plan(keys);
    assert.equal(code, 6, stderr);
    assert.match(stderr, reason);
  }
  const priced = '{ nobodys-1: { in: 3, out: 15 } }';
  const fine: readonly Readonly<Record<string, string>>[] = [
    { agent: 'gemini', budget: usd.replace('usd: 1', 'usd: 1, tokens_in: 1M, tokens_out: 50k') },
    { agent: 'search', junior: elsewhere, budget: usd, prices: priced },
    { agent: 'claude', budget: usd },
  ];
  for (const keys of fine) assert.equal((await plan(keys)).code, 0, (await plan(keys)).stderr);
});

test('a program waits for a busy provider as long as the night goes on, and no longer', async () => {
  const server = await startProviderServer(() => ({
    fault: 'status',
    status: 429,
    headers: { 'retry-after': '3600' },
  }));
  const base = `model: ${model}, base_url: "${server.baseUrl('anthropic')}"`;
  const specs = ['0002', '0003', '0004'].map((id) => [`specs/${id}-x.md`, `# another ${id}\n`]);
  fakeProgram('pi', `${edit}\n${printed(...outputs.pi)}`);
  const keys = {
    ...{ agent: '', model: '', juniors: '2', junior: `[{ ${base} }, { agent: pi, ${base} }]` },
    budget: '{ experiment: 10s, agent: 2s, night: 4s, attempts: 2, patience: 1000 }',
  };
  const began = Date.now();
  const { experiments, said } = await nightOf(keys, '50', Object.fromEntries(specs));
  await server.close();
  const took = Date.now() - began;
  assert.ok(took < 60_000, `it took ${took} ms`);
  const failed = experiments.filter(({ event }) => event === 'failed');
  assert.deepEqual(failed, [], `to wait is no attempt: ${said}`);
});

test('gemini that is killed while it tries again has a busy provider', async () => {
  process.env.GEMINI_API_KEY = 'fake-gemini-66554433';
  const log = 'Attempt 1 failed with status 429. Retrying with backoff... _ApiError';
  fakeProgram('gemini', `${printed({ type: 'init', model: 'x' })}\necho '${log}' >&2\necho '}' >&2\nsleep 600`);
  const budget = '{ experiment: 10s, agent: 2s, night: 1h, attempts: 1, patience: 1000 }';
  const { experiments, said } = await nightOf({ agent: 'gemini', model: '', budget });
  assert.equal(experiments[0]?.reason, `gemini fell silent, and was stopped after 1 s: ${log}`);
  assert.match(said, /its provider is busy; asked again in 60 s/);
});

test('codex is ended at a busy provider before its first answer', async () => {
  process.env.OPENAI_API_KEY = 'fake-openai-55443322';
  const waits = {
    type: 'error',
    message: 'Reconnecting... 1/5 (exceeded retry limit, last status: 429 Too Many Requests)',
  };
  const begins = [
    { type: 'thread.started' },
    { type: 'item.completed', item: { type: 'error', message: 'no metadata' } },
  ];
  const night = async (...lines: readonly object[]) => {
    fakeProgram('codex', `${printed(...begins, ...lines, waits)}\nsleep 600`);
    const budget = '{ experiment: 10s, agent: 4s, night: 1h, usd: 5, attempts: 1, patience: 1000 }';
    return nightOf({ agent: 'codex', model: 'openai/gpt-5-2025-08-07', budget });
  };
  const early = await night();
  assert.match(early.experiments[0]?.reason ?? '', /^codex was stopped: its provider is busy: Reconnecting.*429/);
  assert.deepEqual([early.facts.at(-1)?.spent, early.facts.at(-1)?.reserved], [noSpending, undefined]);
  const late = await night({ type: 'item.completed', item: { type: 'agent_message', text: 'I look at 429.' } });
  assert.match(late.experiments[0]?.reason ?? '', /^codex fell silent, and was stopped after 2 s: Reconnecting/);
  assert.deepEqual(
    [late.facts.at(-1)?.spent, (late.facts.at(-1)?.reserved as Amount | undefined)?.usd],
    [noSpending, 5],
  );
  for (const { said } of [early, late]) assert.match(said, /its provider is busy; asked again in 60 s/);
});

const noSpending = { usd: 0, tokens_in: 0, tokens_out: 0 };
