import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { formatCheckpoint, parseCheckpoint } from '../../src/domain/words/checkpoint.ts';
import { setPace } from '../../src/process/pace.ts';
import { anOrg } from '../support/builders.ts';
import { cloneOf, publish } from '../support/clone.ts';
import { forge, forget, verify } from '../support/forge.ts';
import { fastPace } from '../support/pace.ts';
import { hasKeygen, makeKeyPair } from '../support/ssh.ts';

const ref = 'refs/orgrepo/checkpoints';
const org = anOrg();
after(() => org.remove());
const tips = (): string =>
  org.git('for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads/orgrepo', 'refs/orgrepo');
let evening = '';
before(async () => {
  assert.equal((await org.orgrepo('run', '--json', '--max', '2')).code, 0);
  evening = tips();
  assert.equal((await org.orgrepo('run', '--json', '--max', '2')).code, 0);
});

/** Puts all refs back to where a listing has them, as somebody does who can write to the repository. */
function putBack(listing: string, to = org): void {
  for (const line of to.git('for-each-ref', '--format=%(refname)', 'refs/heads/orgrepo', 'refs/orgrepo').split('\n'))
    if (line !== '') to.git('update-ref', '-d', line);
  for (const line of listing.trim().split('\n')) {
    const [id = '', name = ''] = line.split(' ');
    to.git('update-ref', name, id);
  }
  forget(to);
}

/** As nobody had touched it. */
function restore(listing: string): void {
  putBack(listing);
  rmSync(path.join(org.dir, '.git/orgrepo/seen'), { force: true });
}

test('a run signs where all refs are when it begins and when it ends', async () => {
  const subjects = org.git('log', '--first-parent', '--format=%s', ref).trim().split('\n');
  assert.deepEqual(
    subjects.slice(0, 4).map((line) => line.replace(/\d{4}-\d\d-\d\d(\.\d+)?/, 'D')),
    ['checkpoint: 4, D ends', 'checkpoint: 3, D begins', 'checkpoint: 2, D ends', 'checkpoint: 1, D begins'],
  );
  const checkpoint = parseCheckpoint(org.git('show', `${ref}:checkpoint`));
  assert.equal(checkpoint?.tips.get('refs/heads/orgrepo/best'), org.git('rev-parse', 'orgrepo/best').trim());
  assert.equal(checkpoint?.tips.get('refs/heads/main'), org.git('rev-parse', 'main').trim());
  assert.equal(checkpoint?.previous, org.git('rev-parse', `${ref}~1`).trim());
  assert.deepEqual(await verify(org), { code: 0, findings: [] });
});

test('a run that goes on signs each hour', async (t) => {
  const now = tips();
  t.after(() => restore(now));
  t.after(() => setPace(fastPace));
  setPace({ ...fastPace, checkpointMs: 150 });
  assert.equal((await org.orgrepo('run', '--json', '--max', '4')).code, 0);
  assert.match(
    org.git('log', '--first-parent', '--format=%s', ref),
    /ends\n(checkpoint: \d+, \S+ goes on\n)+checkpoint: 5, /,
  );
  assert.deepEqual(await verify(org), { code: 0, findings: [] });
});

test('a checkpoint can be checked without orgrepo', { skip: hasKeygen ? false : 'ssh-keygen is not installed' }, () => {
  const text = org.git('show', `${ref}:checkpoint`);
  const machine = /^machine (.*)$/m.exec(text)?.[1];
  const at = (name: string): string => path.join(org.dir, '.git', name);
  writeFileSync(at('signers'), `host ${machine}\n`);
  writeFileSync(at('sig'), org.git('show', `${ref}:checkpoint.sig`));
  const args = ['-Y', 'verify', '-n', 'orgrepo-checkpoint@1', '-I', 'host', '-f', at('signers'), '-s', at('sig')];
  assert.match(execFileSync('ssh-keygen', args, { input: text, encoding: 'utf8' }), /^Good/);
  for (const name of ['signers', 'sig']) rmSync(at(name));
});

test('verify finds the end of a branch that was rewritten and sealed anew', async (t) => {
  const now = tips();
  t.after(() => restore(now));
  forge(org, 'refs/heads/orgrepo/queue', (text) => text.replace(/^Org-Reason: .*\n/m, ''));
  org.git('update-ref', '-d', org.git('for-each-ref', '--format=%(refname)', 'refs/orgrepo/tips').trim());
  const { code, findings } = await verify(org);
  assert.equal(code, 5);
  assert.match(
    findings.map(({ what, expected }) => `${what}: ${expected}`).join('\n'),
    /orgrepo\/queue was rewritten, moved back or taken away: checkpoint 4 \([0-9a-f]{7}\) has it at/,
  );
});

test('a clone that saw a later checkpoint finds that all refs were put back', async (t) => {
  const now = tips();
  t.after(() => restore(now));
  assert.equal((await verify(org)).code, 0, 'it has seen the newest one');
  putBack(evening);
  const { code, findings } = await verify(org);
  assert.deepEqual(
    [code, findings.map(({ what }) => what)],
    [5, ['the checkpoints were put back: this clone has seen a later one']],
  );
});

