import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseZones } from '../../src/setup/choose-zones.ts';
import { mentionedIn } from '../../src/setup/open-project.ts';
import { isProject } from '../../src/setup/project-offers.ts';

const paths = [
  ...['.github/ci.yml', '.gitignore', 'LICENSE', 'README.md', 'docs/a.md', 'Makefile', 'package.json'],
  ...['data/big/a.tsv', 'data/b.tsv', 'src/rank.js', 'src/util.js', 'src/deep/x.js', 'src/deep/y.js', 'bench/run.js'],
];

test('the harness is where the script is, and all that may be needed is included', () => {
  const cases = [
    [['src/rank.js'], ['bench/run.js'], 'bench', ['Makefile', 'package.json', 'data', 'src/util.js', 'src/deep']],
    [['src/**'], ['bench/run.js'], 'bench', ['Makefile', 'package.json', 'data']],
    [
      ['src/deep/x.js'],
      ['src/util.js'],
      'src/util.js',
      ['Makefile', 'package.json', 'data', 'src/rank.js', 'src/deep/y.js', 'bench'],
    ],
    [['src/**', 'bench/*.js'], ['bench/run.js'], 'Makefile', ['package.json', 'data']],
    [['data/**'], ['src/.'], 'src', ['Makefile', 'package.json', 'bench']],
  ] as const;
  for (const [sandbox, mentioned, harness, include] of cases)
    assert.deepEqual(chooseZones(paths, sandbox, mentioned, { all: false }), { harness, include }, sandbox.join());
  const all = chooseZones(paths, ['src/**'], ['bench/run.js'], { all: true, harness: 'bench/run.js' });
  assert.deepEqual(all, {
    harness: 'bench/run.js',
    include: ['LICENSE', 'README.md', 'docs', 'Makefile', 'package.json', 'data'],
  });
  assert.equal(chooseZones(['a.py'], ['a.py'], [], { all: true }), undefined);
  const odd = ['app/[id]/x.tsx', 'app/b.tsx', 'm.js', 'lib/a.js'];
  const named = chooseZones(odd, ['app/b.tsx'], ['m.js'], { all: false });
  assert.deepEqual(named, { harness: 'm.js', include: ['lib'] }, 'what include cannot name is left out');
});

test('a command names files itself, or by what npm and make would start', () => {
  const texts = new Map([
    ['package.json', '{ "scripts": { "bench:fast": "node bench/run.js --fast", "test": "echo \\"x\\"" } }'],
    ['Makefile', 'all: x\n\techo x\n\nbench: all\n\t@node ./bench/run.js\n\t@cat data/b.tsv\n\nclean:\n\trm -rf src\n'],
  ]);
  const cases = [
    ['node bench/run.js data/b.tsv', ['bench/run.js', 'data/b.tsv']],
    ['cd src && node ../bench', ['src/.']],
    ['npm run bench:fast', ['bench/run.js']],
    ['make bench', ['bench/run.js', 'data/b.tsv']],
    ['python3 -m src.rank', []],
    ['cargo bench', ['bench/.']],
  ] as const;
  for (const [command, expected] of cases) assert.deepEqual(mentionedIn(command, { paths, texts }), expected, command);
  const module = { paths: ['tools/score.py'], texts: new Map<string, string>() };
  assert.deepEqual(mentionedIn('python3 -m tools.score', module), ['tools/score.py']);
});

test('a repository with only pages about it, or only what orgrepo put there, is no project yet', () => {
  const empty = ['README.md', 'LICENSE', '.gitignore', 'docs/plan.md', 'program.md', 'harness/run.sh', 'sandbox/a.js'];
  assert.equal(isProject(empty), false);
  assert.equal(isProject([...empty, 'letter.txt']), true);
});
