import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { model, nightOf, orgOf, orgWith } from '../support/model-night.ts';
import { trailers } from '../support/night.ts';
import type { TestOrg } from '../support/org.ts';
import type { Said } from '../support/provider-server/script.ts';

/** What ORG.md allows for a day, a week or a month is held to at every call, whatever the brief allows for a night. */

/** Reads what is not there until it is told that it turns in circles: four calls an attempt. */
const idles = (): Said => ({ calls: [{ tool: 'read', input: { path: 'sandbox/nothing' } }] });

const chart = (budget: string): string =>
  `# Org\n\n## Structure\n\n### Worker\n- **Level:** 3\n\n## Policies\n\n### Budget\n${budget}\n`;

async function orgUnder(budget: string) {
  const { org, server } = await orgWith(idles, {
    prices: `{ ${model}: { in: 2000, out: 10000 } }`, // A call is worth whole dollars.
    budget: '{ experiment: 10s, agent: 20s, night: 1h, attempts: 100, patience: 1000 }',
  });
  org.write('ORG.md', chart(budget));
  org.commit('a chart');
  return { org, server };
}

const warnings = (night: Awaited<ReturnType<typeof nightOf>>): string[] =>
  night.facts.flatMap((one) => (one.fact === 'warning' ? [String(one.message)] : []));
const holds = async (org: TestOrg): Promise<void> => {
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
};

test('pause: what was begun ends, then the agent gets no more work, people are asked, and a yes is as much again', async () => {
  const { org, server } = await orgUnder(
    '- **Per-agent limit:** 1000 credits/period\n- **Period:** week\n- **Alert threshold:** 50%\n- **Overage:** pause and escalate',
  );
  const night = await nightOf(org, '--max', '3');
  const heard = server.heard.length;
  assert.equal(heard, 4, 'one attempt was let end');
  const said = warnings(night);
  assert.equal(
    said.filter((one) => /^worker has used .* of 1000 credits in the week of .*\(ORG\.md:\d+\)$/.test(one)).length,
    1,
  );
  assert.equal(
    said.some((one) => /^A1: worker may have another 1000 credits in the week of /.test(one)),
    true,
    said.join('\n'),
  );
  assert.equal(
    said.some((one) => /^worker: worker has used .*orgrepo approve A1$/.test(one)),
    true,
    said.join('\n'),
  );
  assert.equal(night.experiments.length, 1, 'to be refused is no attempt');
  assert.match((await org.orgrepo('status')).stdout, /A1: worker may have another 1000 credits/);
  const again = await nightOf(org, '--max', '1');
  assert.equal(server.heard.length, heard, 'the next night of the same week is the same');
  assert.deepEqual(again.experiments, []);
  assert.deepEqual(
    trailers(org, 'Event', '--grep=^a[ls][ek]', 'orgrepo/queue', '--not', 'main'),
    ['alert', 'ask'],
    again.said,
  );
  assert.equal((await org.orgrepo('approve', 'A1', '--note', 'worth it')).code, 0);
  await nightOf(org, '--max', '3');
  assert.equal(server.heard.length, 2 * heard, 'as much again, and no more');
  assert.match((await org.orgrepo('approve')).stdout, /^A2 {2}worker may have another 1000 credits/);
  await holds(org);
});

test('stop: nothing begins that could break the limit, and a refusal is escalated and no attempt', async () => {
  const { org, server } = await orgUnder('- **Per-agent limit:** $1/period\n- **Period:** day\n- **Overage:** stop');
  const night = await nightOf(org, '--max', '1');
  assert.equal(server.heard.length, 0);
  const why = /worker has used \$0 of \$1 in the day .*, and it might use more than the rest/;
  assert.match(warnings(night).join('\n'), why);
  assert.match(org.git('log', '--grep=^escalate: E1 OVER_BUDGET', '--format=%B', 'orgrepo/queue'), why);
  assert.deepEqual(night.experiments, [], night.said);
  await holds(org);
});

