import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { complaints, emptyObject, emptyRef, loseObject } from '../../support/damage.ts';
import { obedientOrg, runNight, say, scriptAgent, spawnNight, waitFor } from '../../support/night.ts';
import type { TestOrg } from '../../support/org.ts';
import { until } from '../../support/until.ts';

const made: string[] = [];
after(() => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});

const queue = 'refs/heads/orgrepo/queue';
const best = 'refs/heads/orgrepo/best';
const reports = 'refs/heads/orgrepo/reports';
const work = 'refs/heads/orgrepo/work/0002';
const wip = 'refs/orgrepo/wip/0002';

/**
 * Two nights. In the first, spec 0001 is done: keep 9, discard 12, discard 11. The second is cut off in the middle of
 * spec 0002: keep 8, discard 13, and a candidate, number 6, that is saved and being measured.
 */
async function runUntilCutOff(): Promise<Evening> {
  const desk = mkdtempSync(path.join(tmpdir(), 'orgrepo-desk-'));
  const slow = `touch ${desk}/measuring; ${waitFor(`${desk}/go`)}; echo "loss: 7"`;
  const agent = scriptAgent([
    ...[9, 12, 11, 8, 13].map((loss) => say(`echo "loss: ${loss}"`, `say ${loss}`)),
    say(slow, 'say 7'),
    ...[6, 5, 4].map((loss) => say(`echo "loss: ${loss}"`, `say ${loss}`)),
  ]);
  const org = obedientOrg(agent.brief, {
    budget: '{ experiment: 60s, agent: 60s, night: 1h, attempts: 3, patience: 1000 }',
  });
  made.push(desk, org.dir);
  assert.equal((await runNight(org, '--max', '3')).code, 0);
  for (const title of ['the second', 'the third']) await org.orgrepo('submit', title);
  const night = spawnNight(org, 'run', '--json');
  await until('the sixth is measured', () => existsSync(path.join(desk, 'measuring')));
  process.kill(-(night.child.pid as number), 'SIGKILL');
  await night.ended;
  writeFileSync(path.join(desk, 'go'), '');
  rmSync(path.join(org.dir, '.worktrees/.trials'), { recursive: true }); // It holds pipes, which cannot be copied.
  cpSync(org.dir, path.join(desk, 'org'), { recursive: true, verbatimSymlinks: true });
  return { org, books: booksOf(org), kept: path.join(desk, 'org'), count: path.join(agent.dir, 'count') };
}

interface Evening {
  readonly org: TestOrg;
  readonly books: ReadonlyMap<string, ReadonlySet<string>>;
  /** The repository as it was at that moment. */
  readonly kept: string;
  /** The agent's own file: how often it was called. */
  readonly count: string;
}

let evening: Promise<Evening> | undefined;

/** The same moment again for every test. */
async function cutOff(): Promise<Pick<Evening, 'org' | 'books'>> {
  evening ??= runUntilCutOff();
  const { org, books, kept, count } = await evening;
  org.remove();
  cpSync(kept, org.dir, { recursive: true, verbatimSymlinks: true });
  writeFileSync(count, '6\n');
  return { org, books };
}

const ours = ['--glob=refs/heads/orgrepo/*', '--glob=refs/orgrepo/*'];

/** Every commit that a ref of ours leads to, with the ids of all that it is made of. */
function booksOf(org: TestOrg): Map<string, Set<string>> {
  const lines = (...args: string[]): string[] =>
    org
      .git('rev-list', ...args)
      .split('\n')
      .filter((line) => line !== '');
  return new Map(
    lines(...ours, '^main').map((id) => [id, new Set(lines('--objects', id).map((line) => line.slice(0, 40)))]),
  );
}

/** The number of every candidate that can be read, on a branch or not. */
function numbersGiven(org: TestOrg): number[] {
  const listed = org.git('cat-file', '--batch-all-objects', '--batch-check=%(objecttype) %(objectname)');
  const commits = listed.split('\n').flatMap((line) => (line.startsWith('commit ') ? [line.slice(7)] : []));
  const format = '--format=%(trailers:key=Org-Event,valueonly,separator=%x2C) %(trailers:key=Org-Experiment,valueonly)';
  const told = org.git('log', '--no-walk=unsorted', format, ...commits).split('\n');
  return told.flatMap((line) => (line.startsWith('try ') ? [Number(line.slice(4))] : []));
}

interface After {
  readonly org: TestOrg;
  /** `4 keep 8`: every experiment that the log knows, oldest first. */
  readonly log: readonly string[];
  /** What the run said of its repairs. */
  readonly said: readonly string[];
}

