import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { keepOrgs } from '../../support/keep.ts';
import {
  factsIn,
  type NightRan,
  obedientOrg,
  runNight,
  say,
  scriptAgent,
  spawnNight,
  startNight,
  trailers,
  waitFor,
} from '../../support/night.ts';
import { briefText, makeOrg, quadratic, type TestOrg } from '../../support/org.ts';
import { until } from '../../support/until.ts';

/** Agents that come to nothing are stopped, by commits that a person can undo. */

const keep = keepOrgs();

const honest = (loss: number): string => say(`echo "loss: ${loss}"`);
const fails = 'echo "no luck" >&2; exit 1';
const nothing = 'echo "nothing changed"';
const same = say('echo "loss: 9"');
const lastWords = (org: TestOrg, spec: string): string =>
  org
    .git('log', '-1', '--format=%s|%(trailers:key=Org-Reason,valueonly,separator=%x2C)', `orgrepo/work/${spec}`)
    .trim();

const events = ({ experiments }: NightRan): string[] => experiments.map(({ event }) => event);

test('a spec is closed after five attempts in a row that gave nothing to measure, whatever it may have, and the agent goes on', async () => {
  const agent = scriptAgent([fails, honest(9), fails, nothing, same, fails, fails, honest(8), honest(7)]);
  const org = keep(obedientOrg(agent.brief));
  org.write('specs/0002-second.md', '# the second\n');
  org.commit('a second spec');
  const ran = await runNight(org, '--max', '9');
  assert.equal(ran.code, 0, ran.stderr);
  assert.deepEqual(events(ran), [
    ...['failed', 'keep', 'failed', 'unchanged', 'unchanged', 'failed', 'failed', 'keep', 'keep'],
  ]);
  assert.equal(
    lastWords(org, '0001'),
    'done: 0001 make it say less|5 attempts in a row (3 failed, 2 unchanged) gave nothing to measure',
  );
  assert.deepEqual(new Set(ran.experiments.slice(-2).map(({ spec }) => spec)), new Set(['0002']));
  assert.equal((await org.orgrepo('verify')).code, 0);
});

test('an agent that gives nothing to measure on two specs, five times in a row, is stopped with the reason', async () => {
  const agent = scriptAgent([honest(9), same, same, fails, nothing, fails, honest(8)]);
  const org = keep(obedientOrg(agent.brief));
  org.write('specs/0001-first.md', '---\nid: "0001"\ntitle: one\nattempts: 4\n---\nx\n');
  org.write('specs/0002-second.md', '# the second\n');
  org.commit('two specs');
  const ran = await runNight(org, '--max', '20');
  assert.equal(ran.code, 3, ran.stderr);
  assert.deepEqual(events(ran), ['keep', 'unchanged', 'unchanged', 'failed', 'unchanged', 'failed']);
  const why = '5 attempts in a row (3 unchanged, 2 failed), on 2 specs, gave nothing to measure';
  assert.deepEqual(
    ran.facts.filter(({ fact }) => fact === 'warning').map(({ message }) => message),
    [`junior-1 is stopped: ${why}. Look: orgrepo log. Let it go on: orgrepo resume junior-1`],
  );
  assert.equal(lastWords(org, '0002'), `done: 0002 the second|junior-1 was stopped: ${why}`);
  assert.deepEqual(JSON.parse((await org.orgrepo('status', '--json')).stdout).needs_you, [
    { what: `junior-1 is stopped: ${why}`, command: 'orgrepo log, then: orgrepo run' },
  ]);
  assert.equal((await org.orgrepo('verify')).code, 0);
});

test('four in a row and a candidate, again and again, stop nobody and nothing', async () => {
  const four = [fails, nothing, fails, nothing];
  const agent = scriptAgent([...four, honest(9), ...four, honest(8), ...four, honest(7)]);
  const org = keep(obedientOrg(agent.brief));
  const ran = await runNight(org, '--max', '15');
  assert.equal(ran.code, 0, ran.stderr);
  assert.equal(events(ran).filter((event) => event === 'keep').length, 3);
});

