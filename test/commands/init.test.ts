import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { ranIn } from '../support/in-process.ts';
import { makeOrg, type Ran } from '../support/org.ts';

const made: string[] = [];
after(() => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

function emptyDir(): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-init-'));
  made.push(dir);
  return dir;
}

/** As somebody whose git knows no name and no email. */
function orgrepo(dir: string, ...args: string[]): Promise<Ran> {
  const env = {
    PATH: process.env.PATH,
    HOME: dir,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    LANG: 'C.UTF-8',
    CI: '1',
  };
  return ranIn({ dir, env }, ...args);
}

const git = (dir: string, ...args: string[]): string =>
  spawnSync('git', ['-c', 'user.name=P', '-c', 'user.email=p@x.invalid', ...args], { cwd: dir, encoding: 'utf8' })
    .stdout;

const listing = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/^\.git(\/|$)/.test(name))
    .sort();

for (const [template, ...parts] of [
  ['blank', 'harness/', 'sandbox/', 'specs/'],
  ['pack', 'harness/', 'sandbox/', 'specs/'],
  ['tinylm', 'harness/', 'sandbox/', 'specs/'],
  ['prompt', 'harness/', 'sandbox/', 'specs/', 'models/'],
  ['watcher', 'harness/', 'reports/', 'specs/', 'models/', 'sources/', 'cache/last-snapshot/'],
  ['bugfix', 'harness/', 'sandbox/', 'inbox/', 'models/'],
] as const) {
  test(`init --template ${template} makes an org that doctor finds whole once it is committed`, async () => {
    const dir = emptyDir();
    git(dir, 'init', '-q', '-b', 'main');
    const ran = await orgrepo(dir, 'init', '--template', template);
    assert.equal(ran.code, 0, ran.stderr);
    const files = listing(dir).filter((name) => statSync(path.join(dir, name)).isFile());
    assert.deepEqual(
      ran.stdout
        .trim()
        .split('\n')
        .map((line) => line.replace('wrote  ', ''))
        .sort(),
      files,
    );
    for (const part of ['program.md', 'branches.md']) assert.equal(files.includes(part), true, part);
    for (const part of parts)
      assert.equal(
        files.some((file) => file.startsWith(part)),
        true,
        part,
      );
    assert.match(ran.stderr, /Nothing is committed yet[\s\S]*git add -A && git commit -m "orgrepo"/);
    assert.equal(git(dir, 'log', '--oneline', '--all'), '', 'committing is the person’s');
    git(dir, 'add', '-A');
    git(dir, 'commit', '-q', '-m', 'orgrepo');
    const doctor = await orgrepo(dir, 'doctor');
    assert.equal(doctor.code, 0, doctor.stdout + doctor.stderr);
    assert.match(doctor.stdout, /ok {4}harness prints \w+: /);
    assert.match(doctor.stderr, /^0 failed/m);
  });
}

test('init never overwrites: what is there stays as it is, and is told', async () => {
  const dir = emptyDir();
  git(dir, 'init', '-q', '-b', 'main');
  writeFileSync(path.join(dir, 'program.md'), 'mine\n');
  mkdirSync(path.join(dir, 'harness'));
  writeFileSync(path.join(dir, 'harness/own.sh'), 'mine too\n');
  const first = await orgrepo(dir, 'init');
  assert.match(first.stdout, /^kept {3}program\.md {2}\(yours, left as it is\)$/m);
  assert.equal(readFileSync(path.join(dir, 'program.md'), 'utf8'), 'mine\n');
  assert.equal(readFileSync(path.join(dir, 'harness/own.sh'), 'utf8'), 'mine too\n');
  const before = listing(dir);
  const second = await orgrepo(dir, 'init', '--template', 'pack');
  assert.equal(second.code, 0);
  assert.equal(readFileSync(path.join(dir, 'program.md'), 'utf8'), 'mine\n');
  assert.equal(
    before.every((file) => existsSync(path.join(dir, file))),
    true,
  );
  const third = JSON.parse((await orgrepo(dir, 'init', '--template', 'pack', '--json')).stdout);
  assert.deepEqual([third.schema, third.written], ['orgrepo/init@1', []]);
});

test('init puts nothing of a template beside a brief that has a harness and a sandbox of its own', async () => {
  const dir = emptyDir();
  git(dir, 'init', '-q', '-b', 'main');
  await orgrepo(dir, 'init', '--template', 'pack');
  const before = listing(dir);
  const again = await orgrepo(dir, 'init', '--template', 'blank');
  assert.deepEqual([again.code, listing(dir)], [0, before]);
  rmSync(path.join(dir, 'sandbox/pack.mjs'));
  await orgrepo(dir, 'init', '--template', 'pack');
  assert.deepEqual(listing(dir), before, 'what is missing of the same template is made again');
});

