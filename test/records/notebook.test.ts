import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { obedientOrg, runNight, say, scriptAgent, trailers } from '../support/night.ts';
import type { TestOrg } from '../support/org.ts';

/** What people can rely on when they read an org with plain git. */
let org: TestOrg;
let trunk: string;

before(async () => {
  const agent = scriptAgent([
    say('echo "loss: 9"; echo "size: 3"', 'less'),
    say('echo "loss: 12"', 'more'),
    say('exit 2', 'broken'),
    'exit 1',
    'echo "no idea"',
    say('echo "loss: 8"; echo "size: 4"', 'less again'),
  ]);
  org = obedientOrg(agent.brief, { budget: '{ experiment: 10s, agent: 10s, night: 1h, attempts: 6, patience: 1000 }' });
  trunk = org.git('rev-parse', 'main').trim();
  await runNight(org, '--max', '6');
});
after(() => org.remove());

const lines = (...args: string[]): string[] =>
  org
    .git(...args)
    .trim()
    .split('\n');

test('the first parents of a work branch tell its story, the second parents hold every attempt', () => {
  const story = lines('log', '--first-parent', '--reverse', '--format=%s', 'orgrepo/best~2..orgrepo/work/0001');
  assert.deepEqual(story, [
    'claim: 0001 make it say less',
    'keep: less',
    'discard: more',
    'crash: broken',
    'failed: no candidate',
    'unchanged: no idea',
    'keep: less again',
    'done: 0001 make it say less',
  ]);
  const verdicts = lines('log', '--first-parent', '--reverse', '--merges', '--format=%H', 'orgrepo/work/0001', '^main');
  for (const verdict of verdicts) {
    const [line = '', tried = ''] = org.git('log', '-1', '--format=%P', verdict).trim().split(' ');
    const tree = (name: string): string => org.git('rev-parse', `${name}^{tree}`).trim();
    const subject = org.git('log', '-1', '--format=%s', verdict).trim();
    assert.equal(tree(verdict), subject.startsWith('keep:') ? tree(tried) : tree(line), subject);
    assert.equal(org.git('log', '-1', '--format=%s', tried).trim(), subject.replace(/^\w+:/, 'try:'));
    assert.equal(org.git('rev-parse', `${tried}^1`).trim(), line, 'a try starts from the line below its verdict');
    assert.equal(
      org
        .git('diff', '--name-only', line, tried)
        .split('\n')
        .every((file) => file === '' || file.startsWith('sandbox/')),
      true,
    );
  }
  assert.equal(verdicts.length, 6);
});

test('the best branch lists what was kept and nothing else, and each of its trees was measured', () => {
  assert.deepEqual(lines('log', '--first-parent', '--format=%s', 'main..orgrepo/best'), [
    'keep: less again (loss 9 -> 8)',
    'keep: less (loss 10 -> 9)',
    'baseline: as the trunk has it',
  ]);
  const kept = lines('log', '--first-parent', '--merges', '--format=%H %P', 'main..orgrepo/best');
  for (const line of kept) {
    const [commit = '', previous = '', tried = ''] = line.split(' ');
    assert.equal(org.git('rev-parse', `${commit}^{tree}`), org.git('rev-parse', `${tried}^{tree}`));
    assert.equal(org.git('log', '-1', '--format=%s', tried).startsWith('try: '), true);
    assert.equal(lines('log', '--first-parent', '--format=%H', 'orgrepo/best').includes(previous), true);
  }
});

test('the author is the agent, the committer is the person that ran orgrepo', () => {
  const people = (range: string): string[] =>
    [...new Set(lines('log', '--format=%an <%ae> | %cn <%ce>', range, '^main'))].sort();
  const person = 'Test Person <person@example.invalid>';
  assert.deepEqual(people('orgrepo/work/0001'), [
    `junior-1 <junior-1@agents.invalid> | ${person}`,
    `orgrepo <orgrepo@agents.invalid> | ${person}`,
  ]);
  assert.deepEqual(people('orgrepo/reports'), [`${person} | ${person}`]);
  const queue = people('orgrepo/queue');
  assert.deepEqual(
    queue.every((one) => one.endsWith(`| ${person}`)),
    true,
  );
});

