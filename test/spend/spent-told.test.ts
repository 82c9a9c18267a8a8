import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { test } from 'node:test';
import { moveProviders } from '../support/far-providers.ts';
import { endless, model, nightOf, orgOf, orgWith, serverFor, unpricedModel } from '../support/model-night.ts';
import { factsIn, trailers } from '../support/night.ts';
import { briefText } from '../support/org.ts';
import type { Heard, Said } from '../support/provider-server/script.ts';

/** What models cost, wherever it is told; and what is said of them before a night. */

test('a cap on money alone with a price that nobody knows is refused before the night, with its line', async () => {
  for (const [keys, what] of [
    [{ budget: '{ experiment: 10s, agent: 10s, night: 1h, usd: 5 }' }, 'budget.usd'],
    [{ caps: '{ day: { usd: 5 }, call: { tokens_in: 5k } }' }, 'caps.day.usd'],
  ] as const) {
    const { org } = await orgWith(endless, { prices: '', ...keys }, unpricedModel);
    const ran = await org.orgrepo('run');
    assert.equal(ran.code, 6, ran.stderr);
    assert.match(
      ran.stderr,
      new RegExp(`program\\.md:\\d+:\\d+: ${what} caps money, and nobody knows what anthropic/${unpricedModel} costs`),
    );
    assert.match(
      ran.stderr,
      /tokens_in and tokens_out .* prices: \{ claude-of-nobody-20250929: \{ in: 3, out: 15 \} \}/,
    );
    assert.equal(org.git('for-each-ref', '--format=%(refname)').trim(), 'refs/heads/main');
    assert.equal((await org.orgrepo('plan')).code, 6);
  }
});

test('what a chief spends stands on the commits with its specs, and is all that was asked', async () => {
  const parts = ['Hypothesis: it helps.', 'Control: best.', 'Held fixed: the rest.', 'Wrong if: not.'];
  const chief = await serverFor(({ told, turn }) => {
    if (told.includes('written')) return { calls: [{ tool: 'finish', input: { title: 'specs' } }] };
    const content = [`# Try number ${turn}`, `Prediction: it falls by ${turn}.`, ...parts].join('\n\n');
    return { calls: [{ tool: 'write', input: { path: 'specs/one.md', content } }] };
  });
  const org = orgOf({
    agent: 'search',
    budget: '{ experiment: 10s, agent: 10s, night: 1h, attempts: 1, patience: 1000 }',
    chief: `{ model: google/gemini-2.5-flash, base_url: ${chief.baseUrl('google')} }`,
    prices: '{ gemini-2.5-flash: { in: 1, out: 2 } }',
  });
  const night = await nightOf(org, '--max', '3');
  assert.equal(night.code, 0, night.complained);
  const values = (key: string): string[] => trailers(org, key, '--grep=^spec:', 'orgrepo/queue');
  const sum = (key: string): number => values(key).reduce((total, value) => total + Number(value), 0);
  assert.deepEqual(
    [sum('Tokens-In'), sum('Tokens-Out')],
    [chief.tally().tokensIn, chief.tally().tokensOut],
    night.said,
  );
  assert.ok(sum('Cost-USD') > 0);
  assert.ok(values('Model').includes('google/gemini-2.5-flash'));
  const status = JSON.parse((await org.orgrepo('status', '--json')).stdout);
  assert.deepEqual([status.spent.tokens_in, status.agents[0].id], [chief.tally().tokensIn, 'chief']);
  assert.equal((await org.orgrepo('verify')).code, 0);
});

