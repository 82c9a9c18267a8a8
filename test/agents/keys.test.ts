import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readKey, readKeysFile } from '../../src/agents/keys-file.ts';
import { openOrg } from '../../src/records/org.ts';
import { closeOrg } from '../../src/score/arena/measuring-room.ts';
import { hideSecrets } from '../../src/secrets/known-secrets.ts';
import { anOrg } from '../support/builders.ts';
import type { TestOrg } from '../support/org.ts';

function orgWithKeys(text: string, mode = 0o600): TestOrg {
  const org = anOrg();
  mkdirSync(path.join(org.dir, '.orgrepo'));
  writeFileSync(path.join(org.dir, '.orgrepo/keys'), text, { mode });
  writeFileSync(path.join(org.dir, '.git/info/exclude'), '/.orgrepo/\n');
  return org;
}

async function inOrg<T>(made: TestOrg, work: (org: Awaited<ReturnType<typeof openOrg>>) => Promise<T>): Promise<T> {
  const org = await openOrg(made.dir, 'none');
  try {
    return await work(org);
  } finally {
    await closeOrg(org);
  }
}

test('a key comes from the environment, else from the keys file, and is a secret from then on', async () => {
  const made = orgWithKeys('FROM_FILE=file-key-1\nFROM_BOTH=file-key-2\nWORD=onlyletters\n');
  process.env.FROM_BOTH = 'both-key-1';
  process.env.PLAIN_NAME = ' plainvalue\n';
  await inOrg(made, async (org) => {
    assert.equal(await readKey(org, ['NOWHERE', 'FROM_FILE']), 'file-key-1');
    assert.equal(await readKey(org, ['FROM_BOTH']), 'both-key-1');
    assert.equal(hideSecrets('plainvalue'), 'plainvalue');
    assert.equal(await readKey(org, ['PLAIN_NAME']), 'plainvalue');
    assert.equal(
      hideSecrets('plainvalue both-key-1 file-key-1 file-key-2 onlyletters'),
      '[secret PLAIN_NAME] [secret FROM_BOTH] [secret FROM_FILE] [secret FROM_BOTH] [secret WORD]',
    );
  });
});

test('a key that is nowhere is named, with what to do', async () => {
  const made = anOrg();
  await inOrg(made, (org) =>
    assert.rejects(readKey(org, ['GEMINI_TEST_KEY', 'GOOGLE_TEST_KEY']), {
      code: 'credentials/missing',
      message: 'GEMINI_TEST_KEY or GOOGLE_TEST_KEY is not set',
      hint: /^export GEMINI_TEST_KEY=… .*\.orgrepo\/keys\.$/,
    }),
  );
});

test('a keys file that others can read, or that git could take along, is refused before a night begins', async () => {
  const key = 'ANTHROPIC_API_KEY=sk-ant-test-1\n';
  const readable = orgWithKeys(key, 0o640);
  const seen = orgWithKeys(key);
  writeFileSync(path.join(seen.dir, '.git/info/exclude'), '');
  const tracked = orgWithKeys(key);
  tracked.git('add', '--force', '.orgrepo/keys');
  const linked = orgWithKeys(key);
  renameSync(path.join(linked.dir, '.orgrepo/keys'), path.join(linked.dir, '.orgrepo/other'));
  symlinkSync('other', path.join(linked.dir, '.orgrepo/keys'));
  const wrong = orgWithKeys('sk-ant-test-1\n');
  for (const [org, words, hint] of [
    [readable, /can be read by others/, /chmod 600 \.orgrepo\/keys/],
    [seen, /is not ignored by git/, /info\/exclude/],
    [tracked, /is tracked by git/, /git rm --cached/],
    [linked, /is no file that can be read/, /plain file/],
    [wrong, /\.orgrepo\/keys:1: expected NAME=value/, /=…/],
  ] as const) {
    for (const verb of ['run', 'doctor']) {
      const ran = await org.orgrepo(verb);
      assert.equal(ran.code, 4, `${verb}: ${ran.stderr}`);
      assert.match(ran.stdout + ran.stderr, words);
      assert.match(ran.stdout + ran.stderr, hint);
      assert.doesNotMatch(ran.stdout + ran.stderr, /sk-ant-test/);
    }
    await inOrg(org, (opened) => assert.rejects(readKeysFile(opened), { code: 'credentials/file' }));
    assert.equal(org.git('for-each-ref', '--format=%(refname)').trim(), 'refs/heads/main', 'nothing was written');
  }
  chmodSync(path.join(readable.dir, '.orgrepo/keys'), 0o600);
  assert.equal((await readable.orgrepo('run', '--max', '1')).code, 0);
});

test('the rule that hides the keys file may also stand in .gitignore', async () => {
  const made = orgWithKeys('A_KEY=file-key-3\n');
  writeFileSync(path.join(made.dir, '.git/info/exclude'), '');
  made.write('.gitignore', '.orgrepo/\n');
  await inOrg(made, async (org) =>
    assert.deepEqual(Object.fromEntries(await readKeysFile(org)), { A_KEY: 'file-key-3' }),
  );
});

test('what stands in the keys file is on no screen and in no commit, whoever types it', async () => {
  const made = orgWithKeys('A_KEY=file-key-4\n');
  const ran = await made.orgrepo('submit', 'use file-key-4 for it');
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stdout, /^0001 {2}use \[secret A_KEY\] for it\n/);
  const told = made.git('log', '-1', '-p', '--format=%B', 'orgrepo/queue');
  assert.match(told, /^spec: 0001 use \[secret A_KEY\] for it$/m);
  assert.doesNotMatch(told, /file-key-4/);
});

test('a line of the keys file that is wrong makes nothing known that stands beside it, nor itself', async () => {
  const made = orgWithKeys('A_KEY=file-key-5\nonly-a-key-6\n');
  const ran = await made.orgrepo('submit', 'use file-key-5 or only-a-key-6');
  assert.match(ran.stdout, /^0001 {2}use \[secret A_KEY\] or \[secret \S*keys:2\]\n/, ran.stderr);
});

test('what is thrown where nobody waits for it is told as a bug, with its exit code and without secrets', () => {
  const thrown = `throw new Error('it holds file-key-7')`;
  const watch = `setInterval(() => { if (process.listenerCount('uncaughtException') > 0) ${thrown}; }, 1);`;
  process.env.NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(watch)}`;
  process.env.THROWN_API_KEY = 'file-key-7';
  try {
    const ran = orgWithKeys('').spawned('run', '--max', '1');
    assert.equal(ran.code, 70, ran.stderr);
    assert.match(ran.stderr, /this is a bug in orgrepo[\s\S]*it holds \[secret THROWN_API_KEY\]/);
    assert.doesNotMatch(ran.stdout + ran.stderr, /file-key-7/);
  } finally {
    delete process.env.NODE_OPTIONS;
    delete process.env.THROWN_API_KEY;
  }
});
