import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { readNotebook } from '../../../src/records/notebook/notebook.ts';
import { openOrg } from '../../../src/records/org.ts';
import { sayWord, writeOffer } from '../../../src/records/queue/inbox.ts';
import { readQueue } from '../../../src/records/queue/queue.ts';
import { forge, verify } from '../../support/forge.ts';
import { endings, runNight, type Spawned, spawnNight } from '../../support/night.ts';
import { briefText, makeOrg, type TestOrg } from '../../support/org.ts';
import { benchOf, edit, edited, needsYou, personsOrg } from '../../support/person.ts';
import { until } from '../../support/until.ts';

const orgs: TestOrg[] = [];
const runs: Spawned[] = [];
after(async () => {
  for (const run of runs) await kill(run);
  for (const org of orgs) org.remove();
});

const keep = (org: TestOrg): TestOrg => {
  orgs.push(org);
  return org;
};

async function kill(run: Spawned): Promise<void> {
  if (run.child.exitCode === null && run.child.signalCode === null && run.child.pid !== undefined)
    process.kill(-run.child.pid, 'SIGKILL');
  await run.ended;
}

const whole = { code: 0, findings: [] };
const eventsOf = (org: TestOrg, spec: string): string[] =>
  org
    .git('log', '--first-parent', '--reverse', '--format=%s', `orgrepo/work/${spec}`)
    .split('\n')
    .map((line) => line.split(':')[0] ?? '')
    .filter((word) => ['claim', 'keep', 'discard', 'takeover', 'done', 'void'].includes(word));

test('what a person has typed outlives runs, lost notes of git and commits of their own', async () => {
  const org = keep(personsOrg());
  await runNight(org);
  const bench = benchOf(org, '0001');
  edit(org, '0001', 'echo "loss: 5"\n');
  edit(org, '0001', 'mine\n', 'notes.txt');
  await runNight(org);
  assert.deepEqual([edited(org, '0001'), edited(org, '0001', 'notes.txt')], ['echo "loss: 5"\n', 'mine\n']);
  assert.equal(org.git('show', 'refs/orgrepo/wip/0001:sandbox/program'), 'echo "loss: 5"\n', 'saved besides');

  rmSync(path.join(org.dir, '.git/worktrees'), { recursive: true });
  await runNight(org);
  assert.equal(edited(org, '0001'), 'echo "loss: 5"\n');
  assert.equal(org.git('-C', bench, 'status', '--short'), ' M sandbox/program\n?? notes.txt\n', 'git knows it again');
  rmSync(path.join(bench, '.git'));
  await runNight(org);
  assert.equal(org.git('-C', bench, 'status', '--short'), ' M sandbox/program\n?? notes.txt\n');

  org.git('-C', bench, 'commit', '--quiet', '-a', '-m', 'my own');
  const own = org.git('-C', bench, 'rev-parse', 'HEAD');
  await runNight(org);
  assert.equal(org.git('-C', bench, 'rev-parse', 'HEAD'), own);
  rmSync(path.join(bench, 'notes.txt'));
  assert.equal((await org.orgrepo('submit', '--done', '0001')).code, 0);
  assert.deepEqual(endings((await runNight(org)).experiments), ['keep 5']);
  assert.equal(org.git('-C', bench, 'rev-parse', 'HEAD'), own);
  assert.deepEqual(await verify(org), whole);
});

test('a bench on a branch of the person keeps it, and what is staged there', async () => {
  const org = keep(personsOrg());
  await runNight(org);
  const bench = benchOf(org, '0001');
  org.git('-C', bench, 'switch', '--quiet', '-c', 'mine');
  edit(org, '0001', 'echo "loss: 5"\n');
  org.git('-C', bench, 'add', 'sandbox/program');
  await runNight(org);
  assert.equal(org.git('-C', bench, 'symbolic-ref', '--short', 'HEAD'), 'mine\n');
  assert.equal(org.git('-C', bench, 'status', '--short'), 'M  sandbox/program\n');
  rmSync(path.join(org.dir, '.git/worktrees/orgrepo-human-0001/index'));
  await runNight(org);
  assert.equal(org.git('-C', bench, 'symbolic-ref', '--short', 'HEAD'), 'mine\n');
  assert.equal((await org.orgrepo('submit', '--done', '0001')).code, 0);
  assert.deepEqual(endings((await runNight(org)).experiments), ['keep 5']);
  assert.deepEqual(await verify(org), whole);
});