test('every commit of every branch of ours carries its event and its schema where plain git finds them', () => {
  for (const branch of [
    'orgrepo/best',
    'orgrepo/queue',
    'orgrepo/work/0001',
    'orgrepo/reports',
    'refs/orgrepo/wip/0001',
  ]) {
    const events = trailers(org, 'Event', branch, '^main');
    assert.equal(
      events.every((event) => /^[a-z]+$/.test(event)),
      true,
      `${branch}: ${events}`,
    );
    assert.deepEqual([...new Set(trailers(org, 'Schema', branch, '^main'))], ['1'], branch);
  }
});

test('a verdict can be computed again from its trailers alone', () => {
  const fields = ['Event', 'Spec', 'Experiment', 'Agent', 'Metric', 'Score', 'Samples', 'Best', 'Numbers', 'Reason'];
  const format = fields.map((field) => `%(trailers:key=Org-${field},valueonly,separator=%x2C)`).join('|');
  const rows = lines(
    'log',
    '--first-parent',
    '--merges',
    '--reverse',
    `--format=${format}`,
    'orgrepo/work/0001',
    '^main',
  );
  assert.deepEqual(rows, [
    'keep|0001|1|junior-1|loss|9|9,9,9,9|10|size=3|loss 9 against 10: better by 1',
    'discard|0001|2|junior-1|loss|12|12|9||loss 12 against 9: worse',
    'crash|0001|3|junior-1|loss|||9||score ended with 2',
    'failed|0001|4|junior-1|loss|||9||the agent ended with 1',
    'unchanged|0001|5|junior-1|loss|||9||nothing was changed',
    'keep|0001|6|junior-1|loss|8|8,8,8,8|9|size=4|loss 8 against 9: better by 1',
  ]);
  const harness = org.git('rev-parse', 'main:harness').trim();
  const brief = org.git('rev-parse', 'main:program.md').trim();
  const pins = lines(
    'log',
    '--first-parent',
    '--merges',
    '--format=%(trailers:key=Org-Harness,valueonly,separator=%x2C) %(trailers:key=Org-Brief,valueonly,separator=%x2C)',
    'orgrepo/work/0001',
    '^main',
  );
  assert.deepEqual([...new Set(pins)], [`${harness} ${brief}`]);
});

test('a claim carries a nonce and a lease, and the queue tells who took what and when it was done', () => {
  const claim = org.git(
    'log',
    '-1',
    '--format=%(trailers:key=Org-Nonce,valueonly)%(trailers:key=Org-Lease,valueonly)',
    '--grep=^claim:',
    'orgrepo/work/0001',
  );
  assert.match(claim, /^[0-9a-f]{24}\n20\n/);
  const queue = lines('log', '--reverse', '--format=%s', 'main..orgrepo/queue');
  const own = queue
    .filter((subject) => /^(run|claim: 0001|done: 0001|end)/.test(subject))
    .map((subject) => subject.replace(/\d{4}-\d\d-\d\d/, '<day>'));
  assert.deepEqual(own, [
    'run: <day>',
    'claim: 0001 by junior-1',
    'done: 0001 make it say less',
    'end: <day>, 6 experiments were asked for',
  ]);
});

test('a finished spec is off the queue and stays claimed', () => {
  assert.equal(org.git('ls-tree', '-r', '--name-only', 'orgrepo/queue', 'specs/').includes('0001'), false);
  assert.equal(org.git('rev-parse', '--verify', 'orgrepo/work/0001').length > 0, true);
});

test('no branch is an orphan, the trunk never moved, nothing is dirty, and git finds nothing to complain about', () => {
  for (const branch of lines('for-each-ref', '--format=%(refname)', 'refs/heads/orgrepo', 'refs/orgrepo')) {
    assert.equal(org.git('merge-base', 'main', branch).trim(), trunk, branch);
  }
  assert.equal(org.git('rev-parse', 'main').trim(), trunk);
  assert.equal(org.git('status', '--porcelain'), '');
  assert.equal(org.git('fsck', '--strict', '--no-dangling'), '');
});
