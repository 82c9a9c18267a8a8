import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { openTerminal } from '../../src/commands/screen/terminal.ts';
import { ranIn, silentStreams } from '../support/in-process.ts';
import { endings, factsIn, runNight } from '../support/night.ts';
import { makeOrg, quadratic, type Ran, type TestOrg } from '../support/org.ts';

/** Where orgrepo is started: each place works or says why not. */
const made: string[] = [];
after(() => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

const start = (files = quadratic): TestOrg => {
  const org = makeOrg(files);
  made.push(org.dir);
  return org;
};

const emptyDir = (): string => {
  const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-place-'));
  made.push(dir);
  return dir;
};

const env = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  NO_COLOR: '1',
  CI: '1',
  GIT_CEILING_DIRECTORIES: tmpdir(),
};

const orgrepoIn = (dir: string, ...args: string[]): Promise<Ran> => ranIn({ dir, env }, ...args);

const gitIn = (dir: string, ...args: string[]): string => {
  const ran = spawnSync('git', ['-c', 'user.name=P', '-c', 'user.email=p@x.invalid', ...args], {
    cwd: dir,
    env,
    encoding: 'utf8',
  });
  assert.equal(ran.status, 0, ran.stderr);
  return ran.stdout;
};

test('outside of any repository every command says so and what to do', async () => {
  const dir = emptyDir();
  for (const args of [
    ['run'],
    ['status'],
    ['log'],
    ['report'],
    ['show', '1'],
    ['replay', '1'],
    ['verify'],
    ['submit', 'x'],
    ['doctor'],
    ['pause'],
  ]) {
    const ran = await orgrepoIn(dir, ...args);
    assert.equal(ran.code, 6, args.join(' '));
    assert.match(ran.stderr, /is not in a git repository/, args.join(' '));
    assert.match(ran.stderr, /orgrepo demo/);
    assert.equal(ran.stdout, '');
  }
  const gone = await orgrepoIn(dir, 'status', '-C', 'nowhere');
  assert.deepEqual([gone.code, /nowhere does not exist/.test(gone.stderr)], [6, true]);
});

test('-C to a file, or to nowhere, is told as that', async () => {
  const org = start();
  for (const [place, words] of [
    ['program.md', /program\.md is not a directory/],
    ['nowhere', /nowhere does not exist/],
    ['program.md/inside', /inside (does not exist|is not a directory)/],
  ] as const)
    for (const verb of ['status', 'plan', 'run', 'init']) {
      const ran = await orgrepoIn(org.dir, '-C', place, verb);
      if (verb === 'init' && place === 'nowhere') continue; // It is made.
      assert.equal(ran.code, 6, `${verb}: ${ran.stderr}`);
      assert.match(ran.stderr, words, verb);
    }
});

test('a demo in the place of a file, or below one, is refused, and the file is as it was', async () => {
  const org = start();
  for (const place of ['program.md', 'program.md/inside']) {
    const ran = await orgrepoIn(org.dir, 'demo', place);
    assert.equal(ran.code, 6, ran.stderr);
    assert.match(ran.stderr, /is there already|is not a directory, and cannot be made one/);
  }
  assert.equal(org.git('status', '--porcelain'), '');
});

test('a repository that git stumbles over is not called none: what git says of it is told', async () => {
  const org = start();
  org.write('.git/config', '[core\n');
  const broken = await orgrepoIn(org.dir, 'status', '--json');
  const { error } = JSON.parse(broken.stdout);
  assert.deepEqual([broken.code, error.code], [6, 'repo/git']);
  assert.match(error.message, /git cannot read the repository at .*: bad config line 1 in file .*config/);
});

