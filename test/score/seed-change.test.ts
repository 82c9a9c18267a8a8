import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seedChanges, seedChangesInWords } from '../../src/score/judge/boundary.ts';

const told = (before: string, after: string, path = 'sandbox/train.js'): string | undefined => {
  const found = seedChanges([{ path, before, after }]);
  return found === undefined ? undefined : seedChangesInWords(found);
};

test('a number that is a seed in any of the usual ways of writing one is known for what it is', () => {
  const lines = [
    'seed = 42',
    'SEED=42',
    'const SEED = 42;',
    'let randomSeed: number = 42;',
    'seed: int = 42',
    'pub const SEED: Option<u64> = Some(42);',
    'static const uint64_t seed = 42ULL;',
    '#define SEED 42',
    'self.seed = 42',
    'config["seed"] = 42',
    "config['random_state'] = 42",
    '"seed": 42,',
    'seed: 42',
    '  random_state: 42',
    'python train.py --seed 42 --lr 0.1',
    'python train.py --seed=42',
    'export SEED="42"',
    'train(lr=0.1, seed=42)',
    'model = Forest(n_estimators=100, random_state=42, depth=3)',
    'torch.manual_seed(42)',
    'torch.cuda.manual_seed_all(42)',
    'np.random.seed(42)',
    'tf.random.set_seed(42)',
    'set.seed(42)',
    'Random.seed!(42)',
    'srand(42);',
    'srand 42;',
    'srandom((unsigned) 42);',
    'rng = np.random.default_rng(42)',
    'rng = random.Random(42)',
    'const rng = mulberry32(42);',
    'key = jax.random.PRNGKey(42)',
    'let mut r = StdRng::seed_from_u64(42);',
    'std::mt19937 gen(42);',
    'r := rand.New(rand.NewSource(42))',
    'seeds = [1, 42, 3]',
    'seed = int(42)',
    'seed = -42',
    'seed = 0x42',
    'seed 42',
    'train({ rate: 0.1, seed: 42 });',
  ];
  for (const line of lines) {
    const text = `import x\n\n${line}\nuse(x)\n`;
    assert.match(
      told(text, text.replace('42', '137')) ?? `measured: ${line}`,
      /^only a seed was changed: (-|0x)?42(ULL)? -> (-|0x)?137(ULL)?$/,
      line,
    );
  }
});

test('a seed that stands on a line of its own in a call or a list is known too', () => {
  assert.equal(
    told('train(\n  rate=0.1,\n  seed=42,\n)\n', 'train(\n  rate=0.1,\n  seed=7,\n)\n', 'a.py'),
    'only a seed was changed: 42 -> 7',
  );
  assert.equal(
    told('torch.manual_seed(\n    42\n)\n', 'torch.manual_seed(\n    7\n)\n', 'a.py'),
    'only a seed was changed: 42 -> 7',
  );
  assert.equal(
    told('SEEDS = [\n  1,\n  2,\n]\n', 'SEEDS = [\n  5,\n  6,\n]\n'),
    'only seeds were changed: 1 -> 5, 2 -> 6',
  );
});

test('blanks and a remark behind the seed hide nothing', () => {
  assert.equal(
    told('seed = 42\nx = 1\n', 'seed   =  137   # a lucky one\n\nx = 1   \n', 'a.py'),
    'only a seed was changed: 42 -> 137',
  );
  assert.equal(told('  seed = 42;\n', '\tseed=137; // better\n'), 'only a seed was changed: 42 -> 137');
  assert.equal(told('a();\nseed = 42;\n', 'a();\r\nseed = 137;\r\n'), 'only a seed was changed: 42 -> 137');
});

test('several files and several seeds are one refusal when there is nothing else', () => {
  const seed = { path: 'a.py', before: 'seed = 1\n', after: 'seed = 2\n' };
  const other = {
    path: 'b.py',
    before: 'srand(5)\nx = 3\nrandom_state = 7\n',
    after: 'srand(6)\nx = 3\nrandom_state = 8\n',
  };
  assert.deepEqual(seedChanges([seed, other]), [
    { from: '1', to: '2' },
    { from: '5', to: '6' },
    { from: '7', to: '8' },
  ]);
  assert.equal(seedChanges([seed, { path: 'c.py', before: 'x = 1\n', after: 'x = 2\n' }]), undefined);
  assert.equal(seedChanges([seed, { path: 'new.py', before: undefined, after: 'seed = 1\n' }]), undefined);
  assert.equal(seedChanges([seed, { path: 'old.py', before: 'seed = 1\n', after: undefined }]), undefined);
  assert.equal(seedChanges([]), undefined);
});

