import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { endings, runNight } from '../support/night.ts';
import { briefText, makeOrg, quadratic, type TestOrg } from '../support/org.ts';

// A night that nobody has given anything to do.

const made: TestOrg[] = [];
after(() => {
  for (const org of made) org.remove();
});

/** A harness that wants the sandbox's text to be short, and an agent that shortens it by a letter. */
function wordyOrg(files: Readonly<Record<string, string>> = {}): TestOrg {
  const { 'specs/0001-first.md': _, ...rest } = quadratic;
  const org = makeOrg({
    ...rest,
    'program.md': briefText({ agent: '{ command: "sh harness/agent.sh" }', holdout: '[harness/score.sh]' }),
    'sandbox/numbers.txt': 'no number in here\n',
    'harness/run.sh': 'wc -c < sandbox/numbers.txt > "$ORGREPO_OUT/length"\n',
    'harness/score.sh': 'echo "loss: $(cat "$ORGREPO_OUT/length")"\n',
    'harness/agent.sh': 'sed -i "s/^.//" sandbox/numbers.txt; echo "a letter less"\n',
    ...files,
  });
  made.push(org);
  return org;
}

const warned = /program\.md:\d+:\d+: no spec is open, and the chief finds no number or choice in the sandbox/;
const needed = [{ what: 'nobody has an idea left: write a spec', command: 'orgrepo submit "what to try"' }];

test('a night without ideas needs a person, in the report and in status, until there is a spec', async () => {
  const org = wordyOrg();
  for (const verb of ['doctor', 'plan']) assert.match((await org.orgrepo(verb)).stdout, warned, verb);
  const ran = await runNight(org, '--max', '3');
  assert.deepEqual([ran.code, ran.facts.at(-1)?.reason], [0, 'nobody has an idea left']);
  const asked = async (verb: string): Promise<unknown> =>
    JSON.parse((await org.orgrepo(verb, '--json')).stdout).needs_you;
  assert.deepEqual(await asked('report'), needed);
  assert.deepEqual(await asked('status'), needed);
  assert.match(
    org.git('show', 'orgrepo/reports:reports/latest.md'),
    /nobody has an idea left: write a spec: `orgrepo submit/,
  );
  assert.match((await org.orgrepo('plan')).stdout, warned);

  assert.equal((await org.orgrepo('submit', 'a shorter text')).code, 0);
  assert.deepEqual(await asked('status'), []);
  assert.doesNotMatch((await org.orgrepo('plan')).stdout, warned);
  assert.deepEqual(endings((await runNight(org, '--max', '1')).experiments), ['keep 17']);
});

test('a spec on the trunk, a number for the chief or the embedded agent is no reason to ask beforehand', async () => {
  const spec = '---\nid: "0001"\ntitle: shorter\n---\nBy a letter.\n';
  const others: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'a spec': { 'specs/0001.md': spec },
    'a number': { 'sandbox/numbers.txt': 'length = 12\n' },
    'the embedded agent': { 'program.md': briefText({ holdout: '[harness/score.sh]' }) },
  };
  for (const [name, files] of Object.entries(others))
    assert.doesNotMatch((await wordyOrg(files).orgrepo('plan')).stdout, warned, name);
});

test('a spec on the trunk that an earlier night has finished gives nobody anything to do', async () => {
  const spec = '---\nid: "0001"\ntitle: shorter\nattempts: 1\n---\nBy a letter.\n';
  const org = wordyOrg({ 'specs/0001.md': spec });
  const ran = await runNight(org, '--max', '3');
  assert.deepEqual([endings(ran.experiments), ran.facts.at(-1)?.reason], [['keep 17'], 'nobody has an idea left']);
  assert.match((await org.orgrepo('plan')).stdout, warned);
});
