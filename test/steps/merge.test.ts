import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { runNight, type Told, waitFor } from '../support/night.ts';
import { briefText, makeOrg, quadratic, type TestOrg } from '../support/org.ts';

const made: string[] = [];
after(() => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

const numbers = ['a 9', 'b 3', 'c 3', 'd 3', 'e 3', 'f 3', 'g 9', ''].join('\n');

/** Two juniors that begin at the same moment, from the same best; the first to work finishes first. */
function twoJuniors(edits: Readonly<Record<string, string>>, score: string): TestOrg {
  const desk = mkdtempSync(path.join(tmpdir(), 'orgrepo-juniors-'));
  const script = `
touch ${desk}/$ORGREPO_AGENT
[ $ORGREPO_ATTEMPT = 1 ] || { echo "done already"; exit 0; }
${waitFor(`${desk}/junior-1`)}
${waitFor(`${desk}/junior-2`)}
case $ORGREPO_AGENT in
junior-1) sed -i '${edits['junior-1']}' sandbox/numbers.txt ;;
junior-2) sed -i '${edits['junior-2']}' sandbox/numbers.txt ;;
esac
echo "$ORGREPO_AGENT was here"
`;
  writeFileSync(path.join(desk, 'agent.sh'), script);
  const org = makeOrg({
    'program.md': briefText({
      juniors: '2',
      agent: `{ command: "sh ${desk}/agent.sh" }`,
      budget: '{ experiment: 10s, agent: 40s, night: 1h, attempts: 1, patience: 1000 }',
    }),
    'sandbox/numbers.txt': numbers,
    'harness/run.sh': 'cat sandbox/numbers.txt > "$ORGREPO_OUT/numbers"\n',
    'harness/score.sh': score,
    'specs/0001-one.md': '---\ntitle: one\nrisk: medium\n---\n',
    'specs/0002-two.md': '---\ntitle: two\nrisk: medium\n---\n',
  });
  made.push(org.dir, desk);
  return org;
}

const quadraticScore = `awk '{ loss += ($2 - 3) ^ 2 } END { print "loss: " loss }' "$ORGREPO_OUT/numbers"\n`;

const brief = (experiments: readonly Told[]): string[] =>
  experiments.map(({ event, score }) => `${event} ${score ?? '-'}`);

test('two kept changes that go together are merged, and the merged tree is measured before it is best', () => {
  const org = twoJuniors({ 'junior-1': 's/a 9/a 3/', 'junior-2': 's/g 9/g 3/' }, quadraticScore);
  const ran = runNight(org, '--max', '2');
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
  assert.equal(org.orgrepo('replay', String(merge?.n)).code, 0);
});

test('a merged tree that does not win is measured, recorded and not taken', () => {
  const score =
    'a=$(grep -c "a 3" "$ORGREPO_OUT/numbers"); g=$(grep -c "g 3" "$ORGREPO_OUT/numbers")\necho "loss: $((10 - a - g + a * g * 10))"\n';
  const org = twoJuniors({ 'junior-1': 's/a 9/a 3/', 'junior-2': 's/g 9/g 3/' }, score);
  const ran = runNight(org, '--max', '2');
  assert.deepEqual(brief(ran.experiments), ['keep 9', 'keep 9', 'discard 18']);
  assert.equal(JSON.parse(org.orgrepo('status', '--json').stdout).best.score, 9);
  assert.equal(org.git('log', '--first-parent', '--format=%s', 'main..orgrepo/best').trim().split('\n').length, 2);
});

test('of two changes that conflict the better one is best, and the other a spec for somebody who can read both', () => {
  const org = twoJuniors({ 'junior-1': 's/a 9/a 4/', 'junior-2': 's/a 9/a 5/' }, quadraticScore);
  const ran = runNight(org, '--max', '2');
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
  assert.equal(JSON.parse(org.orgrepo('status', '--json').stdout).best.score, 37);
  assert.equal(org.orgrepo('verify').code, 0);
});

test('many lanes at once lose nothing and give no number twice', () => {
  const org = makeOrg({ ...quadratic, 'program.md': briefText({ juniors: '4', slots: '2' }) });
  made.push(org.dir);
  const ran = runNight(org, '--max', '24');
  assert.equal(ran.code, 0, ran.stderr);
  const told = ran.experiments.map(({ n }) => n).sort((a, b) => a - b);
  assert.deepEqual(
    told,
    Array.from({ length: told.length }, (_, index) => index + 1),
  );
  const logged = org
    .orgrepo('log', '--all', '--json')
    .stdout.trim()
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
