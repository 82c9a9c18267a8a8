import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { spawnNight } from '../support/night.ts';
import { briefText, makeOrg, quadratic, type TestOrg } from '../support/org.ts';
import { until } from '../support/until.ts';

// A place of its own, so that one sees what is left behind.
const place = mkdtempSync(path.join(tmpdir(), 'orgrepo-compare-test-'));
process.env.TMPDIR = place;
const orgs: TestOrg[] = [];
after(() => {
  for (const org of orgs) org.remove();
  rmSync(place, { recursive: true, force: true });
});

const scratches = (): string[] => readdirSync(place).filter((name) => name.startsWith('orgrepo-compare-'));

/** A junior that brings the first number down by one; a bad one ruins it two times out of three. */
const good = `awk 'NR == 1 { $2 -= 1 } { print }' sandbox/numbers.txt > n && cat n > sandbox/numbers.txt && rm n && echo closer\n`;
const bad = `case $ORGREPO_ATTEMPT in 2|5) ${good.trim()} ;; *) echo 'first 1000' > sandbox/numbers.txt; echo ruined ;; esac\n`;
const brief = (keys: Readonly<Record<string, string>> = {}): string =>
  briefText({ slots: '2', agent: '{ command: "sh harness/junior.sh" }', ...keys });

function makeTeam(): TestOrg {
  const org = makeOrg({
    ...quadratic,
    'program.md': brief(),
    'harness/junior.sh': good,
    'harness/bad.sh': bad,
    'bad.md': brief({ agent: '{ command: "sh harness/bad.sh" }' }),
  });
  orgs.push(org);
  return org;
}

interface Told {
  readonly schema: string;
  readonly verdict: string;
  readonly words: string;
  readonly starts: number;
  readonly best: { readonly a: number; readonly b: number; readonly difference: number };
  readonly described: readonly { readonly name: string; readonly a?: number; readonly b?: number }[];
  readonly warnings: readonly string[];
}

/** All that a comparison might write of a person's repository. */
const traces = (org: TestOrg): string =>
  [org.git('for-each-ref'), org.git('status', '--porcelain'), org.git('count-objects', '-v')].join('\n') +
  readdirSync(path.join(org.dir, '.git')).join(' ');

test('an org compared with itself shows no difference, and nothing is written or left behind', async () => {
  const org = makeOrg(); // Search agents on one lane: the same seed is the same night.
  orgs.push(org);
  const before = traces(org);
  const ran = await org.orgrepo('ab-test', 'HEAD', 'program.md', '--run', '2', '--max', '3', '--json');
  const told = JSON.parse(ran.stdout) as Told;
  assert.equal(told.schema, 'orgrepo/compare@1');
  assert.equal(told.verdict, 'no difference');
  assert.equal(told.words, 'No difference shown. 2 starts cannot show any: it takes 7.');
  assert.equal(told.best.difference, 0);
  assert.deepEqual(told.warnings, ['A and B are the same, to the byte']);
  assert.equal(ran.code, 0);
  assert.equal(traces(org), before);
  assert.deepEqual(scratches(), []);
});

