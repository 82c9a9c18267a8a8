import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { openOrg } from '../../src/records/org.ts';
import { openSpendBook } from '../../src/spend/books/spend-book.ts';
import { recover } from '../../src/steps/recover/recover.ts';
import { forge, verify, writeCommit } from '../support/forge.ts';
import { landingOrg } from '../support/landing.ts';
import { makeOrg, type TestOrg } from '../support/org.ts';
import { verifyCopy } from '../support/tampering-ground.ts';

const original = makeOrg();
const copies = mkdtempSync(path.join(tmpdir(), 'orgrepo-spent-'));
let ref = '';

before(async () => {
  await original.orgrepo('run', '--json', '--max', '2');
  const org = await openOrg(original.dir);
  ref = `refs/orgrepo/spend/${org.host}`;
  const most = { usd: 0.5, tokensIn: 1_000, tokensOut: 200 };
  const call = { agent: 'junior-1', spec: '0001', attempt: '1', provider: 'test', model: 'costly-1', most };
  for (const night of ['n1', 'n2']) {
    const book = await openSpendBook(org, night, () => ({}));
    for (const wanted of [
      call,
      { ...call, agent: 'junior-2', spec: undefined },
      { ...call, most: { ...most, usd: undefined } },
    ]) {
      const said = await book.reserve(wanted);
      if (said.kind === 'reserved') said.settle({ tokensIn: 900, tokensOut: 20 }, 0.1);
      await book.reserve(call); // Whoever asked was killed.
    }
    const over = await book.reserveRest(call, most);
    if (over.kind === 'reserved') over.settle({ tokensIn: 5_000, tokensOut: 900 }, 3); // Nobody could stop it.
    const gone = await book.reserve(call);
    if (gone.kind === 'reserved') gone.release();
    const last = await book.reserve(call);
    if (last.kind === 'reserved') last.settle({ tokensIn: 1, tokensOut: 1 }, 0.000_000_001);
    await book.written();
  }
  await org.repo.close();
});

after(() => {
  original.remove();
  rmSync(copies, { recursive: true, force: true });
});

function copyOf(name: string): TestOrg {
  const dir = path.join(copies, name.replaceAll(/\W+/g, '-'));
  cpSync(original.dir, dir, { recursive: true });
  const at = (args: string[]): string[] => ['-C', dir, ...args];
  return {
    ...original,
    dir,
    git: (...args) => original.git(...at(args)),
    orgrepo: (verb = '', ...args) => original.orgrepo(verb, ...at(args)),
  };
}

test('books of two nights hold, with those who were killed', async () => {
  assert.deepEqual(await verify(original), { code: 0, findings: [] });
});

test('an amount that somebody has changed is found, without a new seal and with one', async () => {
  const careless = copyOf('careless');
  const text = careless.git('cat-file', 'commit', ref).replace(/^Org-Tokens-In: 1$/m, 'Org-Tokens-In: 0');
  const id = writeCommit(careless, text);
  careless.git('update-ref', ref, id);
  const found = await verify(careless);
  assert.deepEqual([found.code, found.findings[0]?.where], [5, id]);
  assert.match(found.findings.map(({ what }) => what).join('; '), /not as it was sealed/);
});

const set =
  (key: string, value: string) =>
  (text: string): string =>
    text.replace(new RegExp(`^Org-${key}: .*$`, 'm'), `Org-${key}: ${value}`);

