import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { briefText, makeOrg, removeAll, type TestOrg } from '../support/org.ts';

/** An org that is killed over and over, and what people did to it. */
export interface Scene {
  readonly org: TestOrg;
  /** HOME and TMPDIR of every run: what a harness writes there outlives its trial, and litter is seen. */
  readonly home: string;
  /** What the trunk must be at, because a person put it there. */
  trunk: string;
  /** Benches that people deleted: git keeps its notes on one until somebody needs it again. */
  readonly deleted: Set<string>;
}

/** Numbers stand apart, so that changes to two of them can be merged, and changes to one of them cannot. */
const numbersFile = (names: readonly string[]): string =>
  names.map((name, at) => `${name} ${40 - 11 * at}\n\n\n\n`).join('');

export const attempts = 3;

const sandbox = {
  'sandbox/one.txt': numbersFile(['first', 'second', 'third']),
  'sandbox/two.txt': numbersFile(['fourth', 'fifth', 'sixth']),
};

/** The numbers as people committed them: a run that is killed before it has recorded a best has measured these. */
export const startingNumbers = Object.values(sandbox).join('');

const files: Readonly<Record<string, string>> = {
  'program.md': briefText({
    budget: `{ experiment: 20s, agent: 20s, night: 1h, attempts: ${attempts}, patience: 1000000 }`,
    slots: '2',
    juniors: '3',
  }),
  ...sandbox,
  'harness/target': '3\n',
  // The witness outlives the trial: what was ever measured, and by which harness, is known without asking orgrepo.
  // A few trials are slow, so that a kill leaves something running.
  'harness/run.sh': [
    'cat sandbox/one.txt sandbox/two.txt > "$ORGREPO_OUT/numbers"',
    'read -r target < harness/target',
    `printf '%s %s\\n' "$target" "$(tr '\\n' ';' < "$ORGREPO_OUT/numbers")" >> "$HOME/witness"`,
    'case $$ in *37) sleep 2;; *7) sleep 0.4;; esac',
    '',
  ].join('\n'),
  'harness/score.sh': [
    'read -r target < harness/target',
    'awk -v target="$target" \'NF == 2 { loss += ($2 - target) ^ 2 } END { printf "loss: %.6f\\n", loss }\' "$ORGREPO_OUT/numbers"',
    '',
  ].join('\n'),
  'specs/0001-first.md': '---\nid: "0001"\ntitle: bring every number to where it should be\nby: people\n---\nAny.\n',
};

export function makeScene(): Scene {
  const org = makeOrg(files);
  const home = `${org.dir}-home`;
  mkdirSync(home);
  writeFileSync(path.join(home, 'witness'), '');
  return { org, home, trunk: org.git('rev-parse', 'main').trim(), deleted: new Set() };
}

export function removeScene(scene: Scene): void {
  scene.org.remove();
  removeAll(scene.home);
}

/** What every harness of this org is for: how far all numbers are from its target. */
export function scoreOf(target: string, numbers: string): number {
  const values = numbers.split('\n').flatMap((line) => {
    const words = line.split(' ').filter((word) => word !== '');
    return words.length === 2 ? [Number(words[1])] : [];
  });
  return values.reduce((sum, value) => sum + (value - Number(target)) ** 2, 0);
}

/** What was measured, as the harness itself wrote it down: `target numbers`, one line each. */
export function readWitness(scene: Pick<Scene, 'home'>): string[] {
  return readFileSync(path.join(scene.home, 'witness'), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

export const witnessLine = (tree: { target: string; numbers: string }): string =>
  `${tree.target} ${tree.numbers.replaceAll('\n', ';')}`;

/** A person changes a word of the brief that changes nothing. */
export async function rewordBrief(scene: Scene): Promise<void> {
  appendFileSync(path.join(scene.org.dir, 'program.md'), 'Smaller still.\n');
  await commit(scene, 'program.md');
}

/** A person changes the harness, so that every score shifts. */
export async function moveTarget(scene: Scene, target: number): Promise<void> {
  scene.org.write('harness/target', `${target}\n`);
  await commit(scene, 'harness/target');
}

/** A person deletes the directory that an agent works in. */
export function deleteBench(scene: Scene, choose: (names: string[]) => string | undefined): void {
  const benches = path.join(scene.org.dir, '.worktrees');
  const name = choose(existsSync(benches) ? readdirSync(benches) : []);
  if (name === undefined) return;
  scene.deleted.add(name);
  removeAll(path.join(benches, name));
}

/** A person cannot use git in their own repository: a lock stands in the way, or something is broken. */
export class PersonBlocked extends Error {}

/** A person tidies up. */
export function tidyUp(scene: Scene, ...args: string[]): void {
  try {
    scene.org.git(...args);
  } catch (error) {
    throw new PersonBlocked(error instanceof Error ? error.message : String(error));
  }
}

async function commit(scene: Scene, file: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      scene.org.git('commit', '--quiet', '--allow-empty', '-m', `a person changes ${file}`, '--', file);
      break;
    } catch (error) {
      if (tries === 20) throw new PersonBlocked(error instanceof Error ? error.message : String(error));
      await wait(50);
    }
  }
  scene.trunk = scene.org.git('rev-parse', 'HEAD').trim();
}