test('a single act above what one may cost waits for a person, costs no attempt, and a yes is for one attempt', async () => {
  const { org, server } = await orgUnder('- **Max single action without approval:** $1');
  org.write('program.md', readFileSync(path.join(org.dir, 'program.md'), 'utf8').replace('search', 'human'));
  org.commit('nobody else writes specs');
  const night = await nightOf(org, '--max', '1');
  assert.equal(server.heard.length, 0, night.said);
  assert.deepEqual([night.code, night.experiments], [3, []], night.said);
  assert.match(
    warnings(night).join('\n'),
    /^A1: worker wants to ask a model for 0001\.1, \$\d+\.?\d* a call at most, and /m,
  );
  assert.equal((await org.orgrepo('approve', 'A1')).code, 0);
  const approved = await nightOf(org, '--max', '2');
  assert.equal(server.heard.length, 4, 'one attempt');
  assert.deepEqual([approved.code, approved.experiments.map(({ event }) => event)], [3, ['failed']], approved.said);
  const [, next = ''] = /(A\d): worker wants to ask a model for 0001\.2/.exec(warnings(approved).join('\n')) ?? [];
  assert.equal((await org.orgrepo('deny', next, '--reason', 'too dear')).code, 0);
  const denied = await nightOf(org, '--max', '1');
  assert.equal(server.heard.length, 4);
  assert.match(denied.experiments[0]?.reason ?? '', /without a person's approval .*; A\d was denied$/, denied.said);
  await holds(org);
});

/** Two calls an attempt, of more than 1500 tokens each. */
const turns = [
  { calls: [{ tool: 'edit', input: { path: 'sandbox/numbers.txt', old: 'first 9', new: 'first 3' } }] },
  { calls: [{ tool: 'finish', input: { title: 'the first', notes: '' } }] },
];

function scripted(structure: string): TestOrg {
  const org = orgOf({
    ...{ agent: '', junior: '{ model: scripted:models/worker.json }', chief: '{ agent: human }' },
    budget: '{ experiment: 10s, agent: 20s, night: 1h, attempts: 3, patience: 1000 }',
  });
  org.write('models/worker.json', JSON.stringify({ conversations: [{ turns }] }));
  org.write('ORG.md', `# Org\n\n## Structure\n\n### Lab Lead\n- **Level:** 7\n\n${structure}`);
  org.commit('a chart');
  return org;
}

test('runs that are started while everybody is over their limit cost a spec no attempt and nobody trust', async () => {
  const org = scripted(
    '#### Workers\n- **Level:** 3\n- **Count:** 2\n\n## Policies\n\n### Budget\n- **Per-agent limit:** 3000 tokens\n- **Period:** month\n',
  );
  const first = await nightOf(org, '--max', '6');
  const tried = first.experiments.map(({ agent, event }) => `${agent} ${event}`);
  assert.deepEqual(tried, ['worker-1 keep', 'worker-2 unchanged'], first.said);
  const notebook = org.git('rev-parse', 'orgrepo/work/0001');
  for (let run = 0; run < 3; run++) {
    const night = await nightOf(org, '--max', '6');
    assert.equal(night.code, 2, night.said);
    assert.deepEqual(night.experiments, [], night.said);
    assert.equal(night.facts.filter(({ fact }) => fact === 'recovered').length, 0, night.said);
  }
  assert.equal(org.git('rev-parse', 'orgrepo/work/0001'), notebook, 'the claim stands as it was left');
  assert.match((await org.orgrepo('show', '0001')).stdout, /claimed by worker-2 · 2 of 3 attempts used/);
  const asked = trailers(org, 'Event', '--grep=^[ae][ls][kc]', 'orgrepo/queue', '--not', 'main');
  assert.deepEqual(asked.sort(), ['ask', 'ask', 'escalate', 'escalate'], 'once for each of them');
  const status = (await org.orgrepo('status')).stdout;
  assert.match(status, /A1: worker-1 may have another 3000 tokens/);
  assert.match(status, /A2: worker-2 may have another 3000 tokens/);
  // A yes lets the work go on where it was left, and by nobody else.
  assert.equal((await org.orgrepo('approve', 'A1')).code, 0);
  const last = await nightOf(org, '--max', '6');
  assert.equal(last.experiments[0]?.agent, 'worker-1', last.said);
  assert.match((await org.orgrepo('show', '0001')).stdout, /#3 /);
  await holds(org);
});

test('what somebody holds who is over its limit is gone on with by a colleague, in the same night and in the next', async () => {
  const structure = ['Worker 1000', 'Helper 900000'].map((role) => role.split(' ')).map(roleOf);
  for (const nights of [['2'], ['1', '1']]) {
    const org = scripted(structure.join(''));
    org.write('specs/0001-first.md', '---\nid: "0001"\ntitle: numbers\nby: people\ndomain: worker\n---\nAny.\n');
    org.commit('a spec');
    let said = '';
    const tried: string[] = [];
    for (const most of nights) {
      const night = await nightOf(org, '--max', most);
      said += night.said;
      tried.push(...night.experiments.map(({ agent, spec, event }) => `${agent} ${spec} ${event}`));
    }
    assert.deepEqual(tried, ['worker 0001 keep', 'helper 0001 unchanged'], said);
    await holds(org);
  }
});

const roleOf = ([role, tokens]: readonly string[]): string =>
  `#### ${role}\n- **Level:** 3\n- **Domain:** ${role}\n- **Limit:** ${tokens} tokens\n\n`;
