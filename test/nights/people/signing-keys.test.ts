import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { openOrg } from '../../../src/records/org.ts';
import { askPeople, readActs } from '../../../src/records/requests/requests.ts';
import { anOrg } from '../../support/builders.ts';
import { verify } from '../../support/forge.ts';
import type { TestOrg } from '../../support/org.ts';
import { setEnv } from '../../support/signed-org.ts';
import { deviceProvider, hasKeygen, type KeyPair, makeKeyPair } from '../../support/ssh.ts';

const skip = hasKeygen ? false : 'ssh-keygen is not installed';

/** An org of which this key is the only signer. Nothing has run in it. */
function orgOf(makeKey: (dir: string) => KeyPair): { readonly org: TestOrg; readonly ada: KeyPair } {
  const org = anOrg();
  const ada = makeKey(path.join(org.dir, '.git'));
  org.write('allowed_signers', `ada ${ada.line}\n`);
  org.commit('ada signs');
  org.git('config', 'user.signingkey', ada.file);
  return { org, ada };
}

const ed25519 = (dir: string): KeyPair => makeKeyPair(dir, 'ed25519');

/** An agent asks, Ada approves, freezes and thaws, signs a checkpoint, and all of it holds, by ssh-keygen alone too. */
async function signs(org: TestOrg): Promise<void> {
  await ask(org);
  for (const words of [
    ['approve', 'A1', '--reason', 'this once'],
    ['freeze', '--reason', 'a look'],
    ['thaw', '--reason', 'seen'],
  ] as const) {
    const ran = await org.orgrepo(...words);
    assert.equal(ran.code, 0, ran.stderr);
  }
  const checkpoints = org.git('log', '-3', '--format=%s', 'refs/orgrepo/checkpoints');
  assert.match(checkpoints, /^\S+ \d+, ada thawed the org\n\S+ \d+, ada froze the org\n\S+ \d+, approve A1\n$/);
  const by = org.git('log', '-1', '--format=%(trailers:key=Org-By,valueonly,separator=)', 'orgrepo/queue').trim();
  assert.equal(by, 'ada');
  const checked = await org.orgrepo('verify', '--sign');
  assert.deepEqual([checked.code, /ada has signed checkpoint/.test(checked.stderr)], [0, true], checked.stderr);
  assert.deepEqual(await verify(org), { code: 0, findings: [] });
  const recipe =
    'git show orgrepo/queue:approvals/A1.ada | ssh-keygen -Y verify -n orgrepo-approval@1 -I ada -f allowed_signers -s .git/sig';
  writeFileSync(path.join(org.dir, '.git/sig'), org.git('show', 'orgrepo/queue:approvals/A1.ada.sig'));
  assert.match(execFileSync('sh', ['-c', recipe], { cwd: org.dir, encoding: 'utf8' }), /^Good "orgrepo-approval@1"/);
}

async function ask({ dir }: TestOrg): Promise<void> {
  const org = await openOrg(dir);
  const act = { act: 'spend', words: 'junior-1 wants to spend $5', reason: 'a limit', key: 'a'.repeat(40) };
  const draft = { ...act, agent: 'junior-1', by: [], usd: undefined, decision: undefined };
  await askPeople(org, draft, Date.now() / 1000);
  await org.repo.close();
}

test('a key in a file signs, in each form that allowed_signers takes', { skip }, async () => {
  for (const [kind, bits] of [
    ['ed25519', ''],
    ['ecdsa', '256'],
    ['rsa', '2048'],
  ] as const) {
    const { org } = orgOf((dir) => makeKeyPair(dir, kind, bits));
    await signs(org);
  }
});

test('a key of an ssh-agent signs without being named', { skip }, async (t) => {
  const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-agent-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const socket = path.join(dir, 'agent');
  const said = execFileSync('ssh-agent', ['-s', '-a', socket], { encoding: 'utf8' });
  const pid = Number(/SSH_AGENT_PID=(\d+)/.exec(said)?.[1]);
  t.after(() => process.kill(pid));
  setEnv(t, { SSH_AUTH_SOCK: socket }); // An org of a test keeps the environment that it begins in.
  const { org, ada } = orgOf(ed25519);
  org.git('config', '--unset', 'user.signingkey');
  execFileSync('ssh-add', ['-q', ada.file], { stdio: 'ignore' });
  rmSync(ada.file);
  await signs(org);
  const both = anOrg();
  const bob = ed25519(path.join(both.dir, '.git'));
  both.write('allowed_signers', `ada ${ada.line}\nbob ${bob.line}\n`);
  both.commit('ada and bob sign');
  execFileSync('ssh-add', ['-q', bob.file], { stdio: 'ignore' });
  const frozen = await both.orgrepo('freeze', '--reason', 'a look', '--as', 'bob');
  assert.match(frozen.stdout, /^bob has frozen the org/, frozen.stderr);
  // A public key is not a secret, whatever its variable is called: allowed_signers must hold it.
  setEnv(t, { ORGREPO_SIGNING_KEY: ada.line });
  const named = anOrg();
  named.write('allowed_signers', `ada ${ada.line}\n`);
  named.commit('ada signs');
  await signs(named);
});

