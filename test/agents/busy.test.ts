import assert from 'node:assert/strict';
import { test } from 'node:test';
import { model, nightOf, orgWith } from '../support/model-night.ts';
import { factsIn, startNight, trailers } from '../support/night.ts';
import type { TestOrg } from '../support/org.ts';
import type { Broken, Reply, Said } from '../support/provider-server/script.ts';
import type { ProviderServer } from '../support/provider-server/server.ts';
import { until } from '../support/until.ts';

/** To wait for a provider is neither an attempt nor a failure of anybody's, and whoever did fail says why. */

const edit: Said = {
  calls: [{ tool: 'edit', input: { path: 'sandbox/numbers.txt', old: 'first 9', new: 'first 8' } }],
};
const finish: Said = { calls: [{ tool: 'finish', input: { title: 'one less', notes: '' } }] };
const tooMany = (seconds: number): Broken => ({
  fault: 'status',
  status: 429,
  headers: { 'retry-after': String(seconds) },
});
const budget = (agent: string, night: string): string =>
  `{ experiment: 10s, agent: ${agent}, night: ${night}, attempts: 2, patience: 1000 }`;
const holds = async (org: TestOrg): Promise<void> => {
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
};

/** Makes the chief a model of the same server. */
function giveChief(org: TestOrg, server: ProviderServer): void {
  const chief = `{ model: anthropic/${model}, base_url: ${server.baseUrl('anthropic')} }`;
  org.write('program.md', org.git('show', 'HEAD:program.md').replace(/^chief:.*$/m, `chief: ${chief}`));
  org.commit('a chief');
}

test('a provider that is busy for longer than an attempt may take is waited for, and the attempt begins afterwards', async () => {
  let calls = 0;
  const reply: Reply = () => [tooMany(6), edit][calls++] ?? finish;
  const { org } = await orgWith(reply, { chief: '{ agent: human }', budget: budget('4s', '1h') });
  const night = await nightOf(org, '--max', '1');
  assert.equal(night.code, 0, night.said);
  assert.deepEqual(
    night.experiments.map(({ event }) => event),
    ['keep'],
    night.said,
  );
  await holds(org);
});

test('where it is busy all night no spec is used up, no chief is stopped, and the next night goes on', async () => {
  const { org, server } = await orgWith(() => tooMany(3600), { juniors: '2', budget: budget('2s', '8s') });
  giveChief(org, server);
  const night = await nightOf(org);
  assert.deepEqual([night.code, night.experiments], [0, []], night.said);
  assert.equal(factsIn(night.said).filter((fact) => String(fact.message).includes('429')).length, 1, 'said once');
  assert.match(night.said, /"http:\/\/127\.0\.0\.1:\d+ 429: [^"]*; asked again at [^"]*, in 1 h"/);
  const events = trailers(org, 'Event', 'orgrepo/queue', '--not', 'main');
  assert.deepEqual(
    events.filter((event) => /^(halt|failed|done)$/.test(event)),
    [],
  );
  assert.match((await org.orgrepo('show', '0001')).stdout, /0 of 2 attempts used/);
  await holds(org);
});

test('an attempt that its provider let down says how, not only that its time was over', async () => {
  const { org } = await orgWith(() => ({ fault: 'page', status: 502 }), { budget: budget('2s', '1h') });
  const night = await nightOf(org, '--max', '1');
  assert.match(night.experiments[0]?.reason ?? '', /^the agent was not done after 2 s: .*502/, night.said);
});

test('who stops a night does not pay a chief for specs that nobody will work on', async () => {
  const endless: Reply = () => ({ calls: [{ tool: 'list', input: { path: '.' } }], everyMs: 2_000 });
  const keys = { junior: '{ agent: search }', juniors: '2', budget: budget('60s', '1h') };
  const { org, server } = await orgWith(endless, keys);
  giveChief(org, server);
  const run = startNight(org, 'run', '--json');
  await until('the chief is asked', () => server.heard.length > 0, 60_000);
  const asked = performance.now();
  assert.equal((await org.orgrepo('stop')).code, 0);
  const { code } = await run.ended;
  assert.equal(code, 0, run.said());
  assert.ok(performance.now() - asked < 30_000, 'long before its minute is over');
  assert.doesNotMatch(run.said(), /the chief failed/);
  await holds(org);
});

test('a provider that says it used more than it was given is warned of once, and what was set aside counts', async () => {
  const usage = { tokensIn: 1_000_000, tokensOut: 1_000_000 };
  const { org } = await orgWith(({ turn }) => ({ ...(turn === 1 ? edit : finish), usage }), {});
  const night = await nightOf(org, '--max', '1');
  const warnings = factsIn(night.said).filter((fact) => String(fact.message).includes('which cannot be'));
  assert.equal(warnings.length, 1, night.said);
  assert.match(
    String(warnings[0]?.message),
    /says that a call used 1000000 tokens in and 1000000 out.*Look at your bill/,
  );
  assert.ok(Number(night.experiments[0]?.usd) < 1, 'not $18 a call');
  await holds(org);
});
