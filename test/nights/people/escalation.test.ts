import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrg } from '../../support/builders.ts';
import { runNight, scriptAgent, trailers } from '../../support/night.ts';
import type { TestOrg } from '../../support/org.ts';

/** Who is stuck says so up the chart: to the manager, the manager's manager, and then to a person. */

const call = (tool: string, input: object) => ({ calls: [{ tool, input }] });
const script = (...conversations: { when?: string[]; turns: object[] }[]): string => JSON.stringify({ conversations });
const stuck = { reason: 'BLOCKED', words: 'THE-DATA-ARE-MISSING' };
/** Is stuck until it is told where to look. */
const worker = script(
  {
    when: ['LOOK-AT-THE-FIRST'],
    turns: [
      call('edit', { path: 'sandbox/numbers.txt', old: 'first 9', new: 'first 3' }),
      call('finish', { title: 'the first', notes: 'as told' }),
    ],
  },
  { turns: [call('finish', { title: 'I cannot', notes: '', escalate: stuck })] },
);
const lead = (decision: string, more: object = {}): string =>
  script({
    when: ['E1: worker is stuck (BLOCKED)', 'THE-DATA-ARE-MISSING', '1. Ask the archive.', 'bring every number'],
    turns: [call('answer', { decision, text: 'LOOK-AT-THE-FIRST', ...more })],
  });

const chart = `# Org

## Structure

### Lab Lead
- **Level:** 7
- **Model:** boss

#### Worker
- **Level:** 3

## Playbooks

### Escalation: BLOCKED
1. Ask the archive.
`;

function orgWith(keys: Record<string, string>, files: Record<string, string> = {}): TestOrg {
  const org = anOrg({
    brief: {
      ...{ agent: '', junior: '{ model: scripted:models/worker.json }', chief: '{ agent: human }' },
      budget: '{ experiment: 10s, agent: 20s, night: 1h, attempts: 2, patience: 1000 }',
      models: '{ boss: scripted:models/lead.json }',
      ...keys,
    },
    files: { 'ORG.md': chart, 'models/worker.json': worker, 'models/lead.json': lead('context'), ...files },
  });
  return org;
}

const events = (org: TestOrg): string[] =>
  trailers(org, 'Event', 'orgrepo/queue', '--not', 'main').filter((one) =>
    ['escalate', 'cycle', 'answer'].includes(one),
  );
const holds = async (org: TestOrg): Promise<void> => {
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
};

test('a model that is stuck says so; its manager reads the playbook and answers, and the work goes on with that', async () => {
  const org = orgWith({});
  const night = await runNight(org, '--max', '2');
  assert.deepEqual(events(org).slice(0, 2), ['escalate', 'answer'], night.stdout);
  const raised = org.git('log', '--grep=^escalate: E1', '--format=%an %B', 'orgrepo/queue');
  assert.match(raised, /^worker escalate: E1 BLOCKED, worker with 0001\n\nTHE-DATA-ARE-MISSING\n/);
  assert.match(raised, /Org-To: lab-lead\n/);
  assert.match(org.git('log', '--grep=^answer: E1', '--format=%an', 'orgrepo/queue'), /^lab-lead\n/);
  assert.equal(night.experiments[0]?.event, 'keep', night.stdout);
  assert.equal(night.experiments[0]?.score, 90);
  await holds(org);
});

test('a manager whom a person has paused is not waited for: the escalation stands, and the work goes on', async () => {
  const second = '---\nid: "0002"\ntitle: bring the others down\nby: people\n---\nAny number may change.\n';
  const org = orgWith({}, { 'specs/0002-second.md': second });
  assert.equal((await org.orgrepo('pause', 'lab-lead')).code, 0);
  const night = await runNight(org, '--max', '2');
  assert.equal(night.code, 0, night.stderr);
  const claims = night.facts.flatMap(({ fact, spec }) => (fact === 'claim' ? [spec] : []));
  assert.deepEqual(claims, ['0001', '0002'], night.stdout);
  assert.equal(events(org).includes('escalate'), true);
  assert.equal(events(org).includes('cycle'), false, 'nobody has failed to answer');
  await holds(org);
});

test('a manager who has left the chart is not asked any more, also not as somebody else', async () => {
  const org = orgWith({ chief: '{ model: scripted:models/lead.json }' });
  const first = await runNight(org, '--max', '1');
  assert.deepEqual(events(org), ['escalate'], first.stdout);
  org.write('ORG.md', chart.replace('Lab Lead', 'Other Lead'));
  org.write('specs/0002-second.md', '---\nid: "0002"\ntitle: bring the others down\nby: people\n---\nAny.\n');
  org.commit('another lead');
  await runNight(org, '--max', '1');
  const [why] = trailers(org, 'Reason', '--grep=^cycle: E1, lab-lead', 'orgrepo/queue');
  assert.equal(why, 'lab-lead is not in the chart any more');
  assert.equal(events(org).includes('answer'), false);
  await holds(org);
});

