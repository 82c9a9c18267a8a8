// Stage 2: compares what stage 1 wrote to $ORGREPO_OUT with the right answers. program.md holds this file and the answers
// out, so nobody who is judged can read them.
import { readFileSync } from 'node:fs';

const read = (file) => readFileSync(new URL(file, import.meta.url), 'utf8');
const { ORGREPO_OUT: out, ORGREPO_CANDIDATE: candidate } = process.env;

/** Every third message is kept back: it decides nothing, and shows whether a gain is one at other messages too. */
const isHeldOut = (at) => at % 3 === 2;

const right = JSON.parse(read('answers.json'));
const given = JSON.parse(readFileSync(`${out}/answers.json`, 'utf8'));
if (!Array.isArray(given) || given.length !== right.length || !given.every((text) => typeof text === 'string')) {
  console.error(`answers.json holds ${JSON.stringify(given).slice(0, 80)}, expected ${right.length} texts`);
  process.exit(1);
}

const marks = given.map((text, at) => shareOf(text, right[at]));
console.log(`accuracy_pct: ${percent(marks.filter((_, at) => !isHeldOut(at)))}`);
console.log(`holdout_accuracy_pct: ${percent(marks.filter((_, at) => isHeldOut(at)))}`);
console.log(`unreadable: ${given.filter((text) => parse(text) === undefined).length}`);
if (candidate)
  console.log(`bytes: ${JSON.parse(readFileSync(candidate, 'utf8')).files.reduce((sum, { bytes }) => sum + bytes, 0)}`);

/** How much of an answer is right, each key on its own; none of it where it is not JSON alone, which a program has to read. */
function shareOf(text, wanted) {
  const read = parse(text);
  const keys = Object.keys(wanted);
  return read === undefined ? 0 : keys.filter((key) => read[key] === wanted[key]).length / keys.length;
}

function parse(text) {
  try {
    const read = JSON.parse(text);
    return typeof read === 'object' && read !== null ? read : undefined;
  } catch {
    return undefined;
  }
}

function percent(shares) {
  return ((100 * shares.reduce((sum, share) => sum + share, 0)) / shares.length).toFixed(2);
}