test('a path with a line break is refused, and nothing is written anywhere', async () => {
  const dir = path.join(emptyDir(), 'two\nlines');
  mkdirSync(dir);
  gitIn(dir, 'init', '-q', '-b', 'main');
  for (const command of ['init', 'run', 'status']) {
    const ran = await orgrepoIn(dir, command);
    assert.deepEqual([ran.code, ran.stderr.includes('there is a line break in the path')], [6, true], ran.stderr);
  }
  assert.deepEqual(readdirSync(path.dirname(dir)), ['two\nlines']);
  assert.deepEqual(readdirSync(dir), ['.git']);
});

test('what the machine refuses is no bug of ours', async () => {
  const terminal = openTerminal(['--json'], silentStreams('/'), []);
  const refusal = (code: string): number => terminal.fail(Object.assign(new Error(`${code}: refused`), { code }));
  assert.deepEqual(['ENOSPC', 'EACCES', 'EROFS', 'EMFILE'].map(refusal), [1, 1, 1, 1]);
  assert.equal(refusal('ERR_ASSERTION'), 70);
});

test('places where a run cannot start are named, and nothing is written', async () => {
  const bare = emptyDir();
  gitIn(bare, 'init', '-q', '--bare');
  const fresh = emptyDir();
  gitIn(fresh, 'init', '-q', '-b', 'main');
  const none = start({ 'readme.md': 'hello\n' });
  const detached = start();
  detached.git('checkout', '--quiet', '--detach');
  const ours = start();
  ours.git('checkout', '--quiet', '-b', 'orgrepo/best');
  const inGit = start();
  const cases: readonly [string, string, RegExp][] = [
    ['bare', bare, /is a bare repository[\s\S]*git clone it first/],
    ['no commits', fresh, /main has no commit yet[\s\S]*orgrepo init/],
    ['no brief', none.dir, /there is no program\.md in the last commit[\s\S]*orgrepo init/],
    ['detached', detached.dir, /HEAD is detached[\s\S]*git switch main/],
    ['on a branch of ours', ours.dir, /you are on orgrepo\/best, a branch that orgrepo writes[\s\S]*git switch main/],
    ['in .git', path.join(inGit.dir, '.git'), /is inside a \.git directory/],
  ];
  for (const [name, dir, words] of cases) {
    const before = gitIn(dir, 'for-each-ref');
    const ran = await orgrepoIn(dir, 'run', '--max', '1');
    assert.equal(ran.code, 6, `${name}: ${ran.stderr}${ran.stdout}`);
    assert.match(ran.stderr, words, name);
    assert.equal(gitIn(dir, 'for-each-ref'), before, name);
    assert.equal(existsSync(path.join(dir, '.worktrees')), false, name);
  }
});

test('what was done can be read from any place: detached, on our branches, in a new worktree', async () => {
  const org = start();
  await runNight(org, '--max', '2');
  org.git('checkout', '--quiet', '--detach', 'orgrepo/best');
  for (const args of [['status'], ['log'], ['show', '1'], ['replay', '1'], ['report']]) {
    const ran = await org.orgrepo(...args);
    assert.equal(ran.code, 0, `${args.join(' ')}: ${ran.stderr}`);
  }
});

test('before the first run, reading commands say that there is nothing yet', async () => {
  const org = start();
  assert.match((await org.orgrepo('status')).stdout, /never started\n {2}start it: orgrepo run/);
  assert.equal((await org.orgrepo('log')).stdout, 'No experiments yet. Start: orgrepo run\n');
  assert.equal((await org.orgrepo('log', '--json')).stdout, '');
  assert.equal((await org.orgrepo('log', '--format', 'tsv')).stdout, 'commit\tloss\tmemory_gb\tstatus\tdescription\n');
  const report = await org.orgrepo('report');
  assert.deepEqual([report.code, /nothing has run here yet/.test(report.stderr)], [1, true]);
  assert.equal((await org.orgrepo('show', '1')).code, 1);
  assert.equal(JSON.parse((await org.orgrepo('status', '--json')).stdout).state, 'never');
  assert.equal(org.git('for-each-ref', 'refs/heads/orgrepo', 'refs/orgrepo'), '');
});

