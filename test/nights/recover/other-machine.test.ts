import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { anOrg } from '../../support/builders.ts';
import { type Clone, cloneOf, publish } from '../../support/clone.ts';
import { factsIn } from '../../support/night.ts';
import { briefText, type TestOrg } from '../../support/org.ts';

/** What an org that has moved to another machine knows of what it did on the first: another name, another secret. */

const trailer = ({ git }: Pick<TestOrg, 'git'>, key: string, ...of: string[]): string[] =>
  git('log', '--reverse', `--format=%(trailers:key=Org-${key},valueonly)`, ...of)
    .split('\n')
    .filter((line) => line !== '');

const secretIn = ({ dir }: { readonly dir: string }): string =>
  readFileSync(path.join(dir, '.git/orgrepo/secret'), 'hex');

const hasBook = ({ git }: Clone): boolean => git('for-each-ref', 'refs/orgrepo/spend/another-host') !== '';

const holds = async (clone: Pick<Clone, 'orgrepo'>): Promise<void> => {
  const { code, stdout } = await clone.orgrepo('verify');
  assert.equal(code, 0, stdout);
};

/** A model that reads for a while, and then changes what nobody has changed. */
const junior = JSON.stringify({
  conversations: [9, 7, 8].map((value, at) => ({
    when: [`try ${at + 1}`],
    turns: [
      ...Array.from({ length: 12 }, (_, turn) => ({ calls: [{ tool: 'read', input: { path: `sandbox/${turn}` } }] })),
      { calls: [{ tool: 'edit', input: { path: 'sandbox/numbers.txt', old: ` ${value}\n`, new: ' 3\n' } }] },
      { calls: [{ tool: 'finish', input: { title: `${value} is too much` } }] },
    ],
  })),
});

function modelOrg(): TestOrg {
  const org = anOrg({ files: { 'program.md': brief(''), 'models/junior.json': junior } });
  return org;
}

const brief = (caps: string): string =>
  briefText({
    ...{ agent: '', model: 'scripted:models/junior.json', chief: '{ agent: search }', caps },
    budget: '{ experiment: 10s, agent: 20s, night: 1h, attempts: 9, patience: 1000 }',
  });

function setCaps(clone: Clone, caps: string): void {
  writeFileSync(path.join(clone.dir, 'program.md'), brief(caps));
  clone.git('commit', '--quiet', '-am', 'caps');
}

test('each machine has a book of its own, and what the first spent counts on the second', async () => {
  const org = modelOrg();
  assert.equal((await org.orgrepo('run', '--json', '--max', '1')).code, 0);
  const [first = ''] = org.git('for-each-ref', '--format=%(refname)', 'refs/orgrepo/spend').trim().split('\n');
  const spent = trailer(org, 'Tokens-In', '--grep=^settle', first).reduce((sum, one) => sum + Number(one), 0);
  const clone = cloneOf(publish(org));
  const before = clone.git('ls-remote', 'origin', first);

  setCaps(clone, `{ spec: { tokens_in: ${spent + 100} } }`);
  const capped = await clone.orgrepo('run', '--json', '--max', '1');
  assert.equal(capped.code, 0, capped.stdout + capped.stderr);
  assert.match(
    clone.git('log', '-1', '--format=%B', 'orgrepo/work/0001'),
    new RegExp(`the cap of spec 0001 is ${spent + 100} tokens to read`),
  );
  assert.equal(hasBook(clone), false, 'nothing more was spent on it');
  setCaps(clone, '');
  const more = await clone.orgrepo('run', '--json', '--max', '1');
  assert.equal(more.code, 0, more.stdout + more.stderr);
  assert.equal(hasBook(clone), true);
  assert.equal(clone.git('rev-parse', first).trim(), before.split('\t')[0], 'the first book is as it was');
  await holds(clone);
});

test('a night that goes on on another machine has its caps once', async () => {
  const org = modelOrg();
  assert.equal((await org.orgrepo('run', '--json', '--max', '1')).code, 0);
  org.git('update-ref', 'refs/heads/orgrepo/queue', 'orgrepo/queue~1'); // As if it had been killed before its end.
  org.git('update-ref', 'refs/orgrepo/checkpoints', 'refs/orgrepo/checkpoints~1');
  org.git('update-ref', '-d', 'refs/heads/orgrepo/reports');
  const [first = ''] = org.git('for-each-ref', '--format=%(refname)', 'refs/orgrepo/spend').trim().split('\n');
  const spent = trailer(org, 'Tokens-In', '--grep=^settle', first).reduce((sum, one) => sum + Number(one), 0);
  const clone = cloneOf(publish(org));
  setCaps(clone, `{ agent: { tokens_in: ${spent + 100} } }`);
  const run = await clone.orgrepo('run', '--json', '--max', '1');
  const reasons = factsIn(run.stdout).map(({ experiment, message }) => `${experiment?.reason} ${message}`);
  assert.match(reasons.join('\n'), new RegExp(`the cap of agent junior-1 is ${spent + 100} tokens to read`));
  assert.equal(hasBook(clone), false, 'nothing was left to spend');
  const status = JSON.parse((await clone.orgrepo('status', '--json')).stdout) as { spent: { tokens_in: number } };
  assert.equal(status.spent.tokens_in, spent, 'the night is told with what it spent elsewhere');
  await holds(clone);
});

test('another secret gives other seeds, and what was measured with the first ones is measured again by replay', async () => {
  const seeded = `read -r value rest < "$ORGREPO_OUT/numbers"
awk -v seed="$ORGREPO_SEED" 'BEGIN { srand(seed); noise = rand() } { loss += ($2 - 3) ^ 2 } END { print "loss: " loss + noise }' "$ORGREPO_OUT/numbers"
`;
  const org = anOrg({ files: { 'harness/score.sh': seeded } });
  const ran = await org.orgrepo('run', '--json', '--max', '4');
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  const clone = cloneOf(publish(org));
  const again = await clone.orgrepo('run', '--json', '--max', '4');
  assert.equal(again.code, 0, again.stdout + again.stderr);
  assert.notEqual(secretIn(clone), secretIn(org));
  const calibrated = factsIn(again.stdout).filter(({ fact }) => fact === 'calibrated');
  assert.equal(calibrated.length, 1, 'noise is learnt on each machine');
  assert.deepEqual(
    trailer(clone, 'Host', '--grep=^calibrate', '--first-parent', 'orgrepo/queue').at(-1),
    'another-host',
  );
  const seeds = (n: number): string[] =>
    clone
      .git('log', '--all', `--grep=^Org-Experiment: ${n}$`, '--format=%(trailers:key=Org-Seeds,valueonly)')
      .split('\n')
      .filter((line) => line !== '');
  assert.equal(seeds(1).length > 0 && seeds(8).length > 0, true);
  const replayed = await clone.orgrepo('replay', '--all');
  assert.equal(replayed.code, 0, replayed.stdout + replayed.stderr);
  await holds(clone);
});
