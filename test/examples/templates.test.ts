import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseBrief } from '../../src/brief/read/brief-text.ts';
import { contradictions, parseBranchesTable } from '../../src/records/queue/branches-table.ts';
import { parseSpec } from '../../src/records/queue/spec-text.ts';

type Drawn = { readonly text: string; readonly bits: number };
interface Grammar {
  readonly rules: Readonly<Record<string, readonly (readonly [weight: number, text: string])[]>>;
  readonly drawText: (random: () => number, length: number) => Drawn;
}
type Numbers = Readonly<Record<string, number>>;
type Files = Readonly<Record<string, string | Uint8Array>>;
type Ran = ReturnType<typeof runStage>;

const templates = fileURLToPath(new URL('../../../templates', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'orgrepo-templates-'));
after(() => rmSync(scratch, { recursive: true }));

const load = (file: string) => import(pathToFileURL(join(templates, 'tinylm/harness', file)).href);
const { rules, drawText } = (await load('grammar.mjs')) as Grammar;
const { randomFrom } = (await load('random.mjs')) as { readonly randomFrom: (seed: number) => () => number };

/** The smallest model there can be: a number for each symbol, and it counts for nothing. */
const even = {
  contextLength: 1,
  embedding: Array(30).fill(0),
  layers: [{ weights: Array(30).fill(0), biases: Array(30).fill(0), activation: 'none' }],
  steps: 1,
};

for (const name of ['tinylm', 'blank']) {
  test(`the template ${name} has a brief, a first spec and a table of branches that orgrepo takes`, () => {
    const read = (path: string): string => readFileSync(join(templates, name, path), 'utf8');
    const brief = parseBrief(read('program.md'), 'program.md');
    assert.deepEqual([brief.run, brief.score], ['node harness/run.mjs', 'node harness/score.mjs']);
    const specs = readdirSync(join(templates, name, 'specs')).map((file) => parseSpec(read(`specs/${file}`), file));
    const rows = parseBranchesTable(read('branches.md'));
    assert.deepEqual([specs.map(({ id }) => id), rows.length, contradictions(rows)], [['0001'], 8, []]);
  });
}

test('tinylm starts between the floor and guessing evenly, and both time and a better learning rate help', () => {
  const train = (seconds: string, sandbox: Files = {}): Numbers =>
    numbersOf(measure('tinylm', sandbox, { ORGREPO_TINYLM_SECONDS: seconds }));
  const start = train('1.2');
  const hurried = train('0.2');
  const bolder = train('1.2', edited('tinylm', 'train.mjs', 'learningRate: 0.1,', 'learningRate: 0.4,'));
  assert.deepEqual(Object.keys(start), ['val_bpb', 'floor_bpb', 'params', 'steps', 'seconds']);
  assert.equal(start.params, 6982);
  const ranks = {
    floor: start.floor_bpb,
    bolder: bolder.val_bpb,
    start: start.val_bpb,
    hurried: hurried.val_bpb,
    even: 4.9,
  };
  const order = Object.entries(ranks).sort(([, a = Number.NaN], [, b = Number.NaN]) => a - b);
  assert.deepEqual(order, Object.entries(ranks));
});

test('tinylm computes the predictions itself: numbers that say nothing cost the same for every character', () => {
  const scored = score('tinylm', left(even));
  assert.match(scored.stdout, /^val_bpb: 4\.906891\nfloor_bpb: 0\.\d{6}\nparams: 90\nsteps: 1\nseconds: 0\.100\n$/);
});

test('tinylm draws another text for every seed, and the same one for the same seed', () => {
  const floorOf = (seed: string): number | undefined =>
    numbersOf(score('tinylm', left(even), { ORGREPO_SEED: seed })).floor_bpb;
  assert.equal(floorOf('1'), floorOf('1'));
  assert.notEqual(floorOf('1'), floorOf('2'));
});

test('tinylm refuses a score that only the text itself could give', () => {
  const { dir, out } = makeStage('tinylm', ['harness']);
  writeAll(out, left(even));
  // Nobody can make such a model in a test: the line is moved instead of the score.
  const judge = readFileSync(join(dir, 'harness/score.mjs'), 'utf8');
  writeAll(join(dir, 'harness'), { 'score.mjs': judge.replace('luckBits = 20', 'luckBits = -1e6') });
  const refused = runStage(dir, 'harness/score.mjs', { ORGREPO_OUT: out });
  assert.deepEqual([refused.status, refused.stdout], [1, '']);
  assert.match(refused.stderr, /^val_bpb is 4\.906891, below the floor of 0\.\d{6}: no model can know more/);
});

