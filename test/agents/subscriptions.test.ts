import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { anOrg } from '../support/builders.ts';
import { logCodexIn } from '../support/codex-login.ts';
import { fakeProgram, printed } from '../support/fake-program.ts';
import { moveProviders } from '../support/far-providers.ts';
import { factsIn, startNight, trailers } from '../support/night.ts';
import type { TestOrg } from '../support/org.ts';

/** Nights of programs that a person's subscription pays for. The programs print what the real ones print; those are in real-logins.test.ts. */

moveProviders();
const token = 'sk-ant-oat01-of-nobody-93817264';
process.env.CLAUDE_CODE_OAUTH_TOKEN = token;
process.env.ANTHROPIC_API_KEY = 'sk-ant-fake-93817264';
const home = mkdtempSync(path.join(tmpdir(), 'orgrepo-subscription-'));
after(() => rmSync(home, { recursive: true, force: true }));

const caps = (rest: string, night = '1h'): string =>
  `{ experiment: 10s, agent: 20s, night: ${night}, attempts: 2, patience: 1000${rest} }`;

async function nightOf(keys: Readonly<Record<string, string>>, max = '1') {
  const org = anOrg({ brief: { chief: '{ agent: search }', budget: caps(''), ...keys } });
  const run = startNight(org, 'run', '--json', '--max', max);
  const { code } = await run.ended;
  const facts = factsIn(run.said());
  const experiments = facts.flatMap(({ experiment }) => experiment ?? []);
  const told = (key: string): string => trailers(org, key, '--grep=^try:', 'orgrepo/work/0001')[0] ?? '';
  return { org, code, facts, experiments, told, said: run.complained() + run.said() };
}

const verified = async (org: TestOrg): Promise<void> => {
  const { code, stdout } = await org.orgrepo('verify');
  assert.equal(code, 0, stdout);
};

const edit = "sed -i 's/first 9/first 3/' sandbox/numbers.txt";
const help = `[ "$1" = --help ] && { echo '--permission-prompts <mode> --safe-mode'; exit 0; }`;
const used = { inputTokens: 12_000, outputTokens: 300, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 };
const result = (rest: object = {}): object => ({
  ...{ type: 'result', subtype: 'success', is_error: false, result: 'first to 3', total_cost_usd: 0.31 },
  ...{ modelUsage: { 'claude-sonnet-4-5-20250929': used } },
  ...rest,
});
const model = 'anthropic/claude-sonnet-4-5-20250929';

