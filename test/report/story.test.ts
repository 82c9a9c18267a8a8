import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mask } from '../support/mask.ts';
import { obedientOrg, say, scriptAgent } from '../support/night.ts';
import type { Ran, TestOrg } from '../support/org.ts';

/** One short night, and what every command tells of it: compared whole, with ids and times replaced. */
let org: TestOrg;
let night: Ran;

before(async () => {
  const agent = scriptAgent([
    say('echo "loss: 12"', 'try more'),
    say('echo "loss: 8"', 'try less'),
    say('exit 1', 'try nothing'),
    'echo x > notes.txt; echo "reach out"',
    say('echo "loss: 7"', 'a little less'),
  ]);
  org = obedientOrg(agent.brief);
  night = await org.orgrepo('run', '--max', '5');
});
after(() => org.remove());

const shown = async (...args: string[]): Promise<string> => {
  const ran = await org.orgrepo(...args);
  assert.equal(ran.code, 0, ran.stderr);
  return mask(ran.stdout, org).replaceAll(/sh \S+\/agent\.sh/g, '<agent>');
};

test('a run says one line per fact, from its start to its report', () => {
  assert.equal(night.code, 0, night.stderr);
  assert.equal(
    mask(night.stdout, org).replaceAll(/"sh \S+\/agent\.sh"/g, '<agent>'),
    `<time> run start run=<day> pid=<pid> juniors=1 slots=1 agent=<agent> metric=loss max=5 seed=1
<time> baseline score=10 runs=3 sha=<id>
<time> calibrated metric=loss measurements=3 noise=0
<time> claim 0001 agent=junior-1
<time> exp #1 discard loss=12 best=10 delta=+20.0% agent=junior-1 spec=0001 sha=<id> "try more"
<time> exp #2 WIN loss=8 best=10 delta=-20.0% agent=junior-1 spec=0001 sha=<id> "try less"
<time> best #2 score=8 sha=<id> by=take
<time> exp #3 CRASH loss=- best=8 agent=junior-1 spec=0001 sha=<id> "try nothing" reason="score ended with 1"
<time> exp #4 BLOCKED loss=- best=8 agent=junior-1 spec=0001 sha=<id> "reach out" reason="added notes.txt, which is outside the sandbox"
<time> exp #5 WIN loss=7 best=8 delta=-12.5% agent=junior-1 spec=0001 sha=<id> "a little less"
<time> best #5 score=7 sha=<id> by=take
<time> gain metric=loss mean=3 from=3 to=3 pairs=1
<time> run stop reason="5 experiments were asked for" tried=5 won=2 taken=2 best=7 report=reports/<day>.md exit=0
`,
  );
});

test('status tells how the org stands', async () => {
  assert.equal(
    await shown('status'),
    `<org> · stopped <span> ago: 5 experiments were asked for
  go on from the best: orgrepo run

  best     7 loss, lower is better  (#5, <id>)   baseline 10   -30.0 %
  tried    5: 2 won, 2 taken, 1 discarded, 1 crashed, 1 blocked
           last taken 0 tries ago (stops at 1000)
  queue    0 open, 1 claimed
  signed   checkpoint 2 (<id>)

  agent     doing                          tried    won
  junior-1  waiting for a run, spec 0001       5      2
`,
  );
});

test('log tells the experiments, newest first', async () => {
  assert.equal(
    await shown('log'),
    `● taken  ◆ won  ○ discarded  ? unclear  × no score  ! blocked, confounded, rejected  · other
●   #5        7  -12.5 %  junior-1  <id>  a little less                                      0001
│ ! #4  blocked        –  junior-1  <id>  reach out                                          0001
│ × #3    crash        –  junior-1  <id>  try nothing                                        0001
├─╯
●   #2        8  -20.0 %  junior-1  <id>  try less                                           0001
│ ○ #1       12  +20.0 %  junior-1  <id>  try more                                           0001
`,
  );
});

