import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNot } from '../../src/jail/jail.ts';
import { anOrg } from '../support/builders.ts';
import { endings, runNight } from '../support/night.ts';
import { briefText, type TestOrg } from '../support/org.ts';

/** The most milliseconds that other lanes wait for the output of one candidate. */
const longestStall = 100;

const levels = ['none', 'namespaces'] as const;

/** An org whose candidates are pieces of shell, each written by one attempt of a command that is shown its bench alone. */
function orgWith(jail: (typeof levels)[number], programs: readonly string[], experiment = '60s'): TestOrg {
  const cases = programs.map((_, index) => `${index + 1}) cp harness/tries/${index + 1} sandbox/program;;`);
  const tries = programs.map((text, index) => [`harness/tries/${index + 1}`, `${text}\n`] as const);
  return anOrg({
    jail,
    ground: {
      'program.md': briefText({
        run: 'sh sandbox/program',
        agent: '{ command: "sh harness/agent.sh" }',
        budget: `{ experiment: ${experiment}, agent: 60s, night: 1h, attempts: 20, patience: 1000 }`,
      }),
      'harness/agent.sh': `case $ORGREPO_ATTEMPT in\n${cases.join('\n')}\nesac\necho "try $ORGREPO_ATTEMPT"\n`,
      'harness/score.sh': 'cat "$ORGREPO_OUT/said"; ls "$ORGREPO_OUT" | grep -c . | sed "s/^/left: /"\n',
      'sandbox/program': 'echo "loss: 10" > $ORGREPO_OUT/said\n',
      ...Object.fromEntries(tries),
      'specs/0001-first.md': '# make it say less\n',
    },
  });
}

/** Runs it and returns the longest time without a turn of the event loop, as far as this process used the CPU for it. */
async function longestStallIn(work: () => Promise<void>): Promise<number> {
  let [longest, at, used] = [0, performance.now(), process.cpuUsage()];
  const look = (): void => {
    const { user, system } = process.cpuUsage(used);
    longest = Math.max(longest, Math.min(performance.now() - at, (user + system) / 1000)); // A busy machine is not our stall.
    [at, used] = [performance.now(), process.cpuUsage()];
  };
  const timer = setInterval(look, 5);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  look();
  return longest;
}

const said = (loss: number): string => `echo "loss: ${loss}" > $ORGREPO_OUT/said`;

const outputs = [
  { what: '90,000 directories', program: '(cd $ORGREPO_OUT; seq 90000 | xargs mkdir)', ends: 'crash' },
  {
    what: '9,999 files',
    program: '(cd $ORGREPO_OUT; seq 9998 | while read -r n; do echo $n > f$n; done)',
    ends: 'discard 12',
  },
  { what: 'one sparse file', program: 'truncate -s 1000M $ORGREPO_OUT/sparse', ends: 'discard 12' },
];

for (const jail of levels) {
  const missing = jail === 'none' ? undefined : await whyNot(jail);
  const options = missing === undefined ? {} : { skip: missing };
  for (const { what, program, ends } of outputs) {
    test(`${jail}: other lanes go on while an output of ${what} is taken and removed`, options, async () => {
      const org = orgWith(jail, [`${program}\n${said(12)}`, said(9)]);
      const stall = await longestStallIn(async () => {
        const ran = await runNight(org, '--max', '2');
        assert.deepEqual(endings(ran.experiments), [ends, 'keep 9'], ran.stdout);
        assert.equal(ran.experiments[1]?.guards.left, 1);
      });
      assert.ok(stall < longestStall, `${stall.toFixed(0)} ms`);
    });
  }
}

test('other lanes go on while what a candidate left beside its output is removed', async () => {
  const beside = '(seq 60000 | xargs mkdir; mkdir ../x; cd ../x; seq 60000 | xargs mkdir)';
  const org = orgWith('none', [`${beside}\n${said(12)}`, said(9)]);
  const stall = await longestStallIn(async () => {
    const ran = await runNight(org, '--max', '2');
    assert.deepEqual(endings(ran.experiments), ['discard 12', 'keep 9'], ran.stdout);
  });
  assert.ok(stall < longestStall, `${stall.toFixed(0)} ms`);
});
