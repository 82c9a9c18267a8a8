import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { anOrg } from '../../support/builders.ts';
import { forge, verify } from '../../support/forge.ts';
import { threeFiles } from '../../support/landing.ts';
import { scriptAgent, trailers } from '../../support/night.ts';
import { briefText, type TestOrg } from '../../support/org.ts';

const marks = mkdtempSync(path.join(tmpdir(), 'orgrepo-marks-'));
after(() => rmSync(marks, { recursive: true, force: true }));

const ran = path.join(marks, 'ran');
const times = (): number => (existsSync(ran) ? readFileSync(ran, 'utf8').length : 0);

/** Each file must keep its word. */
const check = `printf x >> ${ran}
for word in first:one second:two third:three; do
  grep -q "^\${word%%:*} " sandbox/\${word##*:}.txt || { echo "FAIL \${word##*:}.txt lost its word"; exit 1; }
done
`;

const set = (file: string, text: string): string => `echo "${text}" > sandbox/${file}.txt; echo "${file} is ${text}"`;

const agent = scriptAgent([
  set('one', 'first 5'),
  set('two', 'second 90'),
  set('three', '3rd 3'),
  set('two', 'second 4'),
]);

const budget = '{ experiment: 20s, agent: 10s, night: 1h, attempts: 100, patience: 1000 }';

function testedOrg(keys: Readonly<Record<string, string>> = {}, files: Readonly<Record<string, string>> = {}): TestOrg {
  rmSync(path.join(agent.dir, 'count'), { force: true });
  rmSync(ran, { force: true });
  const brief = briefText({ agent: agent.brief, budget, tests: 'sh tests/check.sh', ...keys });
  return anOrg({ ground: { 'program.md': brief, ...threeFiles, 'tests/check.sh': check, ...files } });
}

test('a win counts when the tests pass, which run once for each win', async () => {
  const org = testedOrg();
  const night = await org.orgrepo('run', '--max', '4');
  assert.equal(night.code, 0, night.stderr);
  assert.equal(times(), 4, 'once on the start, and for the tries that would win');

  const notebook = ['-4', '--first-parent', '--grep=^Org-Reason:', 'orgrepo/work/0001'];
  assert.deepEqual(trailers(org, 'Event', ...notebook), ['keep', 'discard', 'confounded', 'keep']);
  const why = 'ended with 1: FAIL three.txt lost its word';
  assert.deepEqual(trailers(org, 'Tests', ...notebook), ['passed', '', why, 'passed']);
  const reason = `loss 20 against 45: better by 25, but the tests do not pass: ${why}`;
  assert.match((await org.orgrepo('show', '3')).stdout.replaceAll(/\s+/g, ' '), new RegExp(`verdict ${reason}`));
  assert.match((await org.orgrepo('report')).stdout, new RegExp(`1 gain came with failing tests: ${why} \\(#3\\)`));
  assert.equal(org.git('show', 'orgrepo/best:sandbox/three.txt'), 'third 8\n');

  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
  const replayed = await org.orgrepo('replay', '3');
  assert.match(replayed.stdout, new RegExp(`tests failed \\(${why}\\), recorded failed \\(${why}\\) {3}REPRODUCED`));
  assert.match((await org.orgrepo('replay', '1')).stdout, /tests passed, recorded passed {3}REPRODUCED/);

  org.write('sandbox/one.txt', 'premier 5\n');
  org.write('tests/check.sh', check.replace('first:one', 'premier:one'));
  org.commit('another word on the trunk');
  const landed = await org.orgrepo('land', '4', '--dry-run');
  assert.equal(landed.code, 0, landed.stderr);
  org.write('tests/check.sh', check.replace('second:two', 'deuxieme:two'));
  org.commit('a word that no win has');
  const refused = await org.orgrepo('land', '4', '--dry-run');
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /the tests \(sh tests\/check\.sh\) do not pass on what would be landed, ended with 1/);

  forge(org, 'refs/heads/orgrepo/work/0001', (text) => text.replace('Org-Tests: passed\n', ''));
  const found = (await verify(org)).findings.map(({ what }) => what);
  assert.ok(found.includes('it won without its tests'), found.join());
});

test('tests that fail before anything is tried are an error at their line', async () => {
  const org = testedOrg({}, { 'sandbox/two.txt': '2nd 7\n' });
  const what =
    /program\.md:\d+:8: the tests fail before anything is tried: sh tests\/check\.sh, ended with 1: FAIL two\.txt lost its word/;
  for (const verb of ['plan', 'doctor', 'run']) {
    const { code, stdout, stderr } = await org.orgrepo(verb, ...(verb === 'run' ? ['--max', '1'] : []));
    assert.equal(code, 6, verb);
    assert.match(stdout + stderr, what, verb);
  }
  assert.equal(org.git('for-each-ref', 'refs/heads/orgrepo', 'refs/orgrepo'), '', 'nothing was written');
});

test('tests that are not done in time fail, and a script that is not there is named', async () => {
  const slow = testedOrg({ budget: budget.replace('{', '{ tests: 200ms,') }, { 'tests/check.sh': 'sleep 30\n' });
  assert.match((await slow.orgrepo('plan')).stderr, /sh tests\/check\.sh, not done after 0\.\d s, and killed/);
  const absent = testedOrg({ tests: 'sh tests/chekc.sh' });
  const { code, stderr } = await absent.orgrepo('plan');
  assert.equal(code, 6);
  assert.match(
    stderr,
    /tests starts tests\/chekc\.sh, and there is no such file[\s\S]*Did you mean tests\/check\.sh\?/,
  );
});

test('a plan runs tests that are new, and no others', async () => {
  const org = testedOrg({ tests: '' });
  assert.equal((await org.orgrepo('run', '--max', '1')).code, 0);
  assert.equal((await org.orgrepo('plan')).code, 0);
  assert.equal(times(), 0);
  org.write('program.md', briefText({ agent: agent.brief, budget, tests: 'sh tests/check.sh' }));
  org.commit('tests');
  assert.equal((await org.orgrepo('plan')).code, 0);
  assert.equal(times(), 1);
  assert.equal((await org.orgrepo('run', '--max', '1')).code, 0);
  assert.equal(times(), 2);
  assert.equal((await org.orgrepo('plan')).code, 0);
  assert.equal(times(), 2);
  assert.equal((await org.orgrepo('verify')).code, 0, 'what was tried without tests holds');
});
