import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { verify } from '../support/forge.ts';
import { obedientOrg, runNight, say, scriptAgent } from '../support/night.ts';
import type { TestOrg } from '../support/org.ts';

/** A night in which one idea was tried again and again, and never helped. */
let org: TestOrg;

before(async () => {
  const script = scriptAgent([12, 13, 14, 15, 16].map((loss) => say(`echo "loss: ${loss}"`, `leave at most ${loss}`)));
  org = obedientOrg(script.brief, {
    budget: '{ experiment: 10s, agent: 10s, night: 1h, attempts: 1, patience: 1000 }',
  });
  for (let spec = 2; spec <= 5; spec++)
    org.write(`specs/000${spec}-more.md`, `---\nid: "000${spec}"\ntitle: try number ${spec}\nby: people\n---\nMore.\n`);
  org.commit('five specs');
  await runNight(org, '--max', '5');
});
after(() => org.remove());

const branch = 'orgrepo/recommendation/idea-leave-at-most';

test('JSON tells the health of the org, and the report what to change, with evidence and what to type', async () => {
  assert.doesNotMatch((await org.orgrepo('status')).stdout, /health|trust/, 'nobody asked for it without an ORG.md');
  const status = JSON.parse((await org.orgrepo('status', '--json')).stdout);
  const report = JSON.parse((await org.orgrepo('report', '--json')).stdout);
  assert.deepEqual(status.health, report.health, 'one org has one score');
  assert.deepEqual(
    status.health.components.map((one: { name: string }) => one.name),
    ['ack latency', 'escalation rate', 'completion rate', 'budget utilisation', 'idle rate', 'time to completion'],
  );
  assert.equal('score' in status.health.components[3], false, 'what is not known is left out');
  const [first] = report.next;
  assert.deepEqual(first, {
    ...{ id: 'R1', key: 'idea leave at most', severity: 'optimisation' },
    what: 'R1 optimisation: "leave at most" never helped (0 of 5 tries won: #1, #2, #3, #4, #5). Say in program.md that it was tried.',
    command: 'orgrepo apply --recommendation R1',
    evidence: '0 of 5 tries won: #1, #2, #3, #4, #5',
    specs: ['0001', '0002', '0003', '0004', '0005'],
    advice: 'Say in program.md that it was tried.',
    edit: { kind: 'brief-line', text: 'Already tried 5 times without a gain: leave at most.' },
  });
  const text = (await org.orgrepo('report')).stdout;
  assert.doesNotMatch(text, /HEALTH/);
  assert.match(text, /\nNEXT\n +R1 optimisation: "leave at most" never helped/);
  const page = org.git('show', 'orgrepo/reports:reports/latest.md');
  assert.doesNotMatch(page, /Health/);
  assert.match(page, /`orgrepo apply --recommendation R1`/);
});

test('a report that is asked for twice is one report', async () => {
  const before = org.git('rev-parse', 'orgrepo/reports');
  await org.orgrepo('report');
  assert.equal(org.git('rev-parse', 'orgrepo/reports'), before);
});

test('apply alone has nothing to apply where there is no organisation', async () => {
  const ran = await org.orgrepo('apply');
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stdout, /^Nothing to apply: there is no ORG\.md, org\.yaml, allowed_signers or policies\//);
});

test('a recommendation that there is not is wrong usage, and says which there are', async () => {
  const ran = await org.orgrepo('apply', '--recommendation', 'R7', '--json');
  assert.equal(ran.code, 64);
  assert.deepEqual(JSON.parse(ran.stdout).error.hint, 'There are R1 to R1, under NEXT: orgrepo report');
});

test('a recommendation becomes a commit on a branch of its own, and the trunk stays as it is', async () => {
  const trunk = org.git('rev-parse', 'main');
  const ran = await org.orgrepo('apply', '--recommendation', 'r1', '--yes');
  assert.equal(ran.code, 0, ran.stderr);
  const commit = org.git('rev-parse', '--short=7', branch).trim();
  assert.equal(
    ran.stdout,
    `R1 optimisation: "leave at most" never helped (0 of 5 tries won: #1, #2, #3, #4, #5). Say in
program.md that it was tried.

--- a/program.md
+++ b/program.md
@@ -11,3 +11,7 @@ juniors: 1
${org.git('diff', `main...${branch}`).split('\n').slice(5).join('\n')}
${commit} is on ${branch}; main is as it was
  look at it   git diff main...${branch}
  take it      git merge ${branch}
  drop it      git branch -D ${branch}
`,
  );
  assert.deepEqual([org.git('rev-parse', 'main'), org.git('status', '--porcelain')], [trunk, '']);
  assert.equal(
    org.git('show', `${branch}:program.md`),
    `${org.git('show', 'main:program.md')}\n## What was learned\n\n- Already tried 5 times without a gain: leave at most.\n`,
  );
  assert.equal(
    org.git('log', '--format=%an %s', `main..${branch}`),
    'orgrepo recommend: Say in program.md that it was tried\n',
  );
  assert.deepEqual(await verify(org), { code: 0, findings: [] });
});

test('where nobody can be asked it takes --yes: without it the edit is shown and nothing is written', async () => {
  const refs = org.git('for-each-ref');
  for (const flags of [[], ['--no-input']]) {
    const ran = await org.orgrepo('apply', '--recommendation', 'R1', ...flags);
    assert.equal(ran.code, 64);
    assert.match(ran.stderr, /committed only with your word, and nobody can be asked here .*\n {2}try .*--yes/);
  }
  assert.equal(org.git('for-each-ref'), refs);
});

test('the same again is the same commit; JSON says where it is', async () => {
  const commit = org.git('rev-parse', branch).trim();
  const ran = await org.orgrepo('apply', '--recommendation', 'idea leave at most', '--yes', '--json');
  const told = JSON.parse(ran.stdout);
  assert.deepEqual(
    [told.schema, told.recommendation.id, told.file, told.branch, told.commit, told.merge],
    ['orgrepo/apply@1', 'R1', 'program.md', branch, commit, `git merge ${branch}`],
  );
});

test('what was merged is not recommended again, and neither the merge nor a dropped branch is tampering', async () => {
  org.git('merge', '--quiet', '--ff-only', branch);
  assert.equal((await org.orgrepo('apply', '--recommendation', 'R1')).code, 64);
  assert.deepEqual(await verify(org), { code: 0, findings: [] });
  org.git('branch', '--quiet', '-D', branch);
  assert.deepEqual(await verify(org), { code: 0, findings: [] });
  const ran = await runNight(org, '--max', '1'); // The next night starts from the merged brief.
  assert.equal(ran.code, 0, ran.stderr);
  assert.deepEqual(await verify(org), { code: 0, findings: [] });
});

test('branches.md may name the branch', async () => {
  org.write(
    'branches.md',
    '| ref | holds | written by |\n|---|---|---|\n| `orgrepo/recommendation/<key>` | edits | orgrepo, people |\n',
  );
  org.commit('a table');
  assert.equal((await org.orgrepo('plan')).code, 0);
});
