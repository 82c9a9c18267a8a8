import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { briefText, makeOrg, quadratic, type TestOrg } from '../support/org.ts';

/** Bad input is refused with exit 6 before anything is written. */
let org: TestOrg;
let desk: string;
before(() => {
  org = makeOrg();
  desk = mkdtempSync(path.join(tmpdir(), 'orgrepo-bad-'));
});
after(() => {
  org.remove();
  rmSync(desk, { recursive: true, force: true });
});

const everything = (): unknown => ({
  refs: org.git('for-each-ref'),
  objects: org.git('count-objects', '-v'),
  files: readdirSync(org.dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/^\.git\/(objects|index)/.test(name))
    .sort(),
});

/** Commits these files, wants a refusal that says this, and takes the commit back. */
async function refused(
  name: string,
  files: Readonly<Record<string, string | Buffer | undefined>>,
  words: RegExp,
): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    if (text === undefined) rmSync(path.join(org.dir, file), { recursive: true });
    else org.write(file, text);
  }
  org.commit(name);
  const untouched = everything();
  const ran = await org.orgrepo('run', '--max', '1');
  assert.equal(ran.code, 6, `${name}: exit ${ran.code}\n${ran.stderr}${ran.stdout}`);
  assert.equal(ran.stdout, '', name);
  assert.match(ran.stderr, words, name);
  assert.match(ran.stderr, /^ {2}try {2}\S/m, `${name}: a hint`);
  assert.deepEqual(everything(), untouched, name);
  org.git('reset', '--quiet', '--hard', 'HEAD~1');
}

const front = (yaml: string): string => `---\n${yaml}\n---\nprose\n`;
const brief = (keys: Readonly<Record<string, string>>): Record<string, string> => ({ 'program.md': briefText(keys) });
const spec = (yaml: string, file = 'specs/0001-first.md'): Record<string, string> => ({ [file]: front(yaml) });

test('a brief that cannot be right is refused, with the place and what was expected', async () => {
  const cases: readonly [string, Record<string, string | undefined>, RegExp][] = [
    ['an unknown key', brief({ metrics: 'x' }), /program\.md:\d+:1: .*metrics.*\n[\s\S]*metric/],
    ['no metric', brief({ metric: '' }), /metric is missing/],
    ['no direction', brief({ direction: 'up' }), /direction is up/],
    ['a target that is no number', brief({ target: 'low' }), /target is low/],
    ['no score', brief({ score: '' }), /score is missing/],
    ['no slots', brief({ slots: '0' }), /slots is 0/],
    ['a budget with an unknown key', brief({ budget: '{ experimnt: 5s }' }), /experimnt/],
    ['an agent that nobody knows', brief({ agent: 'hal' }), /agent is hal/],
    [
      'two times the same key',
      { 'program.md': briefText({}).replace('slots: 1', 'slots: 1\nslots: 2') },
      /program\.md:\d+.*slots/,
    ],
    ['__proto__', { 'program.md': briefText({}).replace('slots: 1', '__proto__: { slots: 1 }') }, /__proto__/],
    [
      'an alias bomb',
      {
        'program.md': front(
          `a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]\nmetric: loss`,
        ),
      },
      /program\.md/,
    ],
    ['broken YAML', { 'program.md': front('metric: [loss') }, /program\.md:\d+:\d+/],
    ['prose without a metric', { 'program.md': 'Make it good.\n' }, /program\.md/],
    ['no program.md', { 'program.md': undefined }, /there is no program\.md in the last commit/],
    ['a sandbox that holds the harness', brief({ sandbox: '["**"]' }), /sandbox/],
    ['a harness in the sandbox', brief({ harness: 'sandbox/harness' }), /sandbox|harness/],
    ['a sandbox outside', brief({ sandbox: '[../other/**]' }), /\.\.\/other/],
    ['a sandbox with the brief in it', brief({ sandbox: '["*.md"]' }), /program\.md|branches\.md/],
    [
      'a harness that is not there',
      brief({ harness: 'judge', score: 'sh judge/x' }),
      /there is no such directory|judge/,
    ],
    [
      'a harness that is another file than the one that runs',
      { ...brief({ harness: 'judge' }), judge: 'x' },
      /run starts harness\/run\.sh, which is not there/,
    ],
  ];
  for (const [name, files, words] of cases) await refused(name, files, words);
});

test('a file of people that is not UTF-8 is refused by its first wrong byte, and never misread', async () => {
  const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
  const chart = '# Caf\xe9\n\n## Structure\n\n### L\xe9ad Lead\n';
  const cases: readonly [string, Record<string, Buffer>, RegExp][] = [
    ['ORG.md', { 'ORG.md': latin(chart) }, /ORG\.md:1:6: the byte 0xe9 is not UTF-8 .*\n[\s\S]*Save it as UTF-8/],
    ['UTF-16', { 'ORG.md': Buffer.from(`\ufeff${chart}`, 'utf16le') }, /ORG\.md:1:1: this looks like UTF-16/],
    ['org.yaml', { 'org.yaml': latin('name: x\nmission: Caf\xe9\n') }, /org\.yaml:2:13: the byte 0xe9/],
    ['program.md', { 'program.md': latin(`${briefText({})}Caf\xe9\n`) }, /program\.md:14:4: the byte 0xe9/],
    ['a spec', { 'specs/0001-first.md': latin('# Caf\xe9\n') }, /specs\/0001-first\.md:1:6: the byte 0xe9/],
    ['a policy', { 'policies/a.cedar': latin('// Caf\xe9\n') }, /policies\/a\.cedar:1:7: the byte 0xe9/],
  ];
  for (const [name, files, words] of cases) await refused(name, files, words);
  org.write('body.txt', latin('Caf\xe9'));
  const submitted = await org.orgrepo('submit', 'a title', '--body-file', 'body.txt');
  rmSync(path.join(org.dir, 'body.txt'));
  assert.equal(submitted.code, 6);
  assert.match(submitted.stderr, /body\.txt:1:4: the byte 0xe9 is not UTF-8/);
});

