import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const bundle = path.join(root, 'dist/orgrepo.js');

/** In memory where there is such a place, so that a figure is the tool's and not the disk's; TMPDIR chooses another. */
export const benchDir = process.env.TMPDIR ?? (existsSync('/dev/shm') ? '/dev/shm' : tmpdir());

/** A repository for measuring: an org with a harness that only echoes, among as many files as are wanted. */
export interface BenchRepository {
  readonly dir: string;
  git(...args: string[]): string;
  /** Runs orgrepo and gives the seconds it took; a failure is an error. */
  orgrepo(...args: string[]): { readonly seconds: number; readonly stdout: string };
  remove(): void;
}

export interface Wanted {
  readonly files: number;
  readonly brief?: Readonly<Record<string, string>>;
  readonly harness?: { readonly run: string; readonly score: string };
  readonly place?: string;
  /** Files besides those, by name. */
  readonly more?: Readonly<Record<string, string>>;
  readonly jail?: 'none' | 'require';
  /** The build that is measured, where it is not this one. */
  readonly bundle?: string;
}

const echo = { run: 'echo ran > "$ORGREPO_OUT/ran"\n', score: 'echo score: 1\n' };

export function makeRepository(wanted: Wanted): BenchRepository {
  const { files, brief = {}, harness = echo, place = benchDir, more = {}, jail = 'none' } = wanted;
  const build = wanted.bundle ?? bundle;
  const dir = mkdtempSync(path.join(place, 'orgrepo-bench-'));
  // What the jail costs is a figure of its own.
  const env = {
    ORGREPO_JAIL: jail,
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    CI: '1',
  };
  const run = (file: string, args: readonly string[]): { seconds: number; stdout: string } => {
    const started = performance.now();
    const ran = spawnSync(file, args, { cwd: dir, env, encoding: 'utf8', maxBuffer: 1 << 30 });
    if (ran.status !== 0)
      throw new Error(`${file} ${args.join(' ')} ended with ${ran.status}: ${ran.stderr}${ran.stdout.slice(-500)}`);
    return { seconds: (performance.now() - started) / 1000, stdout: ran.stdout };
  };
  const git = (...args: string[]): string => run('git', args).stdout;
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
    writeFileSync(path.join(dir, file), text);
  };
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Bench');
  git('config', 'user.email', 'bench@example.invalid');
  git('config', 'gc.auto', '0'); // A commit of the shell loop would start one in the background, and both would pay.
  write('program.md', briefText(brief));
  write('harness/run.sh', harness.run);
  write('harness/score.sh', harness.score);
  write('sandbox/numbers.txt', Array.from({ length: 12 }, (_, index) => `number ${index * 7.5}\n`).join(''));
  for (const [file, text] of Object.entries(more)) write(file, text);
  for (let index = 0; index < files - 4; index++)
    write(`src/part-${Math.floor(index / 100)}/file-${index}.txt`, `file ${index}\n`.repeat(20));
  git('add', '-A');
  git('commit', '--quiet', '-m', 'the org as it starts');
  return {
    dir,
    git,
    orgrepo: (...args) => run(process.execPath, [build, ...args]),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

function briefText(keys: Readonly<Record<string, string>>): string {
  const all = {
    metric: 'score',
    direction: 'minimize',
    sandbox: '[sandbox/**]',
    harness: 'harness',
    run: 'sh harness/run.sh',
    score: 'sh harness/score.sh',
    budget: '{ experiment: 10s, agent: 10s, night: 10h, attempts: 5, patience: 1000000 }',
    slots: '1',
    juniors: '1',
    agent: 'search',
    ...keys,
  };
  return `---\n${Object.entries(all)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('')}---\nNothing but overhead.\n`;
}
