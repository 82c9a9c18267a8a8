import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { endProcessesIn } from '../../src/process/run-process.ts';
import { endings, intact, obedientOrg, runNight, type ScriptedAgent, say, scriptAgent } from '../support/night.ts';
import { ordinarily, type TestOrg } from '../support/org.ts';

const orgs: TestOrg[] = [];
after(async () => {
  for (const { dir } of orgs) {
    while (endedSomebodyIn(dir)) await setTimeout(10);
    // Node cannot remove what is deeper than a path may be long; rm can.
    execFileSync('rm', ['-rf', '--', dir]);
  }
});

/** Ends what an agent left behind in an org; asked until there is nobody, because the killed may be in the midst of a write. */
function endedSomebodyIn(dir: string): boolean {
  let found = false;
  endProcessesIn(dir, () => {
    found = true;
    return true;
  });
  return found;
}

function startOrg(
  agent: ScriptedAgent,
  keys: Readonly<Record<string, string>> = {},
  starter: readonly string[] = [],
): TestOrg {
  const org = obedientOrg(agent.brief, keys, starter);
  orgs.push(org);
  return org;
}

const honest = say('echo "loss: 9"', 'an honest change');

test('an agent that fails is a recorded failure with what it said last, and one that hangs is ended at its deadline', async () => {
  const agent = scriptAgent([
    'echo "cannot find the table" >&2; exit 1',
    'kill -KILL $$',
    `${say('echo "loss: 1"')}\nexit 3`,
    'echo $$ > $HERE/pid; trap "" TERM INT; sleep 60',
    honest,
  ]);
  const org = startOrg(agent, { budget: '{ experiment: 10s, agent: 1s, night: 1h, attempts: 100, patience: 1000 }' });
  const ran = await runNight(org, '--max', '5');
  assert.deepEqual(endings(ran.experiments), ['failed', 'failed', 'failed', 'failed', 'keep 9']);
  assert.deepEqual(
    ran.experiments.slice(0, 4).map(({ reason }) => reason),
    [
      'the agent ended with 1: cannot find the table',
      'the agent ended with SIGKILL',
      'the agent ended with 3',
      'the agent was not done after 1 s',
    ],
  );
  assert.equal(existsSync(`/proc/${readFileSync(path.join(agent.dir, 'pid'), 'utf8').trim()}`), false);
});

test('an agent that cannot be started is a recorded failure, not a bug', async () => {
  const { dir } = scriptAgent([]);
  const agent = path.join(dir, 'agent');
  writeFileSync(agent, '#!/no/such/interpreter\n', { mode: 0o755 });
  const org = startOrg({ dir, brief: `{ command: "${agent}" }` });
  const ran = await runNight(org, '--max', '1');
  assert.equal(ran.code, 0, ran.stderr);
  assert.deepEqual(endings(ran.experiments), ['failed']);
  assert.match(ran.experiments[0]?.reason ?? '', /^the agent could not be started: .*ENOENT/);
});

test('a process that an agent left behind, writing in its bench, cannot change what is measured or stop the night', async () => {
  const busy =
    '( for i in $(seq 1 4000); do echo "echo loss: 0" > sandbox/program; rm -f sandbox/t$i; touch sandbox/t$((i+1)); done ) > /dev/null 2>&1 < /dev/null';
  const agent = scriptAgent([
    `${honest}\nsetsid sh -c '${busy}' > /dev/null 2>&1 < /dev/null &\necho "left somebody"`,
    say('echo "loss: 8"'),
    say('echo "loss: 7"'),
  ]);
  const org = startOrg(agent);
  const before = intact(org);
  const ran = await runNight(org, '--max', '3');
  assert.equal(ran.code, 0, ran.stderr || ran.stdout.slice(-2_000));
  assert.equal(ran.experiments.length, 3);
  assert.deepEqual(intact(org), before);
  // Whatever was in the bench when it was read is what was measured: a score is the score of the tree that is recorded.
  for (const { n, score } of ran.experiments.filter((one) => one.score !== undefined)) {
    assert.equal(JSON.parse((await org.orgrepo('replay', String(n), '--json')).stdout).measured, score, `#${n}`);
  }
});

test('an agent that empties its sandbox gives a candidate without files, which the harness judges', async () => {
  const agent = scriptAgent(['rm -r sandbox; echo "nothing is fast"', honest]);
  const org = startOrg(agent);
  const ran = await runNight(org, '--max', '2');
  assert.equal(ran.code, 0, ran.stderr);
  assert.deepEqual(endings(ran.experiments), ['crash', 'keep 9']);
  assert.match(ran.experiments[0]?.reason ?? '', /^run ended with 1: .*sandbox\/program/);
});

