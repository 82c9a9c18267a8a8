import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrg } from '../support/builders.ts';
import { runNight, trailers } from '../support/night.ts';
import { briefText, type TestOrg } from '../support/org.ts';

/** Who goes on with a claim that an earlier run left is decided about like one who makes a claim. */

const everything = 'permit (principal, action, resource);\n';
const forbidding = (who: string): string =>
  `${everything}@id("not-this") @message("{agent} keeps away from what people want")
forbid (${who}, action == Action::"claim", resource) when { resource.by == "people" };\n`;

/** An org whose first run has left 0001 claimed by junior-1, after one attempt. */
function orgWithLeft(files: Readonly<Record<string, string>> = {}): TestOrg {
  const org = anOrg({ files: files });
  return org;
}

function govern(org: TestOrg, policies: string, juniors = 1): void {
  org.write('policies/a.cedar', policies);
  org.write('program.md', briefText({ juniors: String(juniors) }));
  org.commit('policies');
}

const holders = (org: TestOrg): string[] =>
  org
    .git('log', '--first-parent', '--reverse', '--format=%an %s', 'orgrepo/work/0001', '^main')
    .split('\n')
    .filter((line) => / (claim|takeover): /.test(line))
    .map((line) => line.split(':')[0] ?? '');

/** `deny, junior-1` for each decision about the claim of 0001, oldest first. */
const decisions = (org: TestOrg): string[] =>
  org
    .git('log', '--reverse', '--format=%s', 'refs/orgrepo/decisions', '^main')
    .split('\n')
    .flatMap((line) => /^decision: D\d+ (.*) claim 0001$/.exec(line)?.[1] ?? []);
const holds = async (org: TestOrg): Promise<void> => {
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
};

test('a claim that was left is not gone on with by its holder where a policy is against it, but by another', async () => {
  const org = orgWithLeft();
  assert.equal((await runNight(org, '--max', '1')).code, 0);
  govern(org, forbidding('principal == Agent::"junior-1"'), 2);
  const night = await runNight(org, '--max', '3');
  assert.equal(night.code, 0, night.stderr);
  assert.deepEqual(holders(org), ['junior-1 claim', 'junior-2 takeover']);
  assert.deepEqual(
    night.experiments.filter(({ spec, agent }) => spec === '0001' && agent === 'junior-1'),
    [],
  );
  assert.deepEqual([...decisions(org)].sort(), ['allow, junior-2', 'deny, junior-1']);
  await holds(org);
});

test('the yes that a claim was made with counts for its holder until it ends, and for nobody else', async () => {
  const org = orgWithLeft({
    'policies/a.cedar': forbidding('principal').replace('@id', '@approval("board") @id'),
    'program.md': briefText({ chief: '{ agent: human }' }), // There is nothing else to do.
  });
  const asked = (): string[] =>
    trailers(org, 'Event', 'orgrepo/queue', '--not', 'main').filter((one) => /^(ask|approve|use)$/.test(one));
  await runNight(org, '--max', '1');
  assert.equal((await org.orgrepo('approve', 'A1')).code, 0);
  await runNight(org, '--max', '1');
  const night = await runNight(org, '--max', '1');
  assert.deepEqual(asked(), ['ask', 'approve', 'use']);
  assert.deepEqual(
    night.experiments.map(({ spec }) => spec),
    ['0001'],
  );
  assert.deepEqual(holders(org), ['junior-1 claim', 'junior-1 takeover']);
  assert.equal(decisions(org).filter((one) => one === 'allow, junior-1').length, 2, 'both are on the books');
  await holds(org);
});
