import assert from 'node:assert/strict';
import { test } from 'node:test';
import { breach } from '../../src/domain/boundary.ts';

const inSandbox = (path: string): boolean => path.startsWith('sandbox/');
const [file, program, link, submodule] = ['100644', '100755', '120000', '160000'];

test('an agent may add, change and remove regular files of the sandbox, and nothing else', () => {
  const cases: readonly [string, string | undefined, string | undefined, string | undefined][] = [
    ['sandbox/a.txt', undefined, file, undefined],
    ['sandbox/a.txt', file, file, undefined],
    ['sandbox/a.txt', file, undefined, undefined],
    ['sandbox/run', undefined, program, undefined],
    ['sandbox/run', program, program, undefined],
    ['sandbox/a b/ü.txt', undefined, file, undefined],
    ['harness/score.sh', file, file, 'changed harness/score.sh, which is outside the sandbox'],
    ['harness/score.sh', file, undefined, 'removed harness/score.sh, which is outside the sandbox'],
    ['notes.txt', undefined, file, 'added notes.txt, which is outside the sandbox'],
    ['sandbox', undefined, file, 'added sandbox, which is outside the sandbox'],
    ['sandbox/a.txt', file, link, 'made sandbox/a.txt something other than a regular file'],
    ['sandbox/a', undefined, link, 'made sandbox/a something other than a regular file'],
    ['sandbox/a', undefined, submodule, 'made sandbox/a something other than a regular file'],
    ['sandbox/a.txt', file, program, 'changed the mode of sandbox/a.txt'],
    ['sandbox/run', program, file, 'changed the mode of sandbox/run'],
  ];
  for (const [path, before, after, expected] of cases)
    assert.equal(breach({ path, before, after }, inSandbox), expected, `${path} ${before} ${after}`);
});

test('a new file may not have a name that git, a shell or a reader would take for something else', () => {
  const cases: readonly [string, string][] = [
    ['sandbox/.gitattributes', 'a name that git reads'],
    ['sandbox/.git', 'a name that git reads'],
    ['sandbox/.GIT/config', 'a name that git reads'],
    ['sandbox/.gitmodules', 'a name that git reads'],
    ['sandbox/git~1/config', 'a name that git reads'],
    ['sandbox/\uff0egit/config', 'a name that git reads'],
    ['sandbox/a\nb', 'a name with invisible characters'],
    ['sandbox/a\u001b[2Jb', 'a name with invisible characters'],
    ['sandbox/.g\u200cit/config', 'a name with invisible characters'],
    ['sandbox/a\u202eb', 'a name with invisible characters'],
    ['sandbox/a\ufffdb', 'a name with invisible characters'],
    ['sandbox/a\\b', 'a name with a backslash'],
  ];
  for (const [path, why] of cases) {
    const said = breach({ path, before: undefined, after: file }, inSandbox);
    assert.equal(said?.endsWith(why), true, `${JSON.stringify(path)}: ${said}`);
    assert.equal(/[\u0000-\u001f]/.test(said ?? ''), false, 'the reason can be printed');
  }
  const long = `sandbox/${'x'.repeat(1_000)}`;
  assert.equal(
    breach({ path: long, before: undefined, after: file }, inSandbox),
    'added a path longer than 1000 characters',
  );
});

test('a name that people gave a file of the sandbox does not stop an agent from changing it', () => {
  assert.equal(breach({ path: 'sandbox/.gitkeep', before: file, after: file }, inSandbox), undefined);
  assert.equal(breach({ path: 'sandbox/.gitkeep', before: file, after: undefined }, inSandbox), undefined);
});
