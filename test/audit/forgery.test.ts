import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { forge, verify, writeCommit } from '../support/forge.ts';
import { obedientOrg, say, scriptAgent } from '../support/night.ts';
import type { TestOrg } from '../support/org.ts';

// What only its meaning gives away: the seal of each forgery is as good as a real one.

const agent = scriptAgent([
  say('echo "loss: 8"', 'less'),
  say('echo "loss: 9"', 'more'),
  say('exit 1', 'crash'),
  say('echo "loss: 7.5"', 'still less'),
  say('echo "loss: 7.25"', 'and less'),
]);
const original = obedientOrg(agent.brief);
await original.orgrepo('run', '--json', '--max', '4');
const copies = mkdtempSync(path.join(tmpdir(), 'orgrepo-forged-'));
after(() => {
  original.remove();
  rmSync(copies, { recursive: true, force: true });
});

const work = 'refs/heads/orgrepo/work/0001';
const best = 'refs/heads/orgrepo/best';
const queue = 'refs/heads/orgrepo/queue';
const set =
  (key: string, value: string) =>
  (text: string): string =>
    text.replace(new RegExp(`^Org-${key}: .*$`, 'm'), `Org-${key}: ${value}`);

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

const forgeries: Readonly<Record<string, { ref: string; edit: (text: string, org: TestOrg) => string; what: RegExp }>> =
  {
    'a better score': { ref: work, edit: set('Score', '1'), what: /its score is not that of its samples/ },
    'a better score with samples': {
      ref: work,
      edit: (text) => set('Samples', '1')(set('Score', '1')(text)),
      what: /its samples give another verdict/,
    },
    'another rival': { ref: work, edit: set('Best', '100'), what: /compared with something else/ },
    'a discard that was a keep': { ref: work, edit: set('Event', 'discard'), what: /its samples give another verdict/ },
    'a kept tree that nobody measured': {
      ref: work,
      edit: (text, org) => text.replace(/^tree .*$/m, `tree ${org.git('rev-parse', 'main^{tree}').trim()}`),
      what: /a keep has the tree of its candidate/,
    },
    'another harness': {
      ref: work,
      edit: (text, org) => set('Harness', org.git('rev-parse', 'main:sandbox').trim())(text),
      what: /differs from its candidate in Org-Harness/,
    },
    'a number that is taken': { ref: work, edit: set('Experiment', '1'), what: /the number is given twice/ },
    'a number that leaves a gap': {
      ref: work,
      edit: set('Experiment', '9'),
      what: /an experiment before it is missing/,
    },
    'an endless measurement': { ref: work, edit: set('Seconds', '99999'), what: /longer than the budget allows/ },
    'an unknown event': { ref: work, edit: set('Event', 'win'), what: /no notebook has such a line/ },
    'a best with another score': {
      ref: best,
      edit: set('Score', '1'),
      what: /it differs from its verdict in Org-Score/,
    },
    'a best with another tree': {
      ref: best,
      edit: (text, org) => text.replace(/^tree .*$/m, `tree ${org.git('rev-parse', 'main^{tree}').trim()}`),
      what: /its tree is not the one that was measured/,
    },
    'a best that takes a discard': {
      ref: best,
      edit: (text, org) => set('Cause', org.git('rev-parse', `${work}~2`).trim())(text),
      what: /no notebook keeps this candidate/,
    },
    'a ledger that counts more': {
      ref: queue,
      edit: (text) => text.replace(/^(Org-Ledger: .*)$/m, '$1 keep=7'),
      what: /the ledger does not count what the notebooks hold: keep/,
    },
    'a need that nobody wrote down': {
      ref: queue,
      edit: (text) => text.replace(/^(Org-Ledger: .*)$/m, '$1 needs=1'),
      what: /the ledger counts other needs of the run/,
    },
    'a file on the queue that nobody asked for': {
      ref: queue,
      edit: (text, org) => text.replace(/^tree .*$/m, `tree ${org.git('rev-parse', 'main:harness').trim()}`),
      what: /orgrepo does not change program\.md on the queue/,
    },
  };

for (const [name, { ref, edit, what }] of Object.entries(forgeries)) {
  test(`${name} is found, although its seal is whole`, async () => {
    const org = copyOf(name);
    const id = forge(org, ref, (text) => edit(text, org));
    const { code, findings } = await verify(org);
    assert.equal(code, 5);
    const about = findings.filter((finding) => what.test(finding.what));
    assert.deepEqual(
      about.map(({ where }) => where),
      [id],
      JSON.stringify(findings, undefined, 1),
    );
  });
}

test('a candidate that changed what is outside the sandbox is found, whoever recorded it', async () => {
  const org = copyOf('outside');
  const tried = org.git('rev-parse', `${work}^2`).trim();
  org.git('read-tree', `${tried}^{tree}`);
  org.git(
    'update-index',
    '--add',
    '--cacheinfo',
    `100644,${org.git('rev-parse', 'main:program.md').trim()},outside.md`,
  );
  const tree = org.git('write-tree').trim();
  const candidate = writeCommit(org, org.git('cat-file', 'commit', tried).replace(/^tree .*$/m, `tree ${tree}`));
  forge(org, work, (text) => text.replace(tried, candidate).replace(/^tree .*$/m, `tree ${tree}`));
  const { code, findings } = await verify(org);
  assert.equal(code, 5);
  const overstepped = findings.filter(({ what }) => what === 'the candidate oversteps its boundary');
  assert.deepEqual(
    overstepped.map(({ where, found }) => [where, found]),
    [[candidate, 'added outside.md, which is outside the sandbox']],
  );
});

test('a change on best that a person had denied is found', async () => {
  const org = copyOf('denied');
  const keep = /^Org-Cause: (.*)$/m.exec(org.git('cat-file', 'commit', best))?.[1] ?? '';
  forge(org, queue, (text) => `${set('Event', 'deny')(text)}Org-Cause: ${keep}\nOrg-By: Ada\n`);
  const { code, findings } = await verify(org);
  assert.equal(code, 5);
  const denied = findings.filter(({ what }) => what === 'Ada had denied it');
  assert.deepEqual(
    denied.map(({ where }) => where),
    [org.git('rev-parse', best).trim()],
    JSON.stringify(findings, undefined, 1),
  );
});

test('the first commit that does not hold is told with what was expected and what was found', async () => {
  const org = copyOf('told');
  const id = forge(org, best, set('Score', '1'));
  const ran = await org.orgrepo('verify');
  assert.equal(ran.code, 5);
  assert.equal(
    ran.stdout,
    `does not hold  ${id.slice(0, 10)} keep: still less (loss 8 -> 7.5)
  it differs from its verdict in Org-Score
  expected  7.5
  found     1
and 2 more: orgrepo verify --json
`,
  );
});