test('what stands in the place of a bench is told and left alone, and a link is not followed', async () => {
  const org = keep(personsOrg());
  await runNight(org);
  const bench = benchOf(org, '0001');
  const elsewhere = mkdtempSync(path.join(tmpdir(), 'orgrepo-elsewhere-'));
  writeFileSync(path.join(elsewhere, 'mine.txt'), 'mine\n');
  for (const [what, make] of [
    ['no directory', () => writeFileSync(bench, 'a note\n')],
    ['a link', () => symlinkSync(elsewhere, bench)],
  ] as const) {
    rmSync(bench, { recursive: true });
    make();
    for (const words of [['show', '0001'], ['submit', '--done', '0001'], ['run']]) {
      const ran = await org.orgrepo(...words);
      assert.equal(ran.code, 6, `${words.join(' ')}: ${ran.stderr}`);
      assert.match(
        ran.stderr,
        new RegExp(`\\.worktrees/human-0001 is ${what}, and the bench of a person belongs there`),
      );
      assert.match(ran.stderr, /Move it away/);
    }
  }
  assert.deepEqual(readdirSync(elsewhere), ['mine.txt']);
  rmSync(bench);
  assert.equal((await runNight(org)).code, 0);
  assert.equal(edited(org, '0001'), 'echo "loss: 10"\n');
  rmSync(elsewhere, { recursive: true });
});

test('a bench that was deleted comes back with what was typed in it, and earlier edits stay in history', async () => {
  const org = keep(personsOrg());
  await runNight(org);
  edit(org, '0001', 'echo "loss: 5" # FIRST HOUR\n');
  await runNight(org);
  rmSync(path.join(org.dir, '.worktrees'), { recursive: true });
  await runNight(org);
  assert.equal(edited(org, '0001'), 'echo "loss: 5" # FIRST HOUR\n');
  edit(org, '0001', 'echo "loss: 4"\n');
  await runNight(org);
  const wip = org.git('log', '-p', '-m', '--format=', 'refs/orgrepo/wip/0001');
  assert.match(wip, /FIRST HOUR/);
  assert.deepEqual(await verify(org), whole);
});

test('a bench that was cut off while it was laid out is laid out again, and offers nothing before', async () => {
  const org = keep(personsOrg());
  await runNight(org);
  rmSync(path.join(benchOf(org, '0001'), 'harness/score.sh'));
  const notes = path.join(org.dir, '.git/worktrees/orgrepo-human-0001');
  rmSync(path.join(notes, 'index'));
  writeFileSync(path.join(notes, 'HEAD'), org.git('rev-parse', 'orgrepo/work/0001'));
  const early = await org.orgrepo('submit', '--done', '0001');
  assert.deepEqual([early.code, /still being laid out/.test(early.stderr)], [1, true], early.stderr);
  await runNight(org);
  assert.ok(edited(org, '0001', 'harness/score.sh'));
  assert.equal(org.git('-C', benchOf(org, '0001'), 'status', '--short'), '');
});

/** Two lines count, the third is for nothing: it is taken out of what was kept. */
const threeLines = {
  'program.md': briefText({ agent: 'human' }),
  'sandbox/numbers.txt': 'a 9\n\nb 9\n\nc 9\n',
  'harness/run.sh': 'cat sandbox/numbers.txt > "$ORGREPO_OUT/numbers"\n',
  'harness/score.sh': `awk '/^[ab]/ { loss += $2 } END { print "loss: " loss }' "$ORGREPO_OUT/numbers"\n`,
  'specs/0001-first.md': '---\nid: "0001"\ntitle: less\nby: people\n---\nLess.\n',
};

