import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { assertHolds, endless, model, nightOf, orgOf, orgWith, serverFor } from '../support/model-night.ts';
import { factsIn, spawnNight, trailers } from '../support/night.ts';
import { checkCaps, spendLines } from '../support/spend-books.ts';

/** Caps below a night's, with the real SDKs and a server on this machine at the other end. */

test('a cap on a call is the end of the attempt, with the reason, and nobody is asked', async () => {
  const { server, org } = await orgWith(endless, { caps: '{ call: { tokens_in: 1k } }' });
  const night = await nightOf(org, '--max', '3');
  assert.equal(night.code, 0, night.complained);
  assert.deepEqual(
    night.experiments.map(({ event }) => event),
    ['failed', 'failed', 'failed'],
  );
  assert.match(night.experiments[0]?.reason ?? '', /^the cap of the call is 1000 tokens to read: 0 are spent/);
  assert.deepEqual([server.heard.length, spendLines(org).length], [0, 0]);
});

test('a cap on what a call may say is kept by asking for no more', async () => {
  const { server, org } = await orgWith(endless, { caps: '{ call: { tokens_out: 1k }, attempt: { tokens_out: 3k } }' });
  const night = await nightOf(org, '--max', '1');
  assert.equal(night.experiments[0]?.event, 'failed', night.said);
  assert.equal(server.heard.every(({ body }) => body.max_tokens === 1_000) && server.heard.length > 1, true);
  await assertHolds(org, { attempt: { tokensOut: 3_000 } });
});

test('a cap on an attempt ends that attempt, and the next one begins anew', async () => {
  const { org } = await orgWith(endless, { caps: '{ attempt: { usd: 0.25 } }' });
  const night = await nightOf(org, '--max', '3');
  assert.equal(night.code, 0, night.complained);
  assert.deepEqual(
    night.experiments.map(({ event, spec }) => `${event} ${spec}`),
    ['failed 0001', 'failed 0001', 'failed 0001'],
  );
  assert.match(night.experiments[0]?.reason ?? '', /the cap of attempt .* is 0\.25 dollars/);
  const most = await assertHolds(org, { attempt: { usd: 0.25 } });
  assert.ok((most.spec?.usd ?? 0) > 0.25, 'three attempts together may cost more than one');
});

test('a cap on a spec closes it with the reason, and the night goes on with another', async () => {
  const { org } = await orgWith(endless, { caps: '{ spec: { tokens_in: 30k } }' });
  const night = await nightOf(org, '--max', '3');
  assert.equal(night.code, 0, night.complained);
  assert.deepEqual(
    night.experiments.map(({ event, spec }) => `${event} ${spec}`),
    ['failed 0001', 'failed 0002', 'failed 0003'],
  );
  assert.deepEqual(trailers(org, 'Event', '-1', 'orgrepo/work/0001'), ['done']);
  assert.match(
    org.git('log', '-1', '--format=%B', 'orgrepo/work/0001'),
    /the cap of spec 0001 is 30000 tokens to read/,
  );
  await assertHolds(org, { spec: { tokensIn: 30_000 } });
});

test('a spec that is worked in two nights has its cap once', async () => {
  const { org } = await orgWith(endless, { caps: '{ attempt: { tokens_in: 25k }, spec: { tokens_in: 40k } }' });
  for (const _ of [1, 2, 3]) {
    const night = await nightOf(org, '--max', '1');
    assert.equal(night.experiments[0]?.spec, '0001', night.said);
    if (/cap of spec/.test(night.experiments[0]?.reason ?? '')) break;
  }
  const nights = new Set(spendLines(org).map((line) => line['Org-Run']));
  assert.ok(nights.size > 1, [...nights].join());
  assert.match(
    org.git('log', '-1', '--format=%B', 'orgrepo/work/0001'),
    /the cap of spec 0001 is 40000 tokens to read/,
  );
  await assertHolds(org, { spec: { tokensIn: 40_000 } });
});

test('a cap on an agent sends it home for the night; when all have gone, the night ends with exit 2', async () => {
  const { org } = await orgWith(endless, { juniors: '2', caps: '{ agent: { usd: 0.4 } }' });
  const night = await nightOf(org);
  assert.equal(night.code, 2, night.complained);
  const failed = night.experiments.filter(({ reason }) => /the cap of agent junior-\d is 0\.4 dollars/.test(reason));
  assert.deepEqual(new Set(failed.map(({ agent }) => agent)), new Set(['junior-1', 'junior-2']));
  const most = await assertHolds(org, { agent: { usd: 0.4 } });
  assert.ok((most.night?.usd ?? 0) > 0.4);
});

