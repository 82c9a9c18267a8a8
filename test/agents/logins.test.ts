import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { accessTo } from '../../src/agents/keys.ts';
import { loginOf } from '../../src/agents/logins.ts';
import type { AgentChoice, Program } from '../../src/domain/staff/staff.ts';
import { openOrg } from '../../src/records/org.ts';
import { closeOrg } from '../../src/score/arena/measuring-room.ts';
import { hideSecrets } from '../../src/secrets/known-secrets.ts';
import { anOrg } from '../support/builders.ts';
import { logCodexIn } from '../support/codex-login.ts';

const home = mkdtempSync(path.join(tmpdir(), 'orgrepo-login-'));
after(() => rmSync(home, { recursive: true, force: true }));
process.env.CODEX_HOME = path.join(home, 'nowhere');
process.env.ANTHROPIC_API_KEY = 'sk-ant-key-5150';
process.env.OPENAI_API_KEY = 'sk-key-of-openai-5150';
delete process.env.CLAUDE_CODE_OAUTH_TOKEN;

const choiceOf = (program: Program, baseUrl?: string): Extract<AgentChoice, { kind: 'program' }> => ({
  kind: 'program',
  program,
  model: { provider: program === 'claude' ? 'anthropic' : 'openai', id: 'some-model' },
  baseUrl,
  ownConfig: false,
});

async function inOrg<T>(work: (org: Awaited<ReturnType<typeof openOrg>>) => Promise<T>, keys = ''): Promise<T> {
  const made = anOrg();
  mkdirSync(path.join(made.dir, '.orgrepo'));
  writeFileSync(path.join(made.dir, '.orgrepo/keys'), keys, { mode: 0o600 });
  writeFileSync(path.join(made.dir, '.git/info/exclude'), '/.orgrepo/\n');
  const org = await openOrg(made.dir, 'none');
  try {
    return await work(org);
  } finally {
    await closeOrg(org);
  }
}

test("claude's token is used in place of a key, by claude alone", async () => {
  const token = 'sk-ant-oat01-5150-5150';
  await inOrg(async (org) => {
    assert.deepEqual(await accessTo(org, choiceOf('claude')), { key: '', baseUrl: undefined, login: token });
    assert.equal((await loginOf(org, choiceOf('claude')))?.from, 'CLAUDE_CODE_OAUTH_TOKEN of .orgrepo/keys');
    assert.equal(hideSecrets(`it is ${token}`), 'it is [secret CLAUDE_CODE_OAUTH_TOKEN]');
    const other = await accessTo(org, { ...choiceOf('pi'), model: { provider: 'anthropic', id: 'some-model' } });
    assert.deepEqual([other.key, other.login], ['sk-ant-key-5150', undefined]);
    const elsewhere = await accessTo(org, choiceOf('claude', 'http://127.0.0.1:9'));
    assert.deepEqual([elsewhere.key, elsewhere.login], ['none', undefined], 'it is for its own provider alone');
  }, `CLAUDE_CODE_OAUTH_TOKEN=${token}\n`);
});

test('codex gets a copy of its login without what renews it', async () => {
  const { access, refresh, file } = logCodexIn(path.join(home, 'codex'));
  const before = readFileSync(file, 'utf8');
  await inOrg(async (org) => {
    const { key, login = '' } = await accessTo(org, choiceOf('codex'));
    assert.equal(key, '');
    const { auth_mode, tokens } = JSON.parse(login);
    assert.deepEqual([auth_mode, tokens.access_token, tokens.refresh_token], ['chatgpt', access, 'none']);
    assert.equal(login.includes(refresh), false);
    assert.equal(hideSecrets(`${refresh} ${access}`), '[secret codex_refresh_token] [secret codex_access_token]');
  });
  assert.equal(readFileSync(file, 'utf8'), before);
});

test('a codex login that has ended is refused, with what to do', async () => {
  logCodexIn(path.join(home, 'ended'), -60);
  await inOrg(async (org) => {
    await assert.rejects(accessTo(org, choiceOf('codex')), {
      code: 'credentials/refused',
      message: /^the login of codex in \S+ended\/auth\.json ended at \d{4}-/,
      hint: /^Start codex once by hand: it renews its login, which orgrepo only reads\. Or set CODEX_HOME/,
    });
    logCodexIn(path.join(home, 'key'), 60, { auth_mode: 'apikey', OPENAI_API_KEY: 'sk-kept-by-codex-5150' });
    assert.deepEqual(await accessTo(org, choiceOf('codex')), {
      ...{ key: 'sk-key-of-openai-5150', baseUrl: undefined, login: undefined },
    });
    assert.equal(hideSecrets('sk-kept-by-codex-5150'), '[secret codex_OPENAI_API_KEY]');
    for (const text of ['', 'null', '[]', '{"tokens":7}', '{"tokens":{"access_token":"only"}}']) {
      writeFileSync(path.join(home, 'key/auth.json'), text);
      assert.equal(await loginOf(org, choiceOf('codex')), undefined, text);
    }
  });
});