test('a key that lives in a device signs', {
  skip: deviceProvider === undefined ? 'openssh-tests is not installed' : skip,
}, async (t) => {
  setEnv(t, { SSH_SK_PROVIDER: deviceProvider ?? '' });
  const { org } = orgOf((dir) => makeKeyPair(dir, 'ed25519-sk', '', deviceProvider));
  await signs(org);
});

test('readers that meet an approval at once all count it', { skip }, async () => {
  const { org } = orgOf(ed25519);
  await ask(org);
  const opened = await openOrg(org.dir); // As a run with several agents.
  const stages = async (): Promise<string[]> =>
    (await readActs(opened, Date.now() / 1000)).map(({ stage }) => stage.kind);
  assert.equal((await org.orgrepo('freeze', '--reason', 'x')).code, 0);
  assert.deepEqual(await stages(), ['waits']);
  for (const words of [['approve', 'A1'], ['thaw'], ['freeze', '--reason', 'y'], ['thaw']])
    assert.equal((await org.orgrepo(...words)).code, 0);
  const readers: Promise<string[]>[] = [];
  for (let reader = 0; reader < 50; reader++) {
    readers.push(stages());
    await new Promise(setImmediate); // The next one begins while those before it read.
  }
  assert.deepEqual([...new Set((await Promise.all(readers)).flat())], ['approved']);
  assert.deepEqual(await stages(), ['approved']);
  await opened.repo.close();
});

test('a key decides until it expires, and what it decided before that holds', { skip }, async () => {
  const { org, ada } = orgOf(ed25519);
  org.git('config', '--unset', 'user.signingkey');
  assert.equal((await org.orgrepo('freeze', '--reason', 'a look')).code, 4, 'without a key');
  assert.equal(org.git('for-each-ref', 'refs/heads/orgrepo', 'refs/orgrepo'), '', 'nothing is written');
  const old = ed25519(path.join(org.dir, '.git'));
  org.write('allowed_signers', `ada ${ada.line}\nbob valid-before="20200101" ${old.line}\n`);
  org.commit('the key of bob has expired');
  org.git('config', 'user.signingkey', old.file);
  const refused = await org.orgrepo('freeze', '--reason', 'a look');
  assert.deepEqual(
    [refused.code, /this key was valid until 2020-01-01/.test(refused.stderr)],
    [4, true],
    refused.stderr,
  );
  org.git('config', 'user.signingkey', ada.file);
  assert.equal((await org.orgrepo('freeze', '--reason', 'a look')).code, 0);
  const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10).replaceAll('-', '');
  org.write('allowed_signers', `ada valid-before="${day}" ${ada.line}\nbob ${old.line}\n`);
  org.commit('the key of ada ends tomorrow');
  const applied = await org.orgrepo('apply', '--yes');
  assert.equal(applied.code, 0, applied.stderr);
  assert.deepEqual(await verify(org), { code: 0, findings: [] });
});

test('a reason is cleaned and hides secrets before it is signed', {
  skip,
}, async (t) => {
  setEnv(t, { SOME_API_KEY: 'abc123def456ghi789' });
  const org = anOrg({
    brief: { chief: '{ agent: human }', agent: '{ command: "echo ESCALATE BLOCKED: the data are missing" }' },
    files: { 'ORG.md': '# Org\n\n## Structure\n\n### Ada (Human Principal)\n\n#### Worker\n- **Level:** 3\n' },
  });
  const ada = ed25519(path.join(org.dir, '.git'));
  org.write('allowed_signers', `ada ${ada.line}\n`);
  org.commit('ada signs');
  org.git('config', 'user.signingkey', ada.file);
  await org.orgrepo('run', '--max', '1');
  const words = 'Look in   \n\n\n\tthe archive.\u001b[31m The key is abc123def456ghi789.';
  assert.equal((await org.orgrepo('approve', 'E1', '--reason', words)).code, 0);
  assert.doesNotMatch((await org.orgrepo('status')).stdout, /E1: worker is stuck/);
  assert.match(org.git('log', '-1', '--format=%s', 'refs/orgrepo/checkpoints'), /, approve E1\n$/);
  assert.equal((await org.orgrepo('freeze', '--reason', 'the key abc123def456ghi789 leaked')).code, 0);
  assert.match(
    (await org.orgrepo('run')).stderr,
    /has frozen the org since .*: the key \[secret SOME_API_KEY\] leaked/,
  );
  assert.deepEqual(await verify(org), { code: 0, findings: [] });
});

test('the decisions of one org decide nothing in another', { skip }, async () => {
  const { org, ada } = orgOf(ed25519);
  const other = anOrg();
  cpSync(path.join(org.dir, 'allowed_signers'), path.join(other.dir, 'allowed_signers'));
  other.commit('the same signers');
  for (const one of [org, other]) {
    one.git('config', 'user.signingkey', ada.file);
    assert.equal((await one.orgrepo('freeze', '--reason', 'a look')).code, 0);
  }
  other.git('fetch', '--quiet', org.dir, 'refs/heads/orgrepo/queue');
  other.git('update-ref', 'refs/heads/orgrepo/queue', 'FETCH_HEAD');
  const { code, findings } = await verify(other);
  assert.equal(code, 5);
  assert.match(JSON.stringify(findings), /orgrepo\/queue was rewritten/);
  assert.equal((await other.orgrepo('thaw')).code, 5, 'nobody decides anything on it');
});
