import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { keepOrgs } from '../../support/keep.ts';
import {
  endings,
  factsIn,
  obedientOrg,
  runNight,
  say,
  scriptAgent,
  spawnNight,
  trailers,
  waitFor,
} from '../../support/night.ts';
import { until } from '../../support/until.ts';

const keep = keepOrgs();

const tamper = 'echo x > harness/score.sh; echo "a shortcut"';
const honest = (loss: number): string => say(`echo "loss: ${loss}"`);
const budget = '{ experiment: 30s, agent: 60s, night: 1h, attempts: 100, patience: 1000 }';

test('three tampered attempts stop an agent, and when it was the only one the night ends with exit 3 and says what to do', async () => {
  const agent = scriptAgent([tamper, honest(9), tamper, honest(8), tamper, honest(7), honest(6)]);
  const org = keep(obedientOrg(agent.brief));
  const ran = await runNight(org, '--max', '20');
  assert.equal(ran.code, 3, ran.stderr);
  assert.deepEqual(endings(ran.experiments), ['tampered', 'keep 9', 'tampered', 'keep 8', 'tampered']);
  assert.equal(
    ran.facts.at(-1)?.reason,
    'no agent can go on, a person is needed: 3 attempts of one night were tampered with',
  );
  const warned = ran.facts.filter(({ fact }) => fact === 'warning').map(({ message }) => message);
  assert.deepEqual(warned, [
    'junior-1 is stopped: 3 attempts of one night were tampered with. Look: orgrepo log --event tampered. Let it go on: orgrepo resume junior-1',
  ]);
  assert.deepEqual(
    org.git('log', '-1', '--format=%s|%(trailers:key=Org-Reason,valueonly,separator=%x2C)', 'orgrepo/work/0001').trim(),
    'done: 0001 make it say less|junior-1 was stopped: 3 attempts of one night were tampered with',
  );
  const events = trailers(org, 'Event', 'orgrepo/queue', '^main');
  assert.equal(events.filter((event) => event === 'halt').length, 1);
  const status = JSON.parse((await org.orgrepo('status', '--json')).stdout);
  assert.deepEqual(status.needs_you, [
    {
      what: 'junior-1 is stopped: 3 of its attempts changed what they may not',
      command: 'orgrepo log --event tampered, then: orgrepo run',
    },
  ]);
  assert.deepEqual(
    status.agents.map(({ id, presence, held }: Record<string, unknown>) => [id, presence, held]),
    [['junior-1', 'stopped', '3 attempts of one night were tampered with']],
  );
  assert.equal((await org.orgrepo('status', '--check')).code, 3);
  assert.match((await org.orgrepo('report')).stdout, /NEEDS YOU[\s\S]*junior-1 is stopped/);
  assert.equal(
    (await org.orgrepo('log', '--event', 'tampered', '--format', 'json')).stdout.trim().split('\n').length,
    3,
  );
  assert.equal((await org.orgrepo('log', '--event', 'tempered')).code, 64);
  const refused = await org.orgrepo('resume', 'junior-1');
  assert.deepEqual([refused.code, /nothing runs here.*\n.*orgrepo run/.test(refused.stderr)], [64, true]);

  await org.orgrepo('submit', 'another chance');
  const next = await runNight(org, '--max', '2');
  assert.equal(next.code, 0, next.stderr);
  assert.deepEqual(endings(next.experiments), ['keep 7', 'keep 6'], 'a new night begins with nothing against anybody');
  assert.deepEqual(JSON.parse((await org.orgrepo('status', '--json')).stdout).needs_you, []);
});

