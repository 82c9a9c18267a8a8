import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNot } from '../../src/jail/jail.ts';
import { anOrg } from '../support/builders.ts';
import { scriptAgent } from '../support/night.ts';
import { briefText, type TestOrg } from '../support/org.ts';

interface Told {
  readonly through: number;
  readonly results: readonly { readonly name: string; readonly control: boolean; readonly end: string }[];
  readonly not_tried: readonly string[];
}

/** Ten numbers that should be small; only the judge knows which of them count. */
function makeTarget(files: Readonly<Record<string, string>>, keys: Readonly<Record<string, string>> = {}): TestOrg {
  const org = anOrg({
    ground: {
      'program.md': briefText({ holdout: '[harness/key.txt]', ...keys }),
      'harness/key.txt': '2\n',
      'harness/run.sh': 'sh sandbox/numbers.sh > "$ORGREPO_OUT/numbers"\n',
      'harness/score.sh': `awk -v want="$(cat harness/key.txt)" '!/^[0-9]+$/ { exit 1 } NR == want { loss = $1 } END { if (NR != 3) exit 1; print "loss: " loss }' "$ORGREPO_OUT/numbers"\n`,
      'sandbox/numbers.sh': '#!/bin/sh\nseq 7 9\n',
      ...files,
    },
  });
  return org;
}

const endsOf = ({ results }: Told, end: string): string[] =>
  results.filter((one) => one.end === end).map(({ name }) => name);

const missing = await whyNot('bubblewrap');
const jailed = missing === undefined ? {} : { skip: `bubblewrap is not to be had here: ${missing}` };

test(
  'a harness of two stages in a jail refuses every trick; nothing is left in refs, and doctor remembers',
  jailed,
  async () => {
    const org = makeTarget({});
    const refs = org.git('for-each-ref');
    assert.match(
      (await org.orgrepo('doctor')).stdout,
      /nobody has tried to cheat this harness.* looks at the sandbox at all\n +fix: orgrepo attack/,
    );
    const ran = await org.orgrepo('attack', '--jail', 'bubblewrap', '--json');
    const told = JSON.parse(ran.stdout) as Told;
    assert.deepEqual(endsOf(told, 'got through'), []);
    assert.deepEqual(endsOf(told, 'as it should'), ['changes nothing', 'fails at once']);
    assert.deepEqual(endsOf(told, 'none known'), ['is truly better']);
    assert.equal(endsOf(told, 'refused').includes('never ends'), true);
    assert.equal(ran.code, 0, ran.stdout);
    assert.equal(org.git('for-each-ref'), refs);
    assert.equal(org.git('status', '--porcelain'), '');
    assert.doesNotMatch((await org.orgrepo('doctor')).stdout, /nobody has tried/);
    org.write('harness/key.txt', '3\n');
    org.commit('another key');
    assert.match((await org.orgrepo('doctor')).stdout, /nobody has tried/);
  },
);

test('a harness that believes the candidate is found out, and so is the want of a jail', async () => {
  const org = makeTarget({ 'harness/score.sh': 'echo "loss: $(head -1 "$ORGREPO_OUT/numbers")"\n' });
  const ran = await org.orgrepo('attack', '--jail', 'none', '--json');
  const through = endsOf(JSON.parse(ran.stdout) as Told, 'got through');
  for (const name of [
    'rewrites its output at the end',
    'writes outside',
    'opens the network',
    'outlives its measurement',
  ])
    assert.equal(through.includes(name), true, name);
  assert.equal(ran.code, 5);
});

test('what is better than it is and breaks a guard is refused, as it would be in a night', jailed, async () => {
  const believes = 'n=$(head -1 "$ORGREPO_OUT/numbers")\necho "loss: $n"\n';
  const org = makeTarget(
    { 'harness/score.sh': `${believes}awk -v n="$n" 'BEGIN { print "wonders: " (n < 5 ? 1 : 0) }'\n` },
    { guards: '{ wonders: "<= 0" }' },
  );
  const ran = await org.orgrepo('attack', '--jail', 'bubblewrap');
  assert.match(
    ran.stdout,
    /rewrites its output at the end +refused +scored \S+, and is confounded: wonders is 1, the guard allows at most 0/,
  );
  assert.equal(ran.code, 0, ran.stdout);
});

