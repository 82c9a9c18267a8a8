import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { anOrg } from '../support/builders.ts';
import { keepOrgs } from '../support/keep.ts';
import {
  endings,
  factsIn,
  obedientOrg,
  runNight,
  type Spawned,
  say,
  scriptAgent,
  spawnNight,
  waitFor,
} from '../support/night.ts';
import { bundle, type TestOrg } from '../support/org.ts';
import { until } from '../support/until.ts';

const desk = mkdtempSync(path.join(tmpdir(), 'orgrepo-signals-'));
const keep = keepOrgs();
after(() => {
  rmSync(desk, { recursive: true, force: true });
});

/** A program that notes that it is being measured, and by whom, and waits for the test. */
const slow = (name: string): string =>
  say(
    `echo $$ > ${desk}/${name}.pid; touch ${desk}/${name}.measuring; ${waitFor(`${desk}/${name}.go`)}; echo "loss: 9"`,
    name,
  );

const measuring = (name: string, run: Spawned): Promise<void> =>
  until(`${name} is measured; ${run.said().slice(-300)}${run.complained()}`, () =>
    existsSync(path.join(desk, `${name}.measuring`)),
  );

const release = (name: string): void => writeFileSync(path.join(desk, `${name}.go`), '');

function begin(org: TestOrg, ...args: string[]): Spawned {
  const run = spawnNight(org, 'run', ...args);
  keep(org);
  return run;
}

const told = (run: Spawned): string[] => endings(factsIn(run.said()).flatMap(({ experiment }) => experiment ?? []));

test('Ctrl-C once: what is being measured is finished and recorded, the report is written, exit 130; the next run goes on', async () => {
  const agent = scriptAgent([slow('once'), say('echo "loss: 8"')]);
  const org = obedientOrg(agent.brief);
  const run = begin(org);
  await measuring('once', run);
  run.child.kill('SIGINT');
  await until('it says what it does', () =>
    run.complained().includes('stopping after what is being measured; again to kill it now'),
  );
  release('once');
  assert.deepEqual(await run.ended, { code: 130, signal: null }, run.complained());
  assert.match(
    run.said(),
    /exp #1 WIN loss=9[\s\S]*run stop reason=interrupted tried=1 won=1 taken=1 best=9 report=reports\/\S+\.md exit=130\n$/,
  );
  assert.match(org.git('show', 'orgrepo/reports:reports/latest.md'), /interrupted/);
  assert.match((await org.orgrepo('status')).stdout, /stopped .* ago: interrupted/);
  const next = await runNight(org, '--max', '1');
  assert.deepEqual([next.code, endings(next.experiments)], [0, ['keep 8']]);
  assert.deepEqual(
    next.experiments.map(({ n, spec }) => [n, spec]),
    [[2, '0001']],
    'on the same spec, from where it stood',
  );
});

test('Ctrl-C twice: killed now, exit 130 at once; the saved candidate is measured by the next run and not proposed again', async () => {
  const agent = scriptAgent([slow('twice'), say('echo "loss: 8"')]);
  const org = obedientOrg(agent.brief, {
    budget: '{ experiment: 60s, agent: 10s, night: 1h, attempts: 100, patience: 1000 }',
  });
  const run = begin(org, '--json');
  await measuring('twice', run);
  const pid = readFileSync(path.join(desk, 'twice.pid'), 'utf8').trim();
  run.child.kill('SIGINT');
  await new Promise((resolve) => setTimeout(resolve, 50)); // Two signals in one moment are one signal to a process.
  const started = performance.now();
  run.child.kill('SIGINT');
  assert.deepEqual(await run.ended, { code: 130, signal: null }, run.complained());
  assert.equal(performance.now() - started < 30_000, true);
  await until('the harness is gone', () => !existsSync(`/proc/${pid}`));
  assert.deepEqual(told(run), []);
  assert.equal(org.git('for-each-ref', '--format=%(refname)', 'refs/orgrepo/wip').trim(), 'refs/orgrepo/wip/0001');
  assert.match(
    (await org.orgrepo('status')).stdout,
    /· stopped: a person killed it; the next run goes on with what it/,
  );
  assert.match((await org.orgrepo('report')).stdout, /stopped: a person killed it/);
  release('twice');
  const next = await runNight(org, '--max', '2');
  assert.deepEqual(endings(next.experiments), ['keep 9', 'keep 8']);
  assert.deepEqual(
    next.experiments.map(({ n, title }) => [n, title]),
    [
      [1, 'twice'],
      [2, 'say it'],
    ],
  );
  assert.equal(readFileSync(path.join(agent.dir, 'count'), 'utf8').trim(), '2', 'the agent was not asked for it again');
});

test('SIGTERM once ends the night in order with 143', async () => {
  const agent = scriptAgent([slow('term')]);
  const org = obedientOrg(agent.brief);
  const run = begin(org, '--json');
  await measuring('term', run);
  run.child.kill('SIGTERM');
  await new Promise((resolve) => setTimeout(resolve, 50));
  release('term');
  assert.deepEqual(await run.ended, { code: 143, signal: null }, run.complained());
  assert.deepEqual(told(run), ['keep 9']);
  assert.match((await org.orgrepo('status')).stdout, /: terminated/);
});

test('a closed terminal is no reason to stop, and a closed pipe none to lose anything', async () => {
  const agent = scriptAgent([slow('hangup'), say('echo "loss: 8"')]);
  const org = obedientOrg(agent.brief);
  const run = begin(org, '--max', '2');
  await measuring('hangup', run);
  run.child.kill('SIGHUP');
  await until('it says how to stop it', () =>
    run.complained().includes(`process ${run.child.pid} goes on. Stop it: node ${bundle} stop`),
  );
  run.child.stderr?.destroy();
  release('hangup');
  assert.deepEqual(await run.ended, { code: 0, signal: null });
  assert.match(run.said(), /run stop reason="2 experiments were asked for" tried=2 won=2 taken=2 best=8/);
});