test('a run that was killed and goes on comes to the same result, and a person who says so has it go on', async () => {
  const agent = scriptAgent([]);
  const org = obedientOrg(`{ command: "sh ${agent.dir}/two.sh" }`, {
    budget: '{ experiment: 30s, agent: 60s, night: 1h, attempts: 3, patience: 1000 }',
    juniors: '2',
  });
  for (const id of ['0002', '0003', '0004', '0005']) org.write(`specs/${id}-more.md`, `# the one called ${id}\n`);
  org.commit('more specs');
  // junior-2 holds the night open; junior-1 fails, and waits before its fifth attempt until it may go on.
  writeFileSync(
    `${agent.dir}/two.sh`,
    `HERE=${agent.dir}
if [ $ORGREPO_AGENT != junior-1 ]; then touch $HERE/two; ${waitFor('$HERE/never')}; exit 1; fi
if [ -e $HERE/pardoned ]; then echo "echo loss: 9" > sandbox/program; touch $HERE/again; echo "better"; exit 0; fi
${waitFor('$HERE/two')}
N=$(( $(cat $HERE/count 2>/dev/null || echo 0) + 1 )); echo $N > $HERE/count
if [ $N = 5 ]; then touch $HERE/fifth; ${waitFor('$HERE/never')}; fi
exit 1
`,
  );
  const first = spawnNight(org, 'run', '--json');
  keep(org);
  await until('the fifth attempt', () => existsSync(`${agent.dir}/fifth`), 30_000);
  process.kill(-(first.child.pid ?? 0), 'SIGKILL');
  await first.ended;
  const again = spawnNight(org, 'run', '--json');
  keep(org);
  const halts = (): number =>
    trailers(org, 'Event', 'orgrepo/queue', '^main').filter((event) => event === 'halt').length;
  await until('it is stopped', () => halts() === 1, 30_000);
  const failed = (): number =>
    factsIn(again.said()).filter(({ experiment }) => experiment?.agent === 'junior-1').length;
  await until('it is told', () => failed() > 0);
  assert.equal(failed(), 1, 'the four from before the kill count');
  writeFileSync(`${agent.dir}/pardoned`, '');
  await until('a person is heard', async () => (await org.orgrepo('resume', 'junior-1')).code === 0);
  await until('it works again', () => existsSync(`${agent.dir}/again`), 30_000);
  process.kill(-(again.child.pid ?? 0), 'SIGKILL');
  await again.ended;
  assert.equal(halts(), 1);
  assert.equal((await org.orgrepo('verify')).code, 0, (await org.orgrepo('verify')).stdout);
});

test('a chief that was stopped goes on when a person says so, while the night runs', async () => {
  const agent = scriptAgent([]);
  const org = makeOrg({
    ...quadratic,
    'program.md': briefText({
      agent: `{ command: "sh ${agent.dir}/wait.sh" }`,
      juniors: '2',
      chief: '{ model: scripted:models/chief.json }',
      budget: '{ experiment: 10s, agent: 60s, night: 1h, attempts: 1, patience: 1000 }',
    }),
    'models/chief.json': scripted([finish]),
  });
  writeFileSync(`${agent.dir}/wait.sh`, `${waitFor(`${agent.dir}/go`)}\n`);
  const run = startNight(org, 'run', '--json');
  keep(org);
  const queue = (): string => org.git('log', '--all', '--format=%s', '--grep=^halt:', '--grep=^failed:');
  await until('the chief is stopped', () => queue().includes('halt: chief'), 30_000);
  assert.equal((await org.orgrepo('resume', 'chief')).code, 0);
  await until('it is asked again', () => (queue().match(/^failed: chief/gm)?.length ?? 0) > 5, 30_000);
  writeFileSync(`${agent.dir}/go`, '');
  assert.equal((await run.ended).code, 0, run.complained());
  assert.equal(queue().match(/^halt: chief/gm)?.length, 2);
  assert.equal((await org.orgrepo('verify')).code, 0, (await org.orgrepo('verify')).stdout);
});

const scripted = (turns: readonly object[]): string => JSON.stringify({ conversations: [{ turns }] });
const finish = { calls: [{ tool: 'finish', input: { title: 'done' } }] };

test('a chief that writes nothing of use five times in a row is stopped, and the night ends with what the queue had', async () => {
  const org = keep(
    makeOrg({
      ...quadratic,
      'program.md': briefText({
        agent: '{ command: "sh agent.sh" }',
        include: '[agent.sh]',
        chief: '{ model: scripted:models/chief.json }',
        budget: '{ experiment: 10s, agent: 10s, night: 1h, attempts: 2, patience: 1000 }',
      }),
      'agent.sh': 'echo "first $ORGREPO_ATTEMPT" > sandbox/numbers.txt; echo "a number"\n',
      'models/chief.json': scripted([
        { calls: [{ tool: 'write', input: { path: 'program.md', content: 'metric: mine' } }] },
        { calls: [{ tool: 'write', input: { path: 'specs/../harness/score.sh', content: 'echo "loss: 0"' } }] },
        { calls: [{ tool: 'write', input: { path: 'specs/deep/one.md', content: '# too deep' } }] },
        finish,
      ]),
    }),
  );
  const ran = await runNight(org, '--max', '20');
  assert.equal(ran.code, 0, ran.stderr);
  assert.equal(ran.facts.at(-1)?.reason, 'nobody has an idea left');
  assert.equal(events(ran).length, 2, 'the spec that was there was worked');
  const queue = org.git('log', '--format=%s', 'orgrepo/queue', '^main');
  assert.equal(queue.match(/^failed: chief, it wrote no new spec that can be used$/gm)?.length, 5, queue);
  assert.match(queue, /^halt: chief, 5 times in a row it wrote no new spec that can be used$/m);
  assert.match((await org.orgrepo('status')).stdout, /chief is stopped: 5 times in a row/);
  assert.equal(org.git('rev-parse', 'orgrepo/best:harness'), org.git('rev-parse', 'main:harness'));
  assert.equal((await org.orgrepo('verify')).code, 0, (await org.orgrepo('verify')).stdout);
});

test('search agents that have no idea left are not stopped, and neither is their chief', async () => {
  const org = keep(makeOrg({ ...quadratic, 'sandbox/numbers.txt': 'first 3\n' }));
  const ran = await runNight(org, '--max', '40');
  assert.equal(ran.code, 0, ran.stderr);
  assert.doesNotMatch(org.git('log', '--format=%s', 'orgrepo/queue', '^main'), /^(halt|failed):/m);
});
