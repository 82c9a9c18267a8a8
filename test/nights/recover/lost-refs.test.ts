import assert from 'node:assert/strict';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { experimentsIn } from '../../support/clone.ts';
import { forget, verify } from '../../support/forge.ts';
import { obedientOrg, runNight, say, scriptAgent, spawnNight, waitFor } from '../../support/night.ts';
import type { TestOrg } from '../../support/org.ts';
import { until } from '../../support/until.ts';

const made: string[] = [];
after(() => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});

const losses = ['9', '12', '8', '13', '7', '14', '6', '15', '5', '16'];
const holds = { code: 0, findings: [] };

/** Two specs of three attempts each, one after the other. */
function twoSpecs(programs: readonly string[] = losses.map((loss) => `echo "loss: ${loss}"`)): TestOrg {
  const agent = scriptAgent(programs.map((program, index) => say(program, `try ${index + 1}`)));
  const budget = '{ experiment: 60s, agent: 60s, night: 1h, attempts: 3, patience: 1000 }';
  const org = obedientOrg(agent.brief, { budget });
  made.push(org.dir);
  org.write('specs/0002-next.md', '# the next one\n');
  org.commit('a second spec');
  return org;
}

const refsOf = (org: TestOrg): string[] =>
  org
    .git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads/orgrepo', 'refs/orgrepo')
    .split('\n')
    .filter((line) => line !== '');

function losePackedRefs(org: TestOrg): void {
  org.git('pack-refs', '--all');
  rmSync(path.join(org.dir, '.git/packed-refs'));
}

const numbersIn = async (org: TestOrg): Promise<number[]> => (await experimentsIn(org)).map(({ n }) => n).reverse();

test('refs that were lost with packed-refs are put back by the next run', async () => {
  const org = twoSpecs();
  await runNight(org, '--max', '4');
  const [before, main] = [refsOf(org), org.git('rev-parse', 'main').trim()];
  losePackedRefs(org);
  org.git('update-ref', 'refs/heads/main', main);
  const submitted = await org.orgrepo('submit', 'one more');
  assert.equal(submitted.code, 5, submitted.stdout);
  assert.match(submitted.stderr, /orgrepo\/queue is gone: it was at [0-9a-f]{7}[\s\S]*orgrepo run/);
  const ran = await runNight(org, '--max', '1');
  assert.equal(ran.code, 0, ran.stderr);
  const said = ran.facts.filter(({ fact }) => fact === 'recovered').map(({ message }) => String(message));
  assert.equal(said.filter((one) => / was lost and is back at /.test(one)).length, before.length, said.join('\n'));
  for (const line of before) {
    const [ref = '', id = ''] = line.split(' ');
    if (!ref.startsWith('refs/orgrepo/wip/')) org.git('merge-base', '--is-ancestor', id, ref);
  }
  assert.deepEqual(await numbersIn(org), [1, 2, 3, 4, 5]);
  assert.deepEqual(await verify(org), holds);
});

test('a trunk that was lost is named with the command that puts it back', async () => {
  for (const logged of [true, false]) {
    const org = twoSpecs();
    await runNight(org, '--max', '4');
    const main = org.git('rev-parse', 'main').trim();
    losePackedRefs(org);
    if (!logged) rmSync(path.join(org.dir, '.git/logs'), { recursive: true });
    const { code, stderr } = await org.orgrepo('run', '--max', '1');
    assert.equal(code, 5, stderr);
    assert.match(stderr, /^error {2}main is gone/m);
    const [, typed = ''] = /git (update-ref refs\/heads\/main [0-9a-f]{40})/.exec(stderr) ?? [];
    org.git(...typed.split(' '));
    assert.equal(org.git('rev-parse', 'main').trim(), main);
    assert.equal((await runNight(org, '--max', '1')).code, 0);
    assert.deepEqual(await numbersIn(org), [1, 2, 3, 4, 5]);
    assert.deepEqual(await verify(org), holds);
  }
});

