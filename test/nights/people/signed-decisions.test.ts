import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { anOrg } from '../../support/builders.ts';
import { cloneOf, publish } from '../../support/clone.ts';
import { forge, verify } from '../../support/forge.ts';
import { runNight } from '../../support/night.ts';
import { briefText, bundle } from '../../support/org.ts';
import {
  append,
  chart,
  critical,
  events,
  policies,
  queue,
  remember,
  type Signed,
  setEnv,
  signedOrg,
  tipOf,
} from '../../support/signed-org.ts';
import { hasKeygen, makeKeyPair } from '../../support/ssh.ts';

const skip = hasKeygen ? false : 'ssh-keygen is not installed';

const whole = { code: 0, findings: [] };

const aPublicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBUlVfWUB4qDUqd4zCa8ksBIbDnKf1Z3q9lWZyBBDnZL';

let signed: Signed;
before(async () => {
  if (hasKeygen) signed = await signedOrg();
});
after(() => signed?.org.remove());

test('ten specs and two agents make ten requests, approved with two signatures', { skip }, async (t) => {
  const titles = Array.from({ length: 8 }, (_, n) => `bring number ${n} down`);
  const more = titles.map((title, n) => [`specs/00${n + 10}-more.md`, critical(title)] as const);
  const { org, ada, as } = await signedOrg(2, Object.fromEntries(more));
  t.after(() => org.remove());
  const { waiting } = JSON.parse((await org.orgrepo('approve', '--json')).stdout) as {
    waiting: { id: string; agents: string[] }[];
  };
  assert.deepEqual(
    waiting.map(({ id }) => id),
    Array.from({ length: 10 }, (_, n) => `A${n + 1}`),
  );
  assert.deepEqual(new Set(waiting.map(({ agents }) => [...agents].sort().join())), new Set(['junior-1,junior-2']));
  as(ada);
  for (const [words, count] of [
    [['A3', 'A4'], 2],
    [['A1..A20'], 8],
  ] as const) {
    const said = await org.orgrepo('approve', ...words, '--yes');
    assert.equal(said.code, 0, said.stderr);
    assert.equal(said.stderr.match(/^ {2}for junior-[12],junior-[12]$/gm)?.length, count, said.stderr);
  }
  const signatures = waiting.map(({ id }) => org.git('rev-parse', `orgrepo/queue:approvals/${id}.ada.sig`));
  assert.equal(new Set(signatures).size, 2);
  await runNight(org, '--max', '1');
  assert.ok(events(org).includes('use'));
  assert.deepEqual(await verify(org), whole);
});

test('without a key at hand a decision is exit 4, and nothing is written', { skip }, async () => {
  const { org } = signed;
  const before = tipOf(org);
  for (const words of [
    ['approve', 'A1'],
    ['approve', 'A1', '--as', 'ada'],
    ['freeze', '--reason', 'x'],
  ] as const) {
    const refused = await org.orgrepo(...words);
    assert.equal(refused.code, 4, refused.stderr);
    assert.match(refused.stderr, /no key to sign with is at hand[\s\S]*user\.signingkey/);
  }
  assert.equal(tipOf(org), before);
});

test('a key approves only what ORG.md lets its person approve, and only in that name', { skip }, async () => {
  const { org, bob, as } = signed;
  const before = tipOf(org);
  as(bob);
  for (const [words, code, said] of [
    [['approve', 'A1'], 6, /bob may not approve A1[\s\S]*It is for ada/],
    [['approve', 'A1', '--as', 'ada'], 4, /your key is that of bob, and no key of ada is at hand/],
  ] as const) {
    const refused = await org.orgrepo(...words);
    assert.deepEqual([refused.code, said.test(refused.stderr)], [code, true], refused.stderr);
  }
  const eve = makeKeyPair(path.join(org.dir, '.git'), 'ed25519');
  as(eve);
  const stranger = await org.orgrepo('approve', 'A1');
  assert.deepEqual([stranger.code, /does not name your key SHA256:/.test(stranger.stderr)], [4, true], stranger.stderr);
  assert.equal(tipOf(org), before);
});

test('an approval that nobody signed is not counted, and verify finds it', { skip }, async (t) => {
  const { org } = signed;
  t.after(remember(org));
  const ask = org.git('log', '-1', '--format=%H', '--grep=^ask: A1', 'orgrepo/queue').trim();
  append(org, ask, (text) =>
    text
      .replace(/^ask: /, 'approve: ')
      .replace('Org-Event: ask', 'Org-Event: approve\nOrg-As: board')
      .replace(/Org-By: .*/, 'Org-By: ada'),
  );
  await runNight(org, '--max', '1');
  assert.equal(events(org).includes('use'), false, 'no run uses it');
  const { code, findings } = await verify(org);
  assert.deepEqual(
    [code, findings.map(({ what }) => what)],
    [5, ['its approve does not count: it is not signed']],
    JSON.stringify(findings),
  );
});

