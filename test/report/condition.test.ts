import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Charter } from '../../src/domain/staff/charter.ts';
import { readBest } from '../../src/records/notebook/best-line.ts';
import { readTask } from '../../src/records/notebook/history.ts';
import { type Org, openOrg } from '../../src/records/org.ts';
import { readQueue } from '../../src/records/queue/queue.ts';
import type { Recommendation } from '../../src/report/advice/recommend.ts';
import { readHealth, readRecommendations } from '../../src/report/facts/condition.ts';
import { readWork } from '../../src/report/facts/facts-of-work.ts';
import { commitProposal, proposeEdit } from '../../src/report/facts/proposal.ts';
import { briefInForce } from '../../src/report/facts/read-overview.ts';
import { agent, department, said, unsaid } from '../support/charters.ts';
import { verify } from '../support/forge.ts';
import { obedientOrg, runNight, say, scriptAgent } from '../support/night.ts';
import type { TestOrg } from '../support/org.ts';

/** Six specs of two attempts by a scripted agent: one gain, one idea that never helps, and two of which nothing could be measured. */
let lab: TestOrg;
let org: Org;

const orgFile = `# Lab

## Structure

### Research

#### Juniors

- **Count:** 3
`;

before(async () => {
  const worse = (loss: number): string => say(`echo "loss: ${loss}"`, `leave at most ${loss}`);
  const script = scriptAgent([
    say('echo "loss: 9"', 'say less'),
    'exit 1',
    ...[12, 13, 14, 15, 16, 17].map(worse),
    ...Array.from({ length: 4 }, () => 'exit 1'),
  ]);
  lab = obedientOrg(script.brief, {
    budget: '{ experiment: 10s, agent: 10s, night: 1h, attempts: 2, patience: 1000 }',
  });
  for (let spec = 2; spec <= 6; spec++)
    lab.write(`specs/000${spec}-more.md`, `---\nid: "000${spec}"\ntitle: try number ${spec}\nby: people\n---\nMore.\n`);
  lab.commit('six specs');
  await runNight(lab, '--max', '12');
  lab.write('ORG.md', orgFile); // Written down afterwards: the night itself had the brief's own junior.
  lab.commit('a chart');
  org = await openOrg(lab.dir);
});
after(async () => {
  await org.repo.close();
  lab.remove();
});

const facts = async () => {
  const queue = (await readQueue(org)) ?? assert.fail();
  const brief = (await briefInForce(org, await readBest(org))) ?? assert.fail();
  return { queue, brief };
};

const juniors = (count: number): Charter => ({
  ...unsaid,
  departments: [department('research', { name: 'Research', cap: said(5) })],
  members: Array.from({ length: count }, (_, index) =>
    agent(`junior-${index + 1}`, 2, {
      ...{ department: 'research', role: { name: 'Juniors', index: index + 1, count } },
      place: { file: 'ORG.md', line: 7 },
    }),
  ),
});

test('a task is what its notebook tells', async () => {
  const task = (await readTask(org, '0001')) ?? assert.fail();
  assert.deepEqual(
    [task.agent, task.escalations, task.experiments.map(({ n, event, title }) => `#${n} ${event} ${title}`)],
    ['junior-1', 0, ['#1 keep say less', '#2 failed no candidate']],
  );
  assert.equal((task.endedAt ?? 0) >= task.claimedAt, true);
  assert.equal(await readTask(org, '0099'), undefined);
});

test('no more is read than is asked for', async () => {
  const { queue, brief } = await facts();
  const all = await readWork(org, queue, brief, 0, 200);
  assert.deepEqual(
    all.tasks.map(({ spec }) => spec),
    ['0001', '0002', '0003', '0004', '0005', '0006'],
  );
  const few = await readWork(org, queue, brief, 0, 3);
  assert.deepEqual(
    few.tasks.map(({ spec }) => spec),
    ['0004', '0005', '0006'],
  );
  assert.equal(few.run.from, undefined, 'the beginning of the run was not read');
});