test('packed-refs that is lost during a run takes no number and no notebook along', async () => {
  for (const withTrunk of [true, false]) {
    const desk = path.join(made[0] ?? '', `.git/go-${withTrunk}`);
    const slow = `touch ${desk}.measuring; ${waitFor(desk)}; echo "loss: 7"`;
    const org = twoSpecs(losses.map((loss, index) => (index === 4 ? slow : `echo "loss: ${loss}"`)));
    const main = org.git('rev-parse', 'main').trim();
    const night = spawnNight(org, 'run', '--json', '--max', '6');
    await until('the fifth is measured', () => existsSync(`${desk}.measuring`));
    const before = refsOf(org);
    losePackedRefs(org);
    if (withTrunk) org.git('update-ref', 'refs/heads/main', main);
    writeFileSync(desk, '');
    const { code } = await night.ended;
    assert.equal(code, withTrunk ? 0 : 5, night.complained());
    if (!withTrunk) {
      assert.match(night.said() + night.complained(), new RegExp(`git update-ref refs/heads/main ${main}`));
      org.git('update-ref', 'refs/heads/main', main);
    }
    const again = await runNight(org, '--max', '1');
    assert.equal(again.code, 0, again.stderr);
    const now = new Set(refsOf(org).map((line) => line.split(' ')[0]));
    assert.deepEqual(
      before.map((line) => line.split(' ')[0]).filter((ref) => !now.has(ref)),
      [],
    );
    const numbers = await numbersIn(org);
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => index + 1),
    );
    assert.deepEqual(await verify(org), holds);
  }
});

test('a run that was killed is put back at its newest commits', async () => {
  const desk = path.join(made[0] ?? '', '.git/killed');
  const slow = `touch ${desk}.measuring; ${waitFor(desk)}; echo "loss: 7"`;
  const org = twoSpecs(losses.map((loss, index) => (index === 4 ? slow : `echo "loss: ${loss}"`)));
  await runNight(org, '--max', '2');
  const night = spawnNight(org, 'run', '--json');
  await until('the fifth is measured', () => existsSync(`${desk}.measuring`));
  process.kill(-(night.child.pid as number), 'SIGKILL');
  await night.ended;
  writeFileSync(desk, '');
  const main = org.git('rev-parse', 'main').trim();
  const before = refsOf(org);
  losePackedRefs(org);
  org.git('update-ref', 'refs/heads/main', main);
  const ran = await runNight(org, '--max', '2');
  assert.equal(ran.code, 0, ran.stderr);
  for (const line of before) {
    const [ref = '', id = ''] = line.split(' ');
    if (!ref.startsWith('refs/orgrepo/wip/')) org.git('merge-base', '--is-ancestor', id, ref);
  }
  assert.deepEqual(await numbersIn(org), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(await verify(org), holds);
});

test('a best that a person deleted to start over stays deleted', async () => {
  const org = twoSpecs();
  await runNight(org, '--max', '4');
  org.git('branch', '-D', 'orgrepo/best');
  const ran = await runNight(org, '--max', '1');
  assert.equal(ran.code, 0, ran.stderr);
  assert.equal(
    ran.facts.some(({ message }) => String(message).includes('was lost')),
    false,
  );
  assert.match(
    org.git('log', '--first-parent', '--format=%s', 'orgrepo/best', '^main'),
    /baseline: as the trunk has it\n$/,
  );
});

test('a clone that forgot where its refs were puts none back', async () => {
  const org = twoSpecs();
  await runNight(org, '--max', '4');
  org.git('branch', '-D', 'orgrepo/best', 'orgrepo/reports');
  forget(org);
  const ran = await runNight(org, '--max', '1');
  assert.equal(ran.code, 0, ran.stderr);
  assert.equal(
    ran.facts.some(({ message }) => String(message).includes('was lost')),
    false,
  );
});