test('several requests are shown, signed once and used, and ssh-keygen can check the statement', { skip }, async () => {
  const { org, ada, as } = signed;
  as(ada);
  const unasked = await org.orgrepo('approve', 'A1..A9');
  assert.deepEqual([unasked.code, /Say that you agree: --yes/.test(unasked.stderr)], [64, true], unasked.stderr);
  const said = await org.orgrepo('approve', '--all', '--kind', 'claim', '--yes', '--reason', 'both "once"');
  assert.equal(said.code, 0, said.stderr);
  assert.match(said.stderr, /You sign:\n {2}orgrepo-statement 1\n[\s\S]* {2}about A1\n[\s\S]* {2}about A2\n/);
  assert.match(org.git('log', '-1', '--format=%s', 'refs/orgrepo/checkpoints'), /^checkpoint: \d+, approve A1 A2$/m);
  const dir = path.join(org.dir, '.git');
  for (const id of ['A1', 'A2']) {
    writeFileSync(path.join(dir, 'sig'), org.git('show', `orgrepo/queue:approvals/${id}.ada.sig`));
    const args = ['-n', 'orgrepo-approval@1', '-I', 'ada', '-f', path.join(org.dir, 'allowed_signers')];
    execFileSync('ssh-keygen', ['-Y', 'verify', ...args, '-s', path.join(dir, 'sig')], {
      input: org.git('show', `orgrepo/queue:approvals/${id}.ada`),
    });
  }
  assert.deepEqual(await verify(org), whole);
  await runNight(org, '--max', '1');
  assert.equal(events(org).includes('use'), true);
  assert.deepEqual(await verify(org), whole);
});

test('a signed statement decides nothing else: not another request, act or name', { skip }, async (t) => {
  const { org } = signed;
  const approve = org.git('log', '-1', '--format=%H', '--grep=^approve: A1', 'orgrepo/queue').trim();
  const back = remember(org);
  t.after(back);
  for (const [from, to, why] of [
    [/^Org-As: board$/m, 'Org-As: board, legal', /ada may not say yes for legal/],
    [/^Org-By: ada$/m, 'Org-By: bob', /it is not signed/],
    [/^Org-Event: approve$/m, 'Org-Event: deny', /it is a statement to approve/],
  ] as const) {
    back();
    org.git('update-ref', queue, approve);
    forge(org, queue, (text) => text.replace(from, to));
    const { findings } = await verify(org);
    assert.equal(
      findings.some(({ what }) => why.test(what)),
      true,
      JSON.stringify(findings),
    );
  }
});

test('a changed ORG.md, policy or allowed_signers needs a signed apply before a run uses it', { skip }, async () => {
  const { org, ada, bob, as } = signed;
  const eve = makeKeyPair(path.join(org.dir, '.git'), 'ed25519');
  const former = org.git('show', 'HEAD:allowed_signers');
  org.write('allowed_signers', `${former}eve ${eve.line}\n`);
  org.write('ORG.md', `${chart}\n### Eve (Human Principal)\n`);
  org.commit('Eve signs too');
  const run = await org.orgrepo('run', '--max', '1');
  assert.deepEqual(
    [run.code, /differ on your branch from what was signed[\s\S]*orgrepo apply/.test(run.stderr)],
    [4, true],
  );
  assert.match((await org.orgrepo('plan')).stdout, /differ\s+on\s+your\s+branch\s+from\s+what\s+was\s+signed/);
  as(eve);
  const own = await org.orgrepo('apply', '--yes');
  assert.deepEqual([own.code, /does not name your key/.test(own.stderr)], [4, true], 'nobody lets herself in');
  as(bob);
  const applied = await org.orgrepo('apply', '--yes');
  assert.equal(applied.code, 0, applied.stderr);
  assert.match(
    org.git('log', '-1', '--format=%s', 'refs/orgrepo/checkpoints'),
    /^checkpoint: \d+, apply [0-9a-f]{7}$/m,
  );
  assert.ok(applied.stdout.includes(`+ signers.eve.${eve.fingerprint}  ssh-ed25519\n`), applied.stdout);
  assert.deepEqual(await verify(org), whole);
  as(eve);
  const froze = await org.orgrepo('freeze', '--reason', 'a look');
  assert.equal(froze.code, 0, froze.stderr);
  // What was in force once is not in force again because it is back on the branch.
  org.git('revert', '--no-edit', 'HEAD');
  as(ada);
  assert.equal((await org.orgrepo('thaw', '--reason', 'seen')).code, 0);
  assert.equal((await org.orgrepo('run', '--max', '1')).code, 4);
  assert.equal((await org.orgrepo('apply', '--yes')).code, 0);
  assert.equal((await org.orgrepo('run', '--max', '1')).code === 4, false);
  assert.deepEqual(await verify(org), whole);
});