test('a dirty tree works: a run starts from the last commit and says what is not part of it', async () => {
  const org = start();
  org.write('sandbox/numbers.txt', 'first 3\n');
  org.write('harness/new.sh', 'new\n');
  org.write('unrelated.txt', 'x\n');
  const ran = await org.orgrepo('run', '--max', '1');
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(
    ran.stderr,
    /not committed, so not part of this run: (sandbox\/numbers\.txt, harness\/new\.sh|harness\/new\.sh, sandbox\/numbers\.txt)\n/,
  );
  assert.match(ran.stdout, /baseline score=126/);
  assert.equal(org.git('status', '--porcelain'), ' M sandbox/numbers.txt\n?? harness/new.sh\n?? unrelated.txt\n');
});

test('a shallow clone works, and doctor says what it cannot do', async () => {
  const org = start();
  org.write('more.txt', 'x\n');
  org.commit('second');
  const clone = path.join(emptyDir(), 'clone');
  gitIn(org.dir, 'clone', '-q', '--depth', '1', `file://${org.dir}`, clone);
  const ran = await orgrepoIn(clone, 'run', '--max', '2', '--json');
  assert.equal(ran.code, 0, ran.stderr + ran.stdout);
  assert.equal(endings(factsIn(ran.stdout).flatMap(({ experiment }) => experiment ?? [])).length, 2);
  writeFileSync(path.join(clone, 'notes.txt'), 'mine\n');
  gitIn(clone, 'add', '-A');
  gitIn(clone, 'commit', '-q', '-m', 'a person goes on');
  const again = await orgrepoIn(clone, 'run', '--max', '2', '--json');
  assert.equal(again.code, 0, again.stderr + again.stdout);
  assert.equal((await orgrepoIn(clone, 'show', '1')).code, 0);
  assert.match((await orgrepoIn(clone, 'doctor')).stdout, /warn {2}this is a shallow clone/);
});

test('a sha256 repository works from the first commit to the replay', async () => {
  const dir = emptyDir();
  gitIn(dir, 'init', '-q', '-b', 'main', '--object-format=sha256');
  for (const [file, text] of Object.entries(quadratic)) {
    mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
    writeFileSync(path.join(dir, file), text);
  }
  gitIn(dir, 'add', '-A');
  gitIn(dir, 'commit', '-q', '-m', 'the org');
  const ran = await orgrepoIn(dir, 'run', '--max', '6');
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stdout, /WIN/);
  assert.equal(gitIn(dir, 'rev-parse', 'orgrepo/best').trim().length, 64);
  assert.equal(gitIn(dir, 'fsck', '--no-dangling'), '');
  assert.equal((await orgrepoIn(dir, 'replay', '1')).code, 0);
  assert.match((await orgrepoIn(dir, 'verify')).stdout, /^6 experiments, .*: everything holds\n$/);
});

test('any directory of the repository is the repository, and -C goes there from anywhere', async () => {
  const org = start();
  const ran = await orgrepoIn(path.join(org.dir, 'sandbox'), 'run', '--max', '1');
  assert.equal(ran.code, 0, ran.stderr);
  assert.equal(existsSync(path.join(org.dir, 'sandbox/.worktrees')), false);
  const elsewhere = emptyDir();
  for (const args of [
    ['-C', org.dir, 'status'],
    ['status', '-C', org.dir],
    ['status', `-C${org.dir}`],
  ]) {
    assert.match((await orgrepoIn(elsewhere, ...args)).stdout, /stopped/, args.join(' '));
  }
  assert.equal(
    (await orgrepoIn(elsewhere, 'submit', 'x', '-C', org.dir, '--body-file', 'idea.md')).code,
    6,
    'the body is looked for where the person is',
  );
});