test('whoever was to work was there from the beginning of the run to its end, and the answer does not change with the clock', async () => {
  const { queue, brief } = await facts();
  const at = (rev: string): number => Number(lab.git('log', '-1', '--format=%ct', rev));
  const end = at('orgrepo/queue');
  const begin = Number(lab.git('log', '--format=%ct', '--grep=^run: ', 'orgrepo/queue', '^main'));
  const work = await readWork(org, queue, { ...brief, juniors: 2 }, end + 9_999, 200);
  assert.deepEqual(work.shifts, [
    { agent: 'junior-1', from: begin, until: end },
    { agent: 'junior-2', from: begin, until: end },
  ]);
  assert.deepEqual([work.at, work.run, work.cycleSeconds], [end, { from: begin, until: end }, 20]);
});

test('health is told with and without a chart, and of what is not known it says why', async () => {
  const { queue, brief } = await facts();
  const health = (await readHealth(org, queue, brief, undefined, 0)) ?? assert.fail();
  const words = Object.fromEntries(health.components.map(({ name, words: found }) => [name, found]));
  assert.equal(words['completion rate'], '4 of 6 specs, 67%');
  assert.equal(words['escalation rate'], '0 of 6 specs, 0%');
  assert.equal(words['budget utilisation'], 'unknown: no cap on a period');
  assert.equal(health.known >= 60, true);
  assert.deepEqual(await readHealth(org, queue, brief, juniors(1), 0), health);
});

test('too few specs have no health', async () => {
  const { queue, brief } = await facts();
  const young = { ...queue, ledger: { ...queue.ledger, specs: 4 } };
  assert.equal(await readHealth(org, young, brief, undefined, 0), undefined);
});

const recommended = async (charter: Charter | undefined): Promise<readonly Recommendation[]> => {
  const { queue, brief } = await facts();
  return readRecommendations(org, queue, brief, charter, 0);
};

test('an idea that never helped is recommended to be written down, until it is', async () => {
  const [first, ...rest] = await recommended(undefined);
  assert.deepEqual([first?.id, first?.key, rest], ['R1', 'idea leave at most', []]);
  assert.equal(first?.evidence, '0 of 6 tries won: #3, #4, #5, #6, #7, #8');
});

test('an edit of ORG.md is a commit beside the trunk, by the chart that asked for it', async () => {
  const edit = { kind: 'count', role: 'Juniors', place: { file: 'ORG.md', line: 7 }, from: 3, to: 2 } as const;
  const recommendation: Recommendation = {
    ...{ id: 'R1', severity: 'warning', key: 'idle junior-1', what: '1 of 3 Juniors are idle', specs: ['0001'], edit },
    ...{ evidence: 'without a spec: junior-3 90% of the time', advice: 'Lower the count of Juniors from 3 to 2.' },
  };
  const trunk = lab.git('rev-parse', 'main');
  const proposal = await proposeEdit(org, recommendation, juniors(3));
  assert.deepEqual([proposal.file, proposal.branch], ['ORG.md', 'orgrepo/recommendation/idle-junior-1']);
  const commit = await commitProposal(org, proposal);
  assert.equal(lab.git('show', `${commit}:ORG.md`), orgFile.replace('3', '2'));
  assert.equal(
    lab.git('log', '-1', '--format=%an|%cn|%B', 'orgrepo/recommendation/idle-junior-1'),
    'orgrepo|Test Person|recommend: Lower the count of Juniors from 3 to 2\n\n1 of 3 Juniors are idle: without a spec: junior-3 90% of the time.\n\nSpecs: 0001\n\n',
  );
  assert.equal(await commitProposal(org, proposal), commit, 'twice is once');
  assert.deepEqual([lab.git('rev-parse', 'main'), lab.git('status', '--porcelain')], [trunk, '']);
  const other = { ...recommendation, edit: { ...edit, to: 1 } };
  await assert.rejects(
    async () => commitProposal(org, await proposeEdit(org, other, juniors(3))),
    /idle-junior-1 is there already, with another edit that was not merged/,
  );
  await assert.rejects(() => proposeEdit(org, recommendation, undefined), /there is no ORG.md in the last commit/);
  await assert.rejects(
    () => proposeEdit(org, recommendation, { ...juniors(3), file: 'org.yaml' }),
    /org.yaml is not edited by orgrepo, only ORG.md is/,
  );
  assert.deepEqual(await verify(lab), { code: 0, findings: [] });
});