test('a person changes the policies of a signed org, and what they sign later counts under the new ones', {
  skip,
}, async () => {
  const { org, ada, as } = signed;
  org.write('policies/a.cedar', `${policies}// one more line\n`);
  org.commit('policies: one more line');
  as(ada);
  assert.equal((await org.orgrepo('apply', '--yes')).code, 0);
  assert.deepEqual(await verify(org), whole);
  assert.equal((await org.orgrepo('run', '--max', '1')).code === 4, false);
  for (const words of [['freeze', '--reason', 'x'], ['thaw']] as const) {
    const decided = await org.orgrepo(...words);
    assert.equal(decided.code, 0, decided.stderr);
  }
  assert.deepEqual(await verify(org), whole);
});

test('a signed apply switches signatures off, and policies change without one', {
  skip,
}, async (t) => {
  const { org, ada, as } = signed;
  t.after(remember(org));
  const trunk = org.git('rev-parse', 'main').trim();
  t.after(() => org.git('reset', '--quiet', '--hard', trunk));
  org.git('rm', '--quiet', 'allowed_signers');
  org.commit('nothing is signed');
  as(undefined);
  assert.equal((await org.orgrepo('apply', '--yes')).code, 4, 'not without a signature');
  as(ada);
  const off = await org.orgrepo('apply', '--yes');
  assert.match(off.stdout + off.stderr, /- signers\.ada\.SHA256:[\s\S]*Decisions are not signed any more/);
  as(undefined);
  org.write('policies/a.cedar', `${policies}// another line\n`);
  org.commit('policies: another line');
  assert.equal((await org.orgrepo('apply', '--yes')).code, 0);
  assert.equal((await org.orgrepo('freeze', '--reason', 'x')).code, 0);
  assert.deepEqual(await verify(org), whole);
});

test('a commit that hides the signed decisions ends every command that decides, and verify finds it', {
  skip,
}, async (t) => {
  const { org } = signed;
  t.after(remember(org));
  append(org, tipOf(org), (text) =>
    text.replace(/^thaw: .*/, 'progress: nothing').replace('Org-Event: thaw', 'Org-Event: progress'),
  );
  forge(org, queue, (text) => text.replace(/ acts=\d+/, ''));
  for (const words of [['run', '--max', '1'], ['approve'], ['freeze', '--reason', 'x']] as const) {
    const refused = await org.orgrepo(...words);
    assert.deepEqual(
      [refused.code, /does not have the signed decisions that checkpoints know/.test(refused.stderr)],
      [5, true],
      `${words.join(' ')}: ${refused.stderr}`,
    );
  }
  assert.equal((await verify(org)).code, 5);
});

test('a clone without checkpoints keeps a signed freeze and verifies', { skip }, async (t) => {
  const { org, ada, as } = signed;
  t.after(remember(org));
  as(ada);
  assert.equal((await org.orgrepo('freeze', '--reason', 'wait')).code, 0);
  const clone = cloneOf(publish(org, ['refs/heads/orgrepo/*']));
  t.after(() => org.git('remote', 'remove', 'origin'));
  assert.equal((await clone.orgrepo('run', '--max', '1')).code, 3);
  assert.match((await clone.orgrepo('status')).stdout, /ada has frozen the org/);
  assert.deepEqual(await verify(clone), whole);
});

test('a freeze or thaw that nobody signed does not count', { skip }, async (t) => {
  const { org, ada, as } = signed;
  as(ada);
  assert.equal((await org.orgrepo('freeze', '--reason', 'wait')).code, 0);
  t.after(remember(org));
  append(org, tipOf(org), (text) =>
    text.replace(/^freeze: /, 'thaw: ').replace('Org-Event: freeze', 'Org-Event: thaw'),
  );
  forge(org, queue, (text) => text.replace(' frozen=1', ''));
  assert.equal((await org.orgrepo('run', '--max', '1')).code, 3);
  assert.equal((await verify(org)).code, 5);
  const freeze = org.git('log', '-1', '--format=%H', '--grep=^freeze: ', 'orgrepo/queue').trim();
  assert.equal((await org.orgrepo('thaw')).code, 0);
  append(org, freeze, (text) => text);
  forge(org, queue, (text) => text.replace(/ state=ended/, '$& frozen=1'));
  const goesOn = await runNight(org, '--max', '1');
  assert.doesNotMatch(goesOn.stdout, /a person stopped it/);
});