test('log shows what was asked for and says what it left out', async () => {
  const titles = async (...args: string[]): Promise<string[]> =>
    (await org.orgrepo('log', '--json', ...args)).stdout
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).title);
  assert.deepEqual(await titles(), ['a little less', 'reach out', 'try nothing', 'try less', 'try more']);
  assert.deepEqual(await titles('--kept'), ['a little less', 'try less']);
  assert.deepEqual(await titles('-n', '2'), ['a little less', 'reach out']);
  assert.deepEqual(await titles('--since', '3'), ['a little less', 'reach out']);
  assert.deepEqual(await titles('--grep', 'LESS'), ['a little less', 'try less']);
  assert.deepEqual((await titles('--sort', 'delta')).slice(0, 3), ['try less', 'a little less', 'try more']);
  assert.deepEqual(await titles('--agent', 'junior-2'), []);
  assert.deepEqual((await titles('--spec', '0001')).length, 5);
  assert.match(await shown('log', '-n', '2'), /3 experiments not shown: orgrepo log --all/);
  const unmatched: readonly (readonly [readonly string[], string])[] = [
    [['--agent', 'junior-2'], '--agent junior-2'],
    [['--kept', '--grep', 'reach out'], '--kept --grep "reach out"'],
    [['--event', 'timeout'], '--event timeout'],
    [['--spec', '0009'], '--spec 0009'],
    [['--since', '50'], '--since 50'],
  ];
  for (const [filters, words] of unmatched) {
    const told = `None of the 5 experiments matches ${words}. All of them: orgrepo log --all\n`;
    assert.equal(await shown('log', ...filters), told);
    assert.equal(
      (await org.orgrepo('log', ...filters, '--format', 'tsv')).stderr,
      told,
      'a table for programs stays one',
    );
  }
});

test("log --format tsv is autoresearch's results.tsv: five columns, oldest first, no score that is not known", async () => {
  assert.equal(
    await shown('log', '--format', 'tsv'),
    [
      'commit\tloss\tmemory_gb\tstatus\tdescription',
      '<id>\t12.000000\t\tdiscard\ttry more',
      '<id>\t8.000000\t\tkeep\ttry less',
      '<id>\t\t\tcrash\ttry nothing',
      '<id>\t\t\tcrash\treach out (tampered)',
      '<id>\t7.000000\t\tkeep\ta little less',
      '',
    ].join('\n'),
  );
  assert.equal(
    (await shown('log', '--format', 'tsv', '-n', '1')).split('\n')[1],
    '<id>\t7.000000\t\tkeep\ta little less',
  );
});

test('show tells one experiment in full, with its diff', async () => {
  assert.equal(
    await shown('show', '2'),
    `#2  ◆ WIN  loss 10 -> 8 (-20.0 %)   junior-1, <date> <clock>, <span>
spec      0001  "make it say less"   by people
tried     try less
verdict   loss 8 against 10: better by 2
best      on best
checked   harness <id> · measured 8 8 8 8

diff --git a/sandbox/program b/sandbox/program
index <id>..<id> 100644
--- a/sandbox/program
+++ b/sandbox/program
@@ -1 +1 @@
-echo "loss: 10"
+echo "loss: 8"

git show <id>   ·   orgrepo replay 2
`,
  );
  assert.equal(await shown('show', '#2'), await shown('show', '2'));
  assert.match(
    await shown('show', '4'),
    /no score[\s\S]*verdict {3}added notes\.txt, which is outside the sandbox[\s\S]*no difference/,
  );
  assert.match(await shown('show', '3', '--output'), /harness output/);
});

test('report tells the night in its fixed order, with what to type next', async () => {
  const text = await shown('report');
  const sections = [...text.matchAll(/^(NEEDS YOU|RESULT|TAKEN|LEARNED|SPEND|NEXT)\b/gm)].map((match) => match[1]);
  assert.deepEqual(sections, ['NEEDS YOU', 'RESULT', 'TAKEN', 'LEARNED', 'SPEND', 'NEXT']);
  assert.match(text, /^<org> · night of <date> · <clock> to <clock> \(<span>\) · stopped: 5 experiments were/);
  assert.match(text, /! junior-1 changed what it may not, once/);
  assert.match(
    text,
    /RESULT {3}loss 10 -> 7 \(-30\.0 %\) · this night's gain \+3, measured once more\n {9}5 tried: 2 won, 2 taken, 1 discarded, 1 crashed, 1 blocked\n/,
  );
  assert.match(
    text,
    /#2 +10 -> 8 +-20\.0 % {2}try less +junior-1 +<id>\n {2}#5 +8 -> 7 +-12\.5 % {2}a little less +junior-1 +<id>\n/,
  );
  assert.match(text, /SPEND {3}money unknown: the agent is a command of yours/);
  assert.match(text, /orgrepo run\n\nCheckpoint 2 \(<id>\)\n$/);
});

