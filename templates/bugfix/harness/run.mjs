// Stage 1: plays the histories to the sandbox's code and writes what it answered to $ORGREPO_OUT. Then it runs the tests that
// the sandbox has of its own, on the code as it is and on the code as it was: tests that come with a fix should have
// found the bug. Nothing is judged here, and the right answers are not here.
import { cpSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runHeld } from './held.mjs';
import { drawHistories } from './histories.mjs';

const { ORGREPO_OUT: out, ORGREPO_SEED: seed = '0' } = process.env;
const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));
const sandbox = pathOf('../sandbox');
const tests = 'board.test.mjs';

const played = runHeld(pathOf('player.mjs'), [join(sandbox, '*')], JSON.stringify(drawHistories(seed)));
if (played.ended !== 0) {
  console.error(`the sandbox's code ended with ${played.ended}\n${played.err.slice(-2000)}`);
  process.exit(1);
}
writeFileSync(join(out, 'answers.json'), played.told);

const now = runTests(sandbox);
const before = runTests(asItWas());
writeFileSync(join(out, 'own-tests.json'), JSON.stringify({ now: countsIn(now), before: countsIn(before) }));
console.log(`${tests}, on the code as it is:\n${now.out}${now.err}`);
console.log(`the same tests on the code as it was: ${JSON.stringify(countsIn(before))}`);

function runTests(dir) {
  if (!existsSync(join(dir, tests))) return { ended: 1, out: '', err: `there is no ${tests}\n` };
  return runHeld(join(dir, tests), [join(dir, '*')]);
}

/** The code before anybody fixed it, with the tests of now. */
function asItWas() {
  const dir = mkdtempSync(join(tmpdir(), 'before-'));
  cpSync(pathOf('before'), dir, { recursive: true });
  if (existsSync(join(sandbox, tests))) cpSync(join(sandbox, tests), join(dir, tests));
  return dir;
}

function countsIn({ out: said, ended }) {
  const count = (word) => Number(new RegExp(`^(?:#|ℹ) ${word} (\\d+)$`, 'm').exec(said)?.[1] ?? 0);
  return { pass: count('pass'), fail: count('fail'), ended };
}
