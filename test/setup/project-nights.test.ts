import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { anOrg } from '../support/builders.ts';
import { bundle, type TestOrg } from '../support/org.ts';
import { type SampleProject, sampleProjects } from '../support/projects.ts';
import { without } from '../support/tools.ts';

/** From a project that knows nothing of orgrepo to the end of a short night, in each kind. */

interface Found {
  readonly samples: readonly number[];
  readonly seconds: number;
  readonly tests_seconds?: number;
}

/** What init may take beside the command and the tests that it runs. */
const mostSeconds = 5;

async function briefFor({ files, flags }: SampleProject): Promise<TestOrg> {
  const org = anOrg({ ground: files, jail: 'auto' });
  const begun = performance.now();
  const ran = await org.orgrepo('init', ...flags, '--json');
  const seconds = (performance.now() - begun) / 1000;
  assert.equal(ran.code, 0, ran.stdout);
  const { samples, seconds: each, tests_seconds: tested = 0 } = JSON.parse(ran.stdout) as Found;
  const beside = seconds - samples.length * each - tested;
  assert.ok(beside < mostSeconds, `init took ${beside.toFixed(1)} s beside what it measured`);
  org.commit('the brief');
  const doctor = await org.orgrepo('doctor');
  assert.equal(doctor.code, 0, doctor.stdout);
  return org;
}

async function night(org: TestOrg, max: number): Promise<void> {
  const ran = await org.orgrepo('run', '--max', String(max));
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stdout, / exp #\d+ WIN /, 'something wins');
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
}

for (const [kind, needed] of [
  ['python', 'python3'],
  ['make', 'make'],
] as const)
  test(`a night on the written brief wins, and lands: ${kind}`, { skip: without(needed) }, async () => {
    const org = await briefFor(sampleProjects[kind]);
    await night(org, 12);
    const tested = org.git('log', '--all', '--format=%(trailers:key=Org-Tests,valueonly,separator=)', '--grep=^keep:');
    assert.match(tested, /^passed$/m);
    const landed = await org.orgrepo('land', '--dry-run');
    assert.equal(landed.code, 0, landed.stderr);
  });

/** A person's spec, from the queue to what they offer. */
async function offer(org: TestOrg, file: string, text: string): Promise<void> {
  const submitted = await org.orgrepo('submit', 'a better one', '--for', 'human', '--json');
  assert.equal(submitted.code, 0, submitted.stdout);
  const { id } = JSON.parse(submitted.stdout) as { id: string };
  assert.equal((await org.orgrepo('run', '--max', '1')).code, 0);
  writeFileSync(path.join(org.dir, `.worktrees/human-${id}`, file), text);
  assert.equal((await org.orgrepo('submit', '--done', id, '--title', 'it is better')).code, 0);
}

test('a noisy benchmark is judged in pairs, and its tests must pass', async () => {
  const { files } = sampleProjects.javascript;
  const org = await briefFor(sampleProjects.javascript);
  const fast = (files['lib/slug.js'] ?? '').replace('REPEAT = 40', 'REPEAT = 1');
  await offer(org, 'lib/slug.js', fast.replace("'-')", "'_')"));
  assert.match((await org.orgrepo('run', '--max', '1')).stdout, /CONFOUNDED .*but the tests do not pass: ended with 1/);
  await offer(org, 'lib/slug.js', fast);
  await night(org, 1);
  assert.match((await org.orgrepo('land', '--dry-run')).stdout, /ops [\d.]+ -> [\d.]+/);
});

test('a text is scored by its checker, and written by a person', async () => {
  const org = await briefFor(sampleProjects.text);
  const letter = 'Dear neighbours,\n\nMany of us think that the garden could be better. Please close the gate.\n';
  await offer(org, 'letter.txt', letter);
  await night(org, 5);
  assert.match((await org.orgrepo('land', '--dry-run')).stdout, /issues 2 -> 0/);
});

/** A terminal of 100 columns in which these keys are pressed, one as soon as each question is there. */
const terminal = `import fcntl, os, pty, select, struct, sys, termios, time
keys, args = sys.argv[1].split(','), sys.argv[2:]
pid, fd = pty.fork()
if pid == 0:
    os.environ.update(TERM='xterm', LANG='C.UTF-8')
    os.environ.pop('CI', None)
    os.execvp(args[0], args)
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 40, 100, 0, 0))
said, seen, end = b'', 0, time.time() + 120
while time.time() < end:
    if select.select([fd], [], [], 0.2)[0]:
        try:
            more = os.read(fd, 65536)
        except OSError:
            break
        if not more:
            break
        said += more
    elif keys and said.count('\\u25c6'.encode(), seen) > 0:
        seen = len(said)
        os.write(fd, {'enter': b'\\r', 'down': b'\\x1b[B\\r', 'cancel': b'\\x03'}[keys.pop(0)])
sys.stdout.buffer.write(said)
status = os.waitpid(pid, 0)[1]
sys.exit(os.waitstatus_to_exitcode(status) % 256)
`;

const inTerminal = (org: TestOrg, keys: string) =>
  spawnSync('python3', ['-c', terminal, keys, process.execPath, bundle, 'init'], {
    cwd: org.dir,
    env: { ...process.env, ORGREPO_JAIL: 'auto' },
    encoding: 'utf8',
  });

const python = { skip: without('python3') };

test('init asks five questions in a terminal, each with what it found', python, async () => {
  const org = anOrg({ ground: sampleProjects.python.files });
  const asked = inTerminal(org, 'enter,enter,enter,enter,enter');
  assert.equal(asked.status, 0, asked.stdout);
  const questions = [
    ['Which command prints the score of your project?', 'tests/evaluate.py'],
    ['Which files may agents edit?', '2 source files'],
    ['Which number is to get better?', 'on a line of its own'],
    ['Which way is error_rate better?', 'lower is better'],
    ['Which tests must pass before a win counts?', 'tests/test_score.py'],
  ];
  for (const [question = '', origin = ''] of questions) {
    const at = asked.stdout.indexOf(question);
    assert.ok(at >= 0 && asked.stdout.indexOf(origin, at) > at, question);
  }
  org.commit('the brief');
  assert.equal((await org.orgrepo('plan')).code, 0);
  assert.match(org.git('show', 'HEAD:program.md'), /^sandbox: \[spam\/\*\*\][\s\S]*^tests: python3 -m unittest/m);
});

test('init that is interrupted at a question writes nothing', python, () => {
  const org = anOrg({ ground: sampleProjects.python.files });
  const asked = inTerminal(org, 'enter,cancel');
  assert.notEqual(asked.status, 0);
  assert.equal(org.git('status', '--porcelain'), '');
});
