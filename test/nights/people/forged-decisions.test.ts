import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { openOrg } from '../../../src/records/org.ts';
import { changeQueue } from '../../../src/records/queue/queue.ts';
import { askPeople, decisionsNow } from '../../../src/records/requests/requests.ts';
import { anOrg } from '../../support/builders.ts';
import { cloneOf, publish } from '../../support/clone.ts';
import { verify } from '../../support/forge.ts';
import { runNight, trailers } from '../../support/night.ts';
import {
  append,
  chart,
  commitOn,
  critical,
  events,
  queue,
  remember,
  type Signed,
  signedOrg,
  signWith,
  tipOf,
  treeWith,
} from '../../support/signed-org.ts';
import { hasKeygen, makeKeyPair } from '../../support/ssh.ts';

/** What somebody tries who can write commits by hand, and has an old statement, another key, or nothing at all. */

const skip = hasKeygen ? false : 'ssh-keygen is not installed';
const checkpoints = 'refs/orgrepo/checkpoints';

let signed: Signed;
before(async () => {
  if (hasKeygen) signed = await signedOrg();
});
after(() => signed?.org.remove());

test('verify says why a misused, changed or foreign statement decides nothing', {
  skip,
}, async (t) => {
  const { org, ada, bob, as } = signed;
  t.after(remember(org));
  as(ada);
  assert.equal((await org.orgrepo('approve', 'A1')).code, 0);
  const approve = tipOf(org);
  const first = org.git('show', `${approve}:approvals/A1.ada`);
  const ask = org.git('log', '-1', '--format=%H', '--grep=^ask: A2', 'orgrepo/queue').trim();
  const [act = ''] = trailers(org, 'Act', '-1', ask);
  /** What Ada would sign to approve A2. */
  const second = first
    .replace('about A1', 'about A2')
    .replace(/^ask .*$/m, `ask ${ask}`)
    .replace(/^act .*$/m, `act ${act}`);
  const other = 'f'.repeat(40);
  const eve = makeKeyPair(path.join(org.dir, '.git'), 'ed25519');
  const cases: readonly (readonly [string, string, RegExp])[] = [
    [first, org.git('show', `${approve}:approvals/A1.ada.sig`), /it is about A1, not A2/],
    [second, org.git('show', `${approve}:approvals/A1.ada.sig`), /it is not a signature of this text by this key/],
    [second.replace(/^org .*$/m, `org ${other}`), '', /it is for another org \(fffffff\)/],
    [second.replace(/^ask .*$/m, `ask ${other}`), '', /it answers another request than A2 \(fffffff\)/],
    [second.replace(/^act .*$/m, `act ${other}`), '', /it is about another act than A2/],
    [second.replace(/^for .*$/m, 'for junior-9'), '', /it covers junior-9, and junior-1 asked/],
    [second.replace(/^policies .*$/m, 'policies none'), '', /it was signed under other policies/],
    [second.replace('kind approve', 'kind deny'), '', /it is a statement to deny/],
    [second.replace(/^until .*$/m, 'until 1700000000'), '', /it has expired/],
    [second.replace(/^note .*\n/m, ''), '', /its statement is cut off or changed/],
    [second, signWith(ada, second).slice(0, 90), /it is not a signature of OpenSSH, or it is cut off/],
    [second, signWith(ada, second, 'git'), /it was signed for "git", expected "orgrepo-approval@1"/],
    [second, signWith(bob, second), /it is by ada, signed with a key of bob/],
    [second, signWith(eve, second), /allowed_signers does not name the key SHA256:/],
  ];
  const opened = await openOrg(org.dir);
  const trailed = {
    Approval: 'A2',
    Act: act,
    Agent: 'junior-1',
    By: 'ada',
    As: 'board',
    Cause: ask,
    Signer: 'SHA256:x',
  };
  for (const [text, signature] of cases)
    await changeQueue(opened, ({ ledger }) => ({
      ...{ event: 'approve', title: 'approve: A2', trailers: trailed, ledger: { acts: ledger.acts + 1 } },
      files: new Map([
        ['approvals/A2.ada', text],
        ['approvals/A2.ada.sig', signature === '' ? signWith(ada, text) : signature],
      ]),
    }));
  await opened.repo.close();
  const { code, findings } = await verify(org);
  assert.equal(code, 5);
  assert.deepEqual(
    findings.map(({ what }, index) => cases[index]?.[2].test(what)),
    cases.map(() => true),
    findings.map(({ what }) => what).join('\n'),
  );
  assert.match((await org.orgrepo('approve')).stdout, /^A2 /, 'it waits as before');
});

