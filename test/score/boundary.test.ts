import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Boundary, breach, breaches, breachesInWords, caps } from '../../src/score/judge/boundary.ts';

const boundary: Boundary = { inSandbox: (path) => path.startsWith('sandbox/'), isAllowed: () => false };
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
    ['sandbox/a', undefined, '100664', 'made sandbox/a something other than a regular file'],
    ['sandbox/a', undefined, '040000', 'made sandbox/a something other than a regular file'],
    ['sandbox/a.txt', file, program, 'changed the mode of sandbox/a.txt'],
    ['sandbox/run', program, file, 'changed the mode of sandbox/run'],
  ];
  for (const [path, before, after, expected] of cases)
    assert.equal(breach({ path, before, after }, boundary), expected, `${path} ${before} ${after}`);
});

test('a new file may not have a name that git, a shell or a reader would take for something else', () => {
  const cases: readonly [string, readonly string[]][] = [
    [
      'a name that git reads',
      [
        ...['.gitattributes', '.git', '.GIT/config', '.gitmodules', 'git~1/config', 'GIT~2', '\uff0egit/config'],
        ...['.git ', '.git.', '.git. .', '.git::$INDEX_ALLOCATION/config', '.gi\uff54/config'],
        ...[
          'gitmod~1',
          'gi7eba~1',
          'gi7d29~4',
          '.gitignore',
          'deep/er/.Git/hooks/post-checkout',
          '.github/workflows/x.yml',
        ],
      ],
    ],
    [
      'a name with invisible characters',
      [
        ...['a\nb', 'a\u001b[2Jb', '.g\u200cit/config', '.gi\u2060t', 'a\u202eb', 'a\ufffdb', 'a\u061cb', 'a\u2028b'],
        ...[
          'a\u3164b',
          'a\u115fb',
          'a\ufe0fb',
          'a\u{e0041}b',
          'a\u034fb',
          'a\u00adb',
          'a\u0000b',
          'a\u0085b',
          'a\ufeff',
        ],
      ],
    ],
    ['a name with a backslash', ['a\\b', '..\\..\\harness\\score.sh']],
    ['no name of a file', ['a//b', './a', 'a/../../harness/x', '..', 'a/']],
  ];
  for (const [why, names] of cases) {
    for (const name of names) {
      const said = breach({ path: `sandbox/${name}`, before: undefined, after: file }, boundary);
      assert.equal(said?.endsWith(`, ${why}`), true, `${JSON.stringify(name)}: ${said}`);
      assert.equal(
        /[\p{Cc}\p{Cf}\p{Zl}\p{Default_Ignorable_Code_Point}]/u.test(said ?? ''),
        false,
        `printable: ${said}`,
      );
    }
  }
  assert.equal(
    breach({ path: 'sandbox/x\ny', before: undefined, after: file }, { ...boundary, inSandbox: () => false }),
    'added sandbox/x\\ny, a name with invisible characters',
    'also where a pattern of the sandbox cannot match it',
  );
  for (const name of ['gift.txt', 'digit~1', 'git', 'legit/x', 'git.py', 'a.git', 'gi~', 'ß', 'a:b', 'é', '日本'])
    assert.equal(breach({ path: `sandbox/${name}`, before: undefined, after: file }, boundary), undefined, name);
  assert.equal(
    breach({ path: `sandbox/${'x'.repeat(1_000)}`, before: undefined, after: file }, boundary),
    `added sandbox/${'x'.repeat(192)}..., a path longer than 1000 characters`,
  );
});

test('a name that people gave a file of the sandbox does not stop an agent from changing it', () => {
  assert.equal(breach({ path: 'sandbox/.gitkeep', before: file, after: file }, boundary), undefined);
  assert.equal(breach({ path: 'sandbox/.gitkeep', before: file, after: undefined }, boundary), undefined);
});

