// Counts the files of src/ that work between the claim of a spec and the verdict of its first experiment.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { devNull, tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readSources } from './source.mjs';

const self = fileURLToPath(import.meta.url);
const times = 3;

/** The median of several runs. Each has a process of its own, because a second run in the same process finds its caches filled. */
export function measureExperiment(root) {
  // The build speaks on stderr, because stdout may be JSON.
  if (isStale(root))
    execFileSync(process.execPath, ['scripts/test.mjs', '--only-build'], { cwd: root, stdio: ['ignore', 2, 2] });
  const runs = Array.from({ length: times }, () => {
    const ran = spawnSync(process.execPath, [self, root], { encoding: 'utf8', env: plainEnvironment(process.env) });
    if (ran.status !== 0) throw new Error(`the experiment failed in ${root}:\n${ran.stdout}${ran.stderr}`);
    return JSON.parse(ran.stdout);
  }).sort((one, other) => one.files.length - other.files.length);
  const { files } = runs[Math.floor(times / 2)];
  const note = `median of ${runs.map((run) => `${run.files.length} to a ${run.verdict}`).join(', ')}`;
  return { name: 'files at work in one experiment', value: files.length, note, list: files };
}

/** The same on every machine: no jail, no git settings, no colours and no questions. */
function plainEnvironment(env) {
  const git = { GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1' };
  return { ...env, ...git, NODE_OPTIONS: '', NO_COLOR: '1', LANG: 'C.UTF-8', CI: '1', ORGREPO_JAIL: 'none' };
}

/** Whether build/ is older than src/, or holds a file that src/ no longer has. */
function isStale(root) {
  const built = statSync(path.join(root, 'build/.tsbuildinfo'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = readSources(root).map(({ file }) => file);
  const known = new Set(sources.map((file) => file.replace(/ts$/, 'js')));
  return (
    !existsSync(path.join(root, 'dist/orgrepo.js')) ||
    sources.some((file) => statSync(path.join(root, 'src', file)).mtimeMs > built) ||
    readdirSync(path.join(root, 'build/src'), { recursive: true }).some(
      (file) => file.endsWith('.js') && !known.has(file),
    )
  );
}

/** A copy of the repository's own org, with one junior and one slot so that nothing runs side by side. */
function makeOrg(root) {
  const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-house-'));
  for (const name of ['program.md', 'harness', 'sandbox', 'specs', 'branches.md'])
    cpSync(path.join(root, name), path.join(dir, name), { recursive: true });
  const brief = path.join(dir, 'program.md');
  writeFileSync(brief, readFileSync(brief, 'utf8').replace(/^(slots|juniors): .*$/gm, '$1: 1'));
  const git = (...args) => execFileSync('git', args, { cwd: dir, stdio: 'ignore' });
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Person');
  git('config', 'user.email', 'person@example.invalid');
  git('add', '-A');
  git('commit', '--quiet', '-m', 'the org as it starts');
  return dir;
}

/** Loads a function or a constant from build/. Files move, so it is found by its name. */
async function load(root, name) {
  const declares = new RegExp(`^export (?:(?:async )?function|const) ${name}\\b`, 'm');
  const found = readSources(root).find(({ code }) => declares.test(code));
  if (found === undefined) throw new Error(`no file in ${root}/src exports ${name}`);
  const built = path.join(root, 'build/src', found.file.replace(/ts$/, 'js'));
  return (await import(pathToFileURL(built).href))[name];
}

/** Starts to count calls. Each call of the result returns the counts and begins again at zero. */
function startCounting() {
  const session = new Session();
  session.connect();
  const ask = (method, options) => {
    let answer;
    session.post(method, options, (error, result) => {
      if (error) throw new Error(error.message);
      answer = result;
    });
    return answer; // A session in this thread answers before post returns.
  };
  ask('Profiler.enable');
  ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return () => ask('Profiler.takePreciseCoverage').result;
}

/** The source files with a function that was called. A module's top level also runs when the module is only loaded, so it does not count. */
function calledIn(coverage, root) {
  const built = `${pathToFileURL(path.join(root, 'build/src')).href}/`;
  return coverage
    .filter(({ url, functions }) => url.startsWith(built) && functions.some(isCalled))
    .map(({ url }) => url.slice(built.length).replace(/js$/, 'ts'))
    .sort();
}

const isCalled = ({ functionName, ranges: [range] }) =>
  range.count > 0 && (functionName !== '' || range.startOffset > 0);

async function runOnce(root) {
  const count = startCounting();
  const version = (file) => JSON.parse(readFileSync(path.join(root, file), 'utf8')).version;
  globalThis.__VERSION__ = version('package.json');
  globalThis.__PRICES__ = version('node_modules/@pydantic/genai-prices/package.json');
  const dir = makeOrg(root);
  let answer;
  let said = '';
  const hear = (fact) => {
    if (answer !== undefined) return;
    if (fact.fact === 'claim') count();
    if (fact.fact === 'experiment') answer = { verdict: fact.experiment.event, files: calledIn(count(), root) };
  };
  const write = (text) => {
    said += text;
    for (const line of text.trim().split('\n')) hear(JSON.parse(line));
  };
  try {
    const args = ['run', '--json', '--max', '1', '--seed', '1'];
    const openTerminal = await load(root, 'openTerminal');
    const invoke = await load(root, 'invoke');
    const commandNames = await load(root, 'commandNames');
    const program = [process.execPath, path.join(root, 'dist/orgrepo.js')];
    const startedAs = () => 'orgrepo';
    const streams = {
      stdin: Readable.from([]),
      stdout: { write },
      stderr: { write: () => {} },
      dir,
      program,
      startedAs,
    };
    const code = await invoke(args, openTerminal(args, streams, commandNames));
    if (answer === undefined) throw new Error(`exit code ${code} without a verdict:\n${said}`);
    return answer;
  } finally {
    rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

if (process.argv[1] === self) {
  const answer = await runOnce(path.resolve(process.argv[2]));
  process.stdout.write(JSON.stringify(answer), () => process.exit());
}