test('init does not write through a link that leads nowhere', async () => {
  const dir = emptyDir();
  const elsewhere = path.join(emptyDir(), 'made-by-init');
  git(dir, 'init', '-q', '-b', 'main');
  symlinkSync(elsewhere, path.join(dir, 'branches.md'));
  assert.equal((await orgrepo(dir, 'init')).code, 0);
  assert.equal(existsSync(elsewhere), false);
});

test('init writes at the root of the repository, also from a directory in it, and makes a repository where there is none', async () => {
  const dir = emptyDir();
  git(dir, 'init', '-q', '-b', 'main');
  mkdirSync(path.join(dir, 'deep/er'), { recursive: true });
  assert.equal((await orgrepo(path.join(dir, 'deep/er'), 'init')).code, 0);
  assert.equal(existsSync(path.join(dir, 'program.md')), true);
  assert.deepEqual(readdirSync(path.join(dir, 'deep/er')), []);
  const fresh = emptyDir();
  const ran = await orgrepo(fresh, 'init');
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stderr, /made .* a git repository/);
  assert.equal(git(fresh, 'symbolic-ref', 'HEAD').trim(), 'refs/heads/main');
});

test('a template that does not exist is wrong usage, and nothing is made', async () => {
  const dir = emptyDir();
  const ran = await orgrepo(dir, 'init', '--template', 'pakc');
  assert.equal(ran.code, 64);
  assert.match(ran.stderr, /there is no template "pakc"[\s\S]*Did you mean --template pack\?/);
  assert.deepEqual(readdirSync(dir), []);
  const list = await orgrepo(dir, 'init', '--template');
  assert.equal(list.code, 64);
  assert.match(
    list.stderr,
    /blank +the least that runs[\s\S]*bugfix [\s\S]*prompt [\s\S]*watcher [\s\S]*research-lab /,
  );
  for (const name of ['../../etc', '', '.'])
    assert.equal((await orgrepo(dir, 'init', '--template', name)).code, 64, name);
  assert.deepEqual(readdirSync(dir), []);
});

test('demo makes an org in a new directory and shows a kept change, for somebody whose git knows nobody', async () => {
  const dir = emptyDir();
  const ran = await orgrepo(dir, 'demo', '--template', 'blank', '--max', '6');
  assert.equal(ran.code, 0, ran.stderr + ran.stdout);
  const demo = path.join(dir, 'orgrepo-demo');
  assert.match(ran.stderr, /search agents, no model, no key, no network/);
  assert.match(ran.stdout, /run stop reason="6 experiments were asked for" tried=6/);
  assert.match(ran.stdout, /^NEEDS YOU {3}nothing$/m);
  assert.match(ran.stderr, /now type\n {2}cd orgrepo-demo\n {2}git log --first-parent orgrepo\/best/);
  const named = /git blame orgrepo\/best -- (\S+)/.exec(ran.stderr)?.[1] ?? '';
  assert.equal(existsSync(path.join(demo, named)), true, `what it tells to type works: ${named}`);
  assert.equal(git(demo, 'status', '--porcelain'), '');
  const again = await orgrepo(dir, 'demo');
  assert.equal(again.code, 6);
  assert.match(again.stderr, /orgrepo-demo is there already/);
  const over = await orgrepo(dir, 'run', '-C', 'orgrepo-demo', '--max', '2');
  assert.equal(over.code, 0, over.stderr);
});

test('a demo names the scripts of a template that has models: nobody with a key pays for it', async () => {
  const dir = emptyDir();
  const ran = await orgrepo(dir, 'demo', '--template', 'prompt', '--max', '1');
  assert.equal(ran.code, 0, ran.stderr + ran.stdout);
  const brief = readFileSync(path.join(dir, 'orgrepo-demo', 'program.md'), 'utf8');
  assert.deepEqual(brief.match(/^model: .*$/gm), ['model: scripted:models/claude-sonnet-4-6.json']);
});

test('demo refuses a wrong template or number before it makes anything', async () => {
  const dir = emptyDir();
  assert.equal((await orgrepo(dir, 'demo', '--template', 'none')).code, 64);
  assert.equal((await orgrepo(dir, 'demo', '--max', 'many')).code, 64);
  assert.deepEqual(readdirSync(dir), []);
});

test('init in an org that has run changes nothing but what is missing', async () => {
  const org = makeOrg();
  made.push(org.dir);
  await org.orgrepo('run', '--max', '1');
  const before = org.git('for-each-ref');
  assert.equal((await org.orgrepo('init')).code, 0);
  assert.equal(org.git('for-each-ref'), before);
  assert.equal(org.git('diff', '--name-only'), '');
});
