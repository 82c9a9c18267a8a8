import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { chartedOrg, onQueue } from '../../support/chart.ts';
import { factsIn, obedientOrg, type Started, scriptAgent, startNight } from '../../support/night.ts';
import { makeOrg, type TestOrg } from '../../support/org.ts';
import { until } from '../../support/until.ts';

const running: { readonly org: TestOrg; readonly run?: Started }[] = [];
after(async () => {
  for (const { org, run } of running) {
    if (run !== undefined) await org.orgrepo('stop'); // Should a test have failed.
    await run?.ended;
    org.remove();
  }
});

/** Two juniors that say something else each time, for as long as a test may take. */
const twoJuniors = (attempts = 100): TestOrg => {
  const step = 'sleep 0.1; said=1$(date +%N); echo "echo \\"loss: $said\\"" > sandbox/program; echo "say $said"';
  const steps = Array.from({ length: 600 }, () => step);
  const org = obedientOrg(scriptAgent(steps).brief, {
    ...{ juniors: '2', slots: '2' },
    budget: `{ experiment: 10s, agent: 10s, night: 1h, attempts: ${attempts}, patience: 1000 }`,
  });
  org.write('specs/0002-second.md', '---\nid: "0002"\ntitle: make it say even less\nby: people\n---\nx\n');
  org.commit('another');
  return org;
};

function start(org: TestOrg) {
  const run = startNight(org, 'run', '--json');
  running.push({ org, run });
  const triedBy = (agent: string): number =>
    factsIn(run.said().replace(/[^\n]*$/, '')).filter(({ experiment }) => experiment?.agent === agent).length;
  return { run, triedBy };
}

/** From git: what a run prints comes late while a test waits for another command. */
const judgedOf = (org: TestOrg, agent: string): number =>
  org
    .git('log', '--format=%an', '--grep=^Org-Samples: ', '--branches=orgrepo/work/*')
    .split('\n')
    .filter((name) => name === agent).length;

const say = async (org: TestOrg, ...args: string[]): Promise<string> => {
  const ran = await org.orgrepo(...args);
  assert.equal(ran.code, 0, ran.stderr);
  return ran.stdout;
};

test('one agent is paused and the other goes on; who said it is in git log and in status; then it is resumed', async () => {
  const org = twoJuniors();
  const { run, triedBy } = start(org);
  await until('both work', () => triedBy('junior-1') > 0 && triedBy('junior-2') > 0, 60_000);
  await say(org, 'pause', 'junior-1', '--reason', 'let me look');
  const soon = judgedOf(org, 'junior-2') + 4; // By then what was begun is measured.
  await until('the other goes on', () => judgedOf(org, 'junior-2') >= soon, 60_000);
  const before = judgedOf(org, 'junior-1');
  await until('the other goes on', () => judgedOf(org, 'junior-2') >= soon + 4, 60_000);
  assert.equal(judgedOf(org, 'junior-1'), before);
  assert.deepEqual(onQueue(org, 'pause'), ['Test Person|pause: junior-1, let me look|let me look']);
  const { agents, paused } = JSON.parse(await say(org, 'status', '--json'));
  assert.equal(paused, false);
  const junior = agents.find(({ id }: { id: string }) => id === 'junior-1');
  assert.deepEqual([junior.presence, junior.held], ['paused', 'Test Person paused agent junior-1: let me look']);
  assert.equal(await say(org, 'resume', 'junior-1'), 'junior-1 goes on\n');
  const then = triedBy('junior-1');
  await until('it goes on', () => triedBy('junior-1') > then, 60_000);
  await say(org, 'stop');
  assert.deepEqual(await run.ended, { code: 0, signal: null });
  assert.equal((await org.orgrepo('verify')).code, 0);
});

test('what a stopped agent had is taken over by another; when all are stopped the night ends', async () => {
  const org = twoJuniors(12); // Few enough that the other is soon done with its own.
  const { run, triedBy } = start(org);
  await until('both work', () => triedBy('junior-1') > 0 && triedBy('junior-2') > 0, 60_000);
  const stopped = await org.orgrepo('stop', 'junior-1');
  assert.equal(stopped.code, 0, stopped.stderr + run.said().slice(-2_000));
  const takenOver = (): boolean =>
    org.git('log', '--format=%an %s', '--branches=orgrepo/work/*', '--grep=^takeover: ').includes('junior-2 takeover');
  await until('its spec is taken over', takenOver, 60_000);
  await say(org, 'stop', 'junior-2');
  assert.deepEqual(await run.ended, { code: 0, signal: null });
  assert.match((await org.orgrepo('status')).stdout, /stopped .* ago: a person stopped it/);
  assert.equal((await org.orgrepo('verify')).code, 0);
});

