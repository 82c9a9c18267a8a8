// Hunts for tests that fail now and then: npm run test:flaky -- --rounds 3 --load 8
// Runs the fast tests again and again, in another order each time, while as many processes as --load says do nothing but burn CPU
// time. A hunt that was interrupted goes on with the round that it was at; --fresh begins anew.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    load: { type: 'string', default: '8' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    all: { type: 'boolean', default: false },
    fresh: { type: 'boolean', default: false },
  },
});
const [rounds, load] = [wholeNumber('rounds', 1), wholeNumber('load', 0)];
const place = `${root}build/flaky.json`;
const report = `${root}build/flaky-round.json`;

const hunt = readHunt() ?? { rounds, load, all: values.all, seed: wholeNumber('seed', 0), played: [] };
if (hunt.played.length > 0) console.log(`going on after round ${hunt.played.length} of ${rounds}; --fresh begins anew`);
/** Burns, and ends by itself when nobody is there any more to end it. */
const burning = `for (;;) { const end = Date.now() + 1000; while (Date.now() < end); try { process.kill(${process.pid}, 0); } catch { break; } }`;
const burners = Array.from({ length: load }, () => spawn(process.execPath, ['-e', burning], { stdio: 'ignore' }));
process.on('exit', () => {
  for (const one of burners) one.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));
while (hunt.played.length < rounds) await playRound();
process.exitCode = tell();
process.exit();

async function playRound() {
  const seed = hunt.seed + hunt.played.length;
  console.log(`\nround ${hunt.played.length + 1} of ${rounds}, seed ${seed}, load ${load}`);
  rmSync(report, { force: true });
  const begun = performance.now();
  const args = ['scripts/test.mjs', '--seed', String(seed), '--report', report, ...(hunt.all ? ['--all'] : [])];
  const code = await new Promise((resolve) => {
    spawn(process.execPath, args, { cwd: root, stdio: 'inherit' }).on('close', resolve);
  });
  const failed = readReport();
  if (failed === undefined) throw new Error(`the tests of seed ${seed} ended with ${code} and told nothing`);
  hunt.played.push({ seed, seconds: Math.round((performance.now() - begun) / 1000), failed });
  mkdirSync(`${root}build`, { recursive: true });
  writeFileSync(place, JSON.stringify(hunt));
}

/** Each test that ever failed, with the seeds of its rounds. */
function tell() {
  const seeds = new Map();
  for (const { seed, failed } of hunt.played)
    for (const { file, name } of failed) {
      const key = `${file}: ${name}`;
      seeds.set(key, [...(seeds.get(key) ?? []), seed]);
    }
  console.log(
    `\n${hunt.played.length} rounds, load ${load}: ${hunt.played.map((one) => `${one.seconds} s`).join(', ')}`,
  );
  for (const [test, of] of seeds)
    console.log(
      `  failed in ${of.length} of ${rounds}, seed ${of.join(', ')}: ${test}\n    again: node scripts/test.mjs --seed ${of[0]}`,
    );
  console.log(`# flaky ${seeds.size}`);
  return seeds.size === 0 ? 0 : 1;
}

function readHunt() {
  if (values.fresh) return undefined;
  try {
    const known = JSON.parse(readFileSync(place, 'utf8'));
    const same = known.rounds === rounds && known.load === load && known.all === values.all;
    return same && known.played.length < rounds ? known : undefined;
  } catch {
    return undefined;
  }
}

function readReport() {
  try {
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return undefined;
  }
}

function wholeNumber(name, least) {
  const number = Number(values[name]);
  if (Number.isInteger(number) && number >= least) return number;
  console.error(`--${name} is ${values[name]}, expected a whole number from ${least}`);
  process.exit(64);
}
