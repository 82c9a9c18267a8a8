import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { model, nightOf, orgWith } from '../../support/model-night.ts';
import { scriptAgent, startNight, trailers, waitFor } from '../../support/night.ts';
import type { TestOrg } from '../../support/org.ts';
import type { Heard, Said } from '../../support/provider-server/script.ts';
import { until } from '../../support/until.ts';

/** What somebody would begin and needs a yes for is let go of until there is an answer: it costs nothing, and others work. */

const policies = `permit (principal, action, resource);
@id("dear") @message("the board wants to know") @approval("board")
forbid (principal, action == Action::"spend", resource);
`;

/** Makes the first number smaller by one, in two calls. */
const works = ({ turn, told }: Heard): Said => {
  const [, number = '9'] = /first (\d+)/.exec(told) ?? [];
  return turn === 1
    ? {
        calls: [
          {
            tool: 'edit',
            input: { path: 'sandbox/numbers.txt', old: `first ${number}`, new: `first ${Number(number) - 1}` },
          },
        ],
      }
    : { calls: [{ tool: 'finish', input: { title: 'one less', notes: '' } }] };
};

async function governedOrg(keys: Readonly<Record<string, string>> = {}) {
  const { org, server } = await orgWith(works, { chief: '{ agent: human }', ...keys });
  org.write('policies/a.cedar', policies);
  org.commit('policies');
  return { org, server };
}

const acts = (org: TestOrg): string[] =>
  trailers(org, 'Event', 'orgrepo/queue', '--not', 'main').filter((one) => /^(ask|approve|deny|use)$/.test(one));
const holds = async (org: TestOrg): Promise<void> => {
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
};

test('a model that needs a yes to be asked makes no attempt before, and all of one with it', async () => {
  const { org, server } = await governedOrg();
  const night = await nightOf(org, '--max', '1');
  assert.deepEqual([night.code, night.experiments, server.heard.length], [3, [], 0], night.said);
  assert.match(night.said, /"reason":"what is left needs a person: A1 waits for a yes \(orgrepo approve A1\)"/);
  assert.match(
    org.git('show', 'orgrepo/queue:approvals/A1.md'),
    /^# A1: junior-1 wants to ask anthropic\/\S+ for 0001\.1, \$0\.\d+ a call at most\n/,
  );
  assert.match((await org.orgrepo('status')).stdout, /junior-1 +waits for A1, spec 0001/);
  assert.equal((await nightOf(org, '--max', '1')).code, 3, 'it waits in the next night, too');
  assert.deepEqual(acts(org), ['ask']);
  assert.equal((await org.orgrepo('approve', 'A1')).code, 0);
  const approved = await nightOf(org, '--max', '2');
  assert.equal(approved.code, 3, approved.said);
  assert.deepEqual(
    approved.experiments.map(({ spec, event }) => `${spec} ${event}`),
    ['0001 keep'],
    'the next attempt is asked about again',
  );
  assert.equal(server.heard.length, 2);
  assert.deepEqual(acts(org), ['ask', 'approve', 'use', 'ask']);
  await holds(org);
});

test('who has an answer goes on in the same night, be it a no', async () => {
  const { org, server } = await governedOrg({ juniors: '2' });
  const over = path.join(org.dir, 'over');
  const busy = scriptAgent([waitFor(over)]);
  const asked = `{ model: anthropic/${model}, base_url: ${server.baseUrl('anthropic')} }`;
  const brief = org.git('show', 'HEAD:program.md');
  org.write('program.md', brief.replace(/^junior:.*$/m, `junior: [${asked}, { agent: ${busy.brief} }]`));
  org.write('specs/0002-second.md', '---\ntitle: the second number\nby: people\n---\nMake it smaller.\n');
  org.commit('one who needs no yes works meanwhile');
  const run = startNight(org, 'run', '--json');
  await until('somebody is asked', () => run.said().includes('A1: junior-1 wants to ask'), 60_000);
  assert.equal((await org.orgrepo('deny', 'A1', '--reason', 'not today')).code, 0);
  const failed = () => run.said().match(/"agent":"junior-1"[^}]*"event":"failed"/g)?.length ?? 0;
  await until('two attempts have failed', () => failed() >= 2, 60_000);
  assert.deepEqual(acts(org), ['ask', 'deny'], 'a no is one to the next attempt too');
  assert.equal((await org.orgrepo('stop')).code, 0);
  org.write('over', '');
  await run.ended;
  assert.equal(server.heard.length, 0);
  await holds(org);
});

test('people are not asked about a hundred specs: who waits for three gets no other', async () => {
  const { org, server } = await governedOrg({ chief: '{ agent: search }' });
  const night = await nightOf(org);
  assert.deepEqual([night.code, night.experiments, server.heard.length], [3, [], 0], night.said);
  assert.deepEqual(acts(org), ['ask', 'ask', 'ask']);
  assert.match(night.said, /what is left needs a person: A1, A2, A3 wait for a yes/);
  await holds(org);
});

test('a chief that needs a yes is asked once, and writes when it has one', async () => {
  const spec = '---\ntitle: the first number\n---\nMake it smaller.\n';
  const writes = ({ turn }: Heard): Said =>
    turn === 1
      ? { calls: [{ tool: 'write', input: { path: 'specs/a.md', content: spec } }] }
      : { calls: [{ tool: 'finish', input: { title: 'one', notes: '' } }] };
  const { org, server } = await orgWith(writes, { junior: '{ agent: search }', juniors: '2' });
  const base = server.baseUrl('anthropic');
  const brief = org.git('show', 'HEAD:program.md');
  org.write('program.md', brief.replace(/^chief:.*$/m, `chief: { model: anthropic/${model}, base_url: ${base} }`));
  org.write('policies/a.cedar', policies);
  org.commit('policies');
  const night = await nightOf(org);
  assert.equal(server.heard.length, 0, night.said);
  assert.equal(night.code, 3, night.said);
  assert.deepEqual(acts(org), ['ask']);
  assert.equal((await org.orgrepo('approve', 'A1')).code, 0);
  await nightOf(org);
  assert.equal(server.heard.length >= 2, true, 'a whole turn of it');
  assert.deepEqual(acts(org).slice(0, 3), ['ask', 'approve', 'use']);
  await holds(org);
});
