// Stage 2: judges what stage 1 wrote to $ORGREPO_OUT. It runs in a directory without the sandbox's code, so what it
// prints is nobody's word but the harness's own; and program.md holds this file out, so nobody who is judged can read it.
//
// For your own project: check the output first, as if somebody had written it to fool you (an answer that is wrong or missing
// must exit 1, it must not score), then print your metric as `name: number` on a line of its own, exactly once. Print other
// numbers in the same form when a guard in program.md names them or when you want to see them in the log.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { minutes } from './minutes.mjs';

/** What the thermometer showed, in degrees: the answers, which stand here because only this stage sees this file. */
const measured = [84.3, 78.6, 71.5, 65.3, 58.2, 51.9, 47.1, 41.6, 37.3, 31.2, 27.1, 24.2];

const answers = JSON.parse(readFileSync(join(process.env.ORGREPO_OUT, 'temperatures.json'), 'utf8'));
if (!Array.isArray(answers) || answers.length !== minutes.length || !answers.every(Number.isFinite)) {
  console.error(`temperatures.json holds ${JSON.stringify(answers).slice(0, 80)}, expected ${minutes.length} numbers`);
  process.exit(1);
}

const squares = answers.map((answer, index) => (answer - measured[index]) ** 2);
const error = Math.sqrt(squares.reduce((sum, square) => sum + square) / squares.length);
console.log(`error_degrees: ${error.toFixed(6)}`);
