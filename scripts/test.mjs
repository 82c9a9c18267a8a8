// Compiles what has changed, and runs tests: the fast ones (npm test), the campaigns too (--all), those alone (--campaigns), or the
// files given. --built takes what was built last, --seed 7 shuffles the files, --report FILE writes what failed as JSON, --verbose and --slowest say more.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cpuSeconds } from './tests/cpu.mjs';
import { runPool } from './tests/pool.mjs';
import { isCampaign, lengthOf } from './tests/tiers.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const begun = performance.now();
/** A night waits for its harness and its agents half of the time, and campaigns wait for programs, deadlines and slow servers besides. */
const workersOf = (isCampaigns) => Math.max(2, availableParallelism() * (isCampaigns ? 3 : 2));
const { values: options, positionals: named } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    campaigns: { type: 'boolean', default: false },
    'only-build': { type: 'boolean', default: false },
    built: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    slowest: { type: 'boolean', default: false },
    seed: { type: 'string' },
    report: { type: 'string' },
  },
});

if (!options.built) build();
if (options['only-build']) process.exit(0);

const tests = [];
const files = [];
const chosen = choose();
await runFiles(
  chosen.filter((file) => !isCampaign(short(file))),
  memoryPlace(),
);
await runFiles(
  chosen.filter((file) => isCampaign(short(file))),
  tmpdir(),
);
rememberTimes();
if (options.report !== undefined) writeReport(options.report);
process.exitCode = summarise();

/** Runs files with their repositories in a directory of their own below this one, which is gone afterwards. */
async function runFiles(some, where) {
  if (some.length === 0) return;
  mkdirSync(where, { recursive: true });
  const place = mkdtempSync(path.join(where, 'orgrepo-tests-'));
  const leave = () => rmSync(place, { recursive: true, force: true, maxRetries: 3 });
  const stop = () => {
    leave();
    process.exit(130);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop);
  await runPool({
    files: some,
    workers: workersOf(isCampaign(short(some[0]))),
    // At idle priority the agents of tests would wait for the end of all other tests.
    env: { ...process.env, TMPDIR: place, ORGREPO_AGENT_PRIORITY: 'normal' },
    silenceMs: 300_000,
    heard: (test) => {
      tests.push(test);
      if (options.verbose) console.log(`${test.ms.toFixed(0).padStart(8)} ms  ${test.name}`);
      if (!test.passed) console.log(`\n✖ ${short(test.file)}: ${test.name}\n${test.error}`);
    },
    fileDone: (file) => {
      files.push(file);
      if (options.verbose)
        console.log(
          `${(file.ms / 1000).toFixed(1).padStart(6)} s, ${file.cpu.toFixed(1)} s of CPU  ${short(file.file)}`,
        );
    },
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, stop);
  leave();
}

/** A test's source, as people know it. */
function short(file) {
  return path.relative(`${root}build`, file).replace(/\.js$/, '.ts');
}

function build() {
  const run = (args) => {
    const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
    if (status !== 0) process.exit(status ?? 1);
  };
  const info = `${root}build/.tsbuildinfo`;
  for (const name of existsSync(info) ? readdirSync(`${root}build`, { recursive: true }) : [])
    if (name.endsWith('.js') && !existsSync(`${root}${name.replace(/\.js$/, '.ts')}`)) rmSync(`${root}build/${name}`);
  if (!existsSync(info)) rmSync(`${root}build`, { recursive: true, force: true });
  run(['node_modules/typescript/bin/tsc', '--incremental', '--tsBuildInfoFile', info]);
  run(['scripts/build.mjs']);
}

/** The files to run, the longest of the last time first: so none of them is alone at the end. */
function choose() {
  const all = readdirSync(`${root}build/test`, { recursive: true })
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => `${root}build/test/${name}`);
  const wanted =
    named.length > 0
      ? named.map((name) => path.resolve(`${root}build`, name.replace(/\.ts$/, '.js')))
      : all.filter((file) => options.all || isCampaign(short(file)) === options.campaigns);
  if (options.seed !== undefined) return shuffle(wanted, Number(options.seed));
  const times = readTimes();
  const took = (file) => times[file] ?? size(file) + lengthOf(short(file)) * 1e9;
  return wanted.sort((one, other) => took(other) - took(one));
}

/** The same order for the same seed. */
function shuffle(some, seed) {
  const place = (file) =>
    createHash('sha256')
      .update(`${seed} ${short(file)}`)
      .digest('hex');
  return some.sort((one, other) => (place(one) < place(other) ? -1 : 1));
}

/** A long file takes long, where nothing better is known. */
function size(file) {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function readTimes() {
  try {
    return JSON.parse(readFileSync(`${root}build/.times.json`, 'utf8'));
  } catch {
    return {};
  }
}

function rememberTimes() {
  const times = { ...readTimes(), ...Object.fromEntries(files.map(({ file, ms }) => [file, ms * 1000])) };
  writeFileSync(`${root}build/.times.json`, JSON.stringify(times));
}

/** Where repositories of tests are: in memory where there is room, because they are made and removed by the thousand. */
function memoryPlace() {
  return process.env.ORGREPO_TEST_DIR ?? (hasRoom('/dev/shm') ? '/dev/shm' : tmpdir());
}

function hasRoom(dir) {
  try {
    accessSync(dir, 2);
    const { bavail, bsize } = statfsSync(dir);
    const noexec = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .some((line) => line.split(' ')[1] === dir && /\bnoexec\b/.test(line.split(' ')[3] ?? ''));
    return !noexec && bavail * bsize > 2_000_000_000;
  } catch {
    return false;
  }
}

function writeReport(file) {
  const failed = tests.filter(({ passed }) => !passed);
  writeFileSync(file, JSON.stringify(failed.map(({ file, name, error }) => ({ file: short(file), name, error }))));
}

function summarise() {
  const failed = tests.filter(({ passed }) => !passed);
  const skipped = tests.filter((test) => test.skipped !== undefined);
  const slowest = [...files].sort((one, other) => other.ms - one.ms).slice(0, options.slowest ? 40 : 5);
  console.log(`\nslowest: ${slowest.map(({ file, ms }) => `${short(file)} ${(ms / 1000).toFixed(1)} s`).join(', ')}`);
  if (failed.length > 0)
    console.log(`failed:\n${failed.map(({ file, name }) => `  ${short(file)}: ${name}`).join('\n')}`);
  for (const { file, name, skipped: why } of skipped) console.log(`skipped: ${short(file)}: ${name} (${why})`);
  const sum = files.reduce((all, { assertions }) => all + assertions, 0);
  console.log(
    [
      `# tests ${tests.length}`,
      `# pass ${tests.length - failed.length - skipped.length}`,
      `# fail ${failed.length}`,
      `# skipped ${skipped.length}`,
      `# files ${files.length}`,
      `# assertions ${sum}`,
      `# wall ${((performance.now() - begun) / 1000).toFixed(0)} s`,
      `# cpu ${cpuSeconds().toFixed(0)} s`,
    ].join('\n'),
  );
  return failed.length > 0 ? 1 : 0;
}
