import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAgentName } from '../../src/domain/staff/staff.ts';
import { isSpecId, specFileName, specIdOf, specWord } from '../../src/domain/words/spec.ts';

test("a spec's file is named by its number and what can be read of its title", () => {
  const cases: readonly [string, string][] = [
    ['leave less room', '0007-leave-less-room.md'],
    ['  Leave LESS room!  ', '0007-leave-less-room.md'],
    ['../../etc/passwd', '0007-etc-passwd.md'],
    ['-rf /', '0007-rf.md'],
    ['größer', '0007-gr-er.md'],
    ['日本語', '0007.md'],
    ['', '0007.md'],
    ['a\nb\0c', '0007-a-b-c.md'],
    [`${'word '.repeat(20)}`, '0007-word-word-word-word-word-word-word-word-word-wor.md'],
    [`${'x'.repeat(47)} y`, `0007-${'x'.repeat(47)}.md`],
  ];
  for (const [title, file] of cases)
    assert.equal(specFileName({ id: '0007', title, by: 'chief', attempts: undefined, body: '' }), file);
});

test('a spec id is digits and nothing that git or a shell would read otherwise', () => {
  for (const id of ['0001', '9999', '10000', '123456789']) assert.equal(isSpecId(id), true, id);
  for (const id of ['', '1', '001', '../x', '-x', 'HEAD', '0001\n', ' 0001', '0x01', '1234567890', '٠٠٠١'])
    assert.equal(isSpecId(id), false, JSON.stringify(id));
});

test('numbers become ids of at least four digits', () => {
  assert.deepEqual([1, 42, 9_999, 10_000].map(specIdOf), ['0001', '0042', '9999', '10000']);
  assert.deepEqual(['0012', '1000', '10000'].map(specWord), ['0012', 'spec-1000', 'spec-10000']);
});

test("an agent's name can stand in a branch, a directory and an address", () => {
  for (const name of ['chief', 'junior-1', 'a']) assert.equal(isAgentName(name), true, name);
  for (const name of ['', '-a', 'A', '1a', 'a/b', 'a b', '..', 'a@b', 'x'.repeat(33)])
    assert.equal(isAgentName(name), false, name);
});
