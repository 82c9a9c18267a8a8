import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endless, nightOf, orgWith } from '../support/model-night.ts';
import { briefText } from '../support/org.ts';

/** A cap that has no room for one call is found before the night, with what it needs. */

const budget = '{ experiment: 10s, agent: 10s, night: 1h, attempts: 5, patience: 1000 }';
const small = /^program\.md:(\d+):\d+: (.*) is (.*), and one call of (.*) needs up to (.*): nothing would be asked$/;

async function orgUnder(keys: Readonly<Record<string, string>>) {
  const { org, server } = await orgWith(endless, { budget, ...keys });
  const warned = async (): Promise<(readonly string[])[]> => {
    const { warnings } = JSON.parse((await org.orgrepo('plan', '--json')).stdout);
    return warnings.flatMap(({ file, line, message }: Record<string, unknown>) => {
      const found = small.exec(`${file}:${line}:1: ${String(message).replace(/^program\.md:\d+:\d+: /, '')}`);
      return found === null ? [] : [found.slice(2)];
    });
  };
  return { org, server, warned };
}

test('plan and doctor find a cap below one call with the number it needs, and a night with that number asks', async () => {
  const { org, server, warned } = await orgUnder({ caps: '{ attempt: { usd: 0.01 } }' });
  const [[key, cap, agent, needed = ''] = [], ...others] = await warned();
  assert.deepEqual([key, cap, agent, others], ['caps.attempt.usd', '0.01', 'junior-1', []]);
  assert.ok(Number(needed) >= 0.05 && Number(needed) <= 0.1, needed);
  const told = await org.orgrepo('doctor');
  const line = org
    .git('show', 'main:program.md')
    .split('\n')
    .findIndex((one) => one.startsWith('caps:'));
  assert.match(told.stdout + told.stderr, new RegExp(`program\\.md:${line + 1}:\\d+: caps\\.attempt\\.usd is 0\\.01`));
  assert.match(told.stdout + told.stderr, new RegExp(`Write at least usd: ${needed}\\.`));
  await nightOf(org, '--max', '1');
  assert.equal(server.heard.length, 0);

  const keys = { agent: '', junior: org.git('show', 'main:program.md').match(/^junior: (.*)$/m)?.[1] ?? '' };
  const prices = org.git('show', 'main:program.md').match(/^prices: (.*)$/m)?.[1] ?? '';
  const caps = `{ attempt: { usd: ${needed} } }`;
  org.write('program.md', briefText({ ...keys, prices, budget, caps, chief: '{ agent: search }' }));
  org.commit('as much as was said');
  assert.deepEqual(await warned(), []);
  await nightOf(org, '--max', '1');
  assert.ok(server.heard.length > 0);
});

test('caps of any size on money and tokens are looked at, and those with room for a call are not told', async () => {
  const caps = '{ call: { tokens_out: 500 }, spec: { tokens_in: 5k }, agent: { tokens_out: 400 }, day: { usd: 5 } }';
  const { warned } = await orgUnder({ caps, budget: budget.replace('attempts', 'usd: 0.001, attempts') });
  const found = (await warned()).map(([key, cap, agent]) => `${key} ${cap} ${agent}`);
  assert.deepEqual(found, [
    'caps.spec.tokens_in 5000 junior-1',
    'caps.agent.tokens_out 400 junior-1',
    'budget.usd 0.001 junior-1',
  ]);
});

test('a limit of ORG.md that stops an agent before its first call is told, and one that pauses it is not', async () => {
  const { org } = await orgUnder({});
  const said = async (overage: string, limit: string): Promise<string> => {
    const policies = `## Policies\n\n### Budget\n- **Per-agent limit:** ${limit}\n- **Overage:** ${overage}\n`;
    org.write('ORG.md', `# Org\n\n## Structure\n\n### Worker\n- **Level:** 3\n\n${policies}`);
    org.commit('a limit');
    const plan = await org.orgrepo('plan');
    return /the limit of worker is .*/.exec(plan.stdout + plan.stderr)?.[0] ?? '';
  };
  assert.match(await said('stop', '$0.01/period'), /is 0\.01 usd, and one call needs up to 0\.\d\d:/);
  assert.match(await said('stop', '2000 tokens'), /is 2000 tokens, and one call needs up to \d{5}:/);
  assert.equal(await said('stop', '$1/period'), '');
  assert.equal(await said('pause and escalate', '$0.01/period'), '');
});