test('where what was kept went on in another form, the bench follows if nobody has touched it since', async () => {
  const org = keep(makeOrg(threeLines));
  await runNight(org);
  const numbers = (text: string): void => edit(org, '0001', text, 'sandbox/numbers.txt');
  numbers('a 5\n\nb 9\n\nc 5\n');
  await org.orgrepo('submit', '--done', '0001');
  await runNight(org);
  assert.equal(org.git('show', 'orgrepo/best:sandbox/numbers.txt'), 'a 5\n\nb 9\n\nc 9\n', 'c was for nothing');
  assert.equal(edited(org, '0001', 'sandbox/numbers.txt'), 'a 5\n\nb 9\n\nc 9\n');
  assert.equal(org.git('-C', benchOf(org, '0001'), 'status', '--short'), '');

  numbers('a 5\n\nb 5\n\nc 5\n');
  await org.orgrepo('submit', '--done', '0001');
  numbers('a 5\n\nb 4\n\nc 5\n');
  await runNight(org);
  assert.equal(org.git('show', 'orgrepo/best:sandbox/numbers.txt'), 'a 5\n\nb 5\n\nc 9\n');
  assert.equal(edited(org, '0001', 'sandbox/numbers.txt'), 'a 5\n\nb 4\n\nc 5\n', 'they had gone on');
  assert.match(
    (await org.orgrepo('show', '0001')).stdout,
    /#\d+ was taken in another form, and your files were left alone/,
  );
  assert.deepEqual(await verify(org), whole);
});

test('an offer that waited while an earlier one was kept is measured on top of it', async () => {
  const signs = mkdtempSync(path.join(tmpdir(), 'orgrepo-signs-'));
  const score = `touch ${signs}/$$; n=0; while [ -e ${signs}/hold ] && [ $n -lt 500 ] && grep -q 'a 5' "$ORGREPO_OUT/numbers"; do touch ${signs}/held; sleep 0.02; n=$((n+1)); done; `;
  const org = keep(makeOrg({ ...threeLines, 'harness/score.sh': score + threeLines['harness/score.sh'] }));
  await runNight(org);
  edit(org, '0001', 'a 5\n\nb 9\n\nc 9\n', 'sandbox/numbers.txt');
  await org.orgrepo('submit', '--done', '0001');
  writeFileSync(path.join(signs, 'hold'), '');
  const run = spawnNight(org, 'run', '--json');
  runs.push(run);
  await until('the first is measured', () => existsSync(path.join(signs, 'held')));
  edit(org, '0001', 'a 9\n\nb 5\n\nc 9\n', 'sandbox/numbers.txt');
  assert.equal((await org.orgrepo('submit', '--done', '0001')).code, 0);
  rmSync(path.join(signs, 'hold'));
  await run.ended;
  if (org.git('show', 'orgrepo/best:sandbox/numbers.txt') === 'a 5\n\nb 9\n\nc 9\n') await runNight(org);
  assert.equal(org.git('show', 'orgrepo/best:sandbox/numbers.txt'), 'a 5\n\nb 5\n\nc 9\n');
  assert.deepEqual(await verify(org), whole);
  rmSync(signs, { recursive: true });
});

test('a run that is killed while it measures an offer, or brings it to best, is gone on with', async () => {
  for (const at of ['measuring', 'verdict', 'best'] as const) {
    const org = keep(personsOrg());
    await runNight(org);
    edit(org, '0001', 'echo "loss: 6"\n');
    await org.orgrepo('submit', '--done', '0001');
    const run = spawnNight(org, 'run', '--json');
    runs.push(run);
    const stands = (): boolean => {
      const wip = path.join(org.dir, '.git/refs/orgrepo/wip/0001');
      if (at === 'measuring') return existsSync(wip);
      if (at === 'verdict') return eventsOf(org, '0001').includes('keep');
      return org.git('log', '-1', '--format=%s', 'orgrepo/best').startsWith('keep');
    };
    await until(at, stands);
    await kill(run);
    assert.equal(edited(org, '0001'), 'echo "loss: 6"\n');
    const night = await runNight(org);
    assert.equal(night.code, 0, night.stderr);
    assert.equal(org.git('show', 'orgrepo/best:sandbox/program'), 'echo "loss: 6"\n');
    assert.equal(eventsOf(org, '0001').filter((event) => event === 'keep').length, 1);
    assert.deepEqual(await needsYou(org), ['0001 "make it say less" waits for you | orgrepo show 0001']);
    assert.deepEqual(await verify(org), whole, at);
  }
});