test('a subscription is told in tokens, and nowhere in dollars', async () => {
  const fake = fakeProgram('claude', `${help}\n${edit}\n${printed(result())}`);
  const budget = caps(', usd: 5, tokens_in: 1M, tokens_out: 100k');
  const { org, code, experiments, facts, told, said } = await nightOf({ agent: 'claude', model, budget });
  assert.deepEqual([code, experiments[0]?.event], [0, 'keep'], said);
  const environment = fake.environment();
  assert.deepEqual(
    ['CLAUDE_CODE_OAUTH_TOKEN', 'ANTHROPIC_API_KEY'].map((name) => environment.get(name)),
    [token, undefined],
  );
  assert.deepEqual(
    ['--bare', '--max-budget-usd', '--safe-mode', '--strict-mcp-config'].map((word) => fake.args().includes(word)),
    [false, false, true, true],
  );
  assert.deepEqual(['Model', 'Tokens-In', 'Tokens-Out', 'Cost-USD', 'Paid-By'].map(told), [
    model,
    '12000',
    '300',
    '',
    'subscription',
  ]);
  assert.deepEqual(facts.at(-1)?.spent, { tokens_in: 12_000, tokens_out: 300, subscription_tokens: 12_300 });
  assert.deepEqual([experiments[0]?.usd, experiments[0]?.subscription], [undefined, true]);
  const pages = await Promise.all(
    ['status', 'report', 'log', 'show 1', 'plan'].map(async (verb) => (await org.orgrepo(...verb.split(' '))).stdout),
  );
  const [status = '', report = '', , show = '', plan = ''] = pages;
  assert.match(status, /spent {4}12,300 tokens by subscription · 12,000 tokens in, 300 out\n/);
  assert.match(status, /junior-1 .* sub\b/);
  assert.match(report, /SPEND {3}12,300 tokens by subscription · 12,000 tokens in, 300 out/);
  assert.match(report, /junior-1 12,300 tokens by subscription/);
  assert.match(show, /by subscription, 12,000 tokens in, 300 out/);
  assert.match(plan, /Paid +claude by your subscription, with CLAUDE_CODE_OAUTH_TOKEN; ANTHROPIC_API_KEY is set\s+too/);
  const { logins } = JSON.parse((await org.orgrepo('plan', '--json')).stdout);
  const unused = { agents: ['junior-1'], unused_key: 'ANTHROPIC_API_KEY' };
  assert.deepEqual(logins, [{ program: 'claude', from: 'CLAUDE_CODE_OAUTH_TOKEN', ...unused }]);
  assert.match(
    (await org.orgrepo('doctor')).stdout,
    /ok {4}claude by your subscription, with CLAUDE_CODE_OAUTH_TOKEN, for junior-1; ANTHROPIC_API_KEY is set too, and not/,
  );
  const compared = await org.orgrepo('compare', 'program.md', 'HEAD');
  assert.equal(compared.code, 64, compared.stderr);
  assert.match(compared.stderr, /it may cost what your subscription has left/);
  for (const page of pages) assert.doesNotMatch(page, /\$0\.|\$\d+\.\d+ per win|0\.31|unknown/);
  const line = startNight(org, 'run', '--max', '1');
  await line.ended;
  assert.match(line.said(), / exp #2 .* subscription=12300 /);
  assert.match(line.said(), / run stop .* tokens=\d+ subscription=\d+ /);
  assert.equal(org.git('log', '--all', '-p', '--format=%B').includes(token), false);
  await verified(org);
});

test('a cap on money alone is refused where a subscription pays', async () => {
  fakeProgram('claude', `${help}\nsed -i "s/first .*/first $$/" sandbox/numbers.txt\n${printed(result())}`);
  const refused = await nightOf({ agent: 'claude', model, budget: caps(', usd: 5') });
  assert.equal(refused.code, 6);
  assert.match(
    refused.said,
    /budget\.usd caps money, and your subscription pays for claude \(CLAUDE_CODE_OAUTH_TOKEN\)[\s\S]*Add tokens_in and tokens_out to budget, or unset CLAUDE_CODE_OAUTH_TOKEN to pay with a key/,
  );
  const { org, code, said } = await nightOf({ agent: 'claude', model, budget: caps(', tokens_in: 20k') }, '9');
  assert.equal(code, 2, said);
  const exceeded = org.git('show', 'orgrepo/reports:reports/errors/budget-exceeded.md');
  assert.match(exceeded, /This night [\d,]+ tokens by subscription/);
  assert.match(exceeded, /\| sub \|/);
  await verified(org);
});

test('a used-up window is waited for and costs no attempt', async () => {
  const limited = (seconds: number): string =>
    `echo "{\\"type\\":\\"rate_limit_event\\",\\"rate_limit_info\\":{\\"status\\":\\"rejected\\",\\"resetsAt\\":$(($(date +%s) + ${seconds})),\\"isUsingOverage\\":false}}"`;
  const full = printed(
    result({
      is_error: true,
      result: "You've hit your 5-hour limit · resets 3am",
      modelUsage: {},
      usage: { input_tokens: 0, output_tokens: 0 },
    }),
  );
  const script = (seconds: number): string =>
    `${help}\n[ -e $HERE/../again ] || { touch $HERE/../again; ${limited(seconds)}\n${full}\nexit 1; }\n${edit}\n${printed(result())}`;
  const fake = fakeProgram('claude', script(2));
  const { org, code, experiments, said } = await nightOf({ agent: 'claude', model });
  assert.deepEqual([code, experiments.map(({ event }) => event)], [0, ['keep']], said);
  assert.match(said, /claude: your subscription is used up for now; asked again in [1-4] s/);
  await verified(org);
  rmSync(path.join(fake.dir, '../again'));
  fakeProgram('claude', script(7_200));
  const over = await nightOf({ agent: 'claude', model, budget: caps('', '4s') });
  assert.deepEqual([over.code, over.experiments], [0, []], over.said);
  assert.match(over.said, /asked again at 20\d\d-\d\d-\d\dT[\d:]+Z, in (2 h|1 h 59 m)/);
  assert.match((await over.org.orgrepo('status')).stdout, /spent {4}no tokens yet/);
});

test('an attempt that meets the end of a window is counted', async () => {
  const full = result({ is_error: true, result: 'Claude AI usage limit reached|4102444800' });
  fakeProgram('claude', `${help}\n${edit}\n${printed(full)}\nexit 1`);
  const { org, experiments, told, said } = await nightOf({ agent: 'claude', model });
  assert.equal(experiments[0]?.event, 'failed', said);
  assert.match(experiments[0]?.reason ?? '', /usage limit reached/);
  assert.deepEqual(['Tokens-In', 'Paid-By'].map(told), ['12000', 'subscription']);
  await verified(org);
});

test('extra usage warns once, and a refused login stops its agent', async () => {
  const extra = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', isUsingOverage: true } };
  fakeProgram('claude', `${help}\nsed -i "s/first .*/first $$/" sandbox/numbers.txt\n${printed(extra, result())}`);
  const { code, said } = await nightOf({ agent: 'claude', model }, '2');
  assert.equal(code, 0, said);
  assert.equal(said.match(/extra usage is on\. What it does now is billed/g)?.length, 1, said);
  const refused = result({ is_error: true, result: 'Failed to authenticate. API Error: 401', modelUsage: {} });
  fakeProgram('claude', `${help}\n${printed(refused)}\nexit 1`);
  const stopped = await nightOf({ agent: 'claude', model });
  assert.equal(stopped.code, 3, stopped.said);
  assert.match(stopped.experiments[0]?.reason ?? '', /401\. Make another token: claude setup-token$/);
});

test('codex gets a copy of its login, and leaking it is tampering', async () => {
  const { access, refresh, file } = logCodexIn(path.join(home, 'codex'));
  const before = readFileSync(file, 'utf8');
  const keep = 'cp $CODEX_HOME/auth.json $CODEX_HOME/config.toml $HERE/';
  const leak = 'cp $CODEX_HOME/auth.json sandbox/login.json; echo broken > $CODEX_HOME/auth.json';
  const end = printed(
    { type: 'item.completed', item: { type: 'agent_message', text: 'first to 3' } },
    { type: 'turn.completed', usage: { input_tokens: 9_000, cached_input_tokens: 0, output_tokens: 90 } },
  );
  const fake = fakeProgram('codex', `${keep}\n[ $ORGREPO_ATTEMPT = 1 ] && { ${leak}; }\n${edit}\n${end}`);
  const codex = { agent: 'codex', model: 'openai/gpt-5-2025-08-07' };
  const { org, experiments, said } = await nightOf(codex, '2');
  assert.deepEqual(
    experiments.map(({ event }) => event),
    ['tampered', 'keep'],
    said,
  );
  assert.equal(fake.environment().has('OPENAI_API_KEY'), false);
  assert.equal(JSON.parse(readFileSync(path.join(fake.dir, 'auth.json'), 'utf8')).tokens.refresh_token, 'none');
  assert.match(readFileSync(path.join(fake.dir, 'config.toml'), 'utf8'), /\napps = false\nplugins = false\n/);
  assert.equal(readFileSync(file, 'utf8'), before, 'the file of the person is read, and no more');
  const written = org.git('log', '--all', '-p', '--format=%B') + said;
  for (const secret of [access, refresh]) assert.equal(written.includes(secret), false);
  assert.equal(experiments[1]?.subscription, true);
  await verified(org);
  const over = readFileSync(logCodexIn(path.join(home, 'codex'), -1).file, 'utf8');
  logCodexIn(path.join(home, 'codex'));
  fakeProgram('codex', `printf %s '${over}' > ${file}\n${edit.replace('first 9', 'first.*')}\n${end}`);
  const midway = await nightOf(codex, '2');
  assert.equal(midway.code, 3, midway.said);
  assert.match(
    midway.experiments.at(-1)?.reason ?? '',
    /^the login of codex in \S+ ended at .*Start codex once by hand/,
  );
  logCodexIn(path.join(home, 'codex'), 1_800);
  assert.match(
    (await org.orgrepo('plan')).stdout,
    /warn {2}the login of codex in \S+\s+ends at \S+Z, and a night that begins now may last longer\n/,
  );
  logCodexIn(path.join(home, 'codex'), -1);
  const ended = await org.orgrepo('run');
  assert.equal(ended.code, 4, ended.stderr);
  assert.match(ended.stderr, /the login of codex in \S+ ended at [\s\S]*Start codex once by hand/);
});
