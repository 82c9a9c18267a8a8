import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { whyNot } from '../../src/jail/jail.ts';
import { bundle, makeOrg, ordinarily, quadratic, type Ran, type TestOrg } from '../support/org.ts';

const made: string[] = [];
after(() => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

const start = (starter: readonly string[] = []): TestOrg => {
  const org = makeOrg(quadratic, 'none', tmpdir(), starter);
  made.push(org.dir);
  return org;
};

const missing = await whyNot('bubblewrap');
const mounted = missing === undefined ? {} : { skip: `bubblewrap is not to be had here: ${missing}` };

/** The same repository on a file system that can only be read. */
function readOnly(org: TestOrg, ...args: string[]): Ran {
  const held = ['--dev-bind', '/', '/', '--ro-bind', org.dir, org.dir, '--chdir', org.dir];
  const env = { ...process.env, ORGREPO_JAIL: 'none', NO_COLOR: '1', CI: '1', LANG: 'C.UTF-8' };
  const ran = spawnSync('bwrap', [...held, process.execPath, bundle, ...args], { env, encoding: 'utf8' });
  return { code: ran.status, stdout: ran.stdout, stderr: ran.stderr };
}

interface Finding {
  readonly level: string;
  readonly what: string;
  readonly fix: string;
}
const failures = (ran: Ran): Finding[] =>
  (JSON.parse(ran.stdout) as { findings: Finding[] }).findings.filter(({ level }) => level === 'fail');

test(
  'on a read-only file system all that only reads works, doctor says that nothing can be written, and run is refused',
  mounted,
  async () => {
    for (const withRun of [false, true]) {
      const org = start();
      if (withRun) assert.equal((await org.orgrepo('run', '--max', '2')).code, 0);
      const plan = readOnly(org, 'plan', '--json');
      assert.equal(plan.code, 0, plan.stdout + plan.stderr);
      assert.match(
        JSON.parse(plan.stdout).warnings[0].message,
        /nothing can be written into .*: the file system is read-/,
      );
      const doctor = readOnly(org, 'doctor', '--json');
      assert.equal(doctor.code, 1, doctor.stdout + doctor.stderr);
      assert.deepEqual(
        failures(doctor).map(({ what }) => what),
        [`nothing can be written into ${path.join(org.dir, '.git')}: the file system is read-only`],
      );
      assert.doesNotMatch(readOnly(org, 'doctor').stdout, /undefined/);
      const reading = withRun
        ? ['status', 'log', 'report', 'verify', 'show 1', 'approve']
        : ['status', 'log', 'verify'];
      for (const words of reading) {
        const ran = readOnly(org, ...words.split(' '));
        assert.equal(ran.code, 0, `${words}: ${ran.stdout}${ran.stderr}`);
      }
      for (const words of ['run --max 1', 'attack', 'submit hello', ...(withRun ? ['replay 1', 'land --yes'] : [])]) {
        const ran = readOnly(org, ...words.split(' '));
        assert.equal(ran.code, 1, `${words}: ${ran.stdout}${ran.stderr}`);
        assert.match(ran.stderr, /error {2}.* disk\/write\n {2}try {2}\S/, words);
      }
    }
  },
);

test('a report that cannot be written is told all the same, with a word that it was not written', mounted, async () => {
  const org = start();
  assert.equal((await org.orgrepo('run', '--max', '2')).code, 0);
  org.git('update-ref', '-d', 'refs/heads/orgrepo/reports');
  const text = readOnly(org, 'report');
  assert.equal(text.code, 0, text.stderr);
  assert.match(text.stdout, /\nNEXT\n/);
  assert.match(text.stderr, /^the report was not written to orgrepo\/reports: \S+ could not be written: EROFS/m);
  const json = readOnly(org, 'report', '--json');
  assert.equal(JSON.parse(json.stdout).schema, 'orgrepo/report@1', json.stderr);
  const written = org.spawned('report');
  assert.deepEqual([written.code, written.stderr, written.stdout], [0, '', text.stdout]);
  assert.match(org.git('show', 'orgrepo/reports:reports/latest.md'), /\S/);
});

const unheld = ordinarily.length > 0 || process.getuid?.() !== 0 ? {} : { skip: 'root goes past every mode here' };

test('who has no right to write into .git or .worktrees is told where, and can still plan', unheld, async () => {
  for (const place of ['.git', '.worktrees']) {
    const org = start(ordinarily);
    assert.equal((await org.orgrepo('run', '--max', '1')).code, 0);
    chmodSync(path.join(org.dir, place), 0o555);
    try {
      const plan = await org.orgrepo('plan');
      assert.equal(plan.code, 0, plan.stdout + plan.stderr);
      assert.equal(failures(await org.orgrepo('doctor', '--json')).length, 1);
      const ran = await org.orgrepo('run', '--max', '1');
      assert.equal(ran.code, 1, ran.stderr);
      assert.match(ran.stderr, new RegExp(`nothing can be written into .*${place}: you have no right to`));
      assert.match(ran.stderr, new RegExp(`chmod u\\+rwx '.*${place}'`));
    } finally {
      chmodSync(path.join(org.dir, place), 0o755);
    }
    assert.equal((await org.orgrepo('run', '--max', '1')).code, 0, 'and goes on once they have');
  }
});

test('.worktrees that is a file, or leads elsewhere, is named with what to type; what it leads to is not touched', async () => {
  const elsewhere = mkdtempSync(path.join(tmpdir(), 'orgrepo-elsewhere-'));
  made.push(elsewhere);
  const kinds: readonly (readonly [RegExp, (place: string, org: TestOrg) => void])[] = [
    [/is no directory, and orgrepo keeps its benches/, (_, org) => org.write('.worktrees', 'mine\n')],
    [/is a symbolic link, and orgrepo keeps its benches/, (place) => symlinkSync(elsewhere, place)],
    [/is a symbolic link/, (place) => symlinkSync('nowhere', place)],
  ];
  for (const [words, put] of kinds) {
    const org = start();
    put(path.join(org.dir, '.worktrees'), org);
    const plan = await org.orgrepo('plan');
    assert.equal(plan.code, 0, plan.stdout + plan.stderr);
    assert.match(failures(await org.orgrepo('doctor', '--json'))[0]?.what ?? '', words);
    const ran = await org.orgrepo('run', '--max', '1');
    assert.equal(ran.code, 6, ran.stderr);
    assert.match(ran.stderr, words);
    assert.match(ran.stderr, /try {2}Move it out of the way: mv /);
    assert.deepEqual(readdirSync(elsewhere), []);
    assert.equal(existsSync(path.join(org.dir, '.git/refs/heads/orgrepo')), false, 'nothing was written');
  }
});
