import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { contradictions, parseBranchesTable } from '../src/text/branches-table.ts';
import { parseBrief } from '../src/text/brief.ts';
import { parseSpec } from '../src/text/spec.ts';

type Drawn = { readonly text: string; readonly bits: number };
interface Grammar {
  readonly rules: Readonly<Record<string, readonly (readonly [weight: number, text: string])[]>>;
  readonly drawText: (random: () => number, length: number) => Drawn;
  readonly vocabulary: string;
}
type Numbers = Readonly<Record<string, number>>;
type Files = Readonly<Record<string, string | Uint8Array>>;
type Ran = ReturnType<typeof runStage>;

const templates = fileURLToPath(new URL('../../templates', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'orgrepo-templates-'));
after(() => rmSync(scratch, { recursive: true }));

const load = (file: string) => import(pathToFileURL(join(templates, 'tinylm/harness', file)).href);
const { rules, drawText, vocabulary } = (await load('grammar.mjs')) as Grammar;
const { randomFrom } = (await load('random.mjs')) as { readonly randomFrom: (seed: number) => () => number };
const validation = ((await load('texts.mjs')) as { readonly drawValidation: () => Drawn }).drawValidation();

for (const name of ['tinylm', 'blank']) {
  test(`the template ${name} has a brief, a first spec and a table of branches that orgrepo takes`, () => {
    const read = (path: string): string => readFileSync(join(templates, name, path), 'utf8');
    const brief = parseBrief(read('program.md'), 'program.md');
    assert.deepEqual([brief.run, brief.score], ['node harness/run.mjs', 'node harness/score.mjs']);
    const specs = readdirSync(join(templates, name, 'specs')).map((file) => parseSpec(read(`specs/${file}`), file));
    const rows = parseBranchesTable(read('branches.md'));
    assert.deepEqual([specs.map(({ id }) => id), rows.length, contradictions(rows)], [['0001'], 7, []]);
  });
}

test('tinylm starts between the floor and guessing evenly, and both time and a better learning rate help', () => {
  const train = (seconds: string, sandbox: Files = {}): Numbers =>
    numbersOf(measure('tinylm', sandbox, { ORGREPO_TINYLM_SECONDS: seconds }));
  const start = train('1.2');
  const hurried = train('0.2');
  const bolder = train('1.2', edited('tinylm', 'train.mjs', 'learningRate: 0.1,', 'learningRate: 0.4,'));
  assert.deepEqual(Object.keys(start), ['val_bpb', 'floor_bpb', 'params', 'steps']);
  assert.deepEqual([start.floor_bpb, start.params], [0.399727, 6982]);
  const ranks = { floor: 0.399727, bolder: bolder.val_bpb, start: start.val_bpb, hurried: hurried.val_bpb, even: 4.9 };
  const order = Object.entries(ranks).sort(([, a = Number.NaN], [, b = Number.NaN]) => a - b);
  assert.deepEqual(order, Object.entries(ranks));
});

test('tinylm takes a score at the floor, and a little luck, but none that only the text itself could give', () => {
  const gaining = (bits: number): Ran =>
    score('tinylm', claim(2 ** ((bits - validation.bits) / validation.text.length)));
  assert.match(gaining(0).stdout, /^val_bpb: 0\.399727\n/);
  assert.match(gaining(19).stdout, /^val_bpb: 0\.395057\n/);
  for (const bits of [21, validation.bits]) {
    const refused = gaining(bits);
    assert.deepEqual([refused.status, refused.stdout], [1, '']);
    assert.match(refused.stderr, /^val_bpb is -?0\.\d{6}, below the floor of 0\.399727: no model can know more/);
  }
});

