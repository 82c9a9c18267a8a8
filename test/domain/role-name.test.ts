import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idFrom, levelByDepth, levelByName, singular } from '../../src/domain/staff/role-name.ts';
import { isAgentName } from '../../src/domain/staff/staff.ts';

test('one of several has the name of one', () => {
  const pairs: readonly (readonly [string, string])[] = [
    ['Frontend Workers', 'Frontend Worker'], ['Writers', 'Writer'], ['Secretaries', 'Secretary'], ['Coaches', 'Coach'], ['Backend Senior', 'Backend Senior'],
    ['DevOps', 'DevOps'], ['Sales', 'Sales'], ['Analytics', 'Analytics'], ['Boss', 'Boss'], ['Bus', 'Bus'], ['Data Analysis', 'Data Analysis'], ['', ''],
  ]; // biome-ignore format: pairs
  for (const [many, one] of pairs) assert.equal(singular(many), one);
});

test('an id can be a branch, a directory and an author, or there is none', () => {
  const names: readonly (readonly [string, string | undefined])[] = [
    ['Engineering Lead', 'engineering-lead'], ['🚀 Launch Crew!', 'launch-crew'], ['Süd-Büro', 'sud-buro'], ['R&D / Ops', 'r-d-ops'], ['3D Artist', 'agent-3d-artist'],
    ['../../etc', undefined], ['-rf', undefined], ['/root', undefined], ['~', undefined], ['a/../b', undefined], ['C:\\x', undefined], ['🚀', undefined], ['前端', undefined], ['', undefined],
  ]; // biome-ignore format: pairs
  for (const [name, id] of names) {
    assert.equal(idFrom(name), id, name);
    if (id !== undefined) assert.ok(isAgentName(id));
  }
});

test('a junior of anything is a junior, and a word within a word is none', () => {
  assert.equal(levelByName('Senior Assistant Director'), 2);
  assert.equal(levelByName('Leadership Engineering'), undefined);
  assert.deepEqual(
    [levelByDepth(3, true), levelByDepth(3, false), levelByDepth(4, false), levelByDepth(5, false)],
    [9, 4, 4, 2],
  );
});
