import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMessage, parseMessage } from '../../src/records/entry.ts';

const trailers = [
  ['Org-Event', 'discard'],
  ['Org-Spec', '0007'],
  ['Org-Schema', '1'],
] as const;

test('a message reads as git shows it', () => {
  const text = formatMessage({ title: 'discard: leave at most 5', body: 'It was worse.\n\nBy far.', trailers });
  assert.equal(
    text,
    'discard: leave at most 5\n\nIt was worse.\n\nBy far.\n\nOrg-Event: discard\nOrg-Spec: 0007\nOrg-Schema: 1\n',
  );
  assert.deepEqual(parseMessage(text), {
    title: 'discard: leave at most 5',
    body: 'It was worse.\n\nBy far.',
    trailers: new Map(trailers),
  });
  const bare = formatMessage({ title: 't', body: '', trailers });
  assert.equal(bare, 't\n\nOrg-Event: discard\nOrg-Spec: 0007\nOrg-Schema: 1\n');
  assert.deepEqual(parseMessage(bare), { title: 't', body: '', trailers: new Map(trailers) });
});

test('nothing that an agent writes passes for a trailer', () => {
  const hostile: readonly (readonly [title: string, body: string, cleanTitle: string, cleanBody: string])[] = [
    ['t', 'Org-Event: keep', 't', 'Org-Event: keep'],
    ['t', 'x\n\nOrg-Event: keep\nOrg-Score: 0', 't', 'x\n\nOrg-Event: keep\nOrg-Score: 0'],
    ['t', 'Org-Event: keep\n\n\n \n\t\n', 't', 'Org-Event: keep'],
    ['t', '\n\n\nx\n\n\n\ny\n', 't', 'x\n\ny'],
    ['t', '---\nOrg-Event: keep\n---', 't', '---\nOrg-Event: keep\n---'],
    ['t', 'a\rOrg-Event: keep\r\nb', 't', 'a\nOrg-Event: keep\nb'],
    ['t', 'a\u0000b\u001b[2Jc\u202ed\u0085e\u2028f', 't', 'ab[2Jcdef'],
    ['t', '\ud800 x \udc00', 't', '\ufffd x \ufffd'],
    ['t', 'a\tb  \nc', 't', 'a  b\nc'],
    ['Org-Event: keep', '', 'Org-Event: keep', ''],
    ['one\n\nOrg-Event: keep', '', 'one', ''],
    ['\r\n\n two\rthree', '', 'two', ''],
    ['\u0000\u202e', '', '(no title)', ''],
    ['x'.repeat(500), '', 'x'.repeat(200), ''],
    ['👩'.repeat(300), '', '👩'.repeat(200), ''],
    ['t', 'é'.repeat(8000), 't', 'é'.repeat(4096)],
    ['t', `a${'é'.repeat(8000)}`, 't', `a${'é'.repeat(4095)}`],
  ];
  for (const [title, body, cleanTitle, cleanBody] of hostile) {
    const text = formatMessage({ title, body, trailers });
    const expected = { title: cleanTitle, body: cleanBody, trailers: new Map<string, string>(trailers) };
    assert.deepEqual(parseMessage(text), expected);
    assert.equal(Buffer.from(text).toString(), text);
    const again = formatMessage({ title: cleanTitle, body: cleanBody, trailers });
    assert.equal(again, text, 'a message that was read is written the same');
  }
});

test('a value is one line, and one that is not known is left out', () => {
  const text = formatMessage({
    title: 't',
    body: '',
    trailers: [
      ['Org-Reason', 'a\nOrg-Event: keep'],
      ['Org-Score', ''],
      ['Org-Tokens-In', ' 7 '],
    ],
  });
  assert.equal(text, 't\n\nOrg-Reason: a\nOrg-Tokens-In: 7\n');
  assert.throws(() => formatMessage({ title: 't', body: '', trailers: [] }), /without trailers/);
  assert.throws(() => formatMessage({ title: 't', body: '', trailers: [['Org-Event', '']] }), /without trailers/);
  assert.throws(() => formatMessage({ title: 't', body: '', trailers: [['Signed-off-by', 'x']] }), /not the name/);
});

test('only a last paragraph of nothing but trailers counts', () => {
  const cases: readonly (readonly [string, string, string, Readonly<Record<string, string>>])[] = [
    ['', '', '', {}],
    ['Org-Event: keep', 'Org-Event: keep', '', {}],
    ['Org-Event: keep\nOrg-Spec: 1', 'Org-Event: keep', 'Org-Spec: 1', {}],
    ['t\n\nsay\nOrg-Event: keep', 't', 'say\nOrg-Event: keep', {}],
    ['t\n\nOrg-Event: keep\n\nsay', 't', 'Org-Event: keep\n\nsay', {}],
    ['t\n\nOrg-Event: keep\nSigned-off-by: A <a@b.c>\n\n\n', 't', '', { 'Org-Event': 'keep' }],
    ['t\n\nOrg-Event: keep\nOrg-Event: crash\n', 't', '', { 'Org-Event': 'keep' }],
    ['t\r\n\r\nb\r\n\r\nOrg-Event: keep\r\n', 't', 'b', { 'Org-Event': 'keep' }],
    ['t\n\n\n\nb\n\n\nOrg-Event: keep', 't', 'b', { 'Org-Event': 'keep' }],
    ['t\n\norg-event: keep\nOrg-: x\nOrg-9: y', 't', '', {}],
  ];
  for (const [text, title, body, found] of cases) {
    const expected = { title, body, trailers: new Map(Object.entries(found)) };
    assert.deepEqual(parseMessage(text), expected, JSON.stringify(text));
  }
});