/** Damages a night that was cut off, runs the next one, and checks what must hold whatever was damaged. */
async function afterwards(damage: (org: TestOrg) => readonly string[]): Promise<After> {
  const { org, books } = await cutOff();
  const lost = damage(org);
  const ran = await runNight(org, '--max', '3');
  assert.equal(ran.code, 0, ran.stderr);
  assert.deepEqual(complaints(org), []);
  const reached = new Set(org.git('rev-list', ...ours).split('\n'));
  const readable = [...books].filter(([, parts]) => !lost.some((id) => parts.has(id))).map(([id]) => id);
  assert.deepEqual(
    readable.filter((id) => !reached.has(id)).map((id) => org.git('log', '-1', '--format=%s', id).trim()),
    [],
    'what can still be read is still on a branch',
  );
  const numbers = numbersGiven(org);
  assert.deepEqual(numbers.length, new Set(numbers).size, `a number was given twice: ${numbers}`);
  const log = (await org.orgrepo('log', '--json', '-n', '100')).stdout.split('\n');
  const told = log.filter((line) => line !== '').map((line) => JSON.parse(line));
  return {
    org,
    log: told.sort((a, b) => a.n - b.n).map(({ n, event, score }) => `${n} ${event} ${score}`),
    said: ran.facts.filter(({ fact }) => fact === 'recovered').map(({ message }) => String(message)),
  };
}

const firstNight = ['1 keep 9', '2 discard 12', '3 discard 11'];

test('nothing damaged: the saved candidate is judged, and nobody speaks of repairs', async () => {
  const { log, said } = await afterwards(() => []);
  assert.deepEqual(log, [...firstNight, '4 keep 8', '5 discard 13', '6 keep 7', '7 keep 6', '8 keep 5']);
  assert.deepEqual(said, ['junior-1 goes on with 0002 the second']);
});

test('a notebook whose newest commit is empty goes back to the one below, and what it had judged is judged again', async () => {
  const { log, said } = await afterwards((org) => [emptyObject(org, work)]);
  assert.deepEqual(
    log,
    [...firstNight, '4 keep 8', '5 discard 13', '7 keep 6', '8 keep 5'],
    'number 6 is not given again',
  );
  assert.match(said[0] ?? '', /^orgrepo\/work\/0002 /);
});

test('an emptied ref of a notebook, finished or not, is found again', async () => {
  const { log } = await afterwards((org) => {
    emptyRef(org, work);
    emptyRef(org, 'refs/heads/orgrepo/work/0001');
    return [];
  });
  assert.deepEqual(log, [...firstNight, '4 keep 8', '5 discard 13', '6 keep 7', '7 keep 6', '8 keep 5']);
});

test('an emptied ref of a saved candidate is found again', async () => {
  const { log } = await afterwards((org) => {
    emptyRef(org, wip);
    return [];
  });
  assert.deepEqual(log, [...firstNight, '4 keep 8', '5 discard 13', '6 keep 7', '7 keep 6', '8 keep 5']);
});

test('a saved candidate that never reached the disk is forgotten, with its commit, its tree or its file', async () => {
  const commit = await afterwards((org) => [loseObject(org, wip)]);
  assert.deepEqual(commit.log.slice(0, 6), [...firstNight, '4 keep 8', '5 discard 13', '6 keep 6']);
  const tree = await afterwards((org) => [emptyObject(org, `${wip}^{tree}`)]);
  assert.deepEqual(tree.log.slice(0, 6), [...firstNight, '4 keep 8', '5 discard 13', '7 keep 6']);
  const file = await afterwards((org) => [emptyObject(org, `${wip}:sandbox/program`)]);
  assert.deepEqual(file.log.slice(0, 6), [...firstNight, '4 keep 8', '5 discard 13', '7 keep 6']);
});

test('a queue whose newest commit or tree is empty goes back, and what was done since is done still', async () => {
  for (const part of [queue, `${queue}^{tree}`, `${queue}:specs`, `${queue}:branches.md`]) {
    const { log } = await afterwards((org) => [emptyObject(org, part)]);
    assert.deepEqual(log, [...firstNight, '4 keep 8', '5 discard 13', '6 keep 7', '7 keep 6', '8 keep 5'], part);
  }
});

test('an emptied ref of the queue, of best or of the reports is found again', async () => {
  const { log, said } = await afterwards((org) => {
    for (const ref of [queue, best, reports]) emptyRef(org, ref);
    return [];
  });
  assert.deepEqual(log, [...firstNight, '4 keep 8', '5 discard 13', '6 keep 7', '7 keep 6', '8 keep 5']);
  assert.equal(said.length, 4, said.join('\n'));
});