const even = 1 / vocabulary.length;
const refusals: readonly (readonly [what: string, output: Files, message: RegExp])[] = [
  ['no predictions', {}, /^stage 1 wrote no predictions\.f32/],
  ['no account of the model', { 'predictions.f32': bytesOf(predictions(even)) }, /^stage 1 wrote no model\.json/],
  ['too few predictions', { 'predictions.f32': new Uint8Array(488_276) }, /has 488276 bytes, expected 488280/],
  ['too many predictions', { 'predictions.f32': new Uint8Array(488_284) }, /has 488284 bytes, expected at most 488280/],
  ['NaN', claim(even, { at: 60, value: Number.NaN }), /^position 2: NaN is not a probability/],
  ['infinity', claim(even, { at: 60, value: Number.POSITIVE_INFINITY }), /^position 2: Infinity is not a probability/],
  ['a negative probability', claim(even, { at: 60, value: -0.01 }), /^position 2: -0\.0\d+ is not a probability/],
  ['more than one in all', claim(even, { at: 60, value: 0.04 }), /^position 2: probabilities sum to 1\.00\d+, exp/],
  ['nothing for what came', claim(0), /^position 0: probability 0 for the character that came/],
  ['broken JSON', { ...claim(even), 'model.json': '{' }, /^model\.json: /],
  ['no object', { ...claim(even), 'model.json': 'null' }, /^model\.json: params is undefined, expected a whole number/],
  ['less than no parameters', { ...claim(even), 'model.json': '{"params":-1,"steps":1}' }, /: params is -1, expected/],
  ['half a step', { ...claim(even), 'model.json': '{"params":1,"steps":0.5}' }, /: steps is 0\.5, expected/],
];
for (const [what, files, message] of refusals) {
  test(`tinylm refuses a stage 1 that left ${what}, and prints no number`, () => {
    const refused = score('tinylm', files);
    assert.deepEqual([refused.status, refused.stdout], [1, '']);
    assert.match(refused.stderr, message);
  });
}

test('tinylm scales predictions whose sum is off by a rounding error', () => {
  const off = predictions(even).map((chance) => chance * 1.0005);
  const scored = score('tinylm', { ...claim(even), 'predictions.f32': bytesOf(off) });
  assert.equal(scored.stdout, 'val_bpb: 4.906891\nfloor_bpb: 0.399727\nparams: 1\nsteps: 1\n');
});

const evenly = 'parameters: [], steps: 1, predict: () => Array(30).fill(1 / 30)';
const sandboxes: readonly (readonly [what: string, train: string, message: RegExp])[] = [
  [
    'trains past its time',
    `while (clock.left() > -0.5); return { ${evenly} }`,
    /^training took [\d.]+ s, it has 0\.1 s/,
  ],
  ['stops the clock', `performance.now = () => 0; wait(600); return { ${evenly} }`, /^training took [\d.]+ s, it has/],
  [
    'trains on',
    `return { ${evenly}, predict: () => { wait(1100); return Array(30) } }`,
    /^predicting took more than 1 s/,
  ],
  ['predicts too few symbols', `return { ${evenly}, predict: () => [1] }`, /^predict\(\) gave 1 values at position 0/],
  ['throws', 'throw new Error("no idea")', /no idea/],
];
for (const [what, train, message] of sandboxes) {
  test(`tinylm refuses a sandbox that ${what}`, () => {
    const refused = measure('tinylm', trainer(train), { ORGREPO_TINYLM_SECONDS: '0.1' });
    assert.deepEqual([refused.status, refused.stdout], [1, '']);
    assert.match(refused.stderr, message);
  });
}

test('tinylm shows a model nothing but the characters before, also not in the memory behind them', () => {
  const peek = `return { ${evenly}, predict: (seen) => {
    const chances = Array(30).fill(0.001);
    chances[new Uint8Array(seen.buffer)[seen.length]] = 0.971;
    return chances;
  } }`;
  const { val_bpb } = numbersOf(measure('tinylm', trainer(peek), { ORGREPO_TINYLM_SECONDS: '0.1' }));
  assert.ok((val_bpb ?? 0) > 5, `val_bpb is ${val_bpb}`);
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

/** Stage 2 alone, on an output that no model made. */
function score(name: string, output: Files): Ran {
  const { dir, out } = makeStage(name, ['harness']);
  writeAll(out, output);
  return runStage(dir, 'harness/score.mjs', { ORGREPO_OUT: out });
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

/** What stage 1 would write for a model that gives every character that comes this chance, and the others the rest. */
function claim(chance: number, spoilt?: { readonly at: number; readonly value: number }): Files {
  const values = predictions(chance);
  if (spoilt !== undefined) values[spoilt.at] = spoilt.value;
  return { 'predictions.f32': bytesOf(values), 'model.json': '{"params":1,"steps":1}' };
}

function predictions(chance: number): Float32Array {
  const rest = (1 - chance) / (vocabulary.length - 1);
  const chancesOf = (came: string) => [...vocabulary].map((character) => (character === came ? chance : rest));
  return Float32Array.from([...validation.text].flatMap(chancesOf));
}

function bytesOf(floats: Float32Array): Uint8Array {
  return new Uint8Array(floats.buffer);
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
