import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { verify } from '../support/forge.ts';
import { makeOrg } from '../support/org.ts';

// Git can be told to show another object than the one that is there, and every object stays as it was.

const org = makeOrg();
await org.orgrepo('run', '--json', '--max', '6');
after(() => org.remove());

const idOf = (name: string): string => org.git('rev-parse', name).trim();

/** The newest best with another score, on no branch. */
function forgedBest(): string {
  const text = org.git('cat-file', 'commit', 'orgrepo/best').replace(/^Org-Score: .*$/m, 'Org-Score: 0.001');
  org.write('.git/forged', text);
  return org.git('hash-object', '-t', 'commit', '-w', '.git/forged').trim();
}

test('a commit that git shows in place of best is found, with how to take it away, loose and packed', async () => {
  const best = idOf('orgrepo/best');
  const forged = forgedBest();
  org.git('replace', best, forged);
  assert.match(org.git('log', '-1', '--format=%B', 'orgrepo/best'), /Org-Score: 0\.001/, 'git is fooled');
  for (const form of ['loose', 'packed']) {
    if (form === 'packed') org.git('pack-refs', '--all');
    const { code, stdout } = await org.orgrepo('verify');
    assert.equal(code, 5, `${form}: ${stdout}`);
    assert.match(stdout, new RegExp(`^does not hold {2}refs/replace/${best}`), form);
    assert.match(stdout, new RegExp(`git shows another object in place of ${best} \\(`), form);
    assert.match(
      stdout,
      new RegExp(`expected {2}none: git replace -d ${best}\\n {2}found {5}the object ${forged}`),
      form,
    );
  }
  org.git('replace', '-d', best);
  assert.deepEqual(await verify(org), { code: 0, findings: [] });
});

test('a file that git shows in place of one of the harness is found too', async () => {
  const judge = idOf('orgrepo/best:harness/score.sh');
  org.git('replace', judge, idOf('orgrepo/best:harness/run.sh'));
  const { code, findings } = await verify(org);
  org.git('replace', '-d', judge);
  assert.deepEqual([code, findings.length], [5, 1]);
});

test('parents that a graft gives to best are found, with the file that says so', async () => {
  const best = idOf('orgrepo/best');
  org.write('.git/info/grafts', `# a note\n${best}\n`);
  const { code, stdout } = await org.orgrepo('verify');
  org.write('.git/info/grafts', '');
  assert.equal(code, 5, stdout);
  assert.match(
    stdout,
    new RegExp(`git shows other parents of ${best} \\(.*\\n {2}expected .* take it out of \\S+/info/grafts`),
  );
  assert.deepEqual(await verify(org), { code: 0, findings: [] });
});

test("what a person substitutes for objects of another branch is no affair of orgrepo's", async () => {
  const own = org.git('commit-tree', '-m', 'mine', 'main^{tree}').trim();
  const other = org.git('commit-tree', '-m', 'mine again', 'main^{tree}').trim();
  org.git('replace', own, other);
  org.write('.git/info/grafts', `${own} ${idOf('main')}\n`);
  assert.deepEqual(await verify(org), { code: 0, findings: [] });
});
