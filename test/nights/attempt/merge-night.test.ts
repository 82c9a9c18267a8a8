import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, test } from 'node:test';
import { runNight, type Told } from '../../support/night.ts';
import { briefText, makeOrg, quadratic, type TestOrg } from '../../support/org.ts';
import { afterTheFirst, numbers, quadraticScore, scoreOf, twoJuniors } from '../../support/two-juniors.ts';

const made: string[] = [];
after(() => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

const brief = (experiments: readonly Told[]): string[] =>
  experiments.map(({ event, score }) => `${event} ${score ?? '-'}`);

test('two kept changes that go together are merged, and the merged tree is measured before it is best', async () => {
  const org = twoJuniors({ 'junior-1': 's/a 9/a 3/', 'junior-2': 's/g 9/g 3/' }, quadraticScore);
  const ran = await runNight(org, '--max', '2');
  assert.equal(ran.code, 0, ran.stderr);
  assert.deepEqual(brief(ran.experiments), ['keep 36', 'keep 36', 'keep 0'], JSON.stringify(ran.experiments));
  const moves = ran.facts
    .filter(({ fact }) => fact === 'best-moved')
    .map(({ n, score, merged }) => ({ n, score, merged }));
  const [first, , merge] = ran.experiments;
  assert.deepEqual(moves, [
    { n: first?.n, score: 36, merged: false },
    { n: merge?.n, score: 0, merged: true },
  ]);
  assert.match(merge?.title ?? '', /^#\d merged with best #\d$/);
  assert.equal(org.git('show', 'orgrepo/best:sandbox/numbers.txt'), numbers.replaceAll('9', '3'));
  assert.equal(org.git('log', '--first-parent', '--format=%s', 'main..orgrepo/best').trim().split('\n').length, 3);
  const [tip = '', , tried = ''] = org.git('log', '-1', '--format=%H %P', 'orgrepo/best').trim().split(' ');
  assert.equal(org.git('rev-parse', `${tip}^{tree}`), org.git('rev-parse', `${tried}^{tree}`));
  assert.equal((await org.orgrepo('replay', String(merge?.n))).code, 0);
});

test('a merged tree that does not win is measured, recorded and not taken', async () => {
  const score =
    'a=$(grep -c "a 3" "$ORGREPO_OUT/numbers"); g=$(grep -c "g 3" "$ORGREPO_OUT/numbers")\necho "loss: $((10 - a - g + a * g * 10))"\n';
  const org = twoJuniors({ 'junior-1': 's/a 9/a 3/', 'junior-2': 's/g 9/g 3/' }, score);
  const ran = await runNight(org, '--max', '2');
  assert.deepEqual(brief(ran.experiments), ['keep 9', 'keep 9', 'discard 18']);
  assert.equal(JSON.parse((await org.orgrepo('status', '--json')).stdout).best.score, 9);
  assert.equal(org.git('log', '--first-parent', '--format=%s', 'main..orgrepo/best').trim().split('\n').length, 2);
});

const subjects = (org: TestOrg): string[] =>
  org.git('log', '--first-parent', '--format=%s', 'main..orgrepo/best').trim().split('\n');

test('a win whose merge is worse than best stands in its place when it is better alone', async () => {
  const org = twoJuniors({ 'junior-1': 's/a 9/a 3/', 'junior-2': afterTheFirst }, scoreOf(9, 8, 18));
  const ran = await runNight(org, '--max', '2');
  assert.deepEqual(brief(ran.experiments), ['keep 9', 'keep 8', 'discard 18', 'keep 8'], ran.stderr);
  const [first, second, , alone] = ran.experiments;
  assert.equal(alone?.title, `#${second?.n} in place of best #${first?.n}`);
  assert.deepEqual(subjects(org).slice(0, 2), [
    'keep: junior-2 was here (loss 9 -> 8)',
    'keep: junior-1 was here (loss 10 -> 9)',
  ]);
  const replaces = org.git('log', '-1', '--format=%(trailers:key=Org-Replaces,valueonly)', 'orgrepo/best').trim();
  assert.equal(replaces, String(first?.n));
  const moved = ran.facts.filter(({ fact }) => fact === 'best-moved').at(-1);
  assert.deepEqual([moved?.merged, moved?.alone, moved?.replaces], [true, true, [first?.n]]);
  assert.equal(org.git('show', 'orgrepo/best:sandbox/numbers.txt'), numbers.replace('g 9', 'g 3'));
  assert.equal((await org.orgrepo('verify')).code, 0);
  assert.equal((await org.orgrepo('replay', String(alone?.n))).code, 0);
});

test('a win ahead of best by min_effect or less is not taken in its place', async () => {
  const edits = { 'junior-1': 's/a 9/a 3/', 'junior-2': afterTheFirst };
  const org = twoJuniors(edits, scoreOf(8.2, 8, 18), { min_effect: '0.5' });
  const ran = await runNight(org, '--max', '2');
  assert.deepEqual(brief(ran.experiments), ['keep 8.2', 'keep 8', 'discard 18', 'discard 8'], ran.stderr);
  assert.match(ran.experiments[3]?.title ?? '', /^#\d in place of best #\d$/);
  assert.match(ran.experiments[3]?.reason ?? '', /better by 0\.2, not by more than min_effect 0\.5$/);
  assert.equal(JSON.parse((await org.orgrepo('status', '--json')).stdout).best.score, 8.2);
});

test('a win that breaks a guard when it is measured in place of best is not taken', async () => {
  const size = 'echo "size: $((2 - a))"\n'; // Best is smaller than what the win was built on.
  const edits = { 'junior-1': 's/a 9/a 3/', 'junior-2': afterTheFirst };
  const org = twoJuniors(edits, scoreOf(9, 8, 18) + size, { guards: '{ size: "<= 1x best" }' });
  const ran = await runNight(org, '--max', '2');
  assert.deepEqual(brief(ran.experiments), ['keep 9', 'keep 8', 'discard 18', 'confounded 8'], ran.stderr);
  assert.equal(JSON.parse((await org.orgrepo('status', '--json')).stdout).best.score, 9);
});

test('where the merge wins and the win alone is better still, the better one is best', async () => {
  const org = twoJuniors({ 'junior-1': 's/a 9/a 3/', 'junior-2': afterTheFirst }, scoreOf(9, 6, 8));
  const ran = await runNight(org, '--max', '2');
  assert.deepEqual(brief(ran.experiments), ['keep 9', 'keep 6', 'keep 8', 'keep 6'], ran.stderr);
  assert.equal(JSON.parse((await org.orgrepo('status', '--json')).stdout).best.score, 6);
  const replaces = org.git('log', '-1', '--format=%(trailers:key=Org-Replaces,valueonly)', 'orgrepo/best').trim();
  assert.deepEqual(replaces.split(','), [ran.experiments[2]?.n, ran.experiments[0]?.n].map(String));
  assert.equal((await org.orgrepo('verify')).code, 0);
});

test('of two changes that conflict the better one is best, and the other a spec for somebody who can read both', async () => {
  const org = twoJuniors({ 'junior-1': 's/a 9/a 4/', 'junior-2': 's/a 9/a 5/' }, quadraticScore);
  const ran = await runNight(org, '--max', '2');
  assert.equal(ran.code, 0, ran.stderr);
  assert.deepEqual(brief(ran.experiments.slice(0, 2)).sort(), ['keep 37', 'keep 40']);
  const [first, second, alone] = ran.experiments;
  const replaces = second?.score === 37;
  assert.equal(alone?.event, replaces ? 'keep' : 'discard');
  assert.equal(alone?.title, `#${second?.n} in place of best #${first?.n}`);
  const [left, taken] = replaces ? [first, second] : [second, first];
  const spec = ran.facts.find(
    ({ fact, title }) => fact === 'spec' && title === `combine #${left?.n} with best #${taken?.n}`,
  );
  assert.equal(spec?.by, 'merge');
  const file = org.git('show', `orgrepo/queue:specs/${spec?.id}-combine-${left?.n}-with-best-${taken?.n}.md`);
  const words = `both change the same lines of sandbox/numbers\\.txt[\\s\\S]*combine: #${left?.n}`;
  assert.match(file, /^risk: medium$/m, 'a change is as risky in another form');
  assert.match(file, new RegExp(`by: merge\\n[\\s\\S]*${words}`));
  assert.equal(org.git('show', 'orgrepo/best:sandbox/numbers.txt').includes('<<<<'), false);
  assert.equal(JSON.parse((await org.orgrepo('status', '--json')).stdout).best.score, 37);
  assert.equal((await org.orgrepo('verify')).code, 0);
});

test('many lanes at once lose nothing and give no number twice', async () => {
  const org = makeOrg({ ...quadratic, 'program.md': briefText({ juniors: '4', slots: '2' }) });
  made.push(org.dir);
  const ran = await runNight(org, '--max', '24');
  assert.equal(ran.code, 0, ran.stderr);
  const told = ran.experiments.map(({ n }) => n).sort((a, b) => a - b);
  assert.deepEqual(
    told,
    Array.from({ length: told.length }, (_, index) => index + 1),
  );
  const logged = (await org.orgrepo('log', '--all', '--json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).n);
  assert.deepEqual(logged.reverse(), told);
  const moves = ran.facts.filter(({ fact }) => fact === 'best-moved').map(({ score }) => Number(score));
  assert.deepEqual(
    moves,
    [...moves].sort((a, b) => b - a),
    'best only ever gets better',
  );
  const best = org.git(
    'log',
    '--first-parent',
    '--reverse',
    '--format=%(trailers:key=Org-Score,valueonly,separator=%x2C)',
    'main..orgrepo/best',
  );
  assert.deepEqual(best.trim().split('\n').slice(1).map(Number), moves);
  assert.equal(org.git('fsck', '--no-dangling'), '');
});
