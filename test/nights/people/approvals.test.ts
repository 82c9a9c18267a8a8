import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrg } from '../../support/builders.ts';
import { forge, verify } from '../../support/forge.ts';
import { runNight, trailers } from '../../support/night.ts';
import { briefText, type TestOrg } from '../../support/org.ts';

/** What a policy marks waits for a person, whose yes counts once and for the very act. */

const policies = `permit (principal, action, resource);
@id("board-first") @message("critical work is for the board to begin") @approval("board")
forbid (principal, action == Action::"claim", resource) when { resource.risk == "critical" };
`;
const critical = '---\ntitle: bring the numbers to 3\nby: people\nrisk: critical\n---\nAny number.\n';
const address = '- **Git:** person@example.invalid\n';
const people = (board: string, git = address): string =>
  `# Org\n\n## Structure\n\n### Ada (Human Principal)\n- **Approves:** ${board}\n${git}\n### Bob (Human Principal)\n- **Approves:** hiring\n${git}`;

/** Nobody writes specs besides: who cannot begin the critical one has nothing else to do. */
const brief = briefText({ chief: '{ agent: human }' });

function orgWith(files: Readonly<Record<string, string>> = {}): TestOrg {
  const org = anOrg({
    files: { 'program.md': brief, 'specs/0001-first.md': critical, 'policies/a.cedar': policies, ...files },
  });
  return org;
}

const events = (org: TestOrg): string[] =>
  trailers(org, 'Event', 'orgrepo/queue', '--not', 'main').filter((one) =>
    ['ask', 'approve', 'deny', 'use'].includes(one),
  );
const isClaimed = (org: TestOrg): boolean => org.git('for-each-ref', 'refs/heads/orgrepo/work/0001') !== '';
const holds = async (org: TestOrg): Promise<void> => {
  const verified = await org.orgrepo('verify');
  assert.equal(verified.code, 0, verified.stdout);
};

test('an act that a policy marks waits as A1, is told, and passes once with a yes of a person', async () => {
  const org = orgWith();
  const night = await runNight(org, '--max', '1');
  assert.equal(isClaimed(org), false, night.stderr);
  const told = night.facts.filter((one) => String(one.message).startsWith('A1: '));
  assert.equal(told.length, 1);
  assert.match(
    String(told[0]?.message),
    /^A1: junior-1 wants to claim 0001, and it needs the approval of board: .*24 h/,
  );
  assert.deepEqual(events(org), ['ask']);
  assert.match((await org.orgrepo('status')).stdout, /A1: junior-1 wants to claim 0001/);
  assert.match((await org.orgrepo('approve')).stdout, /^A1 {2}junior-1 wants to claim 0001: .*; needs board; until /);
  assert.match(
    org.git('show', 'orgrepo/queue:approvals/A1.md'),
    /^# A1: junior-1 wants to claim 0001\n\n- who: junior-1\n/,
  );
  await holds(org);
  const said = await org.orgrepo('approve', 'A1', '--note', 'this once');
  assert.equal(said.code, 0, said.stderr);
  assert.match(said.stderr, /It counts once, for this very act, within 24 hours/);
  assert.equal((await org.orgrepo('approve')).stdout, '');
  await runNight(org, '--max', '1');
  assert.equal(isClaimed(org), true);
  assert.deepEqual(events(org), ['ask', 'approve', 'use']);
  assert.equal((await org.orgrepo('approve', 'A1')).code, 64, 'it is used up');
  const [author] = org.git('log', '--grep=^approve: A1', '--format=%ae', 'orgrepo/queue').split('\n');
  assert.equal(author, 'person@example.invalid');
  await holds(org);
});

test('a no with its reason stays a no, and is not asked about again', async () => {
  const org = orgWith();
  await runNight(org, '--max', '1');
  const bare = await org.orgrepo('deny', 'A1');
  assert.deepEqual([bare.code, bare.stderr.includes('--reason')], [64, true]);
  assert.equal((await org.orgrepo('deny', 'A1', '--reason', 'not now')).code, 0);
  await runNight(org, '--max', '1');
  assert.equal(isClaimed(org), false);
  assert.deepEqual(events(org), ['ask', 'deny']);
  await holds(org);
});

