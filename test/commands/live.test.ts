import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import {
  endings,
  factsIn,
  obedientOrg,
  type ScriptedAgent,
  type Spawned,
  say,
  scriptAgent,
  spawnNight,
  trailers,
  waitFor,
} from '../support/night.ts';
import { briefText, type TestOrg } from '../support/org.ts';
import { until } from '../support/until.ts';

/** What a person may do while the org runs. Each attempt waits for the test, so that everything happens at a known moment. */
interface Live {
  readonly org: TestOrg;
  readonly agent: ScriptedAgent;
  readonly run: Spawned;
  /** Waits until the agent has begun its nth attempt. */
  begun(n: number): Promise<void>;
  /** Lets the nth attempt go on. */
  release(n: number): void;
  experiments(): ReturnType<typeof factsIn>;
}

const lives: Live[] = [];
after(() => {
  for (const { org } of lives) org.remove();
});

const keys = { budget: '{ experiment: 10s, agent: 40s, night: 1h, attempts: 1, patience: 1000 }' };

function startLive(steps: readonly string[], max: number): Live {
  const agent = scriptAgent(steps.map((step) => `touch $HERE/begun-$N\n${waitFor('$HERE/go-$N')}\n${step}`));
  const org = obedientOrg(agent.brief, keys);
  for (let id = 2; id <= max; id++) org.write(`specs/000${id}-more.md`, `# more of it, part ${id}\n`);
  if (max > 1) org.commit('more specs');
  const run = spawnNight(org, 'run', '--json', '--max', String(max));
  const live: Live = {
    org,
    agent,
    run,
    begun: (n) =>
      until(`attempt ${n} begins; it said ${run.said().slice(-500)} ${run.complained()}`, () => {
        return existsSync(path.join(agent.dir, `begun-${n}`)) || run.child.exitCode !== null;
      }),
    release: (n) => writeFileSync(path.join(agent.dir, `go-${n}`), ''),
    experiments: () => factsIn(run.said()).filter(({ fact }) => fact === 'experiment'),
  };
  lives.push(live);
  return live;
}

async function finish(live: Live): Promise<readonly string[]> {
  const { code } = await live.run.ended;
  assert.equal(code, 0, live.run.complained() + live.run.said().slice(-1_500));
  return endings(live.experiments().flatMap(({ experiment }) => experiment ?? []));
}

test('a person may commit to the trunk and change the brief during a run: it counts from the next claim on, and the trunk stays theirs', async () => {
  const live = startLive([say('echo "loss: 9"'), say('echo "loss: 8"'), say('echo "loss: 4"')], 3);
  const { org, agent } = live;
  await live.begun(1);
  const first = org.git('rev-parse', 'main:program.md').trim();
  org.write('program.md', briefText({ ...keys, agent: agent.brief, min_effect: '3' }));
  org.write('notes.txt', 'mine\n');
  org.commit('ask for more');
  const tip = org.git('rev-parse', 'main');
  const second = org.git('rev-parse', 'main:program.md').trim();
  live.release(1);
  await live.begun(2);
  live.release(2);
  live.release(3);
  assert.deepEqual(await finish(live), ['keep 9', 'discard 8', 'keep 4']);
  assert.equal(org.git('rev-parse', 'main'), tip);
  assert.equal(org.git('status', '--porcelain'), '');
  const briefs = ['0001', '0002', '0003'].map((id) =>
    trailers(org, 'Brief', '--first-parent', '--merges', `orgrepo/work/${id}`, '^main', '^orgrepo/best').at(-1),
  );
  assert.deepEqual(briefs, [first, second, second]);
  const changed = factsIn(live.run.said()).filter(({ fact }) => fact === 'brief');
  assert.deepEqual(
    changed.map(({ change }) => change),
    ['changed'],
  );
});

test('a brief that is broken during a run changes nothing, is said aloud, and is the first thing in the report', async () => {
  const live = startLive([say('echo "loss: 9"'), say('echo "loss: 8"')], 2);
  const { org } = live;
  await live.begun(1);
  org.write('program.md', briefText({ ...keys, direction: 'sideways' }));
  org.commit('a slip of the pen');
  live.release(1);
  live.release(2);
  assert.deepEqual(await finish(live), ['keep 9', 'keep 8']);
  const [said, ...more] = factsIn(live.run.said()).filter(({ fact }) => fact === 'brief');
  assert.deepEqual([said?.change, more], ['broken', []]);
  assert.match(String(said?.message), /program\.md:3:\d+: direction is sideways.*stays in force/);
  assert.match((await org.orgrepo('report')).stdout, /NEEDS YOU\n {2}! [^\n]*direction is sideways/);
  assert.equal((await org.orgrepo('status', '--check')).code, 3);
});