test('a queue that has forgotten a spec learns of it from its notebook', async () => {
  const { org, log } = await afterwards((org) => {
    const newest = org.git('rev-list', '--first-parent', `${queue}`, '^main').trim().split('\n');
    const end = newest.findIndex((id) => org.git('log', '-1', '--format=%s', id).startsWith('end: '));
    return newest.slice(0, end).map((id) => emptyObject(org, id));
  });
  assert.deepEqual(log.slice(0, 6), [...firstNight, '4 keep 8', '5 discard 13', '6 keep 7']);
  assert.match(org.git('log', '--first-parent', '--format=%s', queue), /done: 0002 the second/);
});

test('a best whose newest commit is empty goes back, and the keep behind it is brought there again', async () => {
  const { org, log } = await afterwards((org) => [emptyObject(org, best)]);
  assert.deepEqual(log.slice(0, 5), [...firstNight, '4 keep 8', '5 discard 13']);
  assert.equal(org.git('log', '--format=%s', best).split('\n').includes('keep: say 8'), true);
});

test('everything at once', async () => {
  const { org, log } = await afterwards((org) => {
    const lost = [work, best, queue, `${reports}^{tree}`].map((name) => emptyObject(org, name));
    emptyRef(org, wip);
    return lost;
  });
  assert.deepEqual(log.slice(0, 5), [...firstNight, '4 keep 8', '5 discard 13']);
  const again = await runNight(org, '--max', '1');
  assert.deepEqual([again.code, again.facts.filter(({ fact }) => fact === 'recovered').length], [0, 1], again.stderr);
});

test('a branch that is not one of ours is left as it is', async () => {
  const { org } = await cutOff();
  org.git('branch', 'orgrepo/mine', org.git('commit-tree', '-m', 'mine', '-p', 'main', 'main^{tree}').trim());
  const id = emptyObject(org, 'orgrepo/mine');
  emptyObject(org, work);
  const ran = await runNight(org, '--max', '1');
  assert.equal(ran.code, 0, ran.stderr);
  assert.equal(readFileSync(path.join(org.dir, '.git/refs/heads/orgrepo/mine'), 'utf8'), `${id}\n`);
});

test('a repair that was cut off itself is taken up again', async () => {
  const { org } = await cutOff();
  loseObject(org, `${wip}:sandbox/program`); // What is left when the empty files are gone and the refs still as they were.
  org.write('.git/orgrepo/mending', '');
  const ran = await runNight(org, '--max', '2');
  assert.equal(ran.code, 0, ran.stderr);
  assert.deepEqual([complaints(org), existsSync(path.join(org.dir, '.git/orgrepo/mending'))], [[], false]);
});

test('after a night that ended well, an emptied ref is found again too', async () => {
  const org = obedientOrg(scriptAgent([say('echo "loss: 9"'), say('echo "loss: 8"')]).brief);
  made.push(org.dir);
  await runNight(org, '--max', '1');
  const tip = org.git('rev-parse', 'orgrepo/work/0001').trim();
  emptyRef(org, 'refs/heads/orgrepo/work/0001');
  emptyRef(org, 'refs/heads/orgrepo/reports');
  const ran = await runNight(org, '--max', '1');
  assert.equal(ran.code, 0, ran.stderr);
  assert.deepEqual(complaints(org), []);
  assert.equal(org.git('merge-base', tip, 'orgrepo/work/0001').trim(), tip);
});

test("a person's own commit is not ours to mend: exit 5, and nothing is touched", async () => {
  const { org } = await cutOff();
  const refs = org.git('for-each-ref', '--format=%(refname) %(objectname)');
  const id = emptyObject(org, 'main');
  const ran = await org.orgrepo('run', '--max', '1');
  assert.equal(ran.code, 5, ran.stderr);
  assert.match(ran.stderr, new RegExp(`main is at ${id.slice(0, 7)}, which cannot be read[\\s\\S]*git fsck`));
  assert.equal(org.git('for-each-ref', '--format=%(refname) %(objectname)'), refs);
});

test("a person's damaged index is theirs to mend, and a run needs none", async () => {
  const org = obedientOrg(scriptAgent([say('echo "loss: 9"')]).brief);
  made.push(org.dir);
  truncateSync(path.join(org.dir, '.git/index'));
  const ran = await org.orgrepo('run', '--max', '1');
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stderr, /git status fails here[\s\S]*index file smaller than expected/);
});

test('whoever writes on a queue that cannot be read is told so, and does not wait forever', async () => {
  const { org } = await cutOff();
  emptyObject(org, queue);
  const ran = await org.orgrepo('submit', 'one more');
  assert.equal(ran.code, 5, ran.stderr);
  assert.match(ran.stderr, /orgrepo\/queue is at [0-9a-f]{7}, which cannot be read[\s\S]*orgrepo run/);
});
