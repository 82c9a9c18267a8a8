import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { keepOrgs } from '../support/keep.ts';
import {
  endings,
  factsIn,
  obedientOrg,
  runNight,
  say,
  scriptAgent,
  startNight,
  trailers,
  waitFor,
} from '../support/night.ts';
import { briefText, makeOrg, quadratic } from '../support/org.ts';
import { until } from '../support/until.ts';

const keep = keepOrgs();

test('pause lets the attempt that has begun finish and begins no other; resume goes on; stop ends the night with 0', async () => {
  const steps = [9, 8, 7].map(
    (loss) => `touch $HERE/begun-$N\n${waitFor('$HERE/go-$N')}\n${say(`echo "loss: ${loss}"`)}`,
  );
  const agent = scriptAgent(steps);
  const org = obedientOrg(agent.brief, {
    budget: '{ experiment: 10s, agent: 60s, night: 1h, attempts: 100, patience: 1000 }',
  });
  const run = startNight(org, 'run', '--json');
  keep(org);
  const begun = (n: number): boolean => existsSync(path.join(agent.dir, `begun-${n}`));
  const release = (n: number): void => writeFileSync(path.join(agent.dir, `go-${n}`), '');
  const told = (): string[] => endings(factsIn(run.said()).flatMap(({ experiment }) => experiment ?? []));

  await until('the first attempt', () => begun(1));
  const paused = await org.orgrepo('pause', '--reason', 'backup time');
  assert.deepEqual([paused.code, paused.stdout], [0, 'paused: it waits at the next attempt. Go on: orgrepo resume\n']);
  release(1);
  await until('the first is recorded', () => told().length === 1);
  await until('status says so', async () => (await org.orgrepo('status')).stdout.includes(', paused'));
  assert.match((await org.orgrepo('status')).stdout, /no new work while paused: orgrepo resume/);
  assert.equal(begun(2), false);
  assert.deepEqual(
    org
      .git(
        'log',
        '-1',
        '--format=%an|%s|%(trailers:key=Org-Event,valueonly,separator=%x2C)|%(trailers:key=Org-Reason,valueonly,separator=%x2C)',
        'orgrepo/queue',
      )
      .trim(),
    'Test Person|pause: backup time|pause|backup time',
  );

  assert.equal((await org.orgrepo('resume')).stdout, 'resumed\n');
  await until('the second attempt', () => begun(2));
  const stopped = await org.orgrepo('stop', '--json');
  assert.deepEqual(JSON.parse(stopped.stdout), { schema: 'orgrepo/steer@1', did: 'stop' });
  release(2);
  assert.deepEqual(await run.ended, { code: 0, signal: null });
  assert.deepEqual(told(), ['keep 9', 'keep 8']);
  assert.equal(begun(3), false);
  assert.match((await org.orgrepo('status')).stdout, /stopped .* ago: a person stopped it/);
  const events = trailers(org, 'Event', 'orgrepo/queue', '^main').filter((event) =>
    ['run', 'pause', 'resume', 'stop', 'end'].includes(event),
  );
  assert.deepEqual(events, ['run', 'pause', 'resume', 'stop', 'end']);
});

test('stop --now kills what is being measured; the next run measures it, once a pause is lifted, as one of --max', async () => {
  const desk = mkdtempSync(path.join(tmpdir(), 'orgrepo-steer-'));
  const agent = scriptAgent([say(`${waitFor(`${desk}/go`)}; echo "loss: 9"`), say('echo "loss: 8"')]);
  const org = obedientOrg(agent.brief, {
    budget: '{ experiment: 60s, agent: 60s, night: 1h, attempts: 100, patience: 1000 }',
  });
  const run = startNight(org, 'run', '--json');
  keep(org);
  await until('it is saved', () => org.git('for-each-ref', 'refs/orgrepo/wip') !== '');
  const started = performance.now();
  assert.equal((await org.orgrepo('stop', '--now')).code, 0);
  const { code } = await run.ended;
  assert.equal(performance.now() - started < 30_000, true);
  assert.equal(code, 143);
  const status = async () => JSON.parse((await org.orgrepo('status', '--json')).stdout);
  const { state, why } = await status();
  assert.deepEqual([state, why], ['stopped', 'a person killed it; the next run goes on with what it had saved']);
  assert.equal(
    (await org.orgrepo('pause')).stdout,
    'paused. Nothing runs here now; the next run waits until you type: orgrepo resume\n',
  );
  const next = startNight(org, 'run', '--json', '--max', '1');
  await until(
    'the next run waits',
    async () => (await status()).state === 'running' && next.said().includes('"run-start"'),
  );
  assert.deepEqual(
    factsIn(next.said()).filter(({ fact }) => fact === 'experiment'),
    [],
  );
  writeFileSync(path.join(desk, 'go'), '');
  assert.equal((await org.orgrepo('resume')).code, 0);
  assert.deepEqual(await next.ended, { code: 0, signal: null });
  const tried = factsIn(next.said()).flatMap(({ experiment }) => experiment ?? []);
  assert.equal(tried.length, 1, 'what was saved is what --max allows');
  rmSync(desk, { recursive: true });
});