test('a reader that has heard enough does not end the night', async () => {
  const agent = scriptAgent([slow('reader'), say('echo "loss: 8"')]);
  const org = obedientOrg(agent.brief);
  const run = begin(org, '--max', '2');
  await measuring('reader', run);
  run.child.stdout?.destroy();
  release('reader');
  await run.ended;
  const log = (await org.orgrepo('log', '--json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(endings(log).reverse(), ['keep 9', 'keep 8']);
});

test('Ctrl-C while the starting point is measured is an interruption, not a broken harness', async () => {
  const org = obedientOrg('search');
  org.write('sandbox/program', `touch ${desk}/base.measuring; ${waitFor(`${desk}/base.go`)}; echo "loss: 10"\n`);
  org.commit('a slow start');
  const run = begin(org);
  await measuring('base', run);
  run.child.kill('SIGINT');
  const { code } = await run.ended;
  assert.equal(code, 130, run.complained());
  assert.equal(org.git('for-each-ref', 'refs/heads/orgrepo/best'), '');
  assert.equal(existsSync(path.join(org.dir, '.git/orgrepo/run.lock')), false);
});

test('a run that was killed outright leaves nothing in the way: the next one goes on and says so', async () => {
  const agent = scriptAgent([say('echo "loss: 9"', 'first'), slow('killed'), say('echo "loss: 8"', 'third')]);
  const org = obedientOrg(agent.brief);
  const run = begin(org, '--json');
  await measuring('killed', run);
  if (run.child.pid !== undefined) process.kill(-run.child.pid, 'SIGKILL');
  await run.ended;
  assert.match(
    (await org.orgrepo('status')).stdout,
    /crashed: the process is gone and the run never ended\n {2}resume: orgrepo run/,
  );
  assert.equal((await org.orgrepo('status', '--check')).code, 3);
  const report = await org.orgrepo('report', '--check');
  assert.equal(report.code, 3, 'the report tells the same');
  assert.match(report.stdout, /^orgrepo-\S+ · .* · crashed: the process is gone/);
  assert.match(
    report.stdout,
    /NEEDS YOU\n {2}! it crashed: the process is gone and the run never ended {3}orgrepo run\n/,
  );
  assert.match(
    (await org.orgrepo('report', '--format', 'md')).stdout,
    /\. Crashed: the process is gone and the run never ended\.\n/,
  );
  const told = JSON.parse((await org.orgrepo('report', '--json')).stdout);
  assert.deepEqual([told.crashed, told.needs_you.length], [true, 1]);
  assert.equal(told.next.at(-1).command, 'orgrepo run');
  release('killed');
  const next = await runNight(org, '--max', '2');
  assert.deepEqual([next.code, endings(next.experiments)], [0, ['discard 9', 'keep 8']]);
  const numbers = (await org.orgrepo('log', '--json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).n);
  assert.deepEqual(numbers, [3, 2, 1], 'none lost, none twice');
  assert.equal(
    next.facts.some(({ fact }) => fact === 'recovered'),
    true,
  );
  assert.match((await org.orgrepo('status')).stdout, /stopped/);
});

test("a person's lock is waited for, then exit 75 names the file; when it is gone the same run works", async () => {
  const org = obedientOrg(scriptAgent([say('echo "loss: 9"')]).brief);
  begin(org, '--max', '0'); // Wrong usage: it ends at once.
  await org.orgrepo('submit', 'an idea');
  const lock = path.join(org.dir, '.git/refs/heads/main.lock');
  const ours = path.join(org.dir, '.git/refs/heads/orgrepo/queue.lock');
  writeFileSync(ours, '');
  const before = org.git('for-each-ref');
  const busy = await org.orgrepo('submit', 'another');
  assert.equal(busy.code, 75);
  assert.equal(busy.stderr.includes(ours), true, busy.stderr);
  assert.equal(org.git('for-each-ref'), before);
  rmSync(ours);
  writeFileSync(lock, ''); // On the trunk, which orgrepo only reads.
  assert.equal((await org.orgrepo('submit', 'another')).code, 0);
  assert.equal((await runNight(org, '--max', '1')).code, 0);
  rmSync(lock);
});

test('a run with twelve agents at work prints no warning of node', async () => {
  const crowd = 12;
  const here = `ls ${desk} | grep -c "^crowd\\."`;
  const command = `touch ${desk}/crowd.$ORGREPO_AGENT; while [ $(${here}) -lt ${crowd} ]; do sleep 0.05; done; echo waited`;
  const specs = Array.from({ length: crowd }, (_, at) => String(at + 1).padStart(4, '0'));
  const org = anOrg({
    brief: {
      juniors: String(crowd),
      agent: `{ command: ${JSON.stringify(command)} }`,
      chief: '{ agent: human }',
      budget: '{ experiment: 10s, agent: 5m, night: 1h, attempts: 1, patience: 1000 }',
    },
    files: Object.fromEntries(
      specs.map((id) => [`specs/${id}-first.md`, `---\nid: "${id}"\ntitle: wait ${id}\nby: people\n---\nWait.\n`]),
    ),
  });
  const run = begin(org, '--max', String(crowd));
  assert.deepEqual(await run.ended, { code: 0, signal: null }, run.complained());
  assert.equal(readdirSync(desk).filter((name) => name.startsWith('crowd.')).length, crowd);
  assert.doesNotMatch(run.complained(), /Warning/);
});
