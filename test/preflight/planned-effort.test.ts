import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chartedOrg } from '../support/chart.ts';
import { model, nightOf, orgWith } from '../support/model-night.ts';

const roles = (worker: string, helper: string): string =>
  `### Lead\n- **Level:** 7\n\n#### Worker\n- **Level:** 3\n- **Domain:** a\n${worker}\n#### Helper\n- **Level:** 3\n- **Domain:** b\n${helper}`;

test('plan shows the effort of a role, and warns of one that no model hears of', async () => {
  const scripted = '- **Model:** scripted:models/x.json\n';
  const org = chartedOrg({
    structure: roles(`${scripted}- **Effort:** high\n`, '- **Effort:** low\n'),
    files: { 'models/x.json': JSON.stringify({ conversations: [{ turns: [{ text: 'x' }] }] }) },
  });
  const plan = await org.orgrepo('plan');
  assert.match(plan.stdout, /scripted:models\/x\.json with effort high/);
  assert.match(plan.stdout + plan.stderr, /helper has an effort, and asks no model through its API: it is not used/);
  const { agents } = JSON.parse((await org.orgrepo('plan', '--json')).stdout).org;
  assert.deepEqual(
    agents.map(({ id, effort }: Record<string, unknown>) => `${id} ${effort}`),
    ['lead undefined', 'worker high', 'helper undefined'],
  );
});

test('the effort of the brief reaches the provider, and that of a role goes before it', async () => {
  const finish = { calls: [{ tool: 'finish', input: { title: 'x', notes: '' } }] };
  const budget = '{ experiment: 10s, agent: 1m, night: 1h }';
  const { org, server } = await orgWith(() => finish, { budget });
  const brief = org.git('show', 'main:program.md');
  org.write('program.md', brief.replace(/^(junior: \{ )/m, '$1effort: low, '));
  org.write('ORG.md', `# Acme\n\n## Structure\n\n${roles('- **Effort:** high\n', '')}`);
  for (const [index, domain] of ['a', 'b'].entries())
    org.write(`specs/000${index + 1}-x.md`, `---\nid: "000${index + 1}"\ntitle: x\ndomain: ${domain}\n---\n`);
  org.git('rm', '-q', '-f', 'specs/0001-first.md');
  org.commit('efforts');
  await nightOf(org, '--max', '12');
  const budgets = server.heard.map(({ body, model: asked }) => [asked, JSON.stringify(body.thinking)].join(' '));
  const thought = (tokens: number): string => `${model} {"type":"enabled","budget_tokens":${tokens}}`;
  assert.deepEqual(new Set(budgets), new Set([thought(24_000), thought(2_048)]));
  assert.equal(server.heard[0]?.body.max_tokens, 32_000);
});
