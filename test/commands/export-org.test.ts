import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { makeOrg, quadratic, type TestOrg } from '../support/org.ts';

const odd =
  '\ufeff# Shop 🛠\r\n\r\n## Structure\r\n\r\n### Lead\r\n- **Level:** 9\r\n\r\n#### Makers\r\n- **Count:** 2  \r\n\r\n## Notes\r\n\r\nKept.';

async function withOrg(
  files: Readonly<Record<string, string>>,
  use: (org: TestOrg) => Promise<void> | void,
): Promise<void> {
  const org = makeOrg({ ...quadratic, ...files });
  try {
    await use(org);
  } finally {
    org.remove();
  }
}

test('an org in which nobody has joined or left is exported to the byte, and --write leaves the file alone', async () => {
  await withOrg({ 'ORG.md': odd }, async (org) => {
    const ran = await org.orgrepo('export', '--format', 'org');
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal(ran.stdout, odd);
    assert.equal((await org.orgrepo('export', '--write')).code, 0);
    assert.equal(org.git('status', '--porcelain'), '');
    assert.equal((await org.orgrepo('export', '--out', 'copy.md')).code, 0);
    assert.equal(readFileSync(path.join(org.dir, 'copy.md'), 'utf8'), odd);
    const again = await org.orgrepo('export', '--out', 'copy.md');
    assert.equal(again.code, 6, 'nothing is overwritten');
  });
});

test('edits of a person that are not committed are never overwritten', async () => {
  await withOrg({ 'ORG.md': odd }, async (org) => {
    org.write('ORG.md', `${odd}\nMine.`);
    const ran = await org.orgrepo('export', '--write');
    assert.equal(ran.code, 3);
    assert.match(ran.stderr, /ORG\.md has edits that are not committed/);
    assert.equal(readFileSync(path.join(org.dir, 'ORG.md'), 'utf8'), `${odd}\nMine.`);
  });
});

test('an org of org.yaml is printed as ORG.md; without any there is none; another format is refused', async () => {
  await withOrg({ 'org.yaml': 'name: Acme\nmission: tools\n' }, async (org) => {
    const ran = await org.orgrepo('export');
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(ran.stdout, /^# Acme$/m);
    assert.equal((await org.orgrepo('export', '--write')).code, 6);
  });
  await withOrg({}, async (org) => {
    assert.match((await org.orgrepo('export')).stderr, /there is no ORG\.md and no org\.yaml/);
    const wrong = await org.orgrepo('export', '--format', 'jsn');
    assert.equal(wrong.code, 64);
    assert.match(wrong.stderr, /Did you mean --format json\?/);
    assert.equal((await org.orgrepo('run', '--max', '2')).code, 0);
    assert.equal((await org.orgrepo('export', '--format', 'json')).stdout.trim().split('\n').length, 2);
    assert.match(
      (await org.orgrepo('export', '--format', 'tsv')).stdout,
      /^commit\tloss\tmemory_gb\tstatus\tdescription$/m,
    );
  });
});