test('only the person gives again a yes that was taken back', { skip }, async (t) => {
  const org = anOrg({ files: { 'ORG.md': chart, 'specs/0001-first.md': critical('bring the numbers to 3') } });
  t.after(() => org.remove());
  const ada = makeKeyPair(path.join(org.dir, '.git'), 'ed25519');
  org.write('allowed_signers', `ada ${ada.line}\n`);
  org.commit('Ada signs');
  org.git('config', 'user.signingkey', ada.file);
  const [win] = (await runNight(org, '--max', '2')).experiments.filter(({ event }) => event === 'keep');
  const id = `${win?.n}`;
  assert.equal((await org.orgrepo('approve', id, '--reason', 'good')).code, 0);
  const yes = tipOf(org);
  assert.equal((await org.orgrepo('deny', id, '--reason', 'not yet')).code, 0);
  assert.match(org.git('log', '-1', '--format=%s', checkpoints), /, deny \d+\n$/);
  const back = remember(org);
  const file = `approvals/${id}.ada`;
  append(org, yes, (message) => message, {
    ...{ [file]: org.git('show', `${yes}:${file}`), [`${file}.sig`]: org.git('show', `${yes}:${file}.sig`) },
    [`approvals/${id}.md`]: org.git('show', `${yes}:approvals/${id}.md`),
  });
  const { code, findings } = await verify(org);
  assert.deepEqual([code, findings.length, /has decided .* already/.test(findings[0]?.what ?? '')], [5, 1, true]);
  await runNight(org, '--max', '1');
  const bests = (): string => org.git('log', '--format=%s', '--grep=^keep', 'orgrepo/best');
  assert.equal(bests(), '');
  back();
  assert.equal((await org.orgrepo('approve', id, '--reason', 'now')).code, 0);
  await runNight(org, '--max', '1');
  assert.match(bests(), /^keep: /);
  assert.deepEqual(await verify(org), { code: 0, findings: [] });
});

test('a forged checkpoint does not hide signed decisions from a run', {
  skip,
}, async (t) => {
  const { org } = signed;
  t.after(remember(org));
  const eve = makeKeyPair(path.join(org.dir, '.git'), 'ed25519');
  const [before, tip] = [org.git('rev-parse', checkpoints).trim(), tipOf(org)];
  const ledger = trailers(org, 'Ledger', '-1', tip)[0]?.replace(/ acts=\d+/, '');
  const bare = org.git('rev-parse', 'main^{tree}').trim();
  const message = `progress: nothing\n\nOrg-Event: progress\nOrg-Ledger: ${ledger}\nOrg-Schema: 1`;
  const opened = await openOrg(org.dir); // As a run that goes on.
  assert.notEqual((await decisionsNow(opened)).signing, undefined);
  const hiding = commitOn(org, queue, { tip, tree: bare, message });
  await assert.rejects(decisionsNow(opened), { code: 'integrity/history' });
  await opened.repo.close();
  const text = org.git('show', `${checkpoints}:checkpoint`);
  const next = Number(/^number (\d+)$/m.exec(text)?.[1]) + 1;
  const forged = text
    .replace(/^number .*$/m, `number ${next}`)
    .replace(/^previous .*$/m, `previous ${before}`)
    .replace(/^machine .*$/m, `machine ${eve.line}`)
    .replace(/^tip .* refs\/heads\/orgrepo\/queue$/m, `tip ${hiding} refs/heads/orgrepo/queue`);
  const files = { checkpoint: forged, 'checkpoint.sig': signWith(eve, forged, 'orgrepo-checkpoint@1') };
  const said = `checkpoint: ${next}, x\n\nOrg-Event: checkpoint\nOrg-Number: ${next}\nOrg-Signer: ${eve.fingerprint}\nOrg-Schema: 1`;
  commitOn(org, checkpoints, { tip: before, tree: treeWith(org, before, files), message: said });
  assert.equal((await verify(org)).code, 5, 'and looking at it does not make it true');
  const seen = path.join(org.dir, '.git/orgrepo/seen');
  for (const words of [['run', '--max', '1'], ['approve'], ['freeze', '--reason', 'x'], ['run']]) {
    if (words.length === 1) rmSync(seen, { force: true }); // As a clone that has seen no checkpoint.
    const refused = await org.orgrepo(...words);
    assert.deepEqual(
      [refused.code, /does not have the signed decisions that checkpoints know/.test(refused.stderr)],
      [5, true],
      `${words.join(' ')}: ${refused.stdout}${refused.stderr}`,
    );
  }
});

