import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { everything, landingOrg, landUnder, rule } from '../support/landing.ts';
import { trailers } from '../support/night.ts';
import type { TestOrg } from '../support/org.ts';

async function makeLanding(files: Readonly<Record<string, string>> = {}): Promise<TestOrg> {
  const org = await landingOrg(files);
  return org;
}

const read = (org: TestOrg, file: string): string => readFileSync(path.join(org.dir, file), 'utf8');
const direct = { directPush: rule(true), pullRequests: rule('optional' as const) };

const planned = `1 branch from main, with one commit
  land/bring-them-to-three   #1 #2 #3   sandbox/one.txt +1 -1 and 1 more file   loss 77 -> 26   re-measured after squashing
  for you to check  a smoke test once it is merged
`;

test('what was kept lands as one commit on a branch of its own, once, and the next land has only what came after', async () => {
  const org = await makeLanding();
  const before = everything(org);
  const dry = await org.orgrepo('land', '--dry-run');
  assert.deepEqual([dry.code, dry.stdout], [0, planned]);
  assert.equal(everything(org), before);

  for (const flags of [[], ['--no-input'], ['--json']]) {
    const unasked = await org.orgrepo('land', ...flags);
    assert.equal(unasked.code, 64, 'where nobody can be asked it takes --yes');
    assert.match(
      unasked.stdout + unasked.stderr,
      /landed only with your word, and nobody can be asked here[\s\S]*--yes/,
    );
  }
  assert.equal(everything(org), before);

  const landed = await org.orgrepo('land', '--yes');
  assert.equal(landed.code, 0, landed.stderr);
  const commit = org.git('rev-parse', 'land/bring-them-to-three').trim();
  assert.equal(
    landed.stdout,
    `${planned}landed on land/bring-them-to-three: ${commit.slice(0, 7)}
next  git show land/bring-them-to-three
      git merge --ff-only land/bring-them-to-three
`,
  );
  assert.equal(org.git('rev-parse', `${commit}^`), org.git('rev-parse', 'main'));
  assert.equal(org.git('diff', '--stat', `${commit}`, 'orgrepo/best'), '');
  assert.equal(org.git('log', '-1', '--format=%an <%ae>', commit), 'Test Person <person@example.invalid>\n');
  const kept = org
    .git(
      'log',
      '--reverse',
      '--first-parent',
      '--format=%(trailers:key=Org-Cause,valueonly,separator=)',
      'orgrepo/best',
      '-3',
    )
    .trim()
    .split('\n');
  assert.equal(
    org.git('log', '-1', '--format=%B', commit).split('\n\nOrg-')[0],
    `land: 3 wins (loss 77 -> 26)

- #1 77 -> 45 (-41.6 %), junior-1, ${kept[0]?.slice(0, 7)}: one is first 5
- #2 45 -> 30 (-33.3 %), junior-1, ${kept[1]?.slice(0, 7)}: two is second 4
- #3 30 -> 26 (-13.3 %), junior-1, ${kept[2]?.slice(0, 7)}: one is first 3`,
  );
  const said = (key: string): string => trailers(org, key, '-1', commit).join();
  assert.deepEqual(['Event', 'Experiments', 'Spec', 'Metric', 'Score', 'Best', 'Cause', 'Harness'].map(said), [
    'land',
    '1,2,3',
    '0001',
    'loss',
    '26',
    '77',
    org.git('rev-parse', 'orgrepo/best').trim(),
    org.git('rev-parse', 'main:harness').trim(),
  ]);

  const again = await org.orgrepo('land', '--yes');
  assert.deepEqual([again.code, /holds it already/.test(again.stdout)], [0, true]);
  org.git('merge', '--quiet', '--ff-only', 'land/bring-them-to-three');
  const merged = await org.orgrepo('land', '--yes', '--json');
  assert.deepEqual(JSON.parse(merged.stdout), {
    schema: 'orgrepo/land@1',
    did: 'nothing',
    reason: 'there is nothing to land: your branch has all that is on best',
  });
  assert.match((await org.orgrepo('land', '--yes', '2')).stdout, /^there is nothing to land/);
  org.git('branch', '--quiet', '-D', 'land/bring-them-to-three');
  assert.equal((await org.orgrepo('verify')).code, 0);

  org.git('commit', '--quiet', '--amend', '-m', `${org.git('log', '-1', '--format=%B')}Reviewed-by: Somebody`);
  org.write('program.md', read(org, 'program.md').replace(/^agent: .*/m, 'agent: search'));
  org.commit('let the search go on');
  assert.equal((await org.orgrepo('run', '--max', '12')).code, 0);
  assert.equal((await org.orgrepo('verify')).code, 0, (await org.orgrepo('verify')).stdout);
  const next = JSON.parse((await org.orgrepo('land', '--yes', '--json', '--branch', 'mine')).stdout) as {
    before: number;
    to: string;
    experiments: { n: number }[];
  };
  assert.deepEqual([next.before, next.to], [26, 'mine']);
  assert.equal(next.experiments.length > 0 && next.experiments.every(({ n }) => n > 3), true);
});