/** An org of a junior and one who only talks, both of them models on one server, with two specs of some risk. */
async function orgOfTwo(
  reply: Parameters<typeof serverFor>[0],
  role: string,
  risks: readonly [string, string],
  caps: string,
) {
  const server = await serverFor(reply);
  const other = 'gpt-5-2025-08-07';
  const org = orgOf({
    ...{ agent: '', chief: '{ agent: search }', caps },
    junior: `{ model: anthropic/${model}, base_url: ${server.baseUrl('anthropic')} }`,
    [role]: `[{ model: openai/${other}, base_url: ${server.baseUrl('openai')} }]`,
    prices: `{ ${model}: { in: 3, out: 15 }, ${other}: { in: 1, out: 10 } }`,
  });
  for (const [index, risk] of risks.entries())
    org.write(`specs/000${index + 1}-x.md`, `---\nid: "000${index + 1}"\ntitle: number ${index}\nrisk: ${risk}\n---\n`);
  org.git('rm', '-q', '-f', 'specs/0001-first.md');
  org.commit('two specs');
  return org;
}

test('a cap on a spec that is met while it is planned closes the spec, and its junior goes on with another', async () => {
  const org = await orgOfTwo(endless, 'critics', ['medium', 'low'], '{ spec: { tokens_in: 30k } }');
  const night = await nightOf(org, '--max', '1');
  assert.equal(night.code, 0, night.complained);
  assert.deepEqual(
    night.experiments.map(({ spec }) => spec),
    ['0002'],
  );
  assert.match(
    org.git('log', '-1', '--format=%B', 'orgrepo/work/0001'),
    /^done: [\s\S]*the cap of spec 0001 is 30000 tokens to read/,
  );
  await assertHolds(org, { spec: { tokensIn: 30_000 } });
});

test('each review is an attempt of its own, and no checker is sent home for what others have used', async () => {
  let tries = 0;
  const org = await orgOfTwo(
    ({ told }) => {
      if (told.includes('# The change'))
        return { calls: [{ tool: 'review', input: { decision: 'approve', summary: 'ok' } }] };
      if (!told.includes('# Your spec'))
        return { calls: [{ tool: 'finish', input: { title: `t${tries}`, notes: '' } }] };
      const content = `first ${9 - ++tries}\nsecond 7\nthird -4\nfourth 8\n`;
      return { calls: [{ tool: 'write', input: { path: 'sandbox/numbers.txt', content } }] };
    },
    'checker',
    ['high', 'high'],
    '{ attempt: { tokens_in: 12k } }',
  );
  const night = await nightOf(org, '--max', '4');
  assert.equal(night.code, 0, night.complained);
  const reviews = night.facts.filter(({ fact, event }) => fact === 'said' && event === 'review');
  assert.deepEqual(
    reviews.map(({ approves }) => approves),
    [true, true, true, true],
    night.said,
  );
  const attempts = spendLines(org).flatMap((line) => (line['Org-Agent'] === 'checker-1' ? [line['Org-Attempt']] : []));
  assert.deepEqual(
    [...new Set(attempts)],
    ['0001.checker-1-1', '0001.checker-1-2', '0001.checker-1-3', '0001.checker-1-4'],
  );
  await assertHolds(org, { attempt: { tokensIn: 12_000 } });
});

test('a clock that is set back brings no night back, and a spec has its cap once all the same', async () => {
  const clock = path.join(mkdtempSync(path.join(tmpdir(), 'orgrepo-clock-')), 'ahead');
  const shifted = `import { readFileSync } from 'node:fs'; const real = Date; const ms = () => real.now() + Number(readFileSync('${clock}', 'utf8'));
    globalThis.Date = class extends real { constructor(...given) { super(...(given.length === 0 ? [ms()] : given)); } static now() { return ms(); } };`;
  writeFileSync(clock, '0');
  process.env.NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(shifted)}`;
  const { org } = await orgWith(endless, { caps: '{ attempt: { tokens_in: 25k }, spec: { tokens_in: 40k } }' });
  delete process.env.NODE_OPTIONS;
  for (const days of [3, 0, 0]) {
    writeFileSync(clock, String(days * 24 * 3600 * 1000));
    const night = spawnNight(org, 'run', '--json', '--max', '1');
    await night.ended;
    const [first] = factsIn(night.said()).flatMap(({ experiment }) => experiment ?? []);
    assert.equal(first?.spec, '0001', night.said() + night.complained());
    if (/cap of spec/.test(first?.reason ?? '')) break;
  }
  const nights = new Set(spendLines(org).map((line) => line['Org-Run'] ?? ''));
  assert.equal(new Set([...nights].map((run) => run.slice(0, 10))).size, 1, [...nights].join());
  assert.ok(nights.size > 1, 'it was worked in several nights');
  assert.match(
    org.git('log', '-1', '--format=%B', 'orgrepo/work/0001'),
    /the cap of spec 0001 is 40000 tokens to read/,
  );
  checkCaps(org, { spec: { tokensIn: 40_000 } });
  assert.equal(org.spawned('verify').code, 0);
  rmSync(path.dirname(clock), { recursive: true });
});
