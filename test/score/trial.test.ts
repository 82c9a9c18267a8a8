import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrg } from '../support/builders.ts';
import { endings, runNight, say, scriptAgent } from '../support/night.ts';
import { briefText, type TestOrg } from '../support/org.ts';

/** An org whose stage 1 runs the candidate's own code; stage 2 believes what it wrote, so that the test can see. */
function runningOrg(
  steps: readonly string[],
  keys: Readonly<Record<string, string>> = {},
  score = 'cat "$ORGREPO_OUT/said"\n',
): TestOrg {
  const org = anOrg({
    ground: {
      'program.md': briefText({
        agent: scriptAgent(steps).brief,
        budget: '{ experiment: 10s, agent: 10s, night: 1h, attempts: 100, patience: 1000 }',
        ...keys,
      }),
      'sandbox/program': 'echo "loss: 10"\n',
      'harness/run.sh': 'sh sandbox/program > "$ORGREPO_OUT/said"\n',
      'harness/score.sh': score,
      'specs/0001-first.md': '# make it say less\n',
      'notes.txt': 'not for agents\n',
      'package.json': '{}\n',
    },
  });
  return org;
}

test('a candidate finds nothing that an earlier candidate left, wherever it left it', async () => {
  const places = [
    'left',
    'sandbox/left',
    'harness/left',
    '.git/left',
    'deep/er/left',
    '"$ORGREPO_OUT"/left',
    '"$TMPDIR"/left',
  ];
  const leave = places.map((place) => `mkdir -p $(dirname ${place}); echo secret > ${place}`).join('\n');
  const find = `found=none\n${places.map((place, index) => `[ -e ${place} ] && found="$found ${index}"`).join('\n')}\n[ "$found" = none ] && echo "loss: 9" || { echo "found $found" >&2; exit 1; }`;
  const org = runningOrg([say(`${leave}\necho "loss: 12"`), say(find)]);
  const ran = await runNight(org, '--max', '2');
  assert.deepEqual(endings(ran.experiments), ['discard 12', 'keep 9'], ran.experiments[1]?.reason);
});

test('a candidate that rewrites the harness while it runs is judged by the harness as people committed it', async () => {
  const sabotage = [
    'chmod -R u+w .. 2>/dev/null',
    'for file in harness/score.sh ../judge/harness/score.sh ../*/harness/score.sh; do rm -f "$file"; echo "echo loss: 0" > "$file"; done 2>/dev/null',
    'rm -rf harness; mkdir harness; echo "echo loss: 0" > harness/score.sh',
    'echo "loss: 12"',
  ].join('\n');
  const org = runningOrg([say(sabotage), say('echo "loss: 9"')]);
  const before = org.git('rev-parse', 'main:harness');
  const ran = await runNight(org, '--max', '2');
  assert.deepEqual(endings(ran.experiments), ['discard 12', 'keep 9']);
  assert.equal(org.git('rev-parse', 'orgrepo/best:harness'), before);
});

test('the judge sees the output and the sizes of the candidate’s files, and none of its code', async () => {
  const score =
    '[ -e sandbox ] && echo "code: 1" || echo "code: 0"\ngrep -c . "$ORGREPO_CANDIDATE" | sed "s/^/listed: /"\ncat "$ORGREPO_OUT/said"\nnode -e "const f=JSON.parse(require(\'fs\').readFileSync(process.env.ORGREPO_CANDIDATE)).files; console.log(\'lines: \'+f.reduce((n,x)=>n+x.lines,0)); console.log(\'bytes: \'+f.reduce((n,x)=>n+x.bytes,0))"\n';
  const org = runningOrg(['printf "echo loss: 9\\n# two\\n# three" > sandbox/program; echo "three lines"'], {}, score);
  const ran = await runNight(org, '--max', '1');
  assert.deepEqual(ran.experiments[0]?.guards, { code: 0, listed: 1, lines: 3, bytes: 26 });
});

test('only sandbox, harness and what the brief includes is laid out, for an agent and for a measurement', async () => {
  const org = runningOrg(
    [
      'find . -name .git -prune -o -type f -print | sort > $HERE/seen; cp $HERE/seen sandbox/seen; cat > sandbox/program <<\'EOF\'\necho "loss: $(find . -type f | grep -vc sandbox/seen)"\nEOF\necho "counted"',
    ],
    { include: '[package.json]' },
  );
  const ran = await runNight(org, '--max', '1');
  assert.deepEqual(endings(ran.experiments), ['keep 4']);
  assert.equal(
    org.git('show', 'orgrepo/best:sandbox/seen'),
    './harness/run.sh\n./harness/score.sh\n./package.json\n./sandbox/program\n',
  );
  assert.equal(
    org.git('show', 'orgrepo/best:notes.txt'),
    'not for agents\n',
    'the rest of the tree is there all the same',
  );
});

test('a brief with only score: runs the candidate’s code in one stage', async () => {
  const org = runningOrg([say('echo "loss: 9"')], { run: '', score: 'sh sandbox/program' });
  assert.deepEqual(endings((await runNight(org, '--max', '1')).experiments), ['keep 9']);
});

test('a process that a candidate leaves behind does not outlive its measurement or delay the next', async () => {
  const org = runningOrg([say('sleep 300 & echo "loss: 9"'), say('echo "loss: 8"')]);
  const started = performance.now();
  const ran = await runNight(org, '--max', '2');
  assert.deepEqual(endings(ran.experiments), ['keep 9', 'keep 8']);
  assert.equal(performance.now() - started < 60_000, true);
});