test('an agent that puts a directory in the place of a file, or a file in the place of a directory, is measured as it left it', async () => {
  const agent = scriptAgent([
    'mkdir sandbox/part; cp sandbox/program sandbox/part/one; echo "echo loss: 9" > sandbox/program; echo "a part"',
    'rm -r sandbox/part; echo hello > sandbox/part; echo "echo loss: 8" > sandbox/program; echo "a flat part"',
    'rm sandbox/part; mkdir -p sandbox/part/two; echo deep > sandbox/part/two/x; echo "echo loss: 7" > sandbox/program; echo "a deep part"',
  ]);
  const org = startOrg(agent);
  // A night each, so that none has time to take the change apart and find that the part does nothing.
  const kept: string[] = [];
  for (let night = 1; night <= 3; night++) kept.push(...endings((await runNight(org, '--max', '1')).experiments));
  assert.deepEqual(kept, ['keep 9', 'keep 8', 'keep 7']);
  const trees = org
    .git('log', '--reverse', '--format=%H', '--first-parent', '--grep=^keep:', 'orgrepo/best')
    .trim()
    .split('\n');
  assert.deepEqual(
    trees.map((commit) => org.git('ls-tree', '-r', '--name-only', commit, 'sandbox').trim().split('\n')),
    [
      ['sandbox/part/one', 'sandbox/program'],
      ['sandbox/part', 'sandbox/program'],
      ['sandbox/part/two/x', 'sandbox/program'],
    ],
  );
});

test('more files or deeper directories than anybody can look through are refused, and gone before the next attempt', async () => {
  const agent = scriptAgent([
    `${honest}\nmkdir sandbox/many\ncd sandbox/many\nseq 1 21000 | xargs touch\ncd ../..\necho "many"`,
    `${honest}\nhere=$PWD\nfor i in $(seq 1 300); do mkdir ddddddddddddddddddd; cd ddddddddddddddddddd; done\ncd "$here"\necho "deep"`,
    honest,
  ]);
  const org = startOrg(agent, { budget: '{ experiment: 10s, agent: 60s, night: 1h, attempts: 100, patience: 1000 }' });
  const ran = await runNight(org, '--max', '3');
  assert.equal(ran.code, 0, ran.stderr || ran.stdout.slice(-2_000));
  assert.deepEqual(endings(ran.experiments), ['tampered', 'tampered', 'keep 9']);
  assert.match(ran.experiments[0]?.reason ?? '', /more than 20000 files/);
});

test('an agent that locks every directory it can reach stops nobody, also where orgrepo is no root', async () => {
  const lock = 'mkdir -p $TMPDIR/a/b; touch $TMPDIR/a/b/c; chmod -R a-w $TMPDIR sandbox .; echo "locked"';
  const agent = scriptAgent([
    `echo $TMPDIR > $HERE/desk; mkdir sandbox/new; touch sandbox/new/one; ${say('echo "loss: 11"')}; ${lock}`,
    `${honest}; ${lock}`,
    say('echo "loss: 8"'),
  ]);
  const org = startOrg(agent, {}, ordinarily);
  const ran = await runNight(org, '--max', '3');
  assert.equal(ran.code, 0, ran.stderr || ran.stdout.slice(-2_000));
  assert.deepEqual(endings(ran.experiments), ['discard 11', 'keep 9', 'keep 8']);
  assert.equal(existsSync(readFileSync(path.join(agent.dir, 'desk'), 'utf8').trim()), false);
});

test('an agent is told nothing but its task: no secret of ours is in its environment', async () => {
  const agent = scriptAgent([
    'env | cut -d= -f1 | sort > $HERE/names; cat $ORGREPO_SPEC > $HERE/spec; cat $ORGREPO_BRIEF > $HERE/brief; cat $ORGREPO_NOTEBOOK > $HERE/notebook; echo "looked around"',
  ]);
  const org = startOrg(agent);
  process.env.ORGREPO_TEST_SECRET = 'secret';
  await runNight(org, '--max', '1');
  delete process.env.ORGREPO_TEST_SECRET;
  const names = readFileSync(path.join(agent.dir, 'names'), 'utf8')
    .trim()
    .split('\n')
    .filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_', 'N', 'HERE'].includes(name));
  assert.deepEqual(names, [
    'HOME',
    'LANG',
    'ORGREPO_AGENT',
    'ORGREPO_ATTEMPT',
    'ORGREPO_BRIEF',
    'ORGREPO_NOTEBOOK',
    'ORGREPO_SECONDS',
    'ORGREPO_SPEC',
    'PATH',
    'PYTHONDONTWRITEBYTECODE',
    'TMPDIR',
  ]);
  assert.equal(readFileSync(path.join(agent.dir, 'brief'), 'utf8').trim(), 'Make the loss small.');
  assert.match(readFileSync(path.join(agent.dir, 'spec'), 'utf8'), /make it say less/);
});
