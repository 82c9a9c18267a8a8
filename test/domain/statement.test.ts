import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Expected,
  formatStatement,
  parseStatement,
  refuseStatement,
  type Statement,
} from '../../src/domain/rules/statement.ts';

const ada = { id: 'ada', name: 'ada', approves: ['board'], mayPause: false, addresses: ['ada@example.org'] };
const subject = { id: 'A3', ask: 'a'.repeat(40), act: 'b'.repeat(40), agents: ['junior-1', 'junior-2'] };
const statement: Statement = {
  ...{ org: 'c'.repeat(40), kind: 'approve', about: [subject, { ...subject, id: 'A4', agents: [] }] },
  ...{
    policies: 'd'.repeat(40),
    rights: undefined,
    machine: 'ssh-ed25519 AAAA',
    by: 'ada',
    until: 2_000,
    note: 'read "twice", at 7',
  },
};
const expected: Expected = {
  ...{ org: statement.org, kind: 'approve', subject, policies: statement.policies, people: [ada] },
  ...{ at: 1_000, by: 'ada', as: ['board'], asked: { by: ['board'], act: 'claim' } },
};

test('a statement reads back as it was written, and a changed byte is no statement', () => {
  const applied: Statement = {
    ...{ ...statement, kind: 'apply', about: [{ id: 'org', ask: undefined, act: 'e'.repeat(40), agents: [] }] },
    ...{
      rights: { signers: undefined, people: [ada, { ...ada, id: 'bob', approves: [], addresses: [], mayPause: true }] },
    },
  };
  for (const one of [statement, { ...statement, policies: undefined, machine: undefined }, applied]) {
    const text = formatStatement(one);
    assert.deepEqual(parseStatement(text), one);
    for (const broken of [text.slice(0, -1), `${text}\n`, text.replace('until 2000', 'until 02000'), `x\n${text}`, ''])
      assert.equal(parseStatement(broken), undefined, broken);
  }
});

test('a statement counts for the very decision that it names, and for no other', () => {
  assert.equal(refuseStatement(statement, ['ada'], expected), undefined);
  assert.equal(refuseStatement(statement, ['ada@example.org'], expected), undefined, 'a key named by the address');
  const cases: readonly (readonly [Partial<Expected>, RegExp])[] = [
    [{ org: 'f'.repeat(40) }, /for another org/],
    [{ kind: 'deny' }, /a statement to approve/],
    [{ subject: { ...subject, id: 'A5' } }, /about A3, A4, not A5/],
    [{ subject: { ...subject, ask: 'f'.repeat(40) } }, /answers another request than A3/],
    [{ subject: { ...subject, act: 'f'.repeat(40) } }, /about another act than A3/],
    [{ subject: { ...subject, agents: ['junior-1'] } }, /covers junior-1, junior-2, and junior-1 asked/],
    [{ policies: undefined }, /under other policies/],
    [{ at: 2_001 }, /has expired/],
    [{ by: 'bob' }, /by ada, signed with a key of ada/],
    [{ as: ['board', 'legal'] }, /may not say yes for legal/],
    [{ asked: { by: ['legal'], act: 'claim' } }, /may not say yes for board/],
  ];
  for (const [change, said] of cases)
    assert.match(refuseStatement(statement, ['ada'], { ...expected, ...change }) ?? '', said);
  assert.match(refuseStatement(statement, ['eve'], expected) ?? '', /by ada, signed with a key of eve/);
  const freeze: Statement = { ...statement, kind: 'freeze', about: [{ ...subject, agents: [] }] };
  const asked = { ...expected, kind: 'freeze' as const, subject: { ...subject, agents: [] } };
  assert.match(refuseStatement(freeze, ['ada'], asked) ?? '', /ada may not freeze anything/);
});