const huge = 1.7e308;
const refusals: readonly (readonly [what: string, output: Files, message: RegExp])[] = [
  ['no model', { 'seconds.txt': '0.1' }, /model\.json: stage 1 wrote no such file/],
  ['broken JSON', left('{'), /^model\.json: /],
  ['no object', left('null'), /^model\.json: contextLength is undefined, expected a whole number from 1 to 1000/],
  ['more than can be read', left(' '.repeat(4_000_001)), /4000001 bytes, expected at most 4000000/],
  ['too many parameters', left({ ...even, embedding: Array(100_020).fill(0) }), /parameters is 100080, expected/],
  ['no context', left({ ...even, contextLength: 0 }), /contextLength is 0, expected/],
  ['an endless context', left({ ...even, contextLength: 1e9 }), /contextLength is 1000000000, expected/],
  ['half a step', left({ ...even, steps: 0.5 }), /steps is 0\.5, expected/],
  ['no vectors', left({ ...even, embedding: [] }), /the length of embedding for each symbol is 0, expected/],
  ['vectors that do not fit', left({ ...even, embedding: Array(31).fill(0) }), /the length of embedding .* is 1\.03/],
  ['no layers', left({ ...even, layers: [] }), /the number of biases of the last layer is 1, expected 30/],
  ['layers that do not fit', left(withLayer({ weights: [1] })), /the number of weights of layer 0 is 1, expected 30/],
  ['too few symbols', left(withLayer({ weights: [1], biases: [1] })), /biases of the last layer is 1, expected 30/],
  ['a word for a number', left(withLayer({ biases: Array(30).fill('1') })), /biases of layer 0 has "1" at 0, expected/],
  [
    'no number',
    left(JSON.stringify(even).replace('"biases":[0', '"biases":[null')),
    /has null at 0, expected a number/,
  ],
  ['infinity', left(JSON.stringify(even).replace('"biases":[0', '"biases":[1e999')), /at 0, expected a number/],
  [
    'an activation of its own',
    left(withLayer({ activation: 'constructor' })),
    /activation of layer 0 is "constructor"/,
  ],
  [
    'numbers that overflow',
    left({ ...withLayer({ weights: Array(30).fill(huge) }), embedding: Array(30).fill(huge) }),
    /^position 0: NaN for the character that came/,
  ],
  [
    'nothing for what comes',
    left(withLayer({ biases: [...Array(29).fill(0), 1e6] })),
    /^position \d+: 0 for the character that came/,
  ],
];
for (const [what, files, message] of refusals) {
  test(`tinylm refuses a stage 1 that left ${what}, and prints no number`, () => {
    const refused = score('tinylm', files);
    assert.deepEqual([refused.status, refused.stdout], [1, '']);
    assert.match(refused.stderr, message);
  });
}

const sandboxes: readonly (readonly [what: string, train: string, message: RegExp])[] = [
  ['trains past its time', 'while (clock.left() > -0.5); return {}', /^training took more than the 0\.1 s it has/],
  ['never ends', 'for (;;);', /^training took more than the 0\.1 s it has/],
  ['stops the clock', 'performance.now = () => 0; wait(600); return {}', /^training took more than the 0\.1 s/],
  ['leaves', 'process.exit(0)', /^training ended without a model/],
  ['gives nothing', '', /^training ended without a model/],
  ['gives too much', 'return Array(3e6).fill(1)', /^training (gave|took) more than/m],
  ['gives what is no model', 'return { predict: () => 1 }', /^model\.json: contextLength is undefined/],
  ['throws', 'throw new Error("no idea")', /no idea/],
];
for (const [what, train, message] of sandboxes) {
  test(`tinylm refuses a sandbox that ${what}`, () => {
    const refused = measure('tinylm', trainer(train), { ORGREPO_TINYLM_SECONDS: '0.1' });
    assert.deepEqual([refused.status, refused.stdout], [1, '']);
    assert.match(refused.stderr, message);
  });
}

test('tinylm has the time begin before the code that trains is loaded', () => {
  const early = {
    'train.mjs': 'for (const end = Date.now() + 600; Date.now() < end; );\nexport const train = () => ({});',
  };
  const refused = measure('tinylm', early, { ORGREPO_TINYLM_SECONDS: '0.1' });
  assert.match(refused.stderr, /^training took more than the 0\.1 s it has/);
});

test("tinylm's figure for the information in a text agrees with how often that text comes", () => {
  const random = randomFrom(7);
  const drawn = Array.from({ length: 40_000 }, () => drawText(random, 1));
  const counts = new Map<string, Drawn & { count: number }>();
  for (const { text, bits } of drawn) {
    const found = counts.get(text) ?? { text, bits, count: 0 };
    assert.ok(Math.abs(found.bits - bits) < 1e-9, `${text}was derived in two ways`);
    counts.set(text, { ...found, count: found.count + 1 });
  }
  const common = [...counts.values()].filter(({ bits }) => 2 ** -bits * drawn.length > 50);
  assert.ok(common.length > 20);
  for (const { text, bits, count } of common) {
    const expected = 2 ** -bits * drawn.length;
    assert.ok(Math.abs(count - expected) < 5 * Math.sqrt(expected), `${text}came ${count} times, expected ${expected}`);
  }
  const rate = sumOf(drawn, ({ bits }) => bits) / sumOf(drawn, ({ text }) => text.length);
  assert.ok(Math.abs(rate - entropyRate()) < 0.002, `${rate} drawn, ${entropyRate()} by the rules`);
});