test('one that is stopped leaves the others working, and goes on when a person says so, also after the run was killed', async () => {
  const agent = scriptAgent([]);
  const org = obedientOrg(`{ command: "sh ${agent.dir}/two.sh" }`, { budget, juniors: '2' });
  org.write('specs/0002-second.md', '# the second\n');
  org.write('specs/0003-third.md', '# the third\n');
  org.commit('more specs');
  writeFileSync(
    `${agent.dir}/two.sh`,
    `HERE=${agent.dir}
if [ $ORGREPO_AGENT = junior-1 ]; then
  if [ -e $HERE/pardoned ]; then touch $HERE/again; echo "echo loss: 9 # $(date +%N)" > sandbox/program; echo "honest now"
  else ${tamper}; fi
else ${waitFor('$HERE/go')}; echo "nothing"; fi
`,
  );
  const run = spawnNight(org, 'run', '--json');
  keep(org);
  const halted = (): boolean =>
    org.git('for-each-ref', 'refs/heads/orgrepo/queue') !== '' &&
    trailers(org, 'Event', 'orgrepo/queue', '^main').includes('halt');
  await until('junior-1 is stopped', halted);
  const refused = await org.orgrepo('resume', 'junior-2');
  assert.deepEqual(
    [refused.code, /"junior-2" is not stopped.*\n.*Stopped: junior-1/.test(refused.stderr)],
    [64, true],
    refused.stderr,
  );
  await until('status says so', async () => (await org.orgrepo('status')).stdout.includes('orgrepo resume junior-1'));
  assert.equal(run.child.exitCode, null, 'the night goes on');
  assert.equal((await org.orgrepo('pause', 'junior-2', '--reason', 'lunch')).code, 0);
  assert.match(
    (await org.orgrepo('status')).stdout,
    /everybody who works is paused: Test Person paused agent junior-2: lunch/,
    'the stopped agent does not hide it',
  );
  assert.equal((await org.orgrepo('resume', 'junior-2')).code, 0);
  const told = (): number => factsIn(run.said()).filter(({ experiment }) => experiment !== undefined).length;
  await until('all three are told', () => told() === 3);
  writeFileSync(`${agent.dir}/pardoned`, '');
  assert.deepEqual(JSON.parse((await org.orgrepo('resume', 'junior-1', '--reason', 'it was told', '--json')).stdout), {
    schema: 'orgrepo/steer@1',
    did: 'resume',
    agent: 'junior-1',
  });
  assert.equal(
    org
      .git(
        'log',
        '-1',
        '--format=%an|%s|%(trailers:key=Org-Agent,valueonly,separator=%x2C)',
        '--grep=^resume:',
        'orgrepo/queue',
      )
      .trim(),
    'Test Person|resume: junior-1, it was told|junior-1',
  );
  await until('it works again', () => existsSync(`${agent.dir}/again`));
  assert.deepEqual(JSON.parse((await org.orgrepo('status', '--json')).stdout).needs_you, []);
  process.kill(-(run.child.pid ?? 0), 'SIGKILL');
  await run.ended;
  writeFileSync(`${agent.dir}/go`, '');
  const ran = await runNight(org, '--max', '2');
  assert.equal(ran.code, 0, ran.stderr);
  assert.equal(trailers(org, 'Event', 'orgrepo/queue', '^main').filter((event) => event === 'halt').length, 1);
});

test('strikes are counted from git: a run that was killed and goes on forgets none of them', async () => {
  const agent = scriptAgent([tamper, tamper, `touch $HERE/third; ${waitFor('$HERE/never')}`, tamper, honest(9)]);
  const org = obedientOrg(agent.brief, { budget });
  const run = spawnNight(org, 'run', '--json');
  keep(org);
  await until('the third attempt', () => existsSync(`${agent.dir}/third`), 30_000);
  process.kill(-(run.child.pid ?? 0), 'SIGKILL');
  await run.ended;
  const again = await runNight(org, '--max', '20');
  assert.deepEqual([again.code, endings(again.experiments)], [3, ['tampered']], again.stderr);
});

