import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { factsIn, runNight, type Started, spawnNight, startNight, trailers, waitFor } from '../../support/night.ts';
import { briefText, makeOrg, type TestOrg } from '../../support/org.ts';
import { until } from '../../support/until.ts';

/** Whom a lead spawns works in the night that goes on, like everybody else, for as long as its lead is of the chart. */

const orgs: TestOrg[] = [];
const gates = mkdtempSync(path.join(tmpdir(), 'orgrepo-gates-'));
after(() => {
  for (const org of orgs) org.remove();
  rmSync(gates, { recursive: true, force: true });
});

const call = (tool: string, input: object) => ({ calls: [{ tool, input }] });
const script = (...turns: object[]): string => JSON.stringify({ conversations: [{ turns }] });
const spec = (title: string): string =>
  `# ${title}\n\nHypothesis: it helps.\nPrediction: loss 9.\nControl: best.\nHeld fixed: the rest.\nWrong if: no gain.\n`;

const lead = (wish: object, ...between: object[]): string =>
  script(
    call('spawn', wish),
    ...between,
    call('write', { path: 'specs/first.md', content: spec('look at the data') }),
    call('finish', { title: 'specs', notes: 'one' }),
  );
const editor = (program: string): string =>
  script(
    call('write', { path: 'sandbox/program', content: `${program}\n` }),
    call('finish', { title: 'say less', notes: 'as the spec has it' }),
  );

const chart = (lead: string, worker: string, cap = 3): string => `---
models: { boss: scripted:models/lead.json, hand: scripted:models/hand.json }
---
# Org

## Structure

### Research

#### ${lead}
- **Level:** 8
- **Model:** boss

##### ${worker}
- **Level:** 3
- **Domain:** painting

## Policies

### Department Caps
- **Research:** ${cap} agents
`;

const wish = { role: 'Data Worker', domain: 'data', model: 'hand' };

function orgWith(asks: string, files: Readonly<Record<string, string>> = {}, cap = 3): TestOrg {
  const org = makeOrg({
    'program.md': briefText({
      ...{ agent: '', junior: '{ model: scripted:models/idle.json }', chief: '{ model: scripted:models/lead.json }' },
      budget: '{ experiment: 60s, agent: 60s, night: 1h, attempts: 1, patience: 1000 }',
      ...{ slots: '2' },
    }),
    'sandbox/program': 'echo "loss: 10"\n',
    'harness/run.sh': 'cp sandbox/program "$ORGREPO_OUT/program"\n',
    'harness/score.sh': 'exec sh "$ORGREPO_OUT/program"\n',
    'ORG.md': chart('Research Lead', 'Worker', cap),
    'models/lead.json': asks,
    'models/idle.json': editor('echo "loss: 11"'),
    'models/hand.json': editor('echo "loss: 9"'),
    ...files,
  });
  orgs.push(org);
  return org;
}

const start = (org: TestOrg, ...args: string[]): Started => startNight(org, 'run', '--json', ...args);

const claimsBy = (stdout: string): string[] =>
  factsIn(stdout).flatMap(({ fact, agent }) => (fact === 'claim' ? [String(agent)] : []));
const spawned = (org: TestOrg): string[] => trailers(org, 'Spawned', '--grep=^spawn:', 'orgrepo/queue');
const holds = async (org: TestOrg): Promise<void> => {
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
};

test('who is spawned has a lane in the same run, with its own model, on the books, and under the same rules', async () => {
  const go = path.join(gates, 'same-run');
  const org = orgWith(lead(wish), { 'models/hand.json': editor(`${waitFor(go)}; echo "loss: 9"`) });
  const night = start(org, '--max', '1');
  await until('a claim', () => claimsBy(night.said()).length > 0, 60_000);
  assert.deepEqual(claimsBy(night.said()), ['data-worker'], night.said());
  const { agents } = JSON.parse((await org.orgrepo('status', '--json')).stdout);
  const shown = agents.find(({ id }: { id: string }) => id === 'data-worker');
  assert.equal(shown?.doing, 'working', JSON.stringify(agents));
  assert.equal(shown?.trust, 30);
  assert.equal((await org.orgrepo('pause', 'data-worker')).code, 0, 'people may pause it');
  assert.equal((await org.orgrepo('resume', 'data-worker')).code, 0);
  writeFileSync(go, '');
  const { code } = await night.ended;
  assert.equal(code, 0, night.complained());
  const made = factsIn(night.said()).flatMap(({ experiment }) => experiment ?? []);
  assert.deepEqual(
    made.map(({ agent, model, event, score }) => `${agent} ${model} ${event} ${score}`),
    ['data-worker scripted:models/hand.json keep 9'],
  );
  const spent = trailers(org, 'Agent', '--grep=^Org-Event: settle', '--glob=refs/orgrepo/spend/*');
  assert.ok(spent.includes('data-worker'), spent.join());
  assert.match(night.said(), /organisation of \w+ is in force: data-worker joins/);
  await holds(org);
});

