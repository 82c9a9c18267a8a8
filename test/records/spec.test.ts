import assert from 'node:assert/strict';
import { test } from 'node:test';
import { priorities, type Spec, specFileName } from '../../src/domain/words/spec.ts';
import { formatSpec, parseDraft, parseSpec } from '../../src/records/queue/spec-text.ts';
import { refusal } from '../support/refusal.ts';

test('a spec is read from its front matter, its heading and its name', () => {
  const rest = { by: 'people', attempts: undefined };
  const cases: readonly (readonly [string, string, Spec])[] = [
    [
      '---\nid: "0007"\ntitle: leave less room\nby: chief\nattempts: 3\n---\nTry 4.\n',
      'specs/0007-leave-less-room.md',
      { id: '0007', title: 'leave less room', by: 'chief', attempts: 3, body: 'Try 4.' },
    ],
    [
      '---\ntitle: by hand\nrole: human\n---\n',
      'specs/0003.md',
      { id: '0003', title: 'by hand', ...rest, role: 'human', body: '' },
    ],
    [
      '---\ntitle: x\nrisk: high\ndomain: infrastructure-security\npriority: critical\n---\n',
      'specs/0003.md',
      {
        ...{ id: '0003', title: 'x', ...rest, body: '' },
        ...{ risk: 'high', domain: 'infrastructure-security', priority: 'critical' },
      },
    ],
    ['---\nid: 0007\ntitle: x\n---\n', 'specs/x.md', { id: '0007', title: 'x', ...rest, body: '' }],
    ["---\nid: '123456789'\ntitle: 12:30:00\n---", 'a.md', { id: '123456789', title: '12:30:00', ...rest, body: '' }],
    ['---\ntitle: "a: b"\n---\n# c\n', 'specs/0001.md', { id: '0001', title: 'a: b', ...rest, body: '# c' }],
    [
      '# leave less room\n\nTry 4.\n',
      'specs/0001-x.md',
      { id: '0001', title: 'leave less room', ...rest, body: 'Try 4.' },
    ],
    ['\ufeff# one ##\r\ntwo\r\n', '0001-x.md', { id: '0001', title: 'one', ...rest, body: 'two' }],
    [
      '```\n# code\n```\n# title\nx',
      'specs/0001-x.md',
      { id: '0001', title: 'title', ...rest, body: '```\n# code\n```\nx' },
    ],
    [
      '---\nid: "0002"\n---\n# from the heading\n',
      'x.md',
      { id: '0002', title: 'from the heading', ...rest, body: '' },
    ],
  ];
  for (const [text, file, spec] of cases) assert.deepEqual(parseSpec(text, file), spec);
});

test('a spec that is written is read back as it was, however odd its words', () => {
  const titles = [
    'leave less room',
    'say "less": it\'s #1',
    '- leave',
    '# heading',
    '---',
    '👩‍🔬 naïve 試す',
    '0007',
    'null',
    '~',
    'yes',
    '{ a: b }',
    '[x], y',
    '*star & <<',
    '!!js/function x',
    '| > @ ` % \\ \\n',
    'ends in a colon:',
    "'",
    '"',
    'x'.repeat(200),
    '1e3',
    '2026-01-01',
    'key: value # comment',
    '?',
    '-',
  ];
  const bodies = ['', 'x', '---\nid: "9999"\n---', '# a\n\n- b\n', '   indented\n\n\nfar', '```js\nx\n```'];
  for (const title of titles) {
    for (const body of bodies) {
      for (const attempts of [undefined, 1000]) {
        const spec: Spec = { id: '0012', title, by: 'Ann "A" O\'Neil', attempts, body: body.trimEnd() };
        assert.deepEqual(parseSpec(formatSpec(spec), `specs/${specFileName(spec)}`), spec);
      }
    }
  }
  for (const priority of priorities) {
    for (const domain of titles) {
      const spec: Spec = { id: '0012', title: 'x', by: 'chief', attempts: undefined, domain, priority, body: '' };
      assert.deepEqual(parseSpec(formatSpec(spec), 'specs/0012-x.md'), spec);
    }
  }
  assert.equal(
    formatSpec({ id: '0007', title: 'leave less room', by: 'chief', role: 'human', attempts: 3, body: 'Try 4.' }),
    '---\nid: "0007"\ntitle: leave less room\nby: chief\nrole: human\nattempts: 3\n---\n\nTry 4.\n',
  );
});