test('models, tokens and money are told by log, show, run and report, and an unknown price is not 0', async () => {
  const reply = ({ told }: Heard): Said =>
    told.includes('replaced')
      ? { calls: [{ tool: 'finish', input: { title: 'nearer to 3' } }] }
      : { calls: [{ tool: 'edit', input: { path: 'sandbox/numbers.txt', old: 'first 9', new: 'first 3' } }] };
  for (const priced of [true, false]) {
    const id = priced ? model : unpricedModel;
    const { server, org } = await orgWith(reply, priced ? {} : { prices: '' }, id);
    const night = await nightOf(org, '--max', '1');
    assert.equal(night.code, 0, night.complained);
    const { tokensIn, tokensOut } = server.tally();
    const usd = Math.round(tokensIn * 3_000 + tokensOut * 15_000) / 1e9;
    const [told] = night.experiments;
    const seen = {
      model: `anthropic/${id}`,
      tokens_in: tokensIn,
      tokens_out: tokensOut,
      usd: priced ? usd : undefined,
    };
    assert.deepEqual(
      { model: told?.model, tokens_in: told?.tokens_in, tokens_out: told?.tokens_out, usd: told?.usd },
      seen,
    );
    const [line] = factsIn((await org.orgrepo('log', '--json')).stdout);
    assert.deepEqual(
      { model: line?.model, tokens_in: line?.tokens_in, tokens_out: line?.tokens_out, usd: line?.usd },
      seen,
    );
    const stop = night.facts.find(({ fact }) => fact === 'run-stop') as unknown as { spent: Record<string, number> };
    assert.deepEqual(
      [stop.spent.usd, stop.spent.unpriced_tokens],
      priced ? [usd, undefined] : [undefined, tokensIn + tokensOut],
    );
    const report = (await org.orgrepo('report')).stdout;
    assert.match(
      report,
      priced ? /SPEND {3}\$0\.0\d+ · [\d,]+ tokens in/ : /SPEND {3}cost unknown: \d+ tokens without a known price/,
    );
    assert.match(report, priced ? /\n {8}junior-1 0\.0/ : /\n {8}junior-1 \?/);
    assert.match(
      (await org.orgrepo('show', '1')).stdout,
      priced ? /claude-sonnet-4-5-20250929, .*\$0\.0/ : /price unknown/,
    );
    assert.equal((await org.orgrepo('verify')).code, 0);
  }
});

test('doctor says who needs which key, what is pinned and what it costs, and plan warns; no key is ever told', async () => {
  moveProviders();
  const keys = {
    agent: '',
    juniors: '2',
    model: 'gpt-5-2025-08-07',
    chief: `{ model: ${model} }`,
    budget: '{ experiment: 10s, agent: 10s, night: 1h, usd: 5 }',
  };
  const org = orgOf(keys);
  const doctor = await org.orgrepo('doctor');
  assert.equal(doctor.code, 4, doctor.stdout);
  assert.match(
    doctor.stdout,
    /fail {2}OPENAI_API_KEY is not set, agents junior-1 and junior-2 need it\n +fix: get one: https/,
  );
  assert.match(doctor.stdout, /fail {2}ANTHROPIC_API_KEY is not set, agent chief needs it\n/);
  assert.match(doctor.stdout, /ok {4}model gpt-5-2025-08-07 is pinned, price known \(genai-prices \d+\.\d+\.\d+\)\n/);
  const plan = await org.orgrepo('plan');
  assert.equal(plan.code, 0, plan.stderr);
  assert.match(plan.stdout, /warn {2}OPENAI_API_KEY is not set, agents junior-1 and junior-2 need it/);

  org.write('.orgrepo/keys', 'OPENAI_API_KEY=sk-not-to-be-told-1\nANTHROPIC_API_KEY=sk-not-to-be-told-2\n');
  chmodSync(`${org.dir}/.orgrepo/keys`, 0o600);
  org.write('.git/info/exclude', '/.orgrepo/\n');
  const well = await org.orgrepo('doctor');
  assert.equal(well.code, 0, well.stdout);
  assert.match(well.stdout, /ok {4}OPENAI_API_KEY is set, for junior-1 and junior-2\n/);
  assert.match(well.stdout, /note {2}whether openai takes the key and has gpt-5-2025-08-07 is not known: .*ENOTFOUND/);
  assert.doesNotMatch(well.stdout + well.stderr + (await org.orgrepo('plan', '--json')).stdout, /not-to-be-told/);

  org.write(
    'program.md',
    briefText({ ...keys, budget: '', caps: '{ call: { tokens_in: 50k } }', model: 'openai/my-model-2026-01-01' }),
  );
  org.commit('another model');
  const vague = await org.orgrepo('doctor');
  assert.match(vague.stdout, /note {2}model my-model-2026-01-01 is pinned, price unknown: it counts by its tokens/);
  assert.match(vague.stdout, /warn {2}models are asked, and neither money nor tokens of a night or a day have a cap/);
});