test('a limit for the org holds before the first run and is lifted in it', async () => {
  const org = twoJuniors();
  assert.equal(await say(org, 'pause', '--rate', '2/h'), 'the org: 2 attempts an hour\n');
  const { run, triedBy } = start(org);
  await until('what was begun is measured', () => triedBy('junior-1') + triedBy('junior-2') === 2, 60_000);
  assert.match(await say(org, 'status'), /limit {4}the org: 2 attempts an hour, says Test Person/);
  assert.equal(triedBy('junior-1') + triedBy('junior-2'), 2);
  await say(org, 'pause', '--rate', 'none');
  await until('it goes on', () => triedBy('junior-1') + triedBy('junior-2') > 3, 60_000);
  await say(org, 'stop');
  assert.equal((await run.ended).code, 0);
  assert.deepEqual(
    onQueue(org, 'limit').map((line) => line.split('|')[1]),
    [
      'limit: the org, 2 attempts an hour, by a person',
      'limit: the org, as many attempts as there is time for, by a person',
    ],
  );
  assert.equal((await org.orgrepo('verify')).code, 0);
});

test('a name that nobody has, a rate that is none and a stop where nothing runs are refused', async () => {
  const org = chartedOrg({});
  running.push({ org });
  const refused = async (...args: string[]): Promise<string> => {
    const ran = await org.orgrepo(...args);
    assert.deepEqual([ran.code, ran.stdout], [64, ''], args.join(' '));
    return ran.stderr;
  };
  assert.match(
    await refused('pause', 'backend-worke'),
    /nobody here is called "backend-worke"[\s\S]*Did you mean backend-worker\?/,
  );
  assert.match(await refused('resume', 'backend-worker'), /"backend-worker" is not stopped, and not paused/);
  assert.match(await refused('stop', 'backend-worker'), /a stop is for one run[\s\S]*orgrepo pause backend-worker/);
  assert.match(await refused('pause', 'backend-worker', '--rate', 'often'), /expected attempts an hour/);
  assert.match(await refused('pause', '--rate', '0/h'), /expected attempts an hour/);
  assert.equal(org.git('for-each-ref', 'refs/heads/orgrepo'), '');
  for (const who of ['chief', 'junior-1']) assert.match(await refused('pause', who), /nobody here is called/);
  const plain = makeOrg();
  running.push({ org: plain });
  for (const who of ['chief', 'junior-1']) {
    await say(plain, 'pause', who);
    await say(plain, 'pause', who); // Twice is as good as once.
  }
  assert.deepEqual(onQueue(plain, 'pause').length, 2);
  assert.equal((await plain.orgrepo('verify')).code, 0);
});

test('a night in which everybody is paused says so aloud once, with whom to resume, and so does status', async () => {
  const org = twoJuniors();
  await say(org, 'pause', 'junior-1', '--reason', 'vacation');
  assert.deepEqual(JSON.parse(await say(org, 'status', '--json')).needs_you, [], 'somebody may work');
  await say(org, 'pause', 'junior-2');
  const { run } = start(org);
  const told = (): string[] =>
    factsIn(run.said().replace(/[^\n]*$/, '')).flatMap(({ fact, message }) =>
      fact === 'warning' && String(message).startsWith('everybody') ? [String(message)] : [],
    );
  await until('it is told', () => told().length > 0, 60_000);
  const what =
    'everybody who works is paused: Test Person paused agent junior-1: vacation; Test Person paused agent junior-2';
  const command = 'orgrepo resume junior-1 (or junior-2)';
  assert.deepEqual(JSON.parse(await say(org, 'status', '--json')).needs_you, [{ what, command }]);
  assert.match(
    await say(org, 'status'),
    /! everybody who works is paused: Test Person paused agent junior-1: vacation/,
  );
  await say(org, 'resume', 'junior-1');
  await until('it goes on', () => judgedOf(org, 'junior-1') > 0, 60_000);
  assert.deepEqual(told(), [`${what}. Nothing is begun until somebody says: ${command}`]);
  assert.deepEqual(JSON.parse(await say(org, 'status', '--json')).needs_you, []);
  await say(org, 'stop');
  assert.equal((await run.ended).code, 0);
});

test('a pause of the org is reported while an agent waits for its rate', async () => {
  const org = twoJuniors();
  assert.equal((await org.orgrepo('pause', '--rate', '2/h')).code, 0);
  const run = startNight(org, 'run', '--ui', 'live');
  running.push({ org, run });
  await until('the rate to be used up', () => run.said().includes('limited the org to 2 attempts an hour'));
  assert.equal((await org.orgrepo('pause')).code, 0);
  await until('the pause to be reported', () => /by [^:\n]+: orgrepo resume/.test(run.said()));
  assert.equal((await org.orgrepo('stop')).code, 0);
  await run.ended;
});
