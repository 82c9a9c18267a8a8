import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { clearDirectory } from '../../src/process/untrusted-files.ts';

const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-used-'));
after(() => rmSync(dir, { recursive: true, force: true }));

function filled(name: string, files: readonly string[]): string {
  const place = path.join(dir, name);
  for (const file of files) {
    mkdirSync(path.dirname(path.join(place, file)), { recursive: true });
    writeFileSync(path.join(place, file), 'x');
  }
  return place;
}

test('all is removed but what is to stay', () => {
  const place = filled('some', ['keep/one', 'mixed/keep', 'mixed/rest', 'rest/deep/file', '.hidden']);
  const fateOf = (file: string) => {
    if (file === 'mixed') return 'entered';
    return file.endsWith('keep') ? 'kept' : 'removed';
  };
  assert.equal(clearDirectory(place, fateOf), true);
  assert.deepEqual(readdirSync(place).sort(), ['keep', 'mixed']);
  assert.deepEqual(readdirSync(path.join(place, 'mixed')), ['keep']);
});

test('a directory with more than can be removed in a moment stays as it is', () => {
  const files = Array.from({ length: 201 }, (_, at) => `file-${at}`);
  const place = filled('much', files);
  assert.equal(clearDirectory(place), false);
  assert.equal(readdirSync(place).length, 201);
});

test('what is no directory any more is not called clear', () => {
  assert.equal(clearDirectory(path.join(dir, 'gone')), false);
  const file = path.join(filled('place', ['file']), 'file');
  assert.equal(clearDirectory(file), false);
  assert.equal(existsSync(file), true);
});