test('a real change is measured, also beside a seed, and so is what only looks like one', () => {
  const cases: readonly [string, string][] = [
    ['seed = 42\nrate = 0.1\n', 'seed = 137\nrate = 0.2\n'],
    ['train(rate=0.1, seed=42)\n', 'train(rate=0.2, seed=42)\n'],
    ['train(rate=0.1, seed=42)\n', 'train(rate=0.2, seed=137)\n'],
    ['train(seed=42, rate=0.1)\n', 'train(seed=42, rate=0.2)\n'],
    ['train(seed, 42)\n', 'train(seed, 137)\n'],
    ['train(seed=1, 42)\n', 'train(seed=1, 137)\n'],
    ['python train.py --seed 1 --lr 42\n', 'python train.py --seed 1 --lr 137\n'],
    ['seed = 42\n', 'seed = 42\nshuffle()\n'],
    ['seed = 42\n', 'seed = time()\n'],
    ['seed = 42\n', 'sead = 42\n'],
    ['seed = 42\n', ''],
    ['rate = 42\n', 'rate = 137\n'],
    ['n_seeds = 3\n', 'n_seeds = 5\n'],
    ['numSeeds = 3\n', 'numSeeds = 5\n'],
    ['seedling = 3\n', 'seedling = 5\n'],
    ['exceed = 3\n', 'exceed = 5\n'],
    ['if (seed == 42) go(1);\n', 'if (seed == 42) go(2);\n'],
    ['if (seed > 42) go();\n', 'if (seed > 43) go();\n'],
    ['rate, seed = 0.1, 42\n', 'rate, seed = 0.2, 42\n'],
    ['seed = 1; rate = 42\n', 'seed = 1; rate = 137\n'],
    ['x = rng.normal(0, 1)\n', 'x = rng.normal(0, 2)\n'],
    ['x = default_rng(1).normal(0, 1)\n', 'x = default_rng(1).normal(0, 2)\n'],
    ['x = random.randint(0, 10)\n', 'x = random.randint(0, 12)\n'],
    ['seed = 1\n42\n', 'seed = 1\n137\n'],
    ['seed = 42\n', 'seed = 42\n'],
    ['seed = 42\n', 'seed  =  42\n'],
    ['function seeded() {\n  return 42;\n}\n', 'function seeded() {\n  return 137;\n}\n'],
    ['# a seed of 3 grams\nweight = 42\n', '# a seed of 3 grams\nweight = 137\n'],
  ];
  for (const [before, after] of cases) assert.equal(told(before, after, 'a.py'), undefined, `${before} => ${after}`);
  const reindented = told('seed = 42\nif a:\n    b()\nc()\n', 'seed = 137\nif a:\n    b()\n    c()\n', 'a.py');
  assert.equal(reindented, undefined, 'an indent is a change where it means something');
});

test('text of any kind and size is answered at once', () => {
  const long = `${'x = [1, 2, 3]\n'.repeat(100_000)}`;
  assert.equal(told(`${long}seed = 1\n`, `${long}seed = 2\n`), 'only a seed was changed: 1 -> 2');
  assert.equal(told(long, long.replaceAll('3', '4')), undefined);
  const nested = `${'('.repeat(50_000)}42`;
  assert.equal(told(`seed = ${nested}\n`, `seed = ${nested.replace('42', '43')}\n`), undefined);
  const wide = `seed = [${'1, '.repeat(20_000)}1]`;
  assert.equal(told(wide, wide.replaceAll('1', '2')), undefined);
  for (const hostile of [
    '"'.repeat(20_000),
    '0'.repeat(50_000),
    '\\"'.repeat(20_000),
    '1e'.repeat(20_000),
    '\u{1f600}\ud800seed=',
    '\0',
  ])
    told(`seed = ${hostile}1`, `seed = ${hostile}2`);
  assert.equal(
    seedChangesInWords(Array.from({ length: 5 }, () => ({ from: '1'.repeat(99), to: '2' }))).length < 250,
    true,
  );
});