test('experiments are landed by their numbers where they can stand alone, and the rest after them', async () => {
  const org = await makeLanding();
  const before = everything(org);
  const needs = await org.orgrepo('land', '--yes', '3');
  assert.equal(needs.code, 3);
  assert.match(needs.stderr, /#3 cannot be taken alone: in sandbox\/one\.txt .*\n.*orgrepo land 1 3$/m);
  for (const [word, code] of [
    ['7', 64],
    ['x', 64],
    ['0', 64],
  ] as const)
    assert.equal((await org.orgrepo('land', '--yes', word)).code, code);
  assert.equal(everything(org), before);

  assert.equal((await org.orgrepo('land', '--yes', '#2', '--branch', 'two')).code, 0);
  assert.equal(org.git('diff', '--name-only', 'main', 'two'), 'sandbox/two.txt\n');
  assert.deepEqual(trailers(org, 'Experiments', '-1', 'two'), ['2']);
  assert.equal((await org.orgrepo('land', '--yes', '--branch', 'two')).code, 6);
  assert.equal((await org.orgrepo('land', '--yes', '--branch', 'a..b')).code, 64);
  assert.equal((await org.orgrepo('land', '--yes', '--branch', 'orgrepo/x')).code, 64);

  org.git('merge', '--quiet', '--squash', 'two');
  org.git('commit', '--quiet', '-m', `${org.git('log', '-1', '--format=%B', 'two')}`);
  const rest = JSON.parse((await org.orgrepo('land', '--yes', '--json')).stdout) as {
    experiments: { n: number }[];
    score: number;
  };
  assert.deepEqual([rest.experiments.map(({ n }) => n), rest.score], [[1, 3], 26]);
});

test('a trunk that has moved keeps what people did there, also in the sandbox', async () => {
  const org = await makeLanding();
  org.write('README.md', 'ours\n');
  org.write('sandbox/three.txt', 'third 7\n');
  org.commit('meanwhile');
  const { code, out } = await landUnder(org, direct);
  assert.equal(code, 0);
  assert.match(out, /loss 68 -> 17/);
  assert.match(out, /note {14}it scores 17 here and now, and won with 26/);
  assert.equal(org.git('rev-parse', 'HEAD~1'), org.git('rev-parse', 'HEAD@{1}'));
  assert.deepEqual(
    ['README.md', 'sandbox/one.txt', 'sandbox/two.txt', 'sandbox/three.txt'].map((file) => read(org, file)),
    ['ours\n', 'first 3\n', 'second 4\n', 'third 7\n'],
  );
  assert.equal(org.git('status', '--porcelain'), '');
});

test('a conflict is told with its files, and nothing is written', async () => {
  const org = await makeLanding();
  org.write('sandbox/one.txt', 'first 8\n');
  org.commit('meanwhile');
  const before = everything(org);
  for (const rules of [{}, direct]) {
    const { code, err } = await landUnder(org, rules);
    assert.equal(code, 3);
    assert.match(
      err,
      /main and orgrepo\/best both changed sandbox\/one\.txt.*\nNothing was written\. .*git merge orgrepo\/best/,
    );
  }
  assert.equal(everything(org), before);
  assert.equal((await landUnder(org, {}, { numbers: [2] })).code, 0);
});

test('where the trunk may be pushed to it moves with the files, around edits elsewhere and never over one', async () => {
  const org = await makeLanding({ 'notes.txt': 'a\n' });
  org.write('notes.txt', 'b\n');
  org.write('sandbox/one.txt', 'first 1\n');
  const before = everything(org);
  const refused = await landUnder(org, direct);
  assert.deepEqual([refused.code, refused.problem], [3, 'person/work-tree']);
  assert.match(refused.err, /^sandbox\/one\.txt would change, and you have edits there/);
  assert.equal(everything(org), before);

  org.git('checkout', '--quiet', 'sandbox/one.txt');
  const dry = await landUnder(org, direct, { flags: ['dry-run'] });
  assert.match(dry.out, /^1 commit on main itself\n {2}main {3}#1 #2 #3/);
  const old = org.git('rev-parse', 'main');
  const { code, out } = await landUnder(org, direct);
  assert.equal(code, 0);
  assert.match(out, /^landed on main: /m);
  assert.equal(org.git('rev-parse', 'main~1'), old);
  assert.equal(read(org, 'sandbox/one.txt'), 'first 3\n');
  assert.equal(org.git('status', '--porcelain'), ' M notes.txt\n');
  assert.equal((await landUnder(org, direct)).out, 'there is nothing to land: your branch has all that is on best\n');
  assert.equal((await org.orgrepo('verify')).code, 0);
});

test('what builds on a change that was landed before is no conflict, although both change one line', async () => {
  const org = await makeLanding();
  assert.equal((await landUnder(org, direct, { numbers: [1] })).code, 0);
  assert.equal(read(org, 'sandbox/one.txt'), 'first 5\n');
  const rest = await landUnder(org, direct);
  assert.equal(rest.code, 0, rest.err);
  assert.deepEqual(trailers(org, 'Experiments', '-2'), ['1', '2,3']);
  assert.equal(org.git('diff', '--name-only', 'main', 'orgrepo/best'), '');
});

test('a trunk that moves while it is measured is not moved by us', async () => {
  const org = await makeLanding();
  const moves = `git -C ${org.dir} commit --quiet --allow-empty -m meanwhile`;
  const { code, problem } = await landUnder(org, {
    ...direct,
    preMerge: rule([{ words: 'it moves', command: moves }]),
  });
  assert.deepEqual([code, problem], [75, 'busy/lock']);
  assert.equal(org.git('log', '-1', '--format=%s'), 'meanwhile\n');
  assert.equal(org.git('status', '--porcelain'), '');
});

test('a change above the soft limit is noted, above the hard one refused', async () => {
  const org = await makeLanding();
  const before = everything(org);
  const refused = await landUnder(org, { mostLines: rule({ soft: 1, hard: 3 }) });
  assert.deepEqual([refused.code, refused.problem], [3, 'person/large']);
  assert.match(refused.err, /4 lines change, and a change has at most 3 \(ORG\.md:7\)\nLand fewer experiments.*land 1/);
  assert.equal(everything(org), before);
  const noted = await landUnder(org, { mostLines: rule({ soft: 3, hard: 4 }) });
  assert.equal(noted.code, 0);
  assert.match(noted.out, /note {14}4 lines change, and a change has at most 3/);
});

test('what must pass runs on all of the landed tree, held as candidates are, and what does not pass is shown', async () => {
  const org = await makeLanding({ 'notes.txt': 'a\n' });
  const before = everything(org);
  const gates = (...commands: string[]) => ({
    preMerge: rule([
      ...commands.map((command) => ({ words: 'it holds', command })),
      { words: 'tests pass', command: undefined },
    ]),
  });
  const passes = 'grep -q "first 3" sandbox/one.txt && test -f notes.txt && touch made-by-a-gate';
  const failed = await landUnder(org, gates(passes, 'echo WHAT-IT-SAYS; exit 7'), { jail: 'auto' });
  assert.deepEqual([failed.code, failed.problem], [1, 'experiment/gate']);
  assert.match(
    failed.err,
    /it holds \(echo .*exit 7\) does not pass on what would be landed, it ended with 7\nWHAT-IT-SAYS/,
  );
  assert.equal(everything(org), before);
  const left = path.join(org.dir, '.worktrees', '.trials');
  assert.deepEqual(existsSync(left) ? readdirSync(left) : [], []);
  assert.equal(existsSync(path.join(org.dir, 'made-by-a-gate')), false);
  const dry = await landUnder(org, gates('exit 7'), { flags: ['dry-run'] });
  assert.match(dry.out, /must pass {9}exit 7 {3}it holds\n {2}for you to check {2}tests pass$/m);
  const landed = await landUnder(org, gates(passes, 'test ! -e .git'), { jail: 'auto' });
  assert.equal(landed.code, 0, landed.err);
});

test('where a review is needed, who has none is named, and a person may give it', async () => {
  const org = await makeLanding();
  const review = { review: rule(true) };
  const refused = await landUnder(org, review);
  assert.deepEqual([refused.code, refused.problem], [3, 'person/unreviewed']);
  assert.match(refused.err, /nobody has approved #1 #2 #3.*\n.*orgrepo approve 1/);
  assert.equal((await org.orgrepo('approve', '2', '--reason', 'read it')).code, 0);
  assert.match((await landUnder(org, review)).err, /nobody has approved #1 #3,/);
  assert.equal((await landUnder(org, review, { numbers: [2] })).code, 0);
  assert.equal((await org.orgrepo('verify')).code, 0);
});

test('what is worse than the trunk when it is measured again is not landed', async () => {
  const org = await makeLanding();
  org.write('harness/score.sh', `awk '{ loss -= ($2 - 3) ^ 2 } END { print "loss: " loss }' "$ORGREPO_OUT/numbers"\n`);
  org.commit('the other way about');
  const before = everything(org);
  const { code, stdout } = await org.orgrepo('land', '--yes', '--json');
  assert.equal(code, 1);
  const { error } = JSON.parse(stdout) as { error: { code: string; message: string } };
  assert.deepEqual(error.code, 'experiment/worse');
  assert.match(error.message, /it scores -26 once it is squashed, and the trunk as it is scores -77/);
  assert.equal(everything(org), before);
});

test('what does not verify is not landed', async () => {
  const org = await makeLanding();
  const forged = org
    .git('cat-file', 'commit', 'orgrepo/best')
    .replace(/^tree .*/, `tree ${org.git('rev-parse', 'orgrepo/best~1^{tree}').trim()}`);
  org.write('.git/forged', forged);
  org.git('update-ref', 'refs/heads/orgrepo/best', org.git('hash-object', '-t', 'commit', '-w', '.git/forged').trim());
  const before = everything(org);
  const { code, stderr } = await org.orgrepo('land', '--yes');
  assert.equal(code, 5);
  assert.match(stderr, /does not hold.*\n.*orgrepo verify/);
  assert.equal(everything(org), before);
});

test('whoever is killed while it is measured has written nothing, and the next one lands', async () => {
  const org = await makeLanding({
    'harness/run.sh': 'cat sandbox/*.txt > "$ORGREPO_OUT/numbers"; if [ -e ../../../../slow ]; then sleep 15; fi\n',
  });
  org.write('slow', '');
  const before = everything(org);
  for (let kill = 0; kill < 2; kill++) {
    const child = org.start('land', '--yes');
    const ended = new Promise((resolve) => child.on('close', resolve));
    await new Promise<void>((resolve) => {
      child.stderr?.on('data', (chunk: Buffer) => {
        if (chunk.toString().includes('measuring')) setTimeout(resolve, 200);
      });
    });
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    await ended;
    assert.equal(everything(org), before);
  }
  org.git('clean', '--quiet', '-f', 'slow');
  assert.equal((await org.orgrepo('land', '--yes')).code, 0);
  assert.match((await org.orgrepo('land', '--yes')).stdout, /nothing new to land/);
  assert.equal((await org.orgrepo('verify')).code, 0);
});

test('the report offers to land what is on no branch yet, and nothing once a branch holds it', async () => {
  const org = await makeLanding();
  const next = async (): Promise<string> => (await org.orgrepo('report')).stdout.split('\nNEXT\n')[1] ?? '';
  assert.match(await next(), /land {2}3 wins on best are ready/);
  assert.equal((await org.orgrepo('land', '2', '--yes', '--branch', 'land/one')).code, 0);
  assert.match(await next(), /land {2}3 wins on best are ready/, 'all of them can still be had together');
  assert.equal((await org.orgrepo('land', '--yes', '--branch', 'mine')).code, 0);
  assert.doesNotMatch(await next(), /land {2}/);
  org.git('branch', '-D', 'mine');
  assert.match(await next(), /land {2}3 wins on best are ready/);
});

test('whoever has a remote is told what to push', async () => {
  const org = await makeLanding();
  org.git('remote', 'add', 'origin', 'https://example.invalid/org.git');
  const { next } = JSON.parse((await org.orgrepo('land', '--yes', '--json')).stdout) as { next: string[] };
  assert.equal(next[0], 'git push -u origin land/bring-them-to-three');
});