test('front matter in JavaScript is refused and not run', async () => {
  const marker = path.join(desk, 'ran');
  const evil = `require("fs").writeFileSync(${JSON.stringify(marker)}, "ran"), { metric: "loss", title: "x" }`;
  for (const language of ['js', 'javascript', 'json']) {
    await refused(`---${language} brief`, { 'program.md': `---${language}\n${evil}\n---\nprose\n` }, /program\.md/);
    await refused(
      `---${language} spec`,
      { 'specs/0001-first.md': `---${language}\n${evil}\n---\nprose\n` },
      /specs\/0001-first\.md/,
    );
  }
  assert.equal(existsSync(marker), false);
});

test('a spec that cannot be right is refused with its file', async () => {
  const cases: readonly [string, Record<string, string | undefined>, RegExp][] = [
    [
      'an id that climbs',
      spec('id: "../x"\ntitle: t', 'specs/x.md'),
      /specs\/x\.md:2:\d+: id is \.\.\/x, expected 4 to 9 digits in quotes/,
    ],
    ['an id that is an option', spec('id: -x\ntitle: t', 'specs/x.md'), /id is -x, expected 4 to 9 digits in quotes/],
    ['an id that is a ref', spec('id: HEAD\ntitle: t', 'specs/x.md'), /id is HEAD, expected 4 to 9 digits in quotes/],
    ['no id anywhere', spec('title: t', 'specs/x.md'), /specs\/x\.md:1:1: id is missing/],
    [
      'an id that is not the file’s',
      spec('id: "0002"\ntitle: t'),
      /id is "0002", expected "0001" as in the file's name/,
    ],
    [
      'two files with one id',
      { ...spec('title: a', 'specs/0007-a.md'), ...spec('title: b', 'specs/0007-b.md') },
      /specs\/0007-b\.md: id 0007 is also that of specs\/0007-a\.md/,
    ],
    ['no title', spec('id: "0001"'), /title is missing/],
    ['an unknown key', spec('id: "0001"\ntitel: t'), /titel/],
    ['broken YAML', spec('id: "0001'), /specs\/0001-first\.md:\d+/],
    [
      'a novel',
      { 'specs/0001-first.md': `# title\n${'x'.repeat(300_000)}` },
      /the text has \d+ bytes, expected at most 262144/,
    ],
  ];
  for (const [name, files, words] of cases) await refused(name, files, words);
});

test('a branches.md that promises something else than what orgrepo does is refused by its line', async () => {
  const table = (rows: string): Record<string, string> => ({
    'branches.md': `# Branches\n\n| ref | holds | written by |\n|---|---|---|\n${rows}\n`,
  });
  const cases: readonly [string, Record<string, string>, RegExp][] = [
    [
      'agents on the trunk',
      table('| main | all | agents |'),
      /branches\.md:5: the trunk is said to be written by agents, but only people may write it/,
    ],
    [
      'people on best',
      table('| `orgrepo/best` | the best | people |'),
      /branches\.md:5: orgrepo\/best is said to be written by people, but only orgrepo may write it/,
    ],
    [
      'a ref that orgrepo does not have',
      table('| orgrepo/qeue | specs | chief |'),
      /orgrepo\/qeue is not a ref that orgrepo has; did you mean orgrepo\/queue\?/,
    ],
  ];
  for (const [name, files, words] of cases) await refused(name, files, words);
});

test('files written on Windows, or with a mark before their first letter, are fine', async () => {
  const crlf = makeOrg({
    ...quadratic,
    'program.md': `\ufeff${briefText({}).replaceAll('\n', '\r\n')}`,
    'specs/0001-first.md': '\ufeff---\r\nid: "0001"\r\ntitle: t\r\n---\r\nbody\r\n',
  });
  try {
    const ran = await crlf.orgrepo('run', '--max', '1');
    assert.equal(ran.code, 0, ran.stderr);
  } finally {
    crlf.remove();
  }
});

test('a spec that somebody broke on the queue does not stop the night: it needs a person, and the rest is worked', async () => {
  const other = makeOrg();
  try {
    await other.orgrepo('submit', 'a good one');
    other.git('checkout', '--quiet', 'orgrepo/queue');
    other.write('specs/0099-broken.md', '---\nid: "../x"\ntitle: t\n---\n');
    other.commit('by hand');
    other.git('checkout', '--quiet', 'main');
    const ran = await other.orgrepo('run', '--max', '1');
    assert.equal(ran.code, 0, ran.stderr);
    const status = JSON.parse((await other.orgrepo('status', '--json')).stdout);
    assert.equal(status.needs_you.length, 1);
    assert.match(status.needs_you[0].what, /specs\/0099-broken\.md/);
    assert.match((await other.orgrepo('report')).stdout, /NEEDS YOU\n {2}! [^\n]*0099-broken/);
    assert.equal((await other.orgrepo('report')).stdout.match(/0099-broken/g)?.length, 1, 'said once');
  } finally {
    other.remove();
  }
});
