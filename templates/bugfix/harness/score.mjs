// Stage 2: the hidden tests. Each kind of history is one: it passes when every draw of it was answered rightly. Two more are
// about the tests that the sandbox has of its own.
import { readFileSync } from 'node:fs';
import { drawHistories } from './histories.mjs';
import { rightAnswer } from './holdout/right.mjs';

const { ORGREPO_OUT: out, ORGREPO_SEED: seed = '0', ORGREPO_CANDIDATE: candidate } = process.env;
const read = (file) => JSON.parse(readFileSync(`${out}/${file}`, 'utf8'));

const histories = drawHistories(seed);
const answers = read('answers.json');
if (!Array.isArray(answers) || answers.length !== histories.length) {
  console.error(`answers.json holds ${JSON.stringify(answers).slice(0, 80)}, expected ${histories.length} answers`);
  process.exit(1);
}

const kinds = [...new Set(histories.map(({ kind }) => kind))];
const { now, before } = read('own-tests.json');
const passed = [
  ...kinds.map((kind) => histories.every((history, at) => history.kind !== kind || isRight(history, answers[at]))),
  now.ended === 0 && now.pass > 0 && now.fail === 0,
  before.fail > 0,
];

console.log(`tests_passed: ${passed.filter(Boolean).length}`);
console.log(`tests: ${passed.length}`);
console.log(`own_tests: ${now.pass}`);
if (candidate)
  console.log(`lines: ${JSON.parse(readFileSync(candidate, 'utf8')).files.reduce((sum, { lines }) => sum + lines, 0)}`);

function isRight(history, answer) {
  return JSON.stringify(answer) === JSON.stringify(rightAnswer(history));
}