test('a report is on orgrepo/reports, and telling the same again adds nothing', async () => {
  await org.orgrepo('report');
  const tip = org.git('rev-parse', 'orgrepo/reports');
  assert.equal(
    (await org.orgrepo('report', '--format', 'md')).stdout,
    org.git('show', 'orgrepo/reports:reports/latest.md'),
  );
  assert.equal(org.git('rev-parse', 'orgrepo/reports'), tip);
  const files = org.git('ls-tree', '-r', '--name-only', 'orgrepo/reports', 'reports').trim().split('\n');
  assert.deepEqual(
    files.map((file) => mask(file, org)),
    ['reports/<day>.md', 'reports/latest.md', 'reports/progress.svg'],
  );
  const svg = org.git('show', 'orgrepo/reports:reports/progress.svg');
  assert.match(svg, /^<svg /);
  assert.doesNotMatch(svg, /<script/i);
  assert.match(svg, /prefers-color-scheme/);
});

test('replay measures an experiment again from its commit alone', async () => {
  assert.equal(await shown('replay', '2'), '#2  measured 8   recorded 8   REPRODUCED\n');
  assert.equal(await shown('replay', '3'), '#3  measured crashed (score ended with 1)   recorded crash   REPRODUCED\n');
  const never = await org.orgrepo('replay', '4');
  assert.equal(never.code, 1);
  assert.match(never.stderr, /#4 was tampered and never measured/);
  assert.equal((await org.orgrepo('replay', '99')).code, 1);
});

test('every answer in JSON has its schema and nothing but JSON on stdout', async () => {
  const cases: readonly [readonly string[], string][] = [
    [['status'], 'orgrepo/status@1'],
    [['log'], 'orgrepo/experiment@1'],
    [['show', '2'], 'orgrepo/experiment@1'],
    [['report'], 'orgrepo/report@1'],
    [['replay', '2'], 'orgrepo/replay@1'],
    [['verify'], 'orgrepo/verify@1'],
    [['doctor'], 'orgrepo/doctor@1'],
    [['submit', 'another idea'], 'orgrepo/spec@1'],
  ];
  for (const [args, schema] of cases) {
    const ran = await org.orgrepo(...args, '--json');
    assert.equal(ran.code, 0, `${args}: ${ran.stderr}${ran.stdout}`);
    const lines = ran.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { schema: string });
    assert.deepEqual([...new Set(lines.map((line) => line.schema))], [schema], args.join(' '));
  }
});

test('status and report in JSON hold the figures of the night', async () => {
  const status = JSON.parse((await org.orgrepo('status', '--json')).stdout);
  assert.deepEqual(
    {
      state: status.state,
      metric: status.metric,
      baseline: status.baseline,
      score: status.best.score,
      n: status.best.n,
      tried: status.tried,
      kept: status.kept,
      needs: status.needs_you,
    },
    { state: 'stopped', metric: 'loss', baseline: 10, score: 7, n: 5, tried: 5, kept: 2, needs: [] },
  );
  assert.equal(status.best.commit, org.git('rev-parse', 'orgrepo/best').trim());
  const report = JSON.parse((await org.orgrepo('report', '--json')).stdout);
  assert.deepEqual(
    {
      metric: report.metric,
      baseline: report.baseline,
      best: report.best.score,
      tried: report.tried,
      kept: report.kept,
      usd: report.spend.usd,
    },
    { metric: 'loss', baseline: 10, best: 7, tried: 5, kept: 2, usd: undefined },
  );
});

test('what was kept can be read with plain git, line by line, down to who wrote it', () => {
  assert.deepEqual(org.git('log', '--first-parent', '--format=%s', 'main..orgrepo/best').trim().split('\n'), [
    'keep: a little less (loss 8 -> 7)',
    'keep: try less (loss 10 -> 8)',
    'baseline: as the trunk has it',
  ]);
  assert.match(org.git('blame', '--porcelain', 'orgrepo/best', '--', 'sandbox/program'), /^author junior-1$/m);
});

test('report --check and status --check answer by their exit code', async () => {
  assert.equal((await org.orgrepo('report', '--check')).code, 3, 'somebody tampered: a person should look');
  assert.equal((await org.orgrepo('status', '--check')).code, 0);
});