test('a candidate that an earlier run saved is looked at again before it is measured, whatever became of it meanwhile', async () => {
  const agent = scriptAgent([say('sleep 60; echo "loss: 9"'), honest(8)]);
  const org = obedientOrg(agent.brief, { budget });
  const run = spawnNight(org, 'run', '--json');
  keep(org);
  await until('it is saved', () => org.git('for-each-ref', 'refs/orgrepo/wip') !== '');
  process.kill(-(run.child.pid ?? 0), 'SIGKILL');
  await run.ended;
  // Somebody puts another candidate in its place, with a harness that likes it.
  const saved = org.git('rev-parse', 'refs/orgrepo/wip/0001').trim();
  org.write('easy.sh', 'echo "loss: 0"\n');
  const easy = org.git('hash-object', '-w', 'easy.sh').trim();
  const harness = org.git('ls-tree', `${saved}:harness`).replace(/^(\d+ blob )[0-9a-f]+(\tscore\.sh)$/m, `$1${easy}$2`);
  const mktree = (listing: string): string =>
    execFileSync('git', ['mktree'], { cwd: org.dir, input: listing, encoding: 'utf8' }).trim();
  const root = org.git('ls-tree', saved).replace(/^(\d+ tree )[0-9a-f]+(\tharness)$/m, `$1${mktree(harness)}$2`);
  const forged = execFileSync('git', ['commit-tree', mktree(root), '-p', `${saved}^`], {
    ...{ cwd: org.dir, encoding: 'utf8' },
    input: org.git('log', '-1', '--format=%B', saved),
  }).trim();
  org.git('update-ref', 'refs/orgrepo/wip/0001', forged);
  const ran = await runNight(org, '--max', '2'); // The saved one is one of them.
  assert.equal(ran.code, 0, ran.stderr);
  assert.deepEqual(endings(ran.experiments), ['tampered', 'keep 8']);
  assert.equal(ran.experiments[0]?.reason, 'changed harness/score.sh, which is outside the sandbox');
  assert.equal(ran.experiments[0]?.seconds, undefined, 'it was never run');
  assert.equal(org.git('rev-parse', 'orgrepo/best:harness'), org.git('rev-parse', 'main:harness'));
});

test('two kept changes that together overstep the boundary are not measured as one, and nobody is blamed for the merge', async () => {
  const agent = scriptAgent([]);
  const org = keep(
    obedientOrg(`{ command: "sh ${agent.dir}/two.sh" }`, {
      budget: '{ experiment: 10s, agent: 40s, night: 1h, attempts: 1, patience: 1000 }',
      juniors: '2',
    }),
  );
  org.write('specs/0002-second.md', '# the second\n');
  org.write('harness/run.sh', 'ls sandbox > "$ORGREPO_OUT/names"\n');
  org.write('harness/score.sh', 'echo "loss: $((10 - $(wc -l < "$ORGREPO_OUT/names")))"\n');
  writeFileSync(
    `${agent.dir}/two.sh`,
    `touch ${agent.dir}/$ORGREPO_AGENT
${waitFor(`${agent.dir}/junior-1`)}
${waitFor(`${agent.dir}/junior-2`)}
case $ORGREPO_AGENT in junior-1) touch sandbox/Part ;; *) touch sandbox/part ;; esac
echo "a part"
`,
  );
  org.commit('a judge that likes files');
  const ran = await runNight(org, '--max', '2');
  assert.equal(ran.code, 0, ran.stderr);
  assert.deepEqual(endings(ran.experiments), ['keep 8', 'keep 8', 'tampered']);
  assert.match(
    ran.experiments[2]?.reason ?? '',
    /^added sandbox\/part, which some file systems take for sandbox\/Part$|^added sandbox\/Part, which some file systems take for sandbox\/part$/,
  );
});

test('a change of nothing but a seed is refused without a measurement, and counts as an attempt', async () => {
  const program = (seed: number, rest: string): string => `SEED=${seed}\n${rest}`;
  const agent = scriptAgent([
    say(program(42, 'echo "loss: 9"')),
    say(program(137, 'echo "loss: 9"'), 'a lucky seed'),
    say(program(137, 'echo "loss: 8"'), 'a seed and a change'),
  ]);
  const org = keep(
    obedientOrg(agent.brief, { budget: '{ experiment: 10s, agent: 10s, night: 1h, attempts: 3, patience: 1000 }' }),
  );
  const ran = await runNight(org, '--max', '3');
  assert.equal(ran.code, 0, ran.stderr);
  assert.deepEqual(endings(ran.experiments), ['keep 9', 'discard', 'keep 8']);
  assert.deepEqual(
    [ran.experiments[1]?.reason, ran.experiments[1]?.seconds],
    ['only a seed was changed: 42 -> 137', undefined],
  );
  assert.match((await org.orgrepo('show', '2')).stdout, /only a seed was changed: 42 -> 137/);
  assert.match(org.git('log', '-1', '--format=%B', 'orgrepo/work/0001'), /Org-Reason: 3 attempts/);
});