test('a clone of a remote that was put back finds nothing, because nobody there saw more', async (t) => {
  const now = tips();
  t.after(() => restore(now));
  putBack(evening);
  const clone = cloneOf(publish(org));
  assert.equal((await clone.orgrepo('verify', '--json')).code, 0);
  org.git('remote', 'remove', 'origin');
});

test('a witness tells a clone whose refs were put back from one that is as it was', async (t) => {
  const now = tips();
  t.after(() => restore(now));
  const witness = publish(org, ['refs/orgrepo/checkpoints']);
  org.git('remote', 'rename', 'origin', 'archive');
  t.after(() => org.git('remote', 'remove', 'archive'));
  const same = await org.orgrepo('verify', '--witness', 'archive');
  assert.deepEqual([same.code, /; archive agrees up to checkpoint 4$/m.test(same.stdout)], [0, true], same.stdout);
  putBack(evening);
  const remote = publish(org);
  const fresh = cloneOf(remote);
  fresh.git('remote', 'add', 'archive', witness);
  assert.equal((await fresh.orgrepo('verify')).code, 0, 'alone it cannot tell');
  const told = await fresh.orgrepo('verify', '--witness', 'archive', '--json');
  const { findings } = JSON.parse(told.stdout) as { findings: { what: string }[] };
  assert.deepEqual(
    [told.code, findings.map(({ what }) => what)],
    [5, ['archive has a later checkpoint: this clone is behind it, or its refs were put back']],
  );
  assert.equal((await org.orgrepo('run', '--json', '--max', '1')).code, 0);
  rmSync(path.join(org.dir, '.git/orgrepo/seen'), { force: true });
  const parted = await org.orgrepo('verify', '--witness', 'archive');
  assert.equal(parted.code, 5);
  assert.match(parted.stdout, /the checkpoints of this clone and of archive are two histories/);
  org.git('remote', 'remove', 'origin');
});

test('two people who were shown two histories have checkpoints of one number and two ids', async (t) => {
  const now = tips();
  t.after(() => restore(now));
  const newest = async (one: Pick<typeof org, 'orgrepo'>): Promise<{ number: number; id: string }> =>
    (JSON.parse((await one.orgrepo('verify', '--json')).stdout) as { checkpoint: { number: number; id: string } })
      .checkpoint;
  putBack(evening);
  const clone = cloneOf(publish(org));
  org.git('remote', 'remove', 'origin');
  for (const one of [org, clone]) assert.equal((await one.orgrepo('run', '--json', '--max', '1')).code, 0);
  const [mine, theirs] = [await newest(org), await newest(clone)];
  assert.deepEqual([mine.number, mine.id === theirs.id], [theirs.number, false]);
  // They need not verify to compare.
  const shown = `${mine.number} (${mine.id.slice(0, 12)})`;
  assert.ok((await org.orgrepo('status')).stdout.includes(`\n  signed   checkpoint ${shown}\n`));
  assert.ok((await org.orgrepo('report')).stdout.endsWith(`\nCheckpoint ${shown}\n`));
  const { checkpoint } = JSON.parse((await clone.orgrepo('status', '--json')).stdout) as { checkpoint: object };
  assert.deepEqual(checkpoint, theirs);
});

test('a witness that cannot be asked, or has nothing, is an error with what to type', async () => {
  const missing = await org.orgrepo('verify', '--witness', 'nowhere');
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /nowhere could not be asked: .*\n.*git ls-remote nowhere/);
  publish(org, ['refs/heads/orgrepo/queue']);
  const empty = await org.orgrepo('verify', '--witness', 'origin');
  assert.equal(empty.code, 5);
  assert.match(empty.stderr, /origin has no checkpoints.*\n.*git push origin refs\/orgrepo\/checkpoints/);
  org.git('remote', 'remove', 'origin');
});

test('a second clone goes on with the same checkpoints and a key of its own', async () => {
  const clone = cloneOf(publish(org));
  assert.equal((await clone.orgrepo('run', '--json', '--max', '1')).code, 0);
  const machines = clone.git('log', '--first-parent', '--format=%(trailers:key=Org-Signer,valueonly,separator=)', ref);
  assert.equal(
    new Set(
      machines
        .trim()
        .split('\n')
        .filter((line) => line !== ''),
    ).size,
    2,
  );
  assert.deepEqual(await verify(clone), { code: 0, findings: [] });
  org.git('remote', 'remove', 'origin');
});