test('of offers that are made at once, or cut off, each is there or not, and the last one counts', async () => {
  const org = keep(personsOrg());
  await runNight(org);
  edit(org, '0001', 'echo "loss: 6"\n');
  for (const ms of [30, 80, 120, 160, 200, 240]) {
    const child = org.start('submit', '--done', '0001', '--title', `after ${ms} ms`);
    await wait(ms); // Wherever that is: whatever was done must be whole.
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    assert.deepEqual((await verify(org)).findings, []);
  }
  const four = Array.from({ length: 4 }, (_, index) => {
    edit(org, '0001', `echo "loss: ${5 - index}"\n`);
    const child = org.start('submit', '--done', '0001', '--title', `number ${index}`);
    return new Promise<number | null>((resolve) => child.on('close', resolve));
  });
  const codes = await Promise.all(four);
  assert.ok(codes.includes(0) && codes.every((code) => code === 0 || code === 1), String(codes));
  assert.equal((await runNight(org)).experiments.length, 1);
  assert.deepEqual(await verify(org), whole);
});

test('an offer that comes after the spec was closed opens nothing again', async () => {
  const made = keep(personsOrg());
  await runNight(made);
  edit(made, '0001', 'echo "loss: 6"\n');
  const org = await openOrg(made.dir);
  try {
    // As it stood when `--done` began to read the bench, and what it would say at its end.
    const notebook = await readNotebook(org, '0001');
    const spec = (await readQueue(org))?.specs.find(({ id }) => id === '0001');
    assert.ok(notebook !== undefined && spec !== undefined);
    const commit = await writeOffer(org, notebook, { tree: notebook.line.tree, title: 'late', notes: '' });
    assert.equal((await made.orgrepo('submit', '--close', '0001')).code, 0);
    const tip = made.git('rev-parse', 'orgrepo/queue');
    assert.equal(await sayWord(org, spec, { kind: 'offer', commit }), false);
    assert.equal(made.git('rev-parse', 'orgrepo/queue'), tip);
  } finally {
    await org.repo.close();
  }
});

test('verify finds an offer that the queue does not keep', async () => {
  const org = keep(personsOrg());
  await runNight(org);
  edit(org, '0001', 'echo "loss: 6"\n');
  await org.orgrepo('submit', '--done', '0001');
  forge(org, 'refs/heads/orgrepo/queue', (text) => text.replace(/Org-Cause: .{40}/, `Org-Cause: ${'1'.repeat(40)}`));
  assert.match(JSON.stringify((await verify(org)).findings), /the queue does not keep what it says was offered/);
});

test('juniors that are people get the specs of the queue one at a time, and models the others', async () => {
  const brief = { agent: 'search', junior: '[{ agent: human }, { agent: search }]', juniors: '2' };
  const org = keep(makeOrg({ ...threeLines, 'program.md': briefText(brief) }));
  await org.orgrepo('submit', 'second');
  const night = await runNight(org, '--max', '6');
  assert.equal(night.code, 0, night.stderr);
  const agents = org.git('for-each-ref', '--format=%(authorname)', 'refs/heads/orgrepo/work').trim().split('\n');
  assert.equal(agents.filter((agent) => agent === 'human').length, 1, agents.join());
  const makers = night.experiments.map((one) => one.agent).filter((agent) => agent !== 'orgrepo');
  assert.deepEqual(new Set(makers), new Set(['junior-2']));
  assert.deepEqual(await verify(org), whole);

  // The next brief has nobody but people: what a junior had left goes to them.
  org.write('program.md', briefText({ agent: 'human' }));
  org.commit('people only');
  const later = await runNight(org);
  assert.deepEqual([later.code, later.experiments], [0, []], later.stderr);
  assert.ok(readFileSync(path.join(org.dir, '.git/HEAD'), 'utf8').includes('main'));
  assert.deepEqual(await verify(org), whole);
});

test('a person who stands in their bench means the org around it', async () => {
  const org = keep(personsOrg());
  await runNight(org);
  edit(org, '0001', 'echo "loss: 6"\n');
  const ran = spawnSync(
    process.execPath,
    [path.join(import.meta.dirname, '../../../../dist/orgrepo.js'), 'submit', '--done', '0001'],
    {
      cwd: path.join(benchOf(org, '0001'), 'sandbox'),
      encoding: 'utf8',
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' },
    },
  );
  assert.deepEqual([ran.status, /offered: make it say less/.test(ran.stdout)], [0, true], ran.stderr);
});