test('ids that are not digits never become part of a branch name', () => {
  const ids = [
    '../x',
    '-x',
    'HEAD',
    '007',
    '"0000000001"',
    '0x10',
    '1_000',
    '12:30',
    '',
    '~',
    '[1]',
    '{ a: 1 }',
    '"0001\\n"',
    '"٠٠٠١"',
  ];
  for (const id of ids) {
    const found = refusal(() => parseSpec(`---\nid: ${id}\ntitle: x\n---\n`, 'specs/x.md'));
    assert.deepEqual([found.code, found.place?.line], ['spec/id', 2], id);
  }
  const cases: readonly (readonly [string, string, string])[] = [
    ['---\nid: HEAD\ntitle: x\n---\n', 'specs/x.md', 'specs/x.md:2:5: id is HEAD, expected 4 to 9 digits in quotes'],
    [
      '---\nid: "0002"\ntitle: x\n---\n',
      'specs/0001-x.md',
      'specs/0001-x.md:2:5: id is "0002", expected "0001" as in the file\'s name',
    ],
    ['# x\n', 'specs/x.md', 'specs/x.md:1:1: id is missing, expected digits in quotes'],
  ];
  for (const [text, file, message] of cases) assert.equal(refusal(() => parseSpec(text, file)).message, message);
});

test('a spec with a wrong key or value is refused where it stands', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['---\ntitel: x\n---\n', 'spec/key', 'specs/0001.md:2:1: titel is not a known key'],
    ['---\ntitle:\n---\n', 'spec/value', 'specs/0001.md:2:7: title is empty, expected one line of text'],
    ['---\ntitle: [a]\n---\n', 'spec/value', 'specs/0001.md:2:8: title is a list, expected one line of text'],
    [
      '---\ntitle: "a\\u202eb"\n---\n',
      'spec/value',
      'specs/0001.md:2:8: title is "a\\u202eb", expected one line of text, on one line and without control characters',
    ],
    [
      `---\ntitle: ${'x'.repeat(201)}\n---\n`,
      'spec/value',
      `specs/0001.md:2:8: title is ${'x'.repeat(57)}..., expected one line of text of at most 200 characters`,
    ],
    [
      '---\ntitle: x\nattempts: 0\n---\n',
      'spec/value',
      'specs/0001.md:3:11: attempts is 0, expected a whole number from 1 to 1000',
    ],
    ['---\ntitle: x\nrole: humen\n---\n', 'spec/value', 'specs/0001.md:3:7: role is humen, expected human'],
    [
      '---\ntitle: x\nby: me\npriority: urgent\n---\n',
      'spec/value',
      'specs/0001.md:4:11: priority is urgent, expected low or normal or high or critical',
    ],
    [
      '---\ntitle: x\npriority: [low]\n---\n',
      'spec/value',
      'specs/0001.md:3:11: priority is a list, expected low or normal or high or critical',
    ],
    ['---\ntitle: x\ndomain:\n---\n', 'spec/value', 'specs/0001.md:3:8: domain is empty, expected a domain'],
    ['---\ntitle: x\ndomain: [a]\n---\n', 'spec/value', 'specs/0001.md:3:9: domain is a list, expected a domain'],
    ['---\ntitle: x\nby: {}\n---\n', 'spec/value', 'specs/0001.md:3:5: by is a map of keys, expected a name'],
    ['just prose\n', 'spec/missing', 'specs/0001.md:1:1: title is missing, expected one line of text'],
    ['---\nby: me\n---\n\nprose\n', 'spec/missing', 'specs/0001.md:5:1: title is missing, expected one line of text'],
    [
      'a\n# \u001b[2Jx\n',
      'spec/value',
      'specs/0001.md:2:1: the title is "\\u001b[2Jx", expected at most 200 characters, none of them control characters',
    ],
    [
      `---\ntitle: x\n---\n${'y'.repeat(256 * 1024 + 1)}`,
      'spec/value',
      'specs/0001.md:4:1: the text has 262145 bytes, expected at most 262144',
    ],
    ['---js\n{}\n---\n', 'spec/syntax', 'specs/0001.md:1:1: the front matter is in js, only YAML front matter is read'],
  ];
  for (const [text, code, message] of cases) {
    const found = refusal(() => parseSpec(text, 'specs/0001.md'));
    assert.deepEqual([found.code, found.message], [code, message]);
  }
});

test('a draft has no number, and a chief cannot give it one', () => {
  const draft = parseDraft('---\ntitle: x\nattempts: 2\n---\nTry.\n', 'specs/0001-x.md');
  assert.deepEqual(draft, { title: 'x', by: 'chief', attempts: 2, body: 'Try.' });
  const { code, message } = refusal(() => parseDraft('---\nid: "0001"\ntitle: x\n---\n', 'a.md'));
  assert.deepEqual([code, message], ['spec/id', 'a.md:2:1: a draft has an id, expected none']);
});