test('there is nothing to resume or stop where nothing runs', async () => {
  const org = keep(makeOrg());
  for (const verb of ['resume', 'stop']) {
    const ran = await org.orgrepo(verb);
    assert.deepEqual([ran.code, ran.stdout], [64, ''], verb);
    assert.match(ran.stderr, /nothing runs here/);
  }
  assert.equal(org.git('for-each-ref', 'refs/heads/orgrepo'), '');
});

test("a person's spec is taken before the chief's, and is told as theirs", async () => {
  const org = keep(
    makeOrg({
      ...quadratic,
      'program.md': briefText({ budget: '{ experiment: 10s, agent: 10s, night: 1h, attempts: 1, patience: 1000 }' }),
    }),
  );
  await runNight(org, '--max', '2');
  const open = org.git('ls-tree', '-r', '--name-only', 'orgrepo/queue', 'specs/').match(/specs\/0/g)?.length ?? 0;
  assert.equal(open > 0, true, 'the chief has filled the queue');
  org.write('idea.md', 'Look at the gaps.\r\n\r\nOrg-Event: keep\n');
  const ran = await org.orgrepo('submit', 'try a table of gaps', '--body-file', 'idea.md', '--attempts', '3');
  assert.equal(ran.code, 0, ran.stderr);
  const [id = ''] = ran.stdout.split('  ');
  assert.equal(ran.stdout, `${id}  try a table of gaps\n`);
  assert.match(ran.stderr, /on orgrepo\/queue/);
  const file = org.git('show', `orgrepo/queue:specs/${id}-try-a-table-of-gaps.md`);
  assert.match(
    file,
    /^---\nid: "?\d{4}"?\ntitle: try a table of gaps\nby: Test Person\nattempts: 3\n---\n\n?Look at the gaps\.\n\nOrg-Event: keep\n$/,
  );
  assert.equal(
    org.git('log', '-1', '--format=%an|%s|%(trailers:key=Org-Event,valueonly,separator=%x2C)', 'orgrepo/queue').trim(),
    `Test Person|spec: ${id} try a table of gaps|spec`,
  );
  const next = await runNight(org, '--max', '3');
  assert.deepEqual([...new Set(next.experiments.map(({ spec }) => spec))], [id]);
});

test('a spec of the trunk whose number a submit has taken gets another, and the run says so once, with both', async () => {
  const org = keep(makeOrg());
  assert.match((await org.orgrepo('submit', 'try a table of gaps')).stdout, /^0001 /);
  const renamed = async (): Promise<readonly unknown[]> =>
    (await runNight(org, '--max', '1')).facts.flatMap(({ fact, message }) =>
      fact === 'warning' && /on the queue/.test(String(message)) ? [message] : [],
    );
  assert.deepEqual(await renamed(), ['specs/0001-first.md is 0002 on the queue: 0001 is "try a table of gaps"']);
  assert.deepEqual(await renamed(), []);
});