test('blank measures at once, gets better with better numbers, and refuses what is no answer', () => {
  const start = measure('blank');
  const better = measure('blank', edited('blank', 'main.mjs', 'const room = 25', 'const room = 20'));
  assert.equal(start.stdout, 'error_degrees: 6.744802\n');
  assert.ok((numbersOf(better).error_degrees ?? Number.NaN) < 6.7);
  const wrong = measure('blank', { 'main.mjs': 'export const temperatureAfter = () => Number.NaN;' });
  assert.deepEqual([wrong.status, wrong.stdout], [1, '']);
  assert.match(wrong.stderr, /expected 12 numbers/);
});

/** Both stages in the directories that orgrepo makes for them: the second one never holds the sandbox. */
function measure(name: string, sandbox: Files = {}, env: Readonly<Record<string, string>> = {}): Ran {
  const { dir, out } = makeStage(name, ['harness', 'sandbox']);
  writeAll(join(dir, 'sandbox'), sandbox);
  const ran = runStage(dir, 'harness/run.mjs', { ...env, ORGREPO_OUT: out });
  if (ran.status !== 0) return ran;
  return runStage(makeStage(name, ['harness']).dir, 'harness/score.mjs', { ORGREPO_OUT: out });
}

/** Stage 2 alone, on an output that no training made. */
function score(name: string, output: Files, env: Readonly<Record<string, string>> = {}): Ran {
  const { dir, out } = makeStage(name, ['harness']);
  writeAll(out, output);
  return runStage(dir, 'harness/score.mjs', { ...env, ORGREPO_OUT: out });
}

function makeStage(name: string, parts: readonly string[]): { readonly dir: string; readonly out: string } {
  const top = mkdtempSync(join(scratch, `${name}-`));
  const [dir, out] = [join(top, 'tree'), join(top, 'out')];
  mkdirSync(out);
  for (const part of parts) cpSync(join(templates, name, part), join(dir, part), { recursive: true });
  return { dir, out };
}

function writeAll(dir: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, name), content);
}

function runStage(dir: string, script: string, env: Readonly<Record<string, string>>) {
  return spawnSync(process.execPath, [script], { cwd: dir, env, encoding: 'utf8' });
}

function numbersOf(ran: Ran): Numbers {
  assert.equal(ran.status, 0, ran.stderr);
  const lines = ran.stdout.trimEnd().split('\n');
  return Object.fromEntries(lines.map((line) => line.split(': ')).map(([name, value]) => [name, Number(value)]));
}

function edited(name: string, file: string, from: string, to: string): Files {
  const text = readFileSync(join(templates, name, 'sandbox', file), 'utf8');
  assert.ok(text.includes(from));
  return { [file]: text.replace(from, to) };
}

const trainer = (body: string): Files => ({
  'train.mjs': `const wait = (ms) => { for (const end = Date.now() + ms; Date.now() < end; ); };
    export function train({ clock }) { ${body} }`,
});

/** What stage 1 would leave. */
function left(model: unknown): Files {
  return { 'model.json': typeof model === 'string' ? model : JSON.stringify(model), 'seconds.txt': '0.1' };
}

function withLayer(changed: Readonly<Record<string, unknown>>) {
  return { ...even, layers: [{ ...even.layers[0], ...changed }] };
}

/** Bits per character by the rules alone, without a draw: what a rule gives on average, from what its parts give. */
function entropyRate(): number {
  let bits: Numbers = {};
  let lengths: Numbers = {};
  for (let depth = 0; depth < 100; depth++) {
    [bits, lengths] = [
      averages(bits, (_, chance) => -Math.log2(chance)),
      averages(lengths, (text) => text.replace(/<.*?>/g, '').length),
    ];
  }
  return (bits.sentence ?? 0) / (lengths.sentence ?? 0);
}

function averages(known: Numbers, own: (text: string, chance: number) => number): Numbers {
  const ofRule = (alternatives: Grammar['rules'][string]): number => {
    const total = sumOf(alternatives, ([weight]) => weight);
    const within = (text: string) => sumOf([...text.matchAll(/<(.*?)>/g)], ([, part = '']) => known[part] ?? 0);
    return sumOf(alternatives, ([weight, text]) => (weight / total) * (own(text, weight / total) + within(text)));
  };
  return Object.fromEntries(Object.entries(rules).map(([name, alternatives]) => [name, ofRule(alternatives)]));
}

const sumOf = <T>(items: readonly T[], value: (item: T) => number): number =>
  items.reduce((sum, item) => sum + value(item), 0);
