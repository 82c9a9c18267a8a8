import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runNight } from '../../support/night.ts';
import { afterTheFirst, quadraticScore, scoreOf, twoJuniors } from '../../support/two-juniors.ts';

const merging = () => twoJuniors({ 'junior-1': 's/a 9/a 3/', 'junior-2': 's/g 9/g 3/' }, quadraticScore);
const replacing = () => twoJuniors({ 'junior-1': 's/a 9/a 3/', 'junior-2': afterTheFirst }, scoreOf(9, 8, 18));

const linesOf = (text: string, from: string, to: string): string[] =>
  text.slice(text.indexOf(from), text.indexOf(to)).trim().split('\n').slice(1);

test('a win that was merged is one row, under the title of the win', async () => {
  const org = merging();
  const ran = await runNight(org, '--max', '2');
  const [first, second, merge] = ran.experiments.map(({ n }) => n);
  const text = (await org.orgrepo('report')).stdout;
  assert.match(text, / 3 tried: 2 won, 2 taken, 1 won again on best\n/);
  const rows = linesOf(text, 'TAKEN', 'LEARNED').map((row) => row.trim().replaceAll(/\s+/g, ' '));
  assert.equal(rows.length, 2, text);
  assert.match(rows[0] ?? '', new RegExp(`^#${first} 72 -> 36 -50.0 % junior-\\d was here junior-\\d `));
  assert.match(
    rows[1] ?? '',
    new RegExp(`^#${merge} 36 -> 0 -100 % junior-\\d was here \\(won as #${second}\\) junior-\\d `),
  );
  assert.match(text, new RegExp(`look at the last change on best, #${merge} +orgrepo show ${merge}\n`));
  const json = JSON.parse((await org.orgrepo('report', '--json')).stdout);
  assert.deepEqual([json.tried, json.kept, json.taken, json.tally.keep], [3, 2, 2, 3]);
  assert.deepEqual(
    json.wins.map(({ n, won, taken }: { n: number; won: number; taken: boolean }) => [n, won, taken]),
    [
      [first, first, true],
      [merge, second, true],
    ],
  );
});