test('a manager who cannot answer is asked twice, then it is for a person, whose word lets the work go on', async () => {
  const org = orgWith({}, { 'models/lead.json': script({ turns: [{ text: 'hm' }] }) });
  for (let run = 0; run < 3; run++) await runNight(org, '--max', '2');
  assert.deepEqual(events(org).slice(0, 3), ['escalate', 'cycle', 'cycle']);
  assert.match((await org.orgrepo('status')).stdout, /E1: worker is stuck with 0001 \(BLOCKED\): THE-DATA-ARE-MISSING/);
  const said = await org.orgrepo('approve', 'E1', '--note', 'LOOK-AT-THE-FIRST');
  assert.match(said.stdout, /^E1 is answered, with what was missing: \d{4} go on with 0001: bring every number/);
  assert.equal((await org.orgrepo('approve', 'E1')).code, 64, 'it has its answer');
  const night = await runNight(org, '--max', '1');
  assert.equal(night.experiments[0]?.event, 'keep', night.stdout);
  await holds(org);
});

test('what is sent at once is asked about twice too, though all of it may be of one second', async () => {
  const org = orgWith({}, { 'models/lead.json': script({ turns: [{ text: 'hm' }] }) });
  for (let run = 0; run < 3; run++) await runNight(org, '--max', '2', '--culture', 'startup');
  assert.match(org.git('log', '--grep=^escalate: E1', '--format=%B', 'orgrepo/queue'), /^Org-Send: \d/m);
  assert.deepEqual(trailers(org, 'Agent', '--grep=^cycle: E1', 'orgrepo/queue', '--not', 'main'), [
    'lab-lead',
    'lab-lead',
  ]);
  await holds(org);
});

test('a command says it with its last line; a lead that is a search gives the work to somebody else once, then passes it up', async () => {
  const agent = scriptAgent(Array.from({ length: 40 }, () => 'echo "ESCALATE OUT_OF_DOMAIN: not mine"'));
  const two = chart
    .replace('- **Model:** boss\n', '')
    .replace('Worker\n- **Level:** 3', 'Workers\n- **Level:** 3\n- **Count:** 2');
  const org = orgWith({ junior: '', agent: agent.brief, chief: '{ agent: search }', models: '' }, { 'ORG.md': two });
  const night = await runNight(org, '--max', '14');
  await runNight(org, '--max', '1'); // What was raised at the very end is answered when the next run begins.
  const told = org
    .git('log', '--reverse', '--format=%s', '--grep=^escalate:', '--grep=^answer:', 'orgrepo/queue')
    .split('\n');
  const raisedFor = (spec: string) =>
    told
      .flatMap((line) => /^escalate: (E\d+) OUT_OF_DOMAIN, (\S+) with (\d+)$/.exec(line) ?? [])
      .join(' ')
      .match(new RegExp(`(E\\d+) (\\S+) ${spec}\\b`));
  const first = raisedFor('0001');
  assert.notEqual(first, null, night.stdout);
  const given = told.find((line) => line.startsWith(`answer: ${first?.[1]}, for `));
  assert.notEqual(given, undefined, told.join('\n'));
  const [follow = ''] = trailers(org, 'Follow', `--grep=^answer: ${first?.[1]},`, 'orgrepo/queue');
  const second = raisedFor(follow);
  assert.notEqual(second, null, told.join('\n'));
  assert.equal(given, `answer: ${first?.[1]}, for ${second?.[2]}`);
  assert.notEqual(second?.[2], first?.[2]);
  assert.equal(told.includes(`answer: ${second?.[1]}, further up`), true, told.join('\n'));
  const up = second?.[1] ?? '';
  assert.match((await org.orgrepo('status')).stdout, new RegExp(`${up}: worker-\\d is stuck with ${follow}`));
  assert.equal((await org.orgrepo('deny', up, '--reason', 'never mind')).code, 0);
  assert.equal((await org.orgrepo('status')).stdout.includes(`${up}:`), false);
  await holds(org);
});

test('to give back what is none of its field costs no trust, also after a failure, unless the agent is told to go on', async () => {
  const trustOf = async (org: TestOrg): Promise<unknown> =>
    JSON.parse((await org.orgrepo('status', '--json')).stdout).agents.find(({ id }: { id: string }) => id === 'worker')
      ?.trust;
  const nightOf = async (words: string): Promise<TestOrg> => {
    const agent = scriptAgent(['exit 1', `echo "ESCALATE ${words}"`]);
    const files = { 'ORG.md': chart.replace('- **Model:** boss\n', '') };
    const org = orgWith({ junior: '', agent: agent.brief, chief: '{ agent: human }', models: '' }, files);
    const night = await runNight(org);
    assert.deepEqual(
      night.experiments.map(({ event }) => event),
      ['failed'],
      night.stdout,
    );
    return org;
  };
  assert.equal(await trustOf(await nightOf('BLOCKED: no data')), 20, 'a failure counts');
  const org = await nightOf('OUT_OF_DOMAIN: not mine');
  assert.equal(await trustOf(org), 30);
  const policy = 'permit (principal, action, resource);\n';
  org.write('policies/a.cedar', policy);
  org.write('specs/0009-another.md', '---\ntitle: another\nby: people\n---\nx\n');
  org.commit('policies see how far somebody is trusted');
  await runNight(org, '--max', '1');
  const acts = org.git('log', '--format=%b', 'refs/orgrepo/decisions', '^main');
  assert.match(acts, /"trust": ?30/, 'the night counts as status does');
  const [id = ''] = trailers(org, 'Escalation', '--grep=^escalate: E\\d* OUT_OF_DOMAIN', '-P', 'orgrepo/queue').slice(
    -1,
  );
  assert.equal((await org.orgrepo('approve', id, '--note', 'it is yours all the same')).code, 0);
  assert.equal(await trustOf(org), 20, 'it was told to go on');
  await holds(org);
});