test('a refused spawn starts nobody: neither one over the cap, nor one whose model could not be asked', async () => {
  const full = orgWith(lead(wish), {}, 2);
  const night = await runNight(full, '--max', '2');
  assert.equal(night.code, 0, night.stderr);
  assert.deepEqual(spawned(full), []);
  assert.equal(claimsBy(night.stdout).includes('data-worker'), false, night.stdout);
  await holds(full);
  const unread = orgWith(lead(wish), { 'models/hand.json': 'no script' });
  const other = await runNight(unread, '--max', '2');
  assert.deepEqual(spawned(unread), [], other.stdout);
  const refused = unread.git('log', '--grep=^refuse:', '--format=%B', 'orgrepo/queue');
  assert.match(refused, /models\/hand\.json: it is no JSON/);
  assert.equal((await runNight(unread, '--max', '1')).code, 0, 'and the next run starts');
});

test('policies are asked of it as of everybody: one that may not claim works nothing', async () => {
  const policy = `permit (principal, action, resource);
@id("no-data") forbid (principal == Agent::"data-worker", action == Action::"claim", resource);
`;
  const org = orgWith(lead(wish), { 'policies/a.cedar': policy });
  const night = await runNight(org, '--max', '2');
  assert.deepEqual(spawned(org).slice(0, 1), ['data-worker'], night.stdout);
  assert.equal(claimsBy(night.stdout).includes('data-worker'), false);
  assert.ok(claimsBy(night.stdout).length > 0, 'somebody else does it');
  assert.match(org.git('log', '--format=%B', 'refs/orgrepo/decisions'), /data-worker/);
  await holds(org);
});

test('killed between the spawn and its first work, the next run starts it', async () => {
  const looks = Array.from({ length: 400 }, (_, n) => call('search', { text: `loss: ${n}` }));
  // Without a spec nobody can begin, however late the kill comes.
  const org = orgWith(script(call('spawn', wish), ...looks, call('finish', { title: 'nothing yet', notes: '' })));
  const night = spawnNight(org, 'run', '--json', '--max', '2');
  await until('the spawn', () => spawnedSoFar(org).length > 0, 60_000);
  night.child.kill('SIGKILL');
  await night.ended;
  org.write('models/lead.json', lead(wish));
  org.commit('the lead has a spec');
  const next = await runNight(org, '--max', '2');
  assert.equal(next.code, 0, next.stderr);
  assert.ok(
    next.experiments.some(({ agent }) => agent === 'data-worker'),
    next.stdout,
  );
  await holds(org);
});

test('when its lead is taken out of the chart it finishes its spec, and leaves', async () => {
  const go = path.join(gates, 'leaves');
  const org = orgWith(lead(wish), { 'models/hand.json': editor(`${waitFor(go)}; echo "loss: 9"`) });
  const night = start(org, '--max', '3');
  await until('a claim', () => claimsBy(night.said()).includes('data-worker'), 60_000);
  org.write('ORG.md', chart('Art Lead', 'Painter', 2));
  org.commit('no research lead');
  const applied = await org.orgrepo('apply', '--yes');
  assert.equal(applied.code, 0, applied.stdout + applied.stderr);
  await until('the change', () => /painter joins; .*data-worker leaves?/.test(night.said()), 60_000);
  await org.orgrepo('submit', 'look at the data once more');
  writeFileSync(go, '');
  await night.ended;
  const theirs = factsIn(night.said()).flatMap(({ experiment }) =>
    experiment?.agent === 'data-worker' ? [`${experiment.event} ${experiment.score}`] : [],
  );
  assert.deepEqual(theirs, ['keep 9'], night.said());
  assert.deepEqual(
    claimsBy(night.said()).filter((agent) => agent === 'data-worker'),
    ['data-worker'],
  );
  assert.equal(/data-worker/.test((await org.orgrepo('export', '--format', 'org')).stdout), false);
  await holds(org);
});

const spawnedSoFar = (org: TestOrg): string[] =>
  org.git('for-each-ref', '--format=x', 'refs/heads/orgrepo/queue') === '' ? [] : spawned(org);