test('a junior that is made worse is said to be worse, with the interval and the number of starts', async () => {
  const org = makeTeam();
  const ran = await org.orgrepo('compare', 'program.md@HEAD', 'bad.md', '--run', '7', '--max', '3');
  assert.match(
    ran.stdout,
    /\nB is worse: \+\d+ loss, 95 % interval \[\+\d+, \+\d+\], 7 paired starts\. Only loss decides; the rest is described\.\n$/,
  );
  assert.match(ran.stdout, /^ +A program\.md@HEAD +B bad\.md +B - A, 95 % interval\n best +\d+ +\d+ +\+\d+ \[/);
  assert.match(ran.stdout, /\n won +3 +1 +-2 \[-2, -2\]\n tried +3 +3 +0 \[0, 0\]\n specs done /);
  assert.equal(ran.code, 0);
});

test('a commit brings its own brief and works on the trunk: on its sandbox and its specs', async () => {
  const org = makeTeam();
  org.git('checkout', '--quiet', '-b', 'other');
  org.write('program.md', brief({ agent: '{ command: "sh harness/bad.sh" }' }));
  org.write('sandbox/numbers.txt', 'first 3\n');
  org.commit('another org, and work of its own');
  org.git('checkout', '--quiet', 'main');
  const told = JSON.parse(
    (await org.orgrepo('compare', 'main', 'other', '--run', '1', '--max', '1', '--json')).stdout,
  ) as Told;
  assert.deepEqual(told.best, { ...told.best, a: 115, b: 126 }); // One step from the trunk's 126; and none.
});

test('what cannot be compared is refused before anything runs', async () => {
  const org = makeTeam();
  org.write('metric.md', brief({ metric: 'gain' }));
  org.write('broken.md', '---\nmetric: [\n---\n');
  org.write('paid.md', brief({ agent: '', model: 'claude-sonnet-4-6', budget: '{ night: 1h, usd: 2.5 }' }));
  org.write('people.md', brief({ agent: 'human' }));
  const table: readonly (readonly [readonly string[], number, RegExp])[] = [
    [['HEAD', 'HEAD~9'], 64, /git knows no commit "HEAD~9"/],
    [['HEAD', 'mian'], 64, /git knows no commit "mian".*\n.*Did you mean main\?/],
    [['program.md', 'progam.md'], 6, /there is no file progam\.md[\s\S]*Did you mean program\.md\?/],
    [['program.md', 'ORG.md@HEAD'], 6, /there is no file ORG\.md in [0-9a-f]{7}/],
    [
      ['program.md', 'metric.md'],
      6,
      /cannot be compared: metric is loss in A \(program\.md\) and gain in B \(metric\.md\)/,
    ],
    [['program.md', 'broken.md'], 6, /B \(broken\.md\): /],
    [['program.md', 'people.md'], 6, /B \(people\.md\): everybody who would work is a person/],
    [['program.md'], 64, /needs/],
    [['program.md', 'bad.md', '--run', '0'], 64, /--run is "0"/],
    [['program.md', 'paid.md'], 64, /it may cost up to \$50\.00 \(budget\.usd of 20 nights\).*\n.*--yes/],
  ];
  for (const [args, code, said] of table) {
    const ran = await org.orgrepo('compare', ...args);
    assert.match(ran.stderr, said);
    assert.equal(ran.code, code, args.join(' '));
    assert.doesNotMatch(ran.stderr, /pair 1/);
  }
  assert.deepEqual(scratches(), []);
});

test('a comparison that is broken off shows the pairs so far and gives no verdict', async () => {
  const org = makeTeam();
  const human = spawnNight(org, 'compare', 'program.md', 'bad.md', '--run', '50', '--max', '2');
  await until('the first pair', () => human.complained().includes('pair 1 of 50'));
  assert.match(
    human.complained(),
    /one measurement takes .*, so it takes at least .* …\npair 1 of 50: .*; about .* to go/,
  );
  process.kill(human.child.pid ?? 0, 'SIGINT');
  assert.equal((await human.ended).code, 130);
  assert.match(human.said(), /^ best .*[\s\S]*Broken off after \d+ of 50 pairs, so there is no verdict\./m);
});

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGKILL', null],
] as const) {
  test(`nothing is left behind and nothing runs on after ${signal}`, async () => {
    const org = makeTeam();
    const mark = path.join(place, `started-${signal}`);
    org.write('slow.md', brief({ agent: `{ command: "touch ${mark}; sleep 100" }` }));
    const night = spawnNight(org, 'compare', 'program.md', 'slow.md', '--run', '7');
    await until('the slow junior to start', () => existsSync(mark));
    process.kill(night.child.pid ?? 0, signal);
    const ended = await night.ended;
    assert.equal(ended.code, code);
    assert.equal(night.said(), '');
    await until('the scratch to be gone', () => scratches().length === 0);
  });
}
