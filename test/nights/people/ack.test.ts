import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chartedOrg, onQueue } from '../../support/chart.ts';
import { factsIn, runNight, spawnNight, trailers } from '../../support/night.ts';
import type { TestOrg } from '../../support/org.ts';
import { until } from '../../support/until.ts';

/** Such a night gives back one spec after another: it has a process of its own, so that a stop is heard. No machine looks at so many files within the millisecond that is allowed: a bench of them is always late. */
const manyFiles = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`sandbox/part-${n}.txt`, 'x\n']));

function orgOf(culture: string, attempts = 2, files = {}): TestOrg {
  const org = chartedOrg({
    ...{ culture, files },
    structure: '### Backend Worker\n- **Domain:** backend\n',
    specs: { '0001': 'title: speed the backend up\nby: people' },
    keys: { budget: `{ experiment: 10s, agent: 10s, night: 1h, attempts: ${attempts}, patience: 1000 }` },
  });
  return org;
}

/** What was printed of lines that have ended. */
const wholeLines = (said: string): string => said.slice(0, said.lastIndexOf('\n') + 1);

/** The lines of a notebook, oldest first. */
const lines = (org: TestOrg, spec: string): string[] =>
  org
    .git(
      'log',
      '--first-parent',
      '--reverse',
      '--format=%an %(trailers:key=Org-Event,valueonly,separator=%x2C) %(trailers:key=Org-Reason,valueonly,separator=%x2C)',
      `orgrepo/work/${spec}`,
      '^main',
    )
    .split('\n')
    .filter((line) => line !== '' && !/ baseline /.test(line));

test('where the culture asks for it a claim is acknowledged before the first attempt, with how long it took', async () => {
  const org = orgOf('- **Ack required:** yes');
  assert.equal((await runNight(org, '--max', '1')).code, 0);
  const [claim = '', ack = '', verdict = ''] = lines(org, '0001');
  assert.match(claim, /^backend-worker claim /);
  assert.equal(ack, 'backend-worker ack backend-worker has the spec and its bench');
  assert.match(verdict, /^backend-worker (keep|discard) /);
  const seconds = org.git(
    'log',
    '--format=%(trailers:key=Org-Seconds,valueonly,separator=)',
    '--grep=^ack: ',
    'orgrepo/work/0001',
  );
  assert.match(seconds.trim(), /^\d+\.\d{3}$/);
  assert.equal((await org.orgrepo('verify')).code, 0);
  assert.equal((await org.orgrepo('replay', '1')).code, 0);
});

test('who is later with it than allowed gives the claim back, which is written down, and nobody tries', async () => {
  const org = orgOf('- **Ack required:** yes\n- **Ack within:** 1ms', 2, manyFiles);
  const run = spawnNight(org, 'run', '--json');
  await until('it is given back', () => run.said().includes('gives 0001 back'), 60_000);
  await org.orgrepo('stop');
  await run.ended;
  assert.deepEqual(
    factsIn(run.said()).filter(({ experiment }) => experiment?.spec === '0001'),
    [],
  );
  assert.match(
    lines(org, '0001').at(-1) ?? '',
    /^backend-worker done TIMEOUT: no ack within 1ms \(ORG.md:\d+\), its bench took /,
  );
  assert.match(
    org.git('show', 'orgrepo/reports:reports/latest.md'),
    /E1: backend-worker is stuck with 0001 \(TIMEOUT\): no ack within 1ms/,
  );
  assert.equal((await org.orgrepo('verify')).code, 0);
});

test('what is given back for a late ack goes to the manager, who gives it to another, and then to a person; nothing is lost', async () => {
  const chart = (within: string): string =>
    `# Acme\n\n## Culture\n- **Ack required:** yes\n- **Ack within:** ${within}\n\n## Structure\n\n### Lead\n- **Level:** 7\n\n#### Backend Workers\n- **Domain:** backend\n- **Level:** 3\n- **Count:** 2\n`;
  const org = chartedOrg({
    specs: { '0001': 'title: speed the backend up\nby: people\ndomain: backend\npriority: high' },
    files: { ...manyFiles, 'ORG.md': chart('1ms') },
  });
  const run = spawnNight(org, 'run', '--json');
  await until('nobody of the chart could help', () => run.said().includes('E2: lead answered further up'), 60_000);
  await org.orgrepo('stop');
  await run.ended;
  const acts = [...onQueue(org, 'escalate'), ...onQueue(org, 'answer')].map((line) => line.split('|').slice(0, 2));
  const [first = '', second = ''] = acts.map(([who]) => who ?? '');
  const [follow = ''] = trailers(org, 'Follow', '--grep=^answer: E1,', 'orgrepo/queue');
  assert.deepEqual([first, second].sort(), ['backend-worker-1', 'backend-worker-2']);
  assert.deepEqual(acts, [
    [first, `escalate: E1 TIMEOUT, ${first} with 0001`],
    [second, `escalate: E2 TIMEOUT, ${second} with ${follow}`],
    ['lead', `answer: E1, for ${second}`],
    ['lead', 'answer: E2, further up'],
  ]);
  assert.match(
    (await org.orgrepo('status')).stdout,
    new RegExp(`E2: ${second} is stuck with ${follow} \\(TIMEOUT\\): no ack within`),
  );
  org.write('ORG.md', chart('1h'));
  org.commit('more time');
  assert.equal((await org.orgrepo('approve', 'E2', '--note', 'now there is time')).code, 0);
  const [last = ''] = trailers(org, 'Follow', '--grep=^answer: E2, with', 'orgrepo/queue');
  assert.match(
    org.git('show', `orgrepo/queue:specs/${last}-go-on-with-${follow}-speed-the-backend-up.md`),
    /domain: backend\npriority: high\n/,
  );
  const again = spawnNight(org, 'run', '--json');
  const tried = () => factsIn(wholeLines(again.said())).flatMap(({ experiment }) => experiment ?? []);
  await until('it is tried', () => tried().some(({ spec }) => spec === last), 60_000);
  await org.orgrepo('stop');
  await again.ended;
  const by = tried().filter(({ spec, agent }) => spec === last && agent !== 'orgrepo'); // What was kept is taken apart by nobody.
  assert.deepEqual([...new Set(by.map(({ agent }) => agent))], [second], again.said());
  assert.equal((await org.orgrepo('verify')).code, 0);
});

test('progress is told on the queue as often as the culture wants: every attempt, the first keep, or never', async () => {
  for (const [how, expected] of [
    ['every attempt', /^backend-worker\|progress: 0001, #\d+ \w+/],
    ['on phase change', /^backend-worker\|progress: 0001, #\d+ keep \d+/],
  ] as const) {
    const org = orgOf(`- **Progress updates:** ${how}`, 6);
    const night = await runNight(org, '--max', '6');
    const own = night.experiments.filter(({ spec, title }) => spec === '0001' && !/in place of|without/.test(title));
    const told = onQueue(org, 'progress').filter((line) => line.includes(' 0001,'));
    if (how === 'every attempt') assert.equal(told.length, own.length);
    else assert.equal(told.length, own.some(({ event }) => event === 'keep') ? 1 : 0);
    for (const line of told) assert.match(line, expected);
    assert.equal((await org.orgrepo('verify')).code, 0);
  }
  const quiet = orgOf('- **Progress updates:** on request');
  await runNight(quiet, '--max', '2');
  assert.deepEqual(onQueue(quiet, 'progress'), []);
});