test("a linked worktree of the person's own works, on the branch that is checked out there", async () => {
  const org = start();
  const tree = path.join(emptyDir(), 'linked');
  org.git('worktree', 'add', '-q', '-b', 'feature', tree);
  const ran = await orgrepoIn(tree, 'run', '--max', '3');
  assert.equal(ran.code, 0, ran.stderr);
  assert.equal(org.git('rev-parse', 'feature'), org.git('rev-parse', 'main'));
  assert.equal(gitIn(tree, 'status', '--porcelain'), '');
  assert.match((await org.orgrepo('status')).stdout, /stopped/);
});

test('a repository with odd files of people works: names that are no UTF-8, blanks, links, a submodule, programs', async () => {
  const org = start();
  const odd = Buffer.concat([Buffer.from(`${org.dir}/caf`), Buffer.from([0xe9])]);
  writeFileSync(odd, 'old\n');
  org.write('two words/ and more.txt', 'x\n');
  spawnSync('ln', ['-s', '/nowhere', path.join(org.dir, 'link')]);
  org.write('bin/tool', '#!/bin/sh\n');
  org.git('add', '-A');
  org.git('update-index', '--chmod=+x', 'bin/tool');
  org.git('update-index', '--add', '--cacheinfo', `160000,${org.git('rev-parse', 'main').trim()},module`);
  org.git('commit', '-q', '-m', 'odd files');
  const ran = await runNight(org, '--max', '4');
  assert.equal(ran.code, 0, ran.stderr + ran.stdout.slice(-800));
  assert.equal(org.git('diff', '--name-only', 'main', 'orgrepo/best'), 'sandbox/numbers.txt\n');
  assert.equal(org.git('fsck', '--no-dangling'), '');
});

test('a sandbox file whose name is not UTF-8 is refused with its name before a night, or worked with; never a bug', async () => {
  const org = start();
  writeFileSync(Buffer.concat([Buffer.from(`${org.dir}/sandbox/caf`), Buffer.from([0xe9])]), 'x 1\n');
  org.commit('an old name');
  const ran = await org.orgrepo('run', '--max', '2');
  assert.equal([0, 6].includes(ran.code ?? -1), true, `${ran.code}: ${ran.stderr}`);
});

test("a person's hooks, signing and aliases do not get in the way, and their hooks are not run", async () => {
  const org = start();
  const marker = path.join(emptyDir(), 'ran');
  for (const hook of [
    'pre-commit',
    'post-commit',
    'reference-transaction',
    'post-checkout',
    'post-index-change',
    'commit-msg',
    'pre-auto-gc',
  ]) {
    org.write(`.git/hooks/${hook}`, `#!/bin/sh\necho ${hook} >> ${marker}\nexit 1\n`);
    spawnSync('chmod', ['+x', path.join(org.dir, '.git/hooks', hook)]);
  }
  org.git('config', 'commit.gpgSign', 'true');
  org.git('config', 'gpg.program', '/no/such/gpg');
  org.git('config', 'core.autocrlf', 'true');
  org.git('config', 'core.fsmonitor', `${org.dir}/.git/hooks/pre-commit`);
  rmSync(marker, { force: true });
  const ran = await org.orgrepo('run', '--max', '2', '--json');
  assert.equal(ran.code, 0, ran.stderr + ran.stdout);
  const hooksRun = existsSync(marker) ? spawnSync('cat', [marker], { encoding: 'utf8' }).stdout : '';
  assert.equal(/commit|checkout|reference|gc/.test(hooksRun.replaceAll('pre-commit', '')), false, hooksRun);
  assert.equal(org.git('show', 'orgrepo/best:harness/run.sh').includes('\r'), false);
});

test('a repository below a directory whose name is not ASCII is as good as any', async () => {
  const org = start();
  const dir = path.join(emptyDir(), 'jürgen', '日本');
  mkdirSync(path.dirname(dir));
  gitIn(path.dirname(org.dir), 'clone', '-q', org.dir, dir);
  const ran = await orgrepoIn(dir, 'run', '--max', '2', '--jail', 'none');
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
});