test('status, log and show say of a merged win that it is on best', async () => {
  const org = merging();
  const ran = await runNight(org, '--max', '2');
  const [first, second, merge] = ran.experiments.map(({ n }) => n);
  assert.match((await org.orgrepo('status')).stdout, / 3: 2 won, 2 taken, 1 won again on best\n/);
  const status = JSON.parse((await org.orgrepo('status', '--json')).stdout);
  assert.deepEqual([status.kept, status.taken], [2, 2]);
  assert.deepEqual(await numbersIn(org, '--taken'), [second, first]);
  assert.deepEqual(await numbersIn(org, '--kept'), [second, first]);
  const log = (await org.orgrepo('log')).stdout;
  assert.equal(log.match(/^● {3}#/gm)?.length, 3, log);
  assert.match((await org.orgrepo('show', String(second))).stdout, new RegExp(`^best +on best, as #${merge}$`, 'm'));
  assert.match((await org.orgrepo('show', String(merge))).stdout, /^best +on best$/m);
});

test('the score of best in the lines of a run only gets better', async () => {
  const org = merging();
  const { stdout } = await org.orgrepo('run', '--max', '2', '--ui', 'lines');
  const best = [...stdout.matchAll(/^\S+ exp .* best=(\S+)/gm)].map((match) => Number(match[1]));
  assert.deepEqual(
    best,
    [...best].sort((a, b) => b - a),
    stdout,
  );
  assert.match(stdout, / run stop .* tried=3 won=2 taken=2 best=0 /);
});

test('a change that another replaced is said to be, and NEXT names the other', async () => {
  const org = replacing();
  const ran = await runNight(org, '--max', '2');
  const [first, second, , alone] = ran.experiments.map(({ n }) => n);
  const text = (await org.orgrepo('report')).stdout;
  assert.match(text, / 4 tried: 2 won, 1 taken, 1 won again on best, 1 discarded\n/);
  const rows = linesOf(text, 'TAKEN', 'LEARNED').map((row) => row.trim().replaceAll(/\s+/g, ' '));
  assert.match(
    rows[0] ?? '',
    new RegExp(`^#${alone} 9 -> 8 -11.1 % junior-2 was here \\(won as #${second}\\) junior-2 `),
  );
  assert.equal(rows[1], `#${first} 10 -> 9 -10.0 % junior-1 was here replaced by #${alone}`);
  assert.equal(rows.length, 2, text);
  assert.match(text, new RegExp(`look at the last change on best, #${alone} `));
  const json = JSON.parse((await org.orgrepo('report', '--json')).stdout);
  assert.deepEqual([json.kept, json.taken], [2, 1]);
  assert.deepEqual(
    json.wins.map(({ n, taken, replaced_by }: { n: number; taken: boolean; replaced_by?: number }) => [
      n,
      taken,
      replaced_by,
    ]),
    [
      [alone, true, undefined],
      [first, false, alone],
    ],
  );
  assert.match(
    (await org.orgrepo('report', '--format', 'md')).stdout,
    /^- junior-1 was here \(#\S*\d\): replaced by #/m,
  );
  assert.match(
    (await org.orgrepo('show', String(first))).stdout,
    new RegExp(`^best +not on best any more, replaced by #${alone}$`, 'm'),
  );
  const shown = JSON.parse((await org.orgrepo('show', String(first), '--json')).stdout);
  assert.deepEqual([shown.taken, shown.replaced_by], [false, alone]);
  assert.deepEqual(await numbersIn(org, '--taken'), [second]);
  assert.deepEqual(await numbersIn(org, '--kept'), [second, first]);
  assert.equal(JSON.parse((await org.orgrepo('status', '--json')).stdout).taken, 1);
  const landing = JSON.parse((await org.orgrepo('land', '--dry-run', '--json')).stdout);
  assert.deepEqual(
    landing.experiments.map(({ n, title }: { n: number; title: string }) => [n, title]),
    [[alone, 'junior-2 was here']],
  );
  const refused = await org.orgrepo('land', String(first), '--dry-run');
  assert.match(
    refused.stderr,
    new RegExp(`#${first} is not on orgrepo/best any more: #${alone} was taken in its place`),
  );
});

test('a win whose merge is worse is told in one line, with the reason', async () => {
  const org = twoJuniors({ 'junior-1': 's/a 9/a 3/', 'junior-2': 's/g 9/g 3/' }, scoreOf(9, 9, 18));
  const ran = await runNight(org, '--max', '2');
  const [, second, merge] = ran.experiments.map(({ n }) => n);
  const text = (await org.orgrepo('report')).stdout;
  assert.match(text, / 3 tried: 2 won, 1 taken, 1 discarded\n/);
  assert.match(text, new RegExp(`^ {2}won and not on best: #${second} \\(its merge was worse\\)$`, 'm'));
  const json = JSON.parse((await org.orgrepo('report', '--json')).stdout);
  assert.deepEqual(json.wins.at(-1), { n: second, taken: false, why: 'its merge was worse' });
  const show = (await org.orgrepo('show', String(second))).stdout;
  assert.match(show, new RegExp(`^best +not on best: its merge was worse \\(#${merge}\\)$`, 'm'));
});

test('nothing is on best any more once best started over from the trunk', async () => {
  const org = merging();
  const ran = await runNight(org, '--max', '2');
  assert.equal((await org.orgrepo('run', '--from-trunk', '--max', '1')).code, 0);
  const status = JSON.parse((await org.orgrepo('status', '--json')).stdout);
  assert.deepEqual([status.best.score, status.kept, status.taken], [72, 2, 0]);
  const show = (await org.orgrepo('show', String(ran.experiments[0]?.n))).stdout;
  assert.match(show, /^best +not on best: best has not moved to it yet, or was started over$/m);
});

async function numbersIn(org: ReturnType<typeof merging>, ...args: string[]): Promise<number[]> {
  const { stdout } = await org.orgrepo('log', '--json', ...args);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).n);
}