/** The tip is a settlement of one token in and one out, for a billionth of a dollar. */
const forgeries: Readonly<Record<string, readonly [edit: (text: string, org: TestOrg) => string, what: RegExp]>> = {
  'a smaller amount': [set('Tokens-In', '0'), /its sums are not those of the entries below it/],
  'a larger amount': [set('Cost-USD', '0.6'), /more is counted than was reserved/],
  'a larger amount, as of one who cannot be stopped': [
    (text) => set('Cost-USD', '0.6')(text).replace(/^Org-Reserved: /m, 'Org-Rest: yes\nOrg-Reserved: '),
    /it is the end of another reservation/,
  ],
  'no price': [(text) => text.replace(/^Org-Cost-USD: .*\n/m, ''), /more is counted than was reserved/],
  'no tokens': [(text) => text.replace(/^Org-Tokens-In: .*\n/m, ''), /what it spends cannot be read/],
  'tokens that are none': [set('Tokens-In', '-1'), /what it spends cannot be read/],
  'smaller sums': [(text) => text.replace(/(night:n2=)[^,]*/, '$10'), /its sums are not those/],
  'a smaller reservation': [set('Reserved', '0.4,1000,200'), /it is the end of another reservation/],
  'another agent': [set('Agent', 'junior-2'), /it is the end of another reservation/],
  'another model': [set('Model', 'test/cheap'), /it is the end of another reservation/],
  'another host': [set('Host', 'elsewhere'), /it is in another host's book/],
  'a reservation that is gone': [set('Cause', '0'.repeat(40)), /settles what is not reserved/],
  'a settlement that was a release': [set('Event', 'release'), /its sums are not those/],
  'a settlement that was a reservation': [set('Event', 'reserve'), /its sums are not those/],
  'another event': [set('Event', 'keep'), /is at a commit that does not belong there/],
  'another day': [set('Day', '2020-01-01'), /it is the end of another reservation/],
  'other files': [
    (text, org) => text.replace(/^tree .*$/m, `tree ${org.git('rev-parse', 'main:sandbox').trim()}`),
    /spending changes no files/,
  ],
  'a parent that was left out': [
    (text, org) => text.replace(/^parent .*$/m, `parent ${org.git('rev-parse', `${ref}~2`).trim()}`),
    /settles what is not reserved/,
  ],
  'a book that begins anew': [
    (text, org) => text.replace(/^parent .*$/m, `parent ${org.git('rev-parse', 'orgrepo/best').trim()}`),
    /does not begin on the trunk/,
  ],
};

for (const [name, [edit, what]] of Object.entries(forgeries))
  test(`whoever forges ${name} in the newest entry, seal and all, is found`, async () => {
    const org = copyOf(name);
    const id = forge(org, ref, (text) => edit(text, org));
    assert.notEqual(id, original.git('rev-parse', ref).trim(), 'something was forged');
    const audit = await verifyCopy(org.dir);
    assert.equal(typeof audit, 'object');
    if (typeof audit === 'string') return;
    assert.match(audit.findings.map((finding) => finding.what).join('; '), what);
    assert.equal(audit.findings[0]?.where, id);
  });

test('an entry that is settled twice is found where it is settled again', async () => {
  const org = copyOf('twice');
  const tip = org.git('rev-parse', ref).trim();
  const again = forge(org, ref, (text) => text.replace(/^parent .*$/m, `parent ${tip}`));
  const audit = await verifyCopy(org.dir);
  assert.deepEqual(typeof audit === 'string' ? audit : audit.findings.map(({ where, what }) => [where, what]), [
    [again, 'it settles what is not reserved, or no more'],
  ]);
});

test('a book that was moved back is found by the clone that wrote it', async () => {
  const org = copyOf('back');
  org.git('update-ref', ref, org.git('rev-parse', `${ref}~1`).trim());
  const audit = await verifyCopy(org.dir);
  assert.match(typeof audit === 'string' ? audit : (audit.findings[0]?.what ?? ''), /was moved back or taken away/);
});

test('a book that a power failure has emptied is found again, and no notebook is taken for it', async () => {
  const copy = copyOf('power failure');
  const tips = (): string =>
    copy.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/orgrepo', 'refs/heads/orgrepo/work');
  const before = tips();
  writeFileSync(path.join(copy.dir, '.git', ref), '');
  const org = await openOrg(copy.dir);
  const { repaired } = await recover(org);
  await org.repo.close();
  assert.match(repaired.join('; '), /^refs\/orgrepo\/spend\/\S+ was lost and is back at /);
  assert.equal(tips(), before);
});

test('a book that begins on a land holds', async () => {
  const there = await landingOrg();
  try {
    assert.equal((await there.orgrepo('land', '--yes')).code, 0);
    there.git('merge', '--quiet', '--ff-only', 'land/bring-them-to-three');
    const org = await openOrg(there.dir);
    const book = await openSpendBook({ ...org, host: 'another-host' }, 'n1', () => ({}));
    const most = { usd: 0.5, tokensIn: 1_000, tokensOut: 200 };
    const held = await book.reserve({
      agent: 'junior-1',
      spec: '0001',
      attempt: '1',
      provider: 'test',
      model: 'costly-1',
      most,
    });
    if (held.kind === 'reserved') held.settle({ tokensIn: 900, tokensOut: 20 }, 0.1);
    await book.written();
    await org.repo.close();
    assert.deepEqual(await verify(there), { code: 0, findings: [] });
  } finally {
    there.remove();
  }
});
