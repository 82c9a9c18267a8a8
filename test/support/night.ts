import type { ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { anOrg } from './builders.ts';
import { briefText, type Ran, type TestOrg } from './org.ts';

/** An experiment as `--json` tells it. */
export interface Told {
  readonly n: number;
  readonly commit: string;
  readonly spec: string;
  readonly agent: string;
  readonly event: string;
  readonly metric: string;
  readonly score?: number;
  readonly best?: number;
  readonly samples: readonly number[];
  readonly guards: Readonly<Record<string, number>>;
  readonly title: string;
  readonly reason: string;
  readonly [key: string]: unknown;
}

export interface FactTold {
  readonly schema: string;
  readonly fact: string;
  readonly experiment?: Told;
  readonly [key: string]: unknown;
}

export interface NightRan extends Ran {
  readonly facts: readonly FactTold[];
  readonly experiments: readonly Told[];
}

/** A whole run with `--json`; what it printed is read back, line by line. */
export async function runNight(org: TestOrg, ...args: string[]): Promise<NightRan> {
  const ran = await org.orgrepo('run', '--json', ...args);
  const facts = factsIn(ran.stdout);
  return {
    ...ran,
    facts,
    experiments: facts.flatMap((fact) => (fact.experiment === undefined ? [] : [fact.experiment])),
  };
}

export const factsIn = (stdout: string): FactTold[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as FactTold);

/** `keep 9`, `crash`: how each experiment ended, in one word or two. */
export const endings = (experiments: readonly Told[]): string[] =>
  experiments.map(({ event, score }) => (score === undefined ? event : `${event} ${score}`));

/**
 * An agent that does one thing after another, each a piece of shell, and nothing when it has done them all. It lives in
 * a directory of its own, far from any sandbox. `$N` counts its calls, `$HERE` is its directory.
 */
export interface ScriptedAgent {
  readonly dir: string;
  /** What to write after `agent:` in a brief. */
  readonly brief: string;
}

export function scriptAgent(steps: readonly string[]): ScriptedAgent {
  const dir = mkdtempSync(path.join(tmpdir(), 'orgrepo-agent-'));
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(path.join(dir, 'steps'));
  steps.forEach((step, index) => {
    writeFileSync(path.join(dir, 'steps', String(index + 1)), `${step}\n`);
  });
  const script = [
    `HERE=${dir}`,
    'N=$(( $(cat $HERE/count 2>/dev/null || echo 0) + 1 ))',
    'echo $N > $HERE/count',
    'if [ -e $HERE/steps/$N ]; then . $HERE/steps/$N; else echo "nothing left to do"; fi',
  ];
  writeFileSync(path.join(dir, 'agent.sh'), `${script.join('\n')}\n`);
  return { dir, brief: `{ command: "sh ${dir}/agent.sh" }` };
}

/** An org whose harness says whatever the sandbox's program says: the candidate decides how the measurement ends. */
export function obedientOrg(
  agent: string,
  keys: Readonly<Record<string, string>> = {},
  starter: readonly string[] = [],
): TestOrg {
  const files = {
    'program.md': briefText({
      agent,
      budget: '{ experiment: 10s, agent: 10s, night: 1h, attempts: 100, patience: 1000 }',
      ...keys,
    }),
    'sandbox/program': 'echo "loss: 10"\n',
    'harness/run.sh': 'cp sandbox/program "$ORGREPO_OUT/program"\n',
    'harness/score.sh': 'exec sh "$ORGREPO_OUT/program"\n',
    'specs/0001-first.md': '---\nid: "0001"\ntitle: make it say less\nby: people\n---\nAnything goes.\n',
  };
  return anOrg({ ground: files, starter });
}

/** A step of an agent for the obedient org: the program becomes this, and this is the title. */
export const say = (program: string, title = 'say it'): string =>
  `cat > sandbox/program <<'EOF'\n${program}\nEOF\necho "${title}"`;

export interface Started {
  /** What it has printed so far. */
  readonly said: () => string;
  readonly complained: () => string;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

/** Starts orgrepo in this process, and listens. */
export function startNight(org: TestOrg, ...args: string[]): Started {
  const { stdout, stderr, code } = org.begin(...args);
  return { said: stdout, complained: stderr, ended: code.then((code) => ({ code, signal: null })) };
}

export interface Spawned extends Started {
  readonly child: ChildProcess;
}

/** Starts the bundle in a process of its own: for who kills it, or sends it signals. */
export function spawnNight(org: TestOrg, ...args: string[]): Spawned {
  const child = org.start(...args);
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  return { child, said: () => out, complained: () => err, ended };
}

/** The value of a trailer on every commit of a range, oldest first. */
export const trailers = (org: TestOrg, key: string, ...range: string[]): string[] =>
  org
    .git('log', '--reverse', `--format=%(trailers:key=Org-${key},valueonly,separator=%x2C)`, ...range)
    .split('\n')
    .slice(0, -1);

/** For an agent's step or a program: waits until the test makes this file. Ends by itself should the test be gone. */
export const waitFor = (file: string): string =>
  `i=0; while [ ! -e ${file} ] && [ $i -lt 1500 ]; do sleep 0.02; i=$((i+1)); done`;

/** What no agent may move: the trunk, its files, and the harness on best. */
export function intact(org: TestOrg): { readonly trunk: string; readonly status: string; readonly harness: string } {
  return {
    trunk: org.git('rev-parse', 'main').trim(),
    status: org.git('status', '--porcelain'),
    harness: org.git('rev-parse', 'main:harness').trim(),
  };
}