test('files that steer other agents, editors and tools are refused unless the brief allows them, whoever wrote them first', () => {
  const steering: readonly [string, readonly string[]][] = [
    [
      'tells other agents what to do',
      [
        ...['AGENTS.md', 'agents.MD', 'AGENTS.override.md', 'CLAUDE.md', 'Claude.local.md', 'GEMINI.md', 'COPILOT.md'],
        ...['.cursorrules', '.windsurfrules', '.clinerules', 'copilot-instructions.md', 'opencode.json', '.mcp.json'],
        ...['.aider.conf.yml', 'deep/down/AGENTS.md', 'AGENTS.md.', '.augment-guidelines', 'CONVENTIONS.md'],
      ],
    ],
    ['editors and shells obey when the directory is opened', ['.envrc', '.exrc', '.devcontainer.json']],
    [
      'tools and interpreters load without being asked',
      [
        ...['.npmrc', '.yarnrc', '.yarnrc.yml', '.pnp.cjs', 'sitecustomize.py', 'a/usercustomize.py'],
        ...['.node_repl_history', 'conftest.py', 'tests/conftest.py', 'site.pth', 'pyvenv.cfg', 'tox.ini'],
        ...['.python-version', '.tool-versions', '.Rprofile', '.env', '.env.local', '.netrc', '.curlrc'],
        ...['.eslintrc', '.eslintrc.json', '.eslintrc.cjs'],
      ],
    ],
  ];
  for (const [does, names] of steering) {
    for (const name of names) {
      const last = name.slice(name.lastIndexOf('/') + 1);
      for (const [before, after, done] of [
        [undefined, file, 'wrote'],
        [file, file, 'wrote'],
        [file, undefined, 'removed'],
      ] as const) {
        const path = `sandbox/${name}`;
        const why = `${done} ${path}, which ${does}; program.md may allow it: allow: [${last}]`;
        assert.equal(breach({ path, before, after }, boundary), why);
        assert.equal(breach({ path, before, after }, { ...boundary, isAllowed: () => true }), undefined, name);
      }
    }
  }
  for (const dir of [
    '.claude',
    '.codex',
    '.gemini',
    '.cursor',
    '.opencode',
    '.vscode',
    '.idea',
    '.husky',
    '.Cursor',
    '.trae',
  ])
    assert.match(
      breach({ path: `sandbox/x/${dir}/any/thing`, before: undefined, after: file }, boundary) ?? 'allowed',
      new RegExp(`^wrote sandbox/x/${dir}/any/thing, which .*: allow: \\[${dir}/\\*\\*\\]$`),
    );
});

test("ordinary files of a project are nobody's orders", () => {
  const names = [
    'package.json',
    '.editorconfig',
    'environment.py',
    'test_conf.py',
    'model.pt',
    'README.md',
    'agent.py',
  ];
  const more = ['claude.py', 'my-AGENTS.md', 'AGENTS.md.txt', 'npmrc', 'vscode/x', 'agents/x.md', 'Makefile', 'rules'];
  for (const name of [...names, ...more])
    assert.equal(breach({ path: `sandbox/${name}`, before: undefined, after: file }, boundary), undefined, name);
});

test('what is allowed is still bound by the sandbox, by names and by sizes', () => {
  const all: Boundary = { ...boundary, isAllowed: () => true };
  assert.match(breach({ path: 'AGENTS.md', before: undefined, after: file }, all) ?? '', /outside the sandbox$/);
  assert.match(breach({ path: 'sandbox/.gitmodules', before: undefined, after: file }, all) ?? '', /git reads$/);
  assert.match(breach({ path: 'sandbox/AGENTS.md', before: undefined, after: link }, all) ?? '', /regular file$/);
});

test('one candidate may bring files of 10 MB, 50 MB in all, and 2,000 of them', () => {
  const one = (bytes: number, path = 'sandbox/a') => ({ path, before: file, after: file, bytes });
  assert.deepEqual(breaches([one(caps.fileBytes)], boundary), []);
  assert.deepEqual(breaches([one(caps.fileBytes + 1)], boundary), [
    'changed sandbox/a, 10000001 bytes, more than 10000000',
  ]);
  const five = Array.from({ length: 5 }, (_, index) => one(caps.fileBytes, `sandbox/${index}`));
  assert.deepEqual(breaches(five, boundary), []);
  assert.deepEqual(breaches([...five, one(1, 'sandbox/last')], boundary), [
    'changed files of 50000001 bytes in all, more than 50000000',
  ]);
  const many = Array.from({ length: caps.files }, (_, index) => one(1, `sandbox/${index}`));
  assert.deepEqual(breaches(many, boundary), []);
  assert.deepEqual(breaches([...many, one(1, 'sandbox/last')], boundary), ['changed more than 2000 files']);
  const removed = many.map(({ path }) => ({ path: `${path}x`, before: file, after: undefined }));
  assert.deepEqual(breaches([...many, ...removed], boundary), [], 'taking away is no burden');
});

test('a long list of breaches is told by its beginning', () => {
  assert.equal(breachesInWords(['a', 'b']), 'a; b');
  assert.equal(breachesInWords(['a', 'b', 'c', 'd', 'e', 'f', 'g']), 'a; b; c; d; e, and 2 more');
});
