import assert from 'node:assert/strict';
import { rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { autoresearch } from '../support/autoresearch.ts';
import { endings, type NightRan, runNight, scriptAgent, trailers } from '../support/night.ts';
import { makeOrg, type TestOrg } from '../support/org.ts';
import { without } from '../support/tools.ts';

const python = { skip: without('python3') };

async function withRepository(
  use: (org: TestOrg) => Promise<void> | void,
  files: Readonly<Record<string, string>> = autoresearch,
): Promise<void> {
  const org = makeOrg(files);
  try {
    await use(org);
  } finally {
    org.remove();
  }
}

/** What belongs to the people whose repository it is. */
const theirs = (org: TestOrg): unknown => ({
  log: org.git('log', '--format=%H %s', 'main'),
  files: org.git('ls-tree', '-r', 'main', ...Object.keys(autoresearch)),
  changed: org.git('status', '--porcelain', '--', ...Object.keys(autoresearch)),
});

const rate = (value: string, title: string): string =>
  `sed -i 's/^LEARNING_RATE = .*/LEARNING_RATE = ${value}/' train.py; echo "${title}"`;

test('a night on an autoresearch repository: its files and its history stay as they are', python, async () => {
  await withRepository(async (org) => {
    const before = theirs(org);
    const made = await org.orgrepo('init', '--from', 'autoresearch');
    assert.equal(made.code, 0, made.stderr);
    assert.equal(made.stdout, 'wrote  orgrepo.md\n');
    assert.match(made.stderr, /Nothing of yours was changed[\s\S]*git add orgrepo\.md && git commit/);
    assert.equal(org.git('status', '--porcelain'), '?? orgrepo.md\n');
    assert.deepEqual(theirs(org), before);

    // As a person would who has no uv and an agent of their own.
    const agent = scriptAgent([
      rate('0.02', 'a higher rate'),
      rate('0.0001', 'a rate that is far too low'),
      'echo "raise SystemExit(3)" >> train.py; echo "break it"',
      "echo 'def evaluate_bpb(p): return 0.0' >> prepare.py; echo 'easier data'",
      `grep -q 'LOOP FOREVER' program.md && grep -q 'Read .program.md' "$ORGREPO_BRIEF" && python3 train.py > $TMPDIR/log && ${rate('0.05', 'after reading both')}`,
    ]);
    org.git('add', 'orgrepo.md');
    org.git('commit', '--quiet', '-m', 'orgrepo');
    const text = org.git('show', 'main:orgrepo.md');
    org.write(
      'orgrepo.md',
      text.replace(/^score: .*$/m, 'score: python3 train.py').replace(/^agent: .*$/m, `agent: ${agent.brief}`),
    );
    org.commit('our own agent');
    const trunk = theirs(org);

    assert.equal((await org.orgrepo('doctor')).code, 0, (await org.orgrepo('doctor')).stdout);
    const ran = await runNight(org, '--max', '5');
    assert.equal(ran.code, 0, ran.stderr);
    assert.deepEqual(
      endings(ran.experiments).map((ending) => ending.replace(/ .*/, '')),
      ['keep', 'discard', 'crash', 'tampered', 'discard'],
      JSON.stringify(ran.experiments, null, 1),
    );
    assert.match(ran.experiments[3]?.reason ?? '', /prepare\.py, which is outside the sandbox/);
    assert.deepEqual(theirs(org), trunk);
    assert.equal(org.git('diff', '--name-only', 'main', 'orgrepo/best').trim(), 'train.py');
    assert.equal((await org.orgrepo('replay', '1')).code, 0);

    // The judge is pinned by the id of prepare.py, and the summary's other numbers are recorded.
    assert.equal(trailers(org, 'Harness', '-1', 'orgrepo/best')[0], org.git('rev-parse', 'main:prepare.py').trim());
    assert.equal(ran.experiments[0]?.guards.num_steps, 4);
    assert.equal(ran.experiments[0]?.metric, 'val_bpb');

    await singleStageEverywhere(org, ran.experiments);
  });
});

async function singleStageEverywhere(org: TestOrg, experiments: NightRan['experiments']): Promise<void> {
  const words = /single-stage: the code that is scored prints its own score/;
  const json = async (...args: string[]): Promise<Record<string, unknown>> =>
    JSON.parse((await org.orgrepo(...args, '--json')).stdout);
  assert.deepEqual(
    experiments.map(({ stages }) => stages),
    [1, 1, 1, undefined, 1],
    'what was never measured has no stages',
  );
  assert.deepEqual(new Set(trailers(org, 'Stages', '--first-parent', 'main..orgrepo/best')), new Set(['1']));
  const log = (await org.orgrepo('log')).stdout;
  assert.match(log, words);
  assert.match(log, /#1 +\d\.\d+†/);
  for (const verb of [['show', '1'], ['status'], ['report'], ['plan'], ['doctor']])
    assert.match((await org.orgrepo(...verb)).stdout.replace(/\s+/g, ' '), words, verb.join(' '));
  assert.match(org.git('show', 'orgrepo/reports:reports/latest.md'), words);
  assert.equal((await json('show', '1')).stages, 1);
  assert.equal((await json('status')).stages, 1);
  assert.equal((await json('report')).stages, 1);
  assert.equal(((await json('plan')).brief as { stages: number }).stages, 1);
}

test('the brief that is made says what autoresearch does', async () => {
  await withRepository(async (org) => {
    org.write('uv.lock', 'version = 1\n');
    assert.equal((await org.orgrepo('init', '--from', 'autoresearch')).code, 0);
    org.commit('orgrepo');
    const plan = JSON.parse((await org.orgrepo('plan', '--json', '--no-measure')).stdout);
    assert.deepEqual(
      [plan.brief.metric, plan.brief.direction, plan.brief.sandbox, plan.brief.score, plan.brief.stages],
      ['val_bpb', 'minimize', ['train.py'], 'uv run train.py', 1],
    );
    assert.deepEqual(
      [plan.harness.path, plan.harness.id],
      ['prepare.py', org.git('rev-parse', 'main:prepare.py').trim()],
    );
    assert.equal(plan.org.budget.experiment_seconds, 600);
    assert.match(org.git('show', 'main:orgrepo.md'), /^include: \[ ?program\.md, pyproject\.toml, uv\.lock ?\]$/m);
  });
});

test('--score takes another command; a program that is not here is said aloud and kept', python, async () => {
  await withRepository(async (org) => {
    const made = await org.orgrepo('init', '--from', 'autoresearch', '--score', 'python3 train.py', '--json');
    assert.deepEqual(JSON.parse(made.stdout).warnings, []);
    org.commit('orgrepo');
    assert.equal((await org.orgrepo('doctor')).code, 0);
    rmSync(path.join(org.dir, 'orgrepo.md'));
    const other = JSON.parse(
      (await org.orgrepo('init', '--from', 'autoresearch', '--score', 'nosuchtool run train.py', '--json')).stdout,
    );
    assert.deepEqual(other.warnings, [
      'nosuchtool is not installed here, and orgrepo.md says score: nosuchtool run train.py',
    ]);
  });
});

test('what is no autoresearch repository, or has a brief already, is refused and left as it is', async () => {
  const init = (org: TestOrg, ...args: string[]) => org.orgrepo('init', '--from', 'autoresearch', ...args);
  for (const file of ['program.md', 'prepare.py', 'train.py'])
    await withRepository(async (org) => {
      rmSync(path.join(org.dir, file));
      const ran = await init(org);
      assert.equal(ran.code, 6);
      assert.ok(ran.stderr.includes(`this is not an autoresearch repository: ${file} is missing`), ran.stderr);
    });
  await withRepository(async (org) => {
    rmSync(path.join(org.dir, 'train.py'));
    symlinkSync('/etc/hostname', path.join(org.dir, 'train.py'));
    assert.equal((await init(org)).code, 6, 'a link is not their file');
  });
  await withRepository(async (org) => {
    assert.equal((await init(org)).code, 0);
    const again = await init(org);
    assert.equal(again.code, 6);
    assert.match(again.stderr, /there is a brief already: orgrepo\.md/);
  });
  await withRepository(async (org) => {
    org.write('program.md', '---\nmetric: val_bpb\n---\n');
    const ran = await init(org);
    assert.equal(ran.code, 6);
    assert.match(ran.stderr, /there is a brief already: program\.md/);
    assert.equal((await org.orgrepo('init', '--from', 'elsewhere')).code, 64);
    assert.equal((await init(org, '--template', 'pack')).code, 64);
    assert.equal((await org.orgrepo('init', '--score', 'x')).code, 6);
    assert.equal(org.git('status', '--porcelain'), ' M program.md\n', 'nothing was written');
  });
});
