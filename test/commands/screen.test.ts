import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { after, test } from 'node:test';
import { callOrgrepo } from '../support/in-process.ts';
import { factsIn, obedientOrg, type Spawned, say, scriptAgent, spawnNight } from '../support/night.ts';
import type { TestOrg } from '../support/org.ts';
import { until } from '../support/until.ts';

const running: { readonly org: TestOrg; readonly run?: Spawned }[] = [];
after(async () => {
  for (const { org, run } of running) {
    if (run?.child.exitCode === null && run.child.signalCode === null) run.child.kill('SIGKILL');
    await run?.ended;
    org.remove();
  }
});

const start = (): TestOrg => {
  const org = obedientOrg(scriptAgent([say('echo "loss: 12"', 'more'), say('echo "loss: 9"', 'less')]).brief);
  running.push({ org });
  return org;
};

test('--ui live is a table with a footer that is drawn again and gone at the end', async () => {
  const org = start();
  const ran = await org.orgrepo('run', '--max', '2', '--ui', 'live');
  assert.equal(ran.code, 0, ran.stderr);

  // A terminal writes ^C where the cursor is, so each redraw begins at the first column.
  const redraws = ran.stdout.match(/.?\u001b\[\d+A\u001b\[0J/gs) ?? [];
  assert.deepEqual([redraws.length > 2, redraws.filter((one) => !one.startsWith('\r'))], [true, []]);
  // What stays on the screen: everything that no redraw erased.
  const lines: string[] = [];
  for (const part of ran.stdout.split(/(\u001b\[\d+A\u001b\[0J)/)) {
    const up = /^\u001b\[(\d+)A/.exec(part);
    if (up !== null) lines.splice(lines.length - Number(up[1]));
    else lines.push(...part.split('\n').slice(0, -1));
  }
  const rows = lines
    .filter((line) => /\b(baseline|discard|WIN)\b/.test(line))
    .map((line) =>
      line
        .trim()
        .replace(/\s+/g, ' ')
        .replace(/\d\d:\d\d/, '<clock>'),
    );
  assert.equal(rows.length, 3, lines.join('\n'));
  assert.match(rows[1] ?? '', /^1 <clock> 12 .*discard junior-1 more$/);
  assert.match(rows[2] ?? '', /^2 <clock> 9 .*WIN junior-1 less$/);
  assert.equal(
    lines.some((line) => line.includes('─────')),
    false,
    'no footer is left',
  );
});

test('the footer of a run that goes on begins with its best and its open specs', async () => {
  const org = start();
  org.write('specs/0002-more.md', '# more of it\n');
  org.write('specs/0003-most.md', '# most of it\n');
  org.commit('more specs');
  assert.equal((await org.orgrepo('run', '--max', '2')).code, 0);
  const { stdout } = await org.orgrepo('run', '--max', '1', '--ui', 'live');
  const [first = ''] = stdout.split('\n').filter((line) => /^ (?:no best yet|best )/.test(line));
  assert.match(first, /^ best 9 \(#2\) .* 1 try left {3}2 open specs$/);
});

test('--ui json and --json say the same facts, one object a line, and the last one is the end', async () => {
  const told = async (...args: string[]): Promise<string[]> => {
    const ran = await start().orgrepo('run', '--max', '2', ...args);
    assert.deepEqual([ran.code, ran.stderr], [0, '']);
    const facts = factsIn(ran.stdout);
    assert.deepEqual([...new Set(facts.map(({ schema }) => schema))], ['orgrepo/fact@1']);
    return facts.map(({ fact }) => fact);
  };
  const facts = await told('--json');
  assert.deepEqual(
    facts.filter((fact) => fact !== 'spec'),
    ['run-start', 'baseline', 'calibrated', 'claim', 'experiment', 'experiment', 'best-moved', 'gain', 'run-stop'],
  );
  assert.deepEqual(await told('--ui', 'json'), facts);
});

test('status --watch tells it again when something moves, and ends with Ctrl-C', async () => {
  const org = start();
  const run = spawnNight(org, 'status', '--watch', '--json');
  running.push({ org, run });
  const told = (): { queue: { open: number } }[] =>
    run
      .said()
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  await until('the first telling', () => told().length > 0);
  assert.equal(told()[0]?.queue.open, 0);
  await org.orgrepo('submit', 'an idea');
  await until('the change is told', () => told().at(-1)?.queue.open === 1);
  run.child.kill('SIGINT');
  const { code } = await run.ended;
  assert.equal(code, 0, run.complained());
});

test('status --watch on a terminal ends with q', async () => {
  const org = start();
  const keys = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (isRaw: boolean) => modes.push(isRaw) });
  const modes: boolean[] = [];
  const watching = callOrgrepo({ dir: org.dir, env: org.env, keys }, ['status', '--watch']);
  await until('the first telling', () => watching.stdout() !== '');
  keys.write('x');
  keys.write('q');
  assert.deepEqual([await watching.code, modes], [0, [true, false]]);
});