test('a title may be anything that a person can type, and a spec that could not be read back is refused', async () => {
  const org = keep(makeOrg());
  const titles = [
    '"quoted": {yes} [no] # no comment',
    '- über große Lücken 日本語 🎉',
    '0001',
    '---',
    'a'.repeat(200),
    '../../etc/passwd | $(touch x) `id`',
  ];
  for (const title of titles) {
    const ran = await org.orgrepo('submit', '--json', '--', title);
    assert.equal(ran.code, 0, `${title}: ${ran.stderr}${ran.stdout}`);
    assert.equal(JSON.parse(ran.stdout).title, title);
  }
  const specs = org.git('ls-tree', '-r', '--name-only', 'orgrepo/queue', 'specs/').trim().split('\n');
  assert.equal(specs.length, titles.length);
  assert.equal(
    specs.every((file) => /^specs\/\d{4}(-[a-z0-9-]+)?\.md$/.test(file)),
    true,
    `${specs}`,
  );
  const before = org.git('for-each-ref');
  for (const title of ['', ' \n']) {
    const ran = await org.orgrepo('submit', title);
    assert.equal([6, 64].includes(ran.code ?? 0), true, `${JSON.stringify(title)}: ${ran.code} ${ran.stdout}`);
  }
  assert.equal(org.git('for-each-ref'), before);
});

test('a body that is not there, too large or not text is refused before anything is written', async () => {
  const org = keep(makeOrg());
  const missing = await org.orgrepo('submit', 'x', '--body-file', 'none.md');
  assert.equal(missing.code, 6);
  assert.match(missing.stderr, /none\.md is not there/);
  org.write('large.md', 'x'.repeat(300_000));
  assert.equal((await org.orgrepo('submit', 'x', '--body-file', 'large.md')).code, 6);
  for (const noFile of ['.', '/dev/zero', '/dev/tty']) {
    const refused = await org.orgrepo('submit', 'x', '--body-file', noFile);
    assert.deepEqual([refused.code, refused.stderr.includes(`${noFile} is not a file`)], [6, true], noFile);
  }
  assert.equal((await org.orgrepo('submit', 'x', '--attempts', '0')).code, 64);
  assert.equal((await org.orgrepo('submit')).code, 64);
  assert.equal((await org.orgrepo('submit', 'two', 'titles')).code, 64);
  assert.equal(org.git('for-each-ref', 'refs/heads/orgrepo'), '');
});

test('many people may submit at the same time, and every idea gets a number of its own', async () => {
  const org = keep(makeOrg());
  const runs = Array.from({ length: 6 }, (_, index) => startNight(org, 'submit', `idea ${index}`, '--json'));
  const codes = await Promise.all(runs.map(async ({ ended }) => (await ended).code));
  assert.deepEqual(codes, [0, 0, 0, 0, 0, 0], runs.map((run) => run.complained() + run.said()).join(''));
  const ids = runs.map((run) => JSON.parse(run.said()).id).sort();
  assert.deepEqual(ids, ['0001', '0002', '0003', '0004', '0005', '0006']);
});

test('a spec on the trunk is put on the queue once, also when a person has submitted under its number', async () => {
  const org = keep(
    makeOrg({
      ...quadratic,
      'program.md': briefText({ budget: '{ experiment: 10s, agent: 10s, night: 1h, attempts: 1, patience: 1000 }' }),
    }),
  );
  await org.orgrepo('submit', 'mine was first');
  await runNight(org, '--max', '2');
  const claims = (): string[] =>
    org
      .git('log', '--reverse', '--format=%s', '--grep=^claim:', '--all', '^main')
      .split('\n')
      .filter((line) => / by junior/.test(line) === false && line !== '')
      .map((line) => line.replace('claim: ', ''));
  assert.deepEqual(claims().sort(), ['0001 mine was first', '0002 bring every number to where it should be']);
  await runNight(org, '--max', '1');
  assert.equal(claims().filter((title) => title.includes('bring every number')).length, 1);
});

test('stop --now ends a run with exit 143 after a plain stop', async () => {
  const agent = scriptAgent([say(`${waitFor('/no/such/file')}; echo "loss: 9"`)]);
  const org = obedientOrg(agent.brief, {
    budget: '{ experiment: 60s, agent: 60s, night: 1h, attempts: 100, patience: 1000 }',
  });
  const run = startNight(org, 'run', '--json');
  keep(org);
  await until('it is saved', () => org.git('for-each-ref', 'refs/orgrepo/wip') !== '');
  assert.equal((await org.orgrepo('stop')).code, 0);
  assert.equal((await org.orgrepo('stop', '--now')).code, 0);
  assert.equal((await run.ended).code, 143);
});