test('a yes to a forged request of another kind passes nothing', { skip }, async (t) => {
  const { org, bob, as } = signed;
  t.after(remember(org));
  const opened = await openOrg(org.dir);
  const now = Date.now() / 1000;
  const act = {
    key: 'e'.repeat(40),
    agent: 'junior-1',
    words: 'junior-1 may have another 10 credits',
    reason: 'a limit',
  };
  const draft = { ...act, act: 'overage', by: [], usd: undefined, decision: undefined };
  await changeQueue(opened, ({ ledger }) => ({
    ...{ event: 'ask', agent: 'orgrepo', title: `ask: A3, ${act.words}`, body: act.words },
    trailers: {
      Approval: 'A3',
      Agent: act.agent,
      Act: act.key,
      Kind: 'spawn',
      By: 'hiring',
      Until: Math.ceil(now) + 900,
    },
    ledger: { acts: ledger.acts + 1 },
  }));
  as(bob);
  assert.equal((await org.orgrepo('approve', 'A3')).code, 0);
  const answer = await askPeople(opened, draft, now);
  await opened.repo.close();
  assert.deepEqual(answer, { kind: 'waits', id: 'A4', isNew: true });
});

test('verify finds checkpoints of a machine that no person has named', {
  skip,
}, async (t) => {
  const { org, ada } = signed;
  const remote = publish(org);
  t.after(() => org.git('remote', 'remove', 'origin'));
  const [server, laptop] = [cloneOf(remote), cloneOf(remote)];
  await server.orgrepo('run', '--max', '1');
  const found = await verify(server);
  assert.deepEqual(
    [found.code, found.findings.map(({ what }) => what)],
    [5, ['a machine that no person has named signed it']],
  );
  for (const one of [server, laptop]) one.git('config', 'user.signingkey', ada.file);
  const named = await server.orgrepo('verify', '--sign');
  assert.deepEqual([named.code, /You name another-host SHA256:/.test(named.stderr)], [0, true], named.stderr);
  assert.equal((await laptop.orgrepo('freeze', '--reason', 'x')).code, 0);
  for (const one of [server, laptop]) assert.deepEqual(await verify(one), { code: 0, findings: [] });
});

test('a key that is only on the branch signs no checkpoint', { skip }, async (t) => {
  const { org, as } = signed;
  t.after(remember(org));
  const eve = makeKeyPair(path.join(org.dir, '.git'), 'ed25519');
  org.write('allowed_signers', `ada ${eve.line}\n`);
  org.commit('Eve calls herself ada');
  t.after(() => org.git('reset', '--quiet', '--hard', 'HEAD~1'));
  as(eve);
  const refused = await org.orgrepo('verify', '--sign');
  assert.deepEqual(
    [refused.code, /allowed_signers does not name the key SHA256:/.test(refused.stderr)],
    [4, true],
    refused.stderr,
  );
});

test('verify finds rights that a signer gives themselves by hand', { skip }, async (t) => {
  const { org, bob } = signed;
  t.after(remember(org));
  const endorse = org.git('log', '-1', '--format=%H', '--grep=^endorse: ', 'orgrepo/queue').trim();
  const text = org
    .git('show', `${endorse}:approvals/apply`)
    .replace(/^ask .*$/m, `ask ${endorse}`)
    .replace('person bob hiring', 'person bob *')
    .replace(/^by .*$/m, 'by bob')
    .replace(/^until .*$/m, 'until 4000000000');
  append(org, endorse, (message) => message.replace(/^Org-By: .*$/m, 'Org-By: bob\nOrg-Signer: SHA256:x'), {
    ...{ 'approvals/apply': text, 'approvals/apply.sig': signWith(bob, text) },
  });
  const { code, findings } = await verify(org);
  assert.deepEqual(
    [code, findings.map(({ what }) => what)],
    [5, ['it puts other rights into force than the commit that it names']],
  );
});

test('verify finds older policies that somebody applies by hand', {
  skip,
}, async (t) => {
  const { org, ada, as } = signed;
  t.after(remember(org));
  const applied = 'refs/orgrepo/applied';
  const old = org.git('rev-parse', applied).trim();
  org.write('ORG.md', `${chart}\nOne more line.\n`);
  org.commit('another line');
  t.after(() => org.git('reset', '--quiet', '--hard', 'HEAD~1'));
  as(ada);
  assert.equal((await org.orgrepo('apply', '--yes')).code, 0);
  assert.equal(events(org).at(-1), 'endorse');
  const tip = org.git('rev-parse', applied).trim();
  const message = org.git('log', '-1', '--format=%B', old).replace(/\n*Org-Seal: .*\n*/, '');
  commitOn(org, applied, { tip, tree: treeWith(org, old, {}), message }, 2);
  const { code, findings } = await verify(org);
  assert.deepEqual(
    [code, findings.map(({ what }) => what)],
    [5, ['nobody has signed the organisation that it applies']],
  );
});