test('a person signs a checkpoint with their own key once everything holds', {
  skip: hasKeygen ? false : 'ssh-keygen is not installed',
}, async (t) => {
  const now = tips();
  t.after(() => restore(now));
  const git = path.join(org.dir, '.git');
  const [ada, eve] = [makeKeyPair(git, 'ed25519'), makeKeyPair(git, 'ed25519')];
  const unknown = await org.orgrepo('verify', '--sign');
  assert.deepEqual([unknown.code, /has no allowed_signers/.test(unknown.stderr)], [4, true], unknown.stderr);
  writeFileSync(path.join(org.dir, 'allowed_signers'), `ada ${ada.line}\n`);
  org.git('add', 'allowed_signers');
  org.git('commit', '--quiet', '-m', 'ada signs');
  t.after(() => org.git('reset', '--quiet', '--hard', 'HEAD~1'));
  const tip = org.git('rev-parse', ref);
  for (const [key, said] of [
    ['', /no key to sign with is at hand/],
    [path.join(git, 'nothing'), /user\.signingkey names .* no such file/],
    [eve.file, /allowed_signers does not name the key SHA256:/],
  ] as const) {
    if (key !== '') org.git('config', 'user.signingkey', key);
    const refused = await org.orgrepo('verify', '--sign');
    assert.deepEqual([refused.code, said.test(refused.stderr)], [4, true], refused.stderr);
  }
  assert.equal(org.git('rev-parse', ref), tip, 'nothing is written');
  org.git('config', 'user.signingkey', ada.file);
  t.after(() => org.git('config', '--unset', 'user.signingkey'));
  const signed = await org.orgrepo('verify', '--sign');
  assert.deepEqual(
    [signed.code, /ada has signed checkpoint [0-9a-f]{7}/.test(signed.stderr)],
    [0, true],
    signed.stderr,
  );
  assert.deepEqual(await verify(org), { code: 0, findings: [] });
  assert.equal(
    org.git('log', '-1', '--format=%an %(trailers:key=Org-By,valueonly,separator=)', ref).trim(),
    'Test Person ada',
  );

  // Eve puts her own signature in place of it, and seals the commit anew.
  const text = org.git('show', `${ref}:checkpoint`);
  const forged = execFileSync('ssh-keygen', ['-Y', 'sign', '-q', '-n', 'orgrepo-countersign@1', '-f', eve.file], {
    ...{ input: text, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] },
  });
  writeFileSync(path.join(git, 'forged'), forged);
  const blob = org.git('hash-object', '-w', path.join(git, 'forged')).trim();
  const tree = execFileSync('git', ['mktree'], {
    ...{ cwd: org.dir, encoding: 'utf8' },
    input: org.git('ls-tree', `${ref}^{tree}`).replace(/[0-9a-f]{40}(?=\tcheckpoint\.ada\.sig)/, blob),
  }).trim();
  forge(org, ref, (commit) => commit.replace(/^tree .*/, `tree ${tree}`));
  rmSync(path.join(git, 'orgrepo/seen'));
  const { code, findings } = await verify(org);
  assert.equal(code, 5);
  assert.match(
    findings.map((one) => `${one.what}: ${one.found}`).join('\n'),
    /the signature of ada does not hold: allowed_signers does not name the key/,
  );
});

const wrong: readonly (readonly [string, (text: string) => string, RegExp])[] = [
  [
    'a tip that is another one',
    (text) => text.replace(/^tip [0-9a-f]{8}/m, 'tip 00000000'),
    /not a signature of this text/,
  ],
  ['another number', (text) => text.replace(/^number 4/m, 'number 5'), /not a signature of this text/],
  ['a line too many', (text) => `${text}more\n`, /not a checkpoint, or it is damaged/],
];
for (const [what, edit, found] of wrong)
  test(`verify finds a checkpoint with ${what}`, async (t) => {
    const now = tips();
    t.after(() => restore(now));
    const text = edit(org.git('show', `${ref}:checkpoint`));
    const file = path.join(org.dir, '.git', 'edited');
    writeFileSync(file, text);
    const blob = org.git('hash-object', '-w', file).trim();
    const tree = execFileSync('git', ['mktree'], {
      ...{ cwd: org.dir, encoding: 'utf8' },
      input: org.git('ls-tree', `${ref}^{tree}`).replace(/[0-9a-f]{40}(?=\tcheckpoint\n)/, blob),
    }).trim();
    forge(org, ref, (commit) => commit.replace(/^tree .*/, `tree ${tree}`));
    rmSync(path.join(org.dir, '.git/orgrepo/seen'), { force: true });
    const { code, findings } = await verify(org);
    assert.equal(code, 5);
    assert.match(findings.map((one) => one.found).join('\n'), found);
    rmSync(file);
  });

test('a checkpoint is read back as it was written, and in no other form', () => {
  const id = 'a'.repeat(40);
  const text = formatCheckpoint({
    ...{ org: id, number: 7, previous: id, host: 'host-a', machine: 'ssh-ed25519 AAAA', at: 12 },
    tips: new Map([['refs/heads/main', id]]),
  });
  const read = parseCheckpoint(text);
  assert.equal(read && formatCheckpoint(read), text);
  for (const changed of [text.trim(), `${text}\n`, text.replace('number 7', 'number 07'), text.replace(id, 'x')])
    assert.equal(parseCheckpoint(changed), undefined);
});
