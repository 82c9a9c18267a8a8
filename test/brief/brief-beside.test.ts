import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runNight } from '../support/night.ts';
import { briefText, makeOrg, quadratic, type TestOrg } from '../support/org.ts';

async function withOrg(
  files: Readonly<Record<string, string>>,
  use: (org: TestOrg) => Promise<void> | void,
): Promise<void> {
  const { 'program.md': _, ...rest } = quadratic;
  const org = makeOrg({ ...rest, ...files });
  try {
    await use(org);
  } finally {
    org.remove();
  }
}

test('a program.md that is not ours stays as it is: the brief is orgrepo.md beside it', async () => {
  const theirs = '# Somebody else’s instructions\n\nLoop forever.\n';
  await withOrg({ 'program.md': theirs, 'orgrepo.md': briefText({ include: '[program.md]' }) }, async (org) => {
    const trunk = org.git('rev-parse', 'main');
    const ran = await runNight(org, '--max', '3');
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal(ran.experiments.length, 3);
    assert.equal(org.git('rev-parse', 'main'), trunk);
    assert.equal(org.git('show', 'orgrepo/best:program.md'), theirs);
    const replayed = await org.orgrepo('replay', '1');
    assert.equal(replayed.code, 0, replayed.stdout + replayed.stderr);
  });
});

test('a brief that is there and not committed is to be committed, not written again', async () => {
  const commits =
    /orgrepo\.md is here and not committed, and only what is committed counts: git add orgrepo\.md && git/;
  await withOrg({ 'program.md': '# Somebody else’s instructions\n' }, async (org) => {
    assert.match((await org.orgrepo('plan')).stderr, /Begin program\.md with front matter/);
    org.write('orgrepo.md', briefText({}));
    for (const verb of ['doctor', 'plan', 'run']) {
      const ran = await org.orgrepo(verb);
      assert.equal(ran.code, 6, verb);
      assert.match(ran.stdout + ran.stderr, commits, verb);
      assert.doesNotMatch(ran.stdout + ran.stderr, /Begin program\.md/, verb);
    }
    org.commit('the brief');
    assert.equal((await org.orgrepo('plan')).code, 0);
  });
  await withOrg({}, async (org) => {
    org.write('program.md', briefText({}));
    assert.match(
      (await org.orgrepo('run')).stderr,
      /program\.md is here and not committed.*: git add -A && git commit/,
    );
  });
  await withOrg({ 'program.md': briefText({ slotz: '1' }) }, async (org) => {
    assert.match((await org.orgrepo('plan')).stderr, /Did you mean slots\?$/m);
    org.write('program.md', briefText({}));
    assert.match((await org.orgrepo('plan')).stderr, /Did you mean slots\? Once program\.md is right, commit it/);
  });
});

test('what is wrong in orgrepo.md is told by its own name and line', async () => {
  await withOrg({ 'program.md': '# theirs\n', 'orgrepo.md': briefText({ slots: '0' }) }, async (org) => {
    const ran = await org.orgrepo('run', '--json', '--max', '1');
    assert.equal(ran.code, 6);
    const { error } = JSON.parse(ran.stdout);
    assert.deepEqual([error.file, error.line], ['orgrepo.md', 9]);
  });
});

test('an orgrepo.md without front matter is a page like any other; two briefs are one too many', async () => {
  await withOrg({ 'program.md': briefText({}), 'orgrepo.md': '# What orgrepo does here\n' }, async (org) => {
    assert.equal((await org.orgrepo('run', '--max', '1')).code, 0);
    org.write('orgrepo.md', briefText({ target: '1' }));
    org.commit('a second brief');
    const ran = await org.orgrepo('run', '--max', '1');
    assert.equal(ran.code, 6);
    assert.match(ran.stderr, /orgrepo\.md:1:1: program\.md and orgrepo\.md both have front matter/);
  });
});

test('no agent may write orgrepo.md', async () => {
  await withOrg(
    { 'program.md': '# theirs\n', 'orgrepo.md': briefText({ sandbox: '["*.md"]', harness: 'harness' }) },
    async (org) => {
      const ran = await org.orgrepo('run', '--max', '1');
      assert.equal(ran.code, 6);
      assert.match(ran.stderr, /takes in (program|orgrepo)\.md, which only people may change/);
    },
  );
});

test('a harness may be one file: pinned by its id, and the same for every candidate', async () => {
  const files = {
    'program.md': briefText({ harness: 'judge.sh', run: '', score: 'sh judge.sh' }),
    'judge.sh': `awk '{ loss += ($2 - 3) ^ 2 } END { print "loss: " loss }' sandbox/numbers.txt\n`,
  };
  await withOrg(files, async (org) => {
    const ran = await runNight(org, '--max', '4');
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal(ran.experiments.length, 4);
    const pinned = org.git('log', '-1', '--format=%(trailers:key=Org-Harness,valueonly)', 'orgrepo/best').trim();
    assert.equal(pinned, org.git('rev-parse', 'main:judge.sh').trim());
    assert.equal((await org.orgrepo('replay', '2')).code, 0);
    // A changed file is a changed harness: the best is measured again under it.
    org.write('judge.sh', `${files['judge.sh']}echo "more: 1"\n`);
    org.commit('the judge says more');
    assert.equal((await runNight(org, '--max', '1')).facts.filter(({ fact }) => fact === 'baseline').length, 1);
  });
});

test('a harness that is not there is told by its line', async () => {
  await withOrg({ 'program.md': briefText({ harness: 'judge' }) }, async (org) => {
    const ran = await org.orgrepo('run', '--max', '1');
    assert.equal(ran.code, 6);
    assert.match(ran.stderr, /program\.md:5:10: harness is judge, and there is no such directory or file/);
  });
});
