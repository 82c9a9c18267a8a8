import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { whyNot } from '../../src/jail/jail.ts';
import { endings, runNight, say } from '../support/night.ts';
import { briefText, makeOrg, quadratic, type TestOrg } from '../support/org.ts';

const made: string[] = [];
after(() => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

/** An org whose agent is one script; each attempt does the next of these steps. */
function orgWith(walls: 'bubblewrap' | 'namespaces', steps: readonly string[], holdout = ''): TestOrg {
  const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-agent-'));
  const script = path.join(dir, 'agent.sh');
  const cases = steps.map((step, index) => `${index + 1})\n${step}\n;;`).join('\n');
  writeFileSync(script, `#!/bin/sh\ncase $ORGREPO_ATTEMPT in\n${cases}\nesac\n`);
  chmodSync(script, 0o755);
  const org = makeOrg(
    {
      ...quadratic,
      'program.md': briefText({
        run: 'sh sandbox/program',
        score: 'sh harness/score.sh',
        holdout,
        agent: `{ command: "${script}" }`,
        budget: '{ experiment: 5s, agent: 20s, night: 1h, attempts: 20, patience: 1000 }',
      }),
      'harness/score.sh': 'cat "$ORGREPO_OUT/said"\n',
      'harness/answers': 'the answer is 42\n',
      'sandbox/program': 'echo "loss: 10" > $ORGREPO_OUT/said\n',
    },
    walls,
  );
  made.push(dir, org.dir);
  return org;
}

const sayOut = (text: string): string => say(`{ ${text}; } > $ORGREPO_OUT/said 2>&1`);

for (const walls of ['bubblewrap', 'namespaces'] as const) {
  const missing = await whyNot(walls);
  const options = missing === undefined ? {} : { skip: `${walls}: ${missing}` };

  test(`${walls}: a night in cells, and every commit that measured says so`, options, async () => {
    const org = orgWith(walls, [sayOut('echo "loss: 9"'), sayOut('echo "loss: 8"')]);
    const ran = await runNight(org, '--max', '2');
    assert.deepEqual(endings(ran.experiments), ['keep 9', 'keep 8'], ran.stderr);
    const levels = org.git(
      'log',
      '--first-parent',
      '--format=%(trailers:key=Org-Jail,valueonly,separator=%x2C)',
      'orgrepo/best',
    );
    assert.deepEqual(levels.trim().split('\n').slice(0, 3), [walls, walls, walls]);
    assert.equal(existsSync(path.join(org.dir, '.worktrees/.trials')), false);
  });

  test(
    `${walls}: what is held out, the repository and other benches are not there for a candidate`,
    options,
    async () => {
      const look = (place: string): string => `ls -A ${place} 2>&1 | wc -l | sed "s/^/loss: /"`;
      const org = orgWith(
        walls,
        [
          sayOut(look('harness')),
          sayOut('if [ -e harness/answers ]; then echo "loss: 1"; else echo "loss: 9"; fi'),
          sayOut(
            'if [ -e ../../../../.git ] || [ -e ../../../junior-1 ]; then echo "loss: 1"; else echo "loss: 8"; fi',
          ),
          sayOut(
            'if touch sandbox/x ../x /etc/x /usr/x $HOME/../x 2>/dev/null; then echo "loss: 1"; else echo "loss: 7"; fi',
          ),
          say('ln -s /etc/passwd $ORGREPO_OUT/said'),
          say('mkfifo $ORGREPO_OUT/said'),
        ],
        '[harness/score.sh, harness/answers]',
      );
      const ran = await runNight(org, '--max', '6');
      // Of the harness a candidate finds run.sh alone.
      assert.deepEqual(
        endings(ran.experiments),
        ['keep 1', 'discard 9', 'discard 8', 'discard 7', 'crash', 'crash'],
        ran.stderr,
      );
      assert.match(ran.experiments[4]?.reason ?? '', /^run left "said" in \$ORGREPO_OUT, which is no regular file/);
    },
  );

  test(
    `${walls}: an agent that is a process changes its bench and nothing else, and can read the history`,
    options,
    async () => {
      const mark = path.join(tmpdir(), `orgrepo-mark-${process.pid}`);
      const org = orgWith(walls, [
        `echo 'echo "loss: 9" > $ORGREPO_OUT/said' > sandbox/program; git log -1 --format=%s`,
        `touch ${mark} ../junior-2 2>/dev/null; echo 'echo "loss: 8" > $ORGREPO_OUT/said' > sandbox/program; echo "$(git cat-file -t HEAD) $(cat < /dev/tcp/1.1.1.1/80 2>&1 | wc -c)"`,
        'g=$(git rev-parse --git-common-dir); echo x > $g/objects/x; echo x > $g/refs/heads/x; rm -rf $g/objects; ls $g',
        'rm -rf ../../sandbox ../../program.md; ls ../.. | tr "\\n" " "',
      ]);
      const before = org.git('rev-parse', 'HEAD', 'HEAD^{tree}');
      const ran = await runNight(org, '--max', '4');
      assert.deepEqual(
        endings(ran.experiments),
        ['keep 9', 'keep 8', 'unchanged', 'unchanged'],
        JSON.stringify(ran.experiments),
      );
      assert.match(ran.experiments[0]?.title ?? '', /^bench: what junior-1 sees/);
      assert.match(ran.experiments[1]?.title ?? '', /^commit /);
      assert.equal(existsSync(mark), false);
      assert.equal(org.git('rev-parse', 'HEAD', 'HEAD^{tree}'), before);
      assert.equal(org.git('status', '--porcelain'), '');
      org.git('fsck');
    },
  );
}

test('what cannot be had is refused before anything is written, and what is not asked for is said', async () => {
  const org = makeOrg();
  made.push(org.dir);
  const wrong = await org.orgrepo('run', '--jail', 'castle');
  assert.equal(wrong.code, 64);
  assert.match(wrong.stderr, /--jail is "castle".*\n.*It can be auto, require, bubblewrap, namespaces, none/);
  const free = await org.orgrepo('run', '--max', '1', '--jail', 'none');
  assert.match(
    `${free.stdout}${free.stderr}`,
    /no jail(: candidates can read and change what you can|, and you are root: candidates can read and change everything)/,
  );
  assert.match(
    (await org.orgrepo('doctor')).stdout,
    /warn\s+jail: none, candidates run free(, and as root)? \(as you asked\)/,
  );
});
