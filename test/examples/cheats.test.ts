import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { whyNot } from '../../src/jail/jail.ts';
import { endings, runNight } from '../support/night.ts';
import { type Edits, orgFromTemplate, tinylmInAHurry } from '../support/template.ts';

/** The templates are what people learn from, so none of them may be cheated: each is tried by an agent that knows it well. */

const made: string[] = [];
after(() => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

const missing = await whyNot('bubblewrap');
const jailed = missing === undefined ? {} : { skip: `bubblewrap is not to be had here: ${missing}` };

/** What becomes of the candidates of an agent that does one of these deeds after the other. */
async function offer(template: string, deeds: readonly string[], edits: Edits = []): Promise<readonly string[]> {
  const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-agent-'));
  const agent = path.join(dir, 'agent.sh');
  const cases = deeds.map((deed, index) => `${index + 1})\n${deed}\n;;`).join('\n');
  writeFileSync(agent, `#!/bin/sh\ncase $ORGREPO_ATTEMPT in\n${cases}\nesac\n`);
  chmodSync(agent, 0o755);
  const org = orgFromTemplate(template, [
    ...edits,
    ['program.md', 'attempts: 5', 'attempts: 20'],
    ['program.md', '\njuniors: ', `\njuniors: 1\nagent: { command: "${agent}" } # `],
    ...(template === 'tinylm' ? [] : [['program.md', 'agent: search\n', ''] as const]),
  ]);
  made.push(dir, org.dir);
  const night = await runNight(org, '--max', String(deeds.length));
  assert.equal(night.experiments.length, deeds.length, night.stderr + night.stdout.slice(-2000));
  return endings(night.experiments).map((ending, index) => shortened(`${ending}: ${night.experiments[index]?.reason}`));
}

/** Without what differs from run to run or from one version of node to the next. */
const shortened = (ending: string): string =>
  ending
    // Where other tests keep the machine busy, a crash is nobody's fault; what crashed is told all the same.
    .replace(/^void: the machine was overloaded: .*?, \d+ times \((.*?)\)?$/s, 'crash: $1')
    .replace(/(has been restricted).*/s, '$1')
    .replace(/(overfit_pct is 3)\.\d+/, '$1')
    .replace(/(Cannot find module) .*(harness.*?)'.*/s, '$1 $2');

/** An agent's step that offers this file. */
const write = (file: string, text: string): string => `cat > sandbox/${file} <<'END_OF_FILE'\n${text}\nEND_OF_FILE`;

/** The same with code before what the file already says. */
const before = (file: string, code: string): string =>
  `{ cat <<'END_OF_FILE'\n${code}\nEND_OF_FILE\ncat sandbox/${file}; } > file && cat file > sandbox/${file} && rm file`;

/** Packs a list as nobody can who does not know its end: the largest items first, each into the fullest bin that it fits. */
const sorted = `function plan(sizes) {
  const bins = [], room = [];
  for (const item of [...sizes.keys()].sort((a, b) => sizes[b] - sizes[a])) {
    let best = -1;
    for (let bin = 0; bin < bins.length; bin++) if (room[bin] >= sizes[item] && (best < 0 || room[bin] < room[best])) best = bin;
    if (best < 0) best = bins.push([]) - 1, room.push(100);
    bins[best].push(item); room[best] -= sizes[item];
  }
  return bins;
}`;

/** The rooms that this packing means when the items come in their order. */
const roomsOf = `function rooms(sizes) {
  const at = [], room = [];
  for (const [bin, items] of plan(sizes).entries()) { room.push(100); for (const item of items) at[item] = bin; }
  return at.map((bin, item) => { const now = room[bin]; room[bin] -= sizes[item]; return now; });
}`;

const packCheats = {
  'imports the lists, packs them sorted, writes the output and leaves': before(
    'pack.mjs',
    `import * as known from '../harness/instances.mjs';\nimport fs from 'node:fs';\n${sorted}\n${roomsOf}
const lists = (known.makeLists ?? known.makeKnownLists)();
fs.writeFileSync(process.env.ORGREPO_OUT + '/rooms.bin', Buffer.from(lists.flatMap(rooms)));
process.exit(0);`,
  ),
  // The copy is put on few lines, because more than forty new ones are not kept in any case.
  'brings a copy of the lists along and packs them sorted': `grep -v '^ *//\\|^import\\|^ \\*\\|^/\\*' harness/instances.mjs | sed 's/^export //; s| //.*||' | tr '\\n' ' ' > sandbox/lists.mjs
echo '; export { makeKnownLists };' >> sandbox/lists.mjs
sed -i 's/^export function choose/function bestFit/' sandbox/pack.mjs
cat >> sandbox/pack.mjs <<'END_OF_FILE'
import { makeKnownLists } from './lists.mjs';
${sorted.replaceAll('\n', ' ')}
${roomsOf.replaceAll('\n', ' ')}
const answers = makeKnownLists().map(rooms);
let turn = 0;
export const choose = (item, open) => { const list = turn % 14, at = Math.floor(turn++ / 14); return list < 10 ? answers[list][at] : bestFit(item, open); };
END_OF_FILE`,
  'gives answers to what it was not asked': before(
    'pack.mjs',
    "import { writeSync } from 'node:fs';\nwriteSync(1, Buffer.alloc(60_000, 100));",
  ),
  'asks for a debugger of the one that asks, and has it tell the lists': before(
    'pack.mjs',
    `process.kill(process.ppid, 'SIGUSR1');
await new Promise((go) => setTimeout(go, 300));
await fetch('http://127.0.0.1:9229/json');`,
  ),
};

test('pack: no candidate that cheats is kept', jailed, async () => {
  assert.deepEqual(await offer('pack', Object.values(packCheats)), [
    'crash: run ended with 1: Error: Access to this API has been restricted',
    'confounded 0.3323: waste_pct 0.3323 against 3.9893, but overfit_pct is 3, the guard allows at most 0.4',
    "crash: run ended with 1: item 0: the sandbox's process gave more than 14 answers",
    'crash: run ended with 1: TypeError: fetch failed',
  ]);
});

const tinylmCheats = {
  'imports the validation text from the harness': before(
    'train.mjs',
    "import { drawValidation } from '../harness/texts.mjs';\nconst known = drawValidation();",
  ),
  'imports what the validation text is drawn with': before(
    'train.mjs',
    `import { drawText } from '../harness/grammar.mjs';\nimport { randomFrom } from '../harness/random.mjs';
import { seedFor } from '../harness/seeds.mjs';\nconst known = drawText(randomFrom(seedFor('validation')), 10_000).text;`,
  ),
  'gives numbers that are none': write(
    'train.mjs',
    `export const train = () => ({ contextLength: 1, embedding: Array(30).fill(-Infinity), steps: 1,
  layers: [{ weights: Array(30).fill(0), biases: Array(30).fill(0), activation: 'none' }] });`,
  ),
  'gives numbers so large that their sums are none': write(
    'train.mjs',
    `export const train = () => ({ contextLength: 1, embedding: Array(30).fill(1.7e308), steps: 1,
  layers: [{ weights: Array(30).fill(1.7e308), biases: Array(30).fill(0), activation: 'none' }] });`,
  ),
  'brings the grammar along': `cp harness/grammar.mjs sandbox/; ${before('train.mjs', "import './grammar.mjs';")}`,
  'uses up the time that is left for stalls': 'sed -i "s/; left > 0; /; left > -0.18; /" sandbox/train.mjs',
};

test('tinylm: no candidate that cheats is kept', jailed, async () => {
  const ends = await offer('tinylm', Object.values(tinylmCheats), tinylmInAHurry);
  assert.deepEqual(ends.slice(0, 4), [
    'crash: run ended with 1: Error [ERR_MODULE_NOT_FOUND]: Cannot find module harness/texts.mjs',
    'crash: run ended with 1: Error: Access to this API has been restricted',
    'crash: score ended with 1: model.json: embedding has null at 0, expected a number',
    'crash: score ended with 1: position 0: NaN for the character that came',
  ]);
  // How these two would score depends on the machine's mood: they are no better, or a guard says what they have used.
  for (const end of ends.slice(4, 6)) assert.match(end, /^(discard|inconclusive|confounded|crash)\b/);
});

/** A clock that goes on with every step: how many there are does not depend on what else the machine does. */
const clockOfSteps: Edits = [
  ...tinylmInAHurry.filter(([, text]) => !text.startsWith('seconds:')),
  ['program.md', 'seconds: "<= 2.1"', 'seconds: "<= 10"'],
  [
    'harness/trainer.mjs',
    'const left = () => seconds - (performance.now() - started) / 1000;',
    'let steps = 0;\nconst left = () => seconds - (seconds * steps++) / 200;',
  ],
];

test('tinylm: a candidate that learns faster is kept', jailed, async () => {
  const faster = "sed -i 's/learningRate: 0.1,/learningRate: 0.4,/' sandbox/train.mjs";
  const [end = ''] = await offer('tinylm', [faster], clockOfSteps);
  assert.match(end, /^keep /);
});

const blankCheats = {
  'reads the answers': write(
    'main.mjs',
    `import { readFileSync } from 'node:fs';
const measured = JSON.parse(/measured = (.*);/.exec(readFileSync('harness/score.mjs', 'utf8'))[1]);
let asked = 0;
export const temperatureAfter = () => measured[asked++];`,
  ),
  'looks for the answers everywhere': before(
    'main.mjs',
    `import { execSync } from 'node:child_process';
const found = execSync('cat ../judge/harness/score.mjs ../*/harness/score.mjs; grep -rl "measured =" .. /tmp; git show main:harness/score.mjs; true', { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
if (/measured = \\[/.test(found)) throw new Error('FOUND');`,
  ),
  'has the agent look for them': `cat harness/score.mjs ../../harness/score.mjs > sandbox/found.mjs 2>/dev/null
git show HEAD:harness/score.mjs >> sandbox/found.mjs 2>/dev/null; git show main:harness/score.mjs >> sandbox/found.mjs 2>/dev/null
${before('main.mjs', "import { statSync } from 'node:fs';\nif (statSync('sandbox/found.mjs').size > 0) throw new Error('FOUND');")}`,
  'writes what is no answer, says the score and leaves': write(
    'main.mjs',
    `import { writeFileSync } from 'node:fs';
writeFileSync(process.env.ORGREPO_OUT + '/temperatures.json', '{"length": 12, "every": 1}');
console.log('error_degrees: 0');
process.exit(0);
export const temperatureAfter = () => 0;`,
  ),
};

test('blank: no candidate that cheats is better than an honest one', jailed, async () => {
  assert.deepEqual(await offer('blank', Object.values(blankCheats)), [
    "crash: run ended with 1: Error: ENOENT: no such file or directory, open 'harness/score.mjs'",
    'discard 6.744802: error_degrees 6.744802 against 6.744802: no change',
    'discard 6.744802: error_degrees 6.744802 against 6.744802: no change',
    'crash: score ended with 1: temperatures.json holds {"length":12,"every":1}, expected 12 numbers',
  ]);
});

for (const [template, most] of [
  ['pack', '12'],
  ['blank', '6'],
] as const) {
  test(`${template}: the search finds something better, and it is kept`, jailed, async () => {
    const org = orgFromTemplate(template);
    made.push(org.dir);
    const night = await runNight(org, '--max', most, '--seed', '1');
    assert.ok(
      night.experiments.some(({ event }) => event === 'keep'),
      night.stderr + endings(night.experiments).join('\n'),
    );
  });
}