test('a brief that asks for something else is measured anew before the next claim; a changed harness waits for the next run', async () => {
  const live = startLive([say('echo "loss: 9"'), say('echo "loss: 8"'), say('echo "loss: 20"')], 3);
  const { org, agent } = live;
  await live.begun(1);
  org.write('harness/score.sh', 'echo "loss: 0"\n');
  org.commit('a kinder judge');
  live.release(1);
  await live.begun(2);
  org.write('program.md', briefText({ ...keys, agent: agent.brief, direction: 'maximize' }));
  org.commit('the other way round');
  live.release(2);
  live.release(3);
  assert.deepEqual(await finish(live), ['keep 9', 'keep 8', 'keep 20']);
  const warned = factsIn(live.run.said()).filter(({ fact }) => fact === 'warning');
  assert.match(String(warned[0]?.message), /the harness on the trunk has changed: it counts from the next run on/);
  assert.deepEqual(org.git('log', '--first-parent', '--format=%s', 'orgrepo/best').trim().split('\n').slice(0, 3), [
    'keep: say it (loss 8 -> 20)',
    'baseline: best under the changed brief',
    'keep: say it (loss 9 -> 8)',
  ]);
});

test('a person may delete a bench during a run: the attempt is lost, the night is not', async () => {
  const live = startLive([say('echo "loss: 9"'), say('echo "loss: 8"'), say('echo "loss: 7"')], 3);
  await live.begun(1);
  rmSync(path.join(live.org.dir, '.worktrees'), { recursive: true, force: true });
  live.release(1);
  await live.begun(2);
  rmSync(path.join(live.org.dir, '.worktrees/junior-1'), { recursive: true, force: true });
  live.org.git('worktree', 'prune');
  live.release(2);
  live.release(3);
  const how = await finish(live);
  assert.equal(how.length, 3);
  assert.equal(how[2], 'keep 7', `${how}`);
  assert.equal(live.org.git('fsck', '--no-dangling'), '');
});

test('a person may run git gc during a run, and nothing that was tried is lost', async () => {
  const live = startLive([say('echo "loss: 9"'), say('echo "loss: 12"'), say('echo "loss: 8"')], 3);
  for (const n of [1, 2, 3]) {
    await live.begun(n);
    live.org.git('gc', '--quiet', '--prune=now');
    live.release(n);
  }
  assert.deepEqual(await finish(live), ['keep 9', 'discard 12', 'keep 8']);
  assert.equal(live.org.git('fsck', '--no-dangling'), '');
  assert.equal((await live.org.orgrepo('replay', '2')).code, 0);
  assert.equal((await live.org.orgrepo('verify')).code, 0);
});

test('a second run in the same repository ends within a second with 75 and names the first; everything else may look on', async () => {
  const live = startLive([say('echo "loss: 9"')], 1);
  const { org } = live;
  await live.begun(1);
  const pid = live.run.child.pid;
  const before = org.git('for-each-ref');
  const timed = async (...args: string[]) => {
    const started = performance.now();
    return { ...(await org.orgrepo(...args)), took: performance.now() - started };
  };
  const times: number[] = []; // A busy machine is slow to start anything: the quickest of some tells whether it waits.
  while (times.length === 0 || (Math.min(...times) >= 1_000 && times.length < 8)) {
    const { took, ...second } = await timed('run');
    assert.equal(second.code, 75);
    assert.match(second.stderr, new RegExp(`another orgrepo runs in .*: process ${pid}\\b`));
    times.push(took);
  }
  assert.ok(Math.min(...times) < 1_000, `${times} ms`);
  const json = JSON.parse((await org.orgrepo('run', '--json')).stdout);
  assert.equal(json.error.code, 'busy/run');
  assert.equal(org.git('for-each-ref'), before);
  const status = JSON.parse((await org.orgrepo('status', '--json')).stdout);
  assert.deepEqual(
    [status.state, status.pid, status.agents],
    ['running', pid, [{ id: 'junior-1', doing: 'working', spec: '0001', tried: 0, kept: 0 }]],
  );
  assert.equal((await org.orgrepo('status', '--check')).code, 8);
  assert.equal((await org.orgrepo('log')).code, 0);
  assert.equal((await org.orgrepo('verify')).code, 0);
  assert.equal((await org.orgrepo('doctor')).code, 0);
  live.release(1);
  assert.deepEqual(await finish(live), ['keep 9']);
  assert.equal(existsSync(path.join(org.dir, '.git/orgrepo/run.lock')), false);
});

test('the copy of branches.md on the queue shows who works on what', async () => {
  const live = startLive([say('echo "loss: 9"')], 1);
  await live.begun(1);
  await until('the table', () => live.org.git('show', 'orgrepo/queue:branches.md').includes('0001'));
  const row =
    live.org
      .git('show', 'orgrepo/queue:branches.md')
      .split('\n')
      .find((line) => line.includes('0001')) ?? '';
  assert.match(row, /^\| orgrepo\/work\/0001 \| junior-1 \| 0001 make it say less \| claimed \| 10 \| \d{4}-.*Z \|$/);
  live.release(1);
  await finish(live);
  assert.equal(live.org.git('show', 'orgrepo/queue:branches.md').includes('0001'), false);
});

test('a bench looks like any work tree to a person who goes in: a clean status before the agent has done anything', async () => {
  const live = startLive([say('echo "loss: 9"')], 1);
  await live.begun(1);
  const bench = path.join(live.org.dir, '.worktrees/junior-1');
  assert.equal(live.org.git('-C', bench, 'status', '--porcelain'), '');
  assert.equal(readFileSync(path.join(bench, 'sandbox/program'), 'utf8'), 'echo "loss: 10"\n');
  assert.equal(live.org.git('status', '--porcelain'), '');
  live.release(1);
  await finish(live);
});
