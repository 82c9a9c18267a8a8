import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { accessSync, chmodSync, constants, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { hiddenWith } from '../../src/jail/cell.ts';
import { inCell, whyNot } from '../../src/jail/jail.ts';
import { endings, runNight } from '../support/night.ts';
import { briefText, bundle, makeOrg, quadratic, type TestOrg } from '../support/org.ts';

// A repository in a part of the machine that every cell shows.

const made: string[] = [];
after(() => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

const isRoot = process.getuid?.() === 0;

const canWrite = (dir: string): boolean => {
  try {
    accessSync(dir, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

/** Fails where it finds anything of a directory but what leads to the place it stands in. */
const lookAround = (dir: string): string =>
  [
    'set -e',
    `for secret in .git harness sandbox program.md linked; do [ ! -e ${dir}/$secret ]; done`,
    `[ "$(find ${dir} -name answers.txt -o -name other-bench | wc -l)" = 0 ]`,
    `! touch ${dir}/x ${dir}/.worktrees/x 2> /dev/null`,
  ].join('\n');

/** An org whose stages and whose agent look for what they must not find of their repository. */
function watchfulOrg(walls: 'bubblewrap' | 'namespaces', place: string): TestOrg {
  const org = makeOrg({ ...quadratic, 'harness/answers.txt': '3\n', 'node_modules/one/a.txt': 'x\n' }, walls, place);
  made.push(org.dir);
  const look = lookAround(org.dir);
  org.write(
    'program.md',
    briefText({ agent: '{ command: "sh harness/agent.sh" }', holdout: '[harness/score.sh, harness/answers.txt]' }),
  );
  org.write(
    'harness/run.sh',
    `${look}\n[ "$(ls -A harness | wc -l)" = 2 ]\ncat ${org.dir}/node_modules/one/a.txt\n${quadratic['harness/run.sh']}`,
  );
  org.write('harness/score.sh', `${look.replace('-name answers.txt -o ', '')}\n${quadratic['harness/score.sh']}`);
  org.write('harness/agent.sh', `${look}\necho "first 3" > sandbox/numbers.txt\necho "three it is"\n`);
  org.commit('a watchful org');
  org.write('.worktrees/junior-7/other-bench', 'of somebody else\n');
  return org;
}

const kinds = ['bubblewrap', 'namespaces'] as const;
const reasons = await Promise.all(kinds.map(whyNot)); // Before any test: `after` may come as soon as one of them is done.

for (const [index, walls] of kinds.entries()) {
  const missing = reasons[index];

  for (const place of ['/opt', '/usr/local/src']) {
    const why = missing === undefined ? (canWrite(place) ? undefined : `${place} cannot be written to`) : missing;
    const options = why === undefined ? {} : { skip: why };

    test(
      `${walls}: a night in ${place} works, and nothing of the repository is to be seen there`,
      options,
      async () => {
        const org = watchfulOrg(walls, place);
        const ran = await runNight(org, '--max', '1');
        assert.deepEqual(endings(ran.experiments), ['keep 0'], ran.stdout.slice(-2_000) + ran.stderr);
        assert.equal((await org.orgrepo('doctor')).code, 0);
      },
    );

    test(`${walls}: a linked work tree elsewhere does not give away the repository in ${place}`, options, async () => {
      const org = watchfulOrg(walls, place);
      const linked = path.join(mkdtempSync('/tmp/orgrepo-linked-'), 'tree');
      made.push(path.dirname(linked));
      org.git('worktree', 'add', '--quiet', '-b', 'elsewhere', linked);
      mkdirSync(path.join(linked, 'node_modules'), { recursive: true });
      writeFileSync(path.join(linked, 'harness/run.sh'), `${lookAround(org.dir)}\n${quadratic['harness/run.sh']}`);
      org.git('-C', linked, 'commit', '--quiet', '-a', '-m', 'looks at the other one');
      const ran = await runNight(
        { ...org, orgrepo: (verb = '', ...args) => org.orgrepo(verb, '-C', linked, ...args) },
        '--max',
        '1',
      );
      assert.deepEqual(endings(ran.experiments), ['keep 0'], ran.stdout.slice(-2_000) + ran.stderr);
    });

    test(`${walls}: an ordinary user has the same cells in ${place}`, options, () => {
      if (!isRoot) return; // Then the night has shown it.
      const dir = mkdtempSync(path.join(place, 'orgrepo-test-'));
      made.push(dir);
      const arena = path.join(dir, 'trials/arena');
      mkdirSync(arena, { recursive: true });
      writeFileSync(path.join(arena, 'here.txt'), 'shown\n');
      writeFileSync(path.join(dir, 'secret.txt'), 'not shown\n');
      chmodSync(dir, 0o755);
      const person = 65_534;
      const { getuid, getgid } = process;
      Object.assign(process, { getuid: () => person, getgid: () => person });
      const cell = { shown: [arena], hidden: [dir], open: [], memory: [], scratchBytes: 1e6, network: false };
      const command = inCell(walls, cell, ['/bin/sh', '-c', `cat ${arena}/here.txt; find ${dir} | sort`]);
      Object.assign(process, { getuid, getgid });
      const [file = '', ...args] = ['setpriv', `--reuid=${person}`, `--regid=${person}`, '--clear-groups', ...command];
      const ran = spawnSync(file, args, { encoding: 'utf8', env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } });
      const seen = [dir, `${dir}/trials`, arena, `${arena}/here.txt`];
      assert.equal(ran.stdout, `shown\n${seen.join('\n')}\n`, ran.stderr);
    });
  }

  const can = missing === undefined && isRoot && existsSync('/opt') && !process.execPath.startsWith('/opt/');
  test(`${walls}: a repository that is /opt itself is refused with what to do`, can ? {} : { skip: 'not here' }, () => {
    const org = makeOrg(quadratic, walls);
    made.push(org.dir);
    const script = 'mount --bind "$0" /opt && exec "$@"';
    const args = ['--mount', '--propagation', 'private', 'sh', '-c', script, org.dir, process.execPath, bundle];
    const env = { ...process.env, ORGREPO_JAIL: walls, NO_COLOR: '1' };
    for (const verb of ['doctor', 'run']) {
      const ran = spawnSync('unshare', [...args, verb, '-C', '/opt'], { encoding: 'utf8', env });
      const said = ran.stdout + ran.stderr;
      assert.equal(ran.status, 1, said);
      assert.match(said, /the repository is in \/opt, and programs need \/opt: no jail can hide the one/);
      assert.match(said, /(fix:|try) .*Clone it into a directory of its own and run there, or .* --jail none/);
    }
  });
}

test('a directory cannot be hidden when programs are in it', () => {
  const cases = { '/': '/usr', '/usr': '/usr', '/usr/local': '/usr/local/bin', '/etc': '/etc', '/nix': '/nix/store' };
  for (const [dir, part] of Object.entries(cases)) assert.equal(hiddenWith(dir), part, dir);
  for (const dir of ['/opt/x', '/usr/local/src', '/usr/local/src/x', '/home/me', '/usr/lib/x', '/optional'])
    assert.equal(hiddenWith(dir), undefined, dir);
});
