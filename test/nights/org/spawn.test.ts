import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrg } from '../../support/builders.ts';
import { runNight, trailers } from '../../support/night.ts';
import { briefText, quadratic, type TestOrg } from '../../support/org.ts';

/** A lead that is a model may ask for another agent. Chart, policies and people say whether it gets one, and git keeps it. */

const call = (tool: string, input: object) => ({ calls: [{ tool, input }] });
const spec =
  '# try 3 for the first\n\nHypothesis: it helps.\nPrediction: loss 90.\nControl: best.\nHeld fixed: the rest.\nWrong if: no gain.\n';
const lead = (wish: object): string =>
  JSON.stringify({
    conversations: [
      {
        turns: [
          call('spawn', wish),
          call('write', { path: 'specs/first.md', content: spec }),
          call('finish', { title: 'specs', notes: 'one' }),
        ],
      },
    ],
  });

const chart = (cap: string): string => `# Org

## Structure

### Research

#### Research Lead
- **Level:** 8
- **Model:** boss

##### Worker
- **Level:** 3

## Policies

### Department Caps
- **Research:** ${cap}
`;

function orgWith(wish: object, cap: string, files: Record<string, string> = {}): TestOrg {
  const { 'specs/0001-first.md': _none, ...bare } = quadratic; // So the lead is asked at once.
  const org = anOrg({
    ground: {
      ...bare,
      'program.md': briefText({
        ...{ agent: '', junior: '{ agent: search }', chief: '{ model: scripted:models/lead.json }' },
        models: '{ boss: scripted:models/lead.json }',
      }),
      'ORG.md': chart(cap),
      'models/lead.json': lead(wish),
      ...files,
    },
  });
  return org;
}

const spawned = (org: TestOrg): string[] =>
  org.git('log', '--reverse', '--grep=^spawn:', '--format=%an %s', 'orgrepo/queue').split('\n').filter(Boolean);
const holds = async (org: TestOrg): Promise<void> => {
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
};

test('a lead within its caps gets an agent: a commit of the lead, and a lane of its own, in later runs too', async () => {
  const org = orgWith({ role: 'Data Workers', domain: 'data' }, '3 agents');
  const night = await runNight(org, '--max', '3');
  assert.equal(spawned(org)[0], 'research-lead spawn: data-worker by research-lead', night.stdout);
  const [first] = trailers(org, 'Department', '--grep=^spawn: data-worker ', 'orgrepo/queue');
  assert.equal(first, 'research');
  for (const what of ['the second', 'the third', 'the fourth']) await org.orgrepo('submit', what);
  const next = await runNight(org, '--max', '6');
  assert.equal(
    next.facts.some((one) => one.fact === 'claim' && one.agent === 'data-worker'),
    true,
    next.stdout,
  );
  await holds(org);
});

test('plan shows a spawned agent, and doctor and plan check it as run does', async () => {
  const org = orgWith({ role: 'Data Worker', model: 'boss' }, '3 agents');
  const night = await runNight(org, '--max', '3');
  assert.equal(spawned(org)[0], 'research-lead spawn: data-worker by research-lead', night.stdout);
  const plan = async () => JSON.parse((await org.orgrepo('plan', '--json', '--no-measure')).stdout);
  const { org: planned, changes } = await plan();
  assert.deepEqual(
    planned.agents.map(({ id, spawned_by }: Record<string, string>) => [id, spawned_by]),
    [
      ['research-lead', undefined],
      ['worker', undefined],
      ['data-worker', 'research-lead'],
    ],
  );
  assert.deepEqual(changes, []);
  org.write('ORG.md', chart('3 agents').replace('- **Model:** boss\n', ''));
  org.write('program.md', briefText({ agent: '', junior: '{ agent: search }', chief: '{ agent: search }' }));
  org.git('rm', '-q', 'models/lead.json');
  org.commit('the script is gone');
  const { error } = JSON.parse((await org.orgrepo('run', '--json')).stdout.trimEnd().split('\n').at(-1) ?? '');
  assert.match(error.message, /models\/lead\.json/);
  const { findings } = JSON.parse((await org.orgrepo('doctor', '--json')).stdout);
  assert.deepEqual(
    findings.filter((one: { level: string }) => one.level === 'fail').map((one: { what: string }) => one.what),
    [error.message],
  );
  const { warnings } = await plan();
  assert.equal(
    warnings.some(({ message }: { message: string }) => message === error.message),
    true,
    JSON.stringify(warnings),
  );
});

test('a department at its cap is refused, in a commit with the reason; so is a model that the org does not have', async () => {
  const full = orgWith({ role: 'Data Worker' }, '2 agents');
  const night = await runNight(full, '--max', '2');
  assert.deepEqual(spawned(full), [], night.stdout);
  const [why] = trailers(full, 'Reason', '--grep=^refuse: research-lead may not spawn Data Worker', 'orgrepo/queue');
  assert.match(why ?? '', /Research has 2 agents, and at most 2 \(ORG\.md:\d+\)/);
  await holds(full);
  const dear = orgWith({ role: 'Data Worker', model: 'gold' }, '5 agents');
  await runNight(dear, '--max', '2');
  assert.deepEqual(spawned(dear), []);
  assert.match(
    dear.git('log', '--grep=^refuse:', '--format=%B', 'orgrepo/queue'),
    /"gold" is not a model of the org: boss/,
  );
});

test('policies are asked as well, and what they leave to people waits for them', async () => {
  const policy = `permit (principal, action, resource);
@id("hiring") @message("people hire") @approval("board") forbid (principal, action == Action::"spawn", resource);
`;
  const org = orgWith({ role: 'Data Worker' }, '9 agents', { 'policies/a.cedar': policy });
  const night = await runNight(org, '--max', '2');
  assert.deepEqual(spawned(org), [], night.stdout);
  assert.match((await org.orgrepo('approve')).stdout, /^A1 {2}research-lead wants to spawn data-worker/);
  assert.equal((await org.orgrepo('approve', 'A1')).code, 0);
  for (let run = 0; run < 2 && spawned(org).length === 0; run++) await runNight(org, '--max', '8');
  assert.equal(spawned(org)[0], 'research-lead spawn: data-worker by research-lead');
  await holds(org);
});