test('a single stage cannot stop a candidate that prints its own score', jailed, async () => {
  const org = makeTarget(
    {
      'harness/score.sh':
        'n=$(sh sandbox/numbers.sh | head -1) || exit 1\ncase $n in *:*) echo "$n";; *) echo "loss: $n";; esac\n',
    },
    { run: '', holdout: '' },
  );
  const ran = await org.orgrepo('attack', '--jail', 'bubblewrap');
  assert.match(ran.stdout, /prints the score and leaves +GOT THROUGH +scored 0\.7, better than it is/);
  assert.match(ran.stdout, /reads what is held out +not tried/);
  assert.equal(ran.code, 5);
});

test('a sandbox in a language without attacks is said to be untried', jailed, async () => {
  const org = makeTarget({
    'sandbox/main.rs': 'fn main() {}\n',
    'sandbox/numbers.sh': '#!/usr/bin/env cat\nseq 7 9\n',
    'harness/run.sh': 'seq 7 9 > "$ORGREPO_OUT/numbers"\n',
  });
  org.git('rm', '--quiet', 'sandbox/numbers.sh');
  org.commit('only rust');
  const ran = await org.orgrepo('attack', '--jail', 'bubblewrap');
  assert.match(ran.stdout, /not tried: no attack for sandbox\/main\.rs/);
  assert.equal(ran.code, 1);
});

test('attack stops at a harness that gives the sandbox itself no score', async () => {
  const org = makeTarget({ 'harness/score.sh': 'echo "nothing to say"; exit 3\n' });
  const ran = await org.orgrepo('attack', '--jail', 'none', '--json');
  const { error } = JSON.parse(ran.stdout);
  assert.equal(error.code, 'harness/baseline');
  assert.match(error.message, /^the harness gives no score to the sandbox as it stands: crash: /);
  assert.equal(error.hint, 'Look into it first: orgrepo doctor');
  assert.equal(ran.code, 6);
});

test('attack says so when the harness never runs the code of the sandbox', async () => {
  const org = makeTarget({ 'harness/run.sh': 'true\n', 'harness/score.sh': 'echo "loss: 5"\n' });
  const ran = await org.orgrepo('attack', '--jail', 'none', '--json');
  const { results } = JSON.parse(ran.stdout);
  const control = results.find(({ name }: { name: string }) => name === 'fails at once');
  assert.equal(control.end, 'not as it should');
  assert.equal(control.how, 'scored 5: its code did not run, so the tricks below were not played');
});

test('attack measures the best that is known, to see whether a score can move at all', async () => {
  const agent = scriptAgent(["sed -i 's/7 9/4 6/' sandbox/numbers.sh; echo smaller"]);
  const org = makeTarget(
    { 'harness/score.sh': `awk '{ sum += $1 } END { print "loss: " sum }' "$ORGREPO_OUT/numbers"\n` },
    { agent: agent.brief },
  );
  org.write('specs/0001-first.md', '---\nid: "0001"\ntitle: smaller numbers\nby: people\n---\nAny.\n');
  org.commit('a first idea');
  const night = await org.orgrepo('run', '--max', '1');
  assert.equal(night.code, 0, night.stderr);
  const oracle = async (): Promise<readonly string[]> => {
    const ran = await org.orgrepo('attack', '--jail', 'none', '--json');
    const { results } = JSON.parse(ran.stdout);
    const { end, how } = results.find(({ name }: { name: string }) => name === 'is truly better');
    return [end, how];
  };
  assert.deepEqual(await oracle(), ['as it should', 'orgrepo/best scored 15']);
  org.write('sandbox/numbers.sh', '#!/bin/sh\nseq 1 3\n');
  org.commit('better than best');
  const worse = 'no oracle: orgrepo/best scored 15, no better than your branch';
  assert.deepEqual(await oracle(), ['none known', worse]);
});
