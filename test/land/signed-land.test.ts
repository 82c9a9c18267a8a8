import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { verify } from '../support/forge.ts';
import { everything, landingOrg } from '../support/landing.ts';
import { hasKeygen, makeKeyPair } from '../support/ssh.ts';

const skip = hasKeygen ? false : 'ssh-keygen is not installed';

test('a land is signed where the person’s git signs commits, and its seal holds too', { skip }, async () => {
  const org = await landingOrg();
  const key = makeKeyPair(path.join(org.dir, '.git'), 'ed25519');
  const signers = path.join(org.dir, '.git', 'signers');
  writeFileSync(signers, `person@example.invalid ${key.line}\n`);
  for (const [name, value] of [
    ['gpg.format', 'ssh'],
    ['user.signingkey', key.file],
    ['gpg.ssh.allowedSignersFile', signers],
    ['commit.gpgsign', 'true'],
  ] as const)
    org.git('config', name, value);
  org.git('config', 'user.signingkey', '/nowhere/key');
  const before = everything(org);
  const refused = await org.orgrepo('land', '--yes');
  assert.equal(refused.code, 4);
  assert.match(refused.stderr, /commit\.gpgsign.*did not sign this one[\s\S]*git config commit\.gpgsign false/);
  assert.equal(everything(org), before, 'nothing is landed');
  org.git('config', 'user.signingkey', key.file);

  const landed = await org.orgrepo('land', '--yes');
  assert.equal(landed.code, 0, landed.stderr);
  const branch = 'land/bring-them-to-three';
  const checked = spawnSync('git', ['verify-commit', branch], { cwd: org.dir, encoding: 'utf8' });
  assert.match(checked.stderr, /Good "git" signature for person@example\.invalid/);
  org.git('merge', '--quiet', '--ff-only', branch);
  assert.deepEqual(await verify(org), { code: 0, findings: [] });
  assert.equal((await org.orgrepo('run', '--json', '--max', '1')).code, 0, 'a run goes on from it');
});

test('a land waits until the policies of the branch are signed', { skip }, async () => {
  const org = await landingOrg();
  const key = makeKeyPair(path.join(org.dir, '.git'), 'ed25519');
  org.write('allowed_signers', `ada ${key.line}\n`);
  org.commit('Ada signs');
  assert.equal((await org.orgrepo('apply', '--yes')).code, 0);
  org.write('policies/a.cedar', 'permit (principal, action, resource);\n');
  org.commit('everything is permitted');
  const refused = await org.orgrepo('land', '--yes');
  assert.equal(refused.code, 4);
  assert.match(refused.stderr, /differ on your branch from what was signed[\s\S]*orgrepo apply/);
  org.git('config', 'user.signingkey', key.file);
  assert.equal((await org.orgrepo('apply', '--yes')).code, 0);
  const landed = await org.orgrepo('land', '--yes');
  assert.equal(landed.code, 0, landed.stderr);
});