test('an allowed_signers that is wrong, or that lets nobody thaw, is refused before anything is written', {
  skip,
}, async () => {
  const org = anOrg({ files: { 'ORG.md': `${chart}- **Git:** bob@example.org\n` } });
  const key = makeKeyPair(path.join(org.dir, '.git'), 'ed25519');
  for (const [text, said] of [
    [`ada ${key.line}\nada ${key.line}\n`, /this key is already in line 1/],
    ['ada ssh-ed25519 AAAA\n', /allowed_signers:1:/],
    [`carol ${key.line}\n`, /names nobody who could freeze and thaw[\s\S]*ada or bob/],
    [`ada,bob@example.org ${key.line}\n`, /allowed_signers:1:1: ada and bob have one key/],
    [`ada valid-before="20200101" ${key.line}\n`, /no key in allowed_signers may sign decisions now/],
    [`ada namespaces="git" ${key.line}\n`, /no key in allowed_signers may sign decisions now/],
  ] as const) {
    org.write('allowed_signers', text);
    org.commit('wrong');
    for (const verb of text.startsWith('carol') ? ['run', 'plan', 'doctor'] : ['plan']) {
      const ran = await org.orgrepo(verb);
      assert.deepEqual([ran.code, said.test(ran.stdout + ran.stderr)], [6, true], ran.stdout + ran.stderr);
    }
  }
  assert.equal(org.git('for-each-ref', 'refs/heads/orgrepo', 'refs/orgrepo'), '', 'nothing is written');
  org.git('rm', '--quiet', 'allowed_signers');
  org.write('allowed_signers/ada', key.line);
  org.commit('a directory');
  assert.match((await org.orgrepo('run')).stderr, /allowed_signers: it is not a regular file/);
});

test('an agent without a jail cannot approve its own request, with and without the variable that names it', {
  skip,
}, async (t) => {
  setEnv(t, { SSH_AUTH_SOCK: '/nowhere/agent' });
  const org = anOrg({
    files: {
      'specs/0001-first.md': critical('bring the numbers to 3'),
      'specs/0002-second.md': '---\ntitle: another one\nby: people\n---\nAny number.\n',
      'policies/a.cedar': policies,
      'ORG.md': chart.replace('board\n', 'board\n- **Git:** person@example.invalid\n'),
    },
  });
  const approve = `"${process.execPath}" "${bundle}" -C "${org.dir}" approve A1 --as ada`;
  const [agent, words] = ['agent.sh', 'said'].map((name) => path.join(org.dir, '.git', name)) as [string, string];
  const script = `{ env; ${approve}; echo "exit $?"; env -u ORGREPO_AGENT ${approve}; echo "exit $?"; } >> "${words}" 2>&1`;
  writeFileSync(agent, `${script}\necho "first 3" > sandbox/numbers.txt\n`);
  org.write('program.md', briefText({ chief: '{ agent: human }', agent: `{ command: "sh ${agent}" }` }));
  const ada = makeKeyPair(path.join(org.dir, '.git'), 'ed25519');
  org.write('allowed_signers', `ada ${ada.line}\n`);
  org.commit('Ada signs');
  await runNight(org, '--max', '2');
  const said = readFileSync(words, 'utf8');
  assert.deepEqual(said.match(/^exit \d+$/gm)?.slice(0, 2), ['exit 6', 'exit 4'], said);
  assert.doesNotMatch(said, /SSH_AUTH_SOCK/, 'nobody hands it the ssh-agent of the person');
  assert.equal(events(org).includes('approve'), false);
  assert.equal((await verify(org)).code, 0);
});

test('a policy or chart under which no person could approve, land or thaw is refused with its line', async () => {
  const cases = [
    [{ 'policies/a.cedar': policies.replace('"board")', '"legal")') }, /policies\/a\.cedar:2:.*@approval\("legal"\)/],
    [
      {
        'policies/a.cedar':
          'permit (principal, action, resource);\nforbid (principal, action == Action::"land", resource);\n',
      },
      /policies\/a\.cedar:2: no person could land anything/,
    ],
    [
      { 'policies/a.cedar': policies, allowed_signers: `bob ${aPublicKey}\n` },
      /policies\/a\.cedar:2:.* waits for ada, and allowed_signers has no key of theirs/,
    ],
    [
      { 'ORG.md': chart.replaceAll(/(- \*\*Approves:.*)/g, '$1\n- **Can pause:** no') },
      /no person in ORG\.md may pause/,
    ],
  ] as const;
  for (const [files, said] of cases) {
    const org = anOrg({ files: { 'ORG.md': chart, ...files } });
    for (const verb of 'ORG.md' in files ? ['run', 'plan', 'apply'] : ['plan']) {
      const refused = await org.orgrepo(verb);
      assert.deepEqual([refused.code, said.test(refused.stderr)], [6, true], refused.stderr);
    }
    assert.equal(org.git('for-each-ref', 'refs/heads/orgrepo', 'refs/orgrepo'), '', 'nothing is written');
  }
});