test('where policies want the word of somebody else, those are asked, and a yes of the former counts for nothing', async () => {
  const org = orgWith();
  await runNight(org, '--max', '1');
  org.write('policies/a.cedar', policies.replace('"board")', '"legal")'));
  org.commit('legal first');
  await runNight(org, '--max', '1');
  assert.deepEqual(events(org), ['ask', 'ask']);
  assert.match((await org.orgrepo('approve')).stdout, /^A1 .*; needs board; .*\nA2 .*; needs legal; /);
  assert.equal((await org.orgrepo('approve', 'A1')).code, 0);
  await runNight(org, '--max', '1');
  assert.equal(isClaimed(org), false);
  assert.equal((await org.orgrepo('approve', 'A2')).code, 0);
  await runNight(org, '--max', '1');
  assert.equal(isClaimed(org), true);
  await holds(org);
});

test('a person approves only in a name under which ORG.md lists their git address', async () => {
  const org = orgWith({ 'ORG.md': people('board', '') });
  await runNight(org, '--max', '1');
  for (const [as, said] of [
    [[], /Test Person may not approve A1: .*\n.*It is for ada\. Ask them: orgrepo approve A1/s],
    [['--as', 'bob'], /does not list that address under bob .*\n.*add this line below bob in ORG\.md/s],
    [['--as', 'ada'], /you are Test Person <person@example\.invalid>, .*\n.*- \*\*Git:\*\* person@example\.invalid/s],
    [['--as', 'mallory'], /mallory is not listed as a person in ORG\.md .*\n.*The people are ada, bob\./s],
  ] as const) {
    const refused = await org.orgrepo('approve', 'A1', ...as);
    assert.equal(refused.code, 6, refused.stdout);
    assert.match(refused.stderr, said);
    assert.doesNotMatch(refused.stderr, /--as/, 'the way round is not taught');
  }
  assert.deepEqual(events(org), ['ask']);
  org.write('ORG.md', people('board'));
  org.commit('ORG.md: the addresses of people');
  assert.equal((await org.orgrepo('approve', 'A1', '--as', 'Ada')).code, 0);
  assert.deepEqual(trailers(org, 'By', '-1', '--grep=^approve:', 'orgrepo/queue'), ['ada']);
});

test('where two must say yes, what is lacking is what nobody has said so far, whoever speaks', async () => {
  const two = `${policies}@id("legal-too") @message("and legal has to know") @approval("legal")
forbid (principal, action == Action::"claim", resource) when { resource.risk == "critical" };
`;
  const org = orgWith({ 'ORG.md': people('board').replace('hiring', 'legal'), 'policies/a.cedar': two });
  await runNight(org, '--max', '1');
  assert.match((await org.orgrepo('approve')).stdout, /; needs board and legal; until /);
  const first = await org.orgrepo('approve', 'A1', '--as', 'ada');
  assert.match(first.stderr, /^It waits for legal as well\.$/m);
  assert.match((await org.orgrepo('approve')).stdout, /; needs legal; until /);
  assert.deepEqual(JSON.parse((await org.orgrepo('approve', '--json')).stdout).waiting[0].lacks, ['legal']);
  assert.match((await org.orgrepo('status', '--json')).stdout, /A1: .*; it still lacks legal"/);
  assert.match(
    (await org.orgrepo('approve', 'A1', '--as', 'ada')).stderr,
    /^It waits for legal as well\.$/m,
    'said again',
  );
  const second = await org.orgrepo('approve', 'A1', '--as', 'bob');
  assert.match(second.stderr, /^It counts once, for this very act, within 24 hours\.$/m);
  assert.equal((await org.orgrepo('approve')).stdout, '');
  await runNight(org, '--max', '1');
  assert.equal(isClaimed(org), true);
  await holds(org);
});

test('an agent cannot approve: neither by the command nor by a commit or a file in its name', async () => {
  const org = orgWith();
  await runNight(org, '--max', '1');
  org.git('config', 'user.email', 'junior-1@agents.invalid');
  const refused = await org.orgrepo('approve', 'A1');
  assert.deepEqual([refused.code, refused.stderr.includes('only people decide')], [6, true], refused.stderr);
  org.git('config', 'user.email', 'person@example.invalid');
  assert.equal((await org.orgrepo('approve', 'A1')).code, 0);
  const queue = 'refs/heads/orgrepo/queue';
  forge(org, queue, (text) => text.replaceAll('person@example.invalid', 'junior-1@agents.invalid'));
  assert.equal(
    (await verify(org)).findings.some(({ what }) => what === 'an answer is not from a person'),
    true,
  );
  await runNight(org, '--max', '1');
  assert.equal(isClaimed(org), false);
});
