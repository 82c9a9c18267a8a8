import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JailChoice } from '../../src/jail/jail.ts';
import { writeFirstCommit } from './first-commit.ts';
import { callOrgrepo, type Running, ranIn } from './in-process.ts';
import { without } from './tools.ts';

/** The project's root, seen from build/test/support. */
export const root = fileURLToPath(new URL('../../..', import.meta.url));
/** What users run: the bundle. */
export const bundle = path.join(root, 'dist/orgrepo.js');

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A real org in a directory of its own, with a harness of two shell scripts that takes a few milliseconds. */
export interface TestOrg {
  readonly dir: string;
  /** The environment of its calls. */
  readonly env: Readonly<Record<string, string | undefined>>;
  git(...args: string[]): string;
  /** Calls orgrepo in this process, which is how most tests do it. */
  orgrepo(...args: string[]): Promise<Ran>;
  /** The same by a person who types something else to start it, such as `orgrepo`. */
  typedAs(typed: string, ...args: string[]): Promise<Ran>;
  /** The same without waiting for its end. */
  begin(...args: string[]): Running;
  /** Runs the bundle, as a person does: where the process is the point. */
  spawned(...args: string[]): Ran;
  /** Starts the bundle in a process group of its own, so that a test can kill all of it. */
  start(...args: string[]): ChildProcess;
  write(file: string, text: string | Buffer): void;
  commit(message: string): void;
  remove(): void;
}

/**
 * The sum of squared distances to 3: every number wants to be 3, and an agent can find that out. The shell does it alone where
 * it can: no test waits for the start of cat and awk.
 */
export const quadratic: Readonly<Record<string, string>> = {
  'program.md': briefText({}),
  'sandbox/numbers.txt': 'first 9\nsecond 7\nthird -4\nfourth 8\n',
  'harness/run.sh': `while IFS= read -r line || [ -n "$line" ]; do printf '%s\\n' "$line"; done < sandbox/numbers.txt > "$ORGREPO_OUT/numbers"\n`,
  'harness/score.sh': `exec < "$ORGREPO_OUT/numbers"
loss=0
while read -r name number || [ -n "$name" ]; do
  case $number in
    [1-9] | [1-9][0-9] | -[1-9] | -[1-9][0-9] | 0) loss=$((loss + (number - 3) * (number - 3))) ;;
    *) exec awk '{ loss += ($2 - 3) ^ 2 } END { print "loss: " loss }' "$ORGREPO_OUT/numbers" ;;
  esac
done
echo "loss: $loss"
`,
  'specs/0001-first.md':
    '---\nid: "0001"\ntitle: bring every number to where it should be\nby: people\n---\nAny number may change.\n',
};

/** A brief for that harness; a key set to an empty string is left out. */
export function briefText(keys: Readonly<Record<string, string>>): string {
  const all = {
    metric: 'loss',
    direction: 'minimize',
    sandbox: '[sandbox/**]',
    harness: 'harness',
    run: 'sh harness/run.sh',
    score: 'sh harness/score.sh',
    budget: '{ experiment: 10s, agent: 10s, night: 1h, attempts: 5, patience: 1000 }',
    slots: '1',
    juniors: '1',
    agent: 'search',
    ...keys,
  };
  const lines = Object.entries(all).flatMap(([key, value]) => (value === '' ? [] : [`${key}: ${value}`]));
  return `---\n${lines.join('\n')}\n---\nMake the loss small.\n`;
}

/** Starts a program without the right to go past modes of files that root has: what others meet, tests must meet as root too. */
export const ordinarily: readonly string[] =
  process.getuid?.() === 0 && without('setpriv') === false
    ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--']
    : [];

/** Unless a test is about the jail it does without: agents and harnesses of tests leave marks where they can be seen. */
export function makeOrg(
  files: Readonly<Record<string, string>> = quadratic,
  jail: JailChoice = 'none',
  place = tmpdir(),
  starter: readonly string[] = [],
): TestOrg {
  const dir = mkdtempSync(path.join(place, 'orgrepo-test-'));
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    NO_COLOR: '1',
    ORGREPO_JAIL: jail,
    LANG: 'C.UTF-8',
    CI: '1',
  };
  const git = (...args: string[]): string => {
    const ran = spawnSync('git', args, { cwd: dir, env, encoding: 'utf8', maxBuffer: 1 << 30 });
    if (ran.status !== 0) throw new Error(`git ${args.join(' ')}: ${ran.stderr}`);
    return ran.stdout;
  };
  const [first = '', ...rest] = [...starter, process.execPath];
  const started: ChildProcess[] = [];
  const org: TestOrg = {
    dir,
    env,
    git,
    orgrepo: async (...args) => {
      if (starter.length > 0) return org.spawned(...args);
      return ranIn({ dir, env }, ...args);
    },
    typedAs: (typed, ...args) => ranIn({ dir, env, typed }, ...args),
    begin: (...args) => callOrgrepo({ dir, env }, args),
    spawned: (...args) => {
      const ran = spawnSync(first, [...rest, bundle, ...args], {
        cwd: dir,
        env,
        encoding: 'utf8',
        maxBuffer: 1 << 30,
      });
      return { code: ran.status, stdout: ran.stdout, stderr: ran.stderr };
    },
    start: (...args) => {
      const place = { cwd: dir, env, detached: true };
      const child = spawn(first, [...rest, bundle, ...args], { ...place, stdio: ['ignore', 'pipe', 'pipe'] });
      started.push(child);
      return child;
    },
    write: (file, text) => {
      mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
      writeFileSync(path.join(dir, file), text);
    },
    commit: (message) => {
      git('add', '-A');
      git('commit', '--quiet', '-m', message);
    },
    remove: () => {
      for (const child of started) endGroup(child); // A test that failed may have left a night running.
      removeAll(dir);
    },
  };
  writeFirstCommit(dir, files, 'the org as it starts');
  return org;
}

/** Like rmSync, but what a run writes there meanwhile is removed as well. */
export function removeAll(dir: string): void {
  const end = performance.now() + 10_000;
  for (;;) {
    try {
      rmSync(dir, { recursive: true, force: true });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY' || performance.now() > end) throw error;
    }
  }
}

/** Ends what was started with all that it has started in its group. */
function endGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}
