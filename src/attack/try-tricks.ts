import { randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Outcome } from '../domain/words/experiment.ts';
import { brokenGuard, type Numbers } from '../domain/words/score.ts';
import { editTree, newObject, storeObject, type TreeEntry } from '../git/objects/tree.ts';
import { type PinnedBrief, pinBrief } from '../org/force/pin-brief.ts';
import { treeOf } from '../records/entry.ts';
import { readBest } from '../records/notebook/best-line.ts';
import { type Org, trunkTip } from '../records/org.ts';
import { levelOf, type MeasureContext, measure } from '../score/measure/trial.ts';
import { orElse, Problem } from '../text/problem.ts';
import { type AttackBench, openAttackBench, sandboxFiles, type TargetFile, targetFor } from './attack-bench.ts';
import { type AttackReport, type AttackResult, isLike, isTooGood, outcomeInWords } from './attack-outcome.ts';
import { dead, noOp, tricks } from './tricks/all-tricks.ts';
import { insertFirst, type Trick, type TrickTarget } from './tricks/trick.ts';

/**
 * Tries to cheat this org's own harness: the trunk's sandbox with one trick before its code, measured as every candidate
 * is. Nothing is written to any ref, and no tree of it is kept.
 */
export async function attackHarness(
  org: Org,
  say: (result: AttackResult) => void,
  signal: AbortSignal,
): Promise<AttackReport> {
  const trunk = await trunkTip(org);
  const pinned = await pinBrief(org, trunk);
  const tree = await treeOf(org, trunk);
  const seed = randomInt(2 ** 31);
  const { base, numbers, seconds } = await measureBase({ org, pinned, signal }, tree, seed);
  const files = await sandboxFiles(org, tree, pinned);
  const bench = await openAttackBench();
  const results: AttackResult[] = [];
  const add = (result: AttackResult): void => {
    results.push(result);
    say(result);
  };
  try {
    const target = await targetFor(org, tree, pinned, base, bench);
    const measured = { org, tree, pinned: withDeadline(pinned, seconds), base, numbers, seed, signal };
    const scene: Scene = { ...measured, bench, files: files.known, target };
    add(await asItShould(scene, noOp));
    add(await asItShould(scene, dead));
    add(await oracle(scene));
    for (const trick of tricks) if (!signal.aborted) add(await attempt(scene, trick));
  } finally {
    await bench.close();
  }
  return { harness: pinned.harness, jail: await levelOf(org), base, results, untouched: files.unknown };
}

interface Scene extends MeasureContext {
  readonly tree: string;
  /** Its scores grow where a result is doubted. */
  readonly base: AttackReport['base'] & { readonly scores: number[] };
  /** What else the harness prints of the sandbox as it stands: guards refer to it. */
  readonly numbers: Numbers;
  readonly bench: AttackBench;
  readonly files: readonly TargetFile[];
  readonly target: TrickTarget;
  /** The same for all of them, so that what the harness draws makes no difference. */
  readonly seed: number;
}

/** Twice with the seed that the tricks will have, and once with another: that is how far apart equals may be. */
async function measureBase(context: MeasureContext, tree: string, seed: number) {
  const scores: number[] = [];
  let numbers: Numbers = {};
  let slowest = 0;
  for (const drawn of [seed, seed, randomInt(2 ** 31)]) {
    const trial = await measure(context, tree, drawn);
    if (trial.outcome.kind !== 'scored') {
      throw new Problem(
        'harness/baseline',
        `the harness gives no score to the sandbox as it stands: ${outcomeInWords(trial.outcome)}`,
        'Look into it first: orgrepo doctor',
      );
    }
    scores.push(trial.outcome.score);
    numbers = trial.outcome.numbers;
    slowest = Math.max(slowest, trial.seconds);
  }
  const { direction, minEffect } = context.pinned.brief;
  return { base: { scores, direction, minEffect }, numbers, seconds: slowest };
}

/** Nobody should wait ten minutes to see a deadline kept. */
function withDeadline(pinned: PinnedBrief, seconds: number): PinnedBrief {
  const { brief } = pinned;
  const experimentMs = Math.min(brief.budget.experimentMs, Math.ceil(seconds * 5_000) + 3_000);
  return { ...pinned, brief: { ...brief, budget: { ...brief.budget, experimentMs } } };
}

interface Tried {
  readonly outcome: Outcome;
  /** What was seen outside, if anything was. */
  readonly seen: string | undefined;
}

const resultOf =
  (name: string, control: boolean) =>
  (end: AttackResult['end'], how: string): AttackResult => ({ name, control, end, how });

/** Measures the trick, attempt after attempt; undefined where it cannot be tried, with the reason. */
async function tryTrick(scene: Scene, trick: Trick): Promise<Tried | { readonly notTried: string }> {
  const { org, tree, files, target, bench, seed } = scene;
  if (files.length === 0) return { notTried: 'no file of the sandbox is JavaScript, Python or shell' };
  const codes = files.map((file) => ({ file, code: trick.code(target, file.language) }));
  const usable = codes.flatMap(({ file, code }) => ('notTried' in code ? [] : [{ file, code }]));
  const [first] = codes;
  if (usable.length === 0) return { notTried: first && 'notTried' in first.code ? first.code.notTried : '' };
  let outcome: Outcome | undefined;
  bench.look();
  for (let step = 0; step < (usable[0]?.code.length ?? 0); step++) {
    const changes = new Map<string, TreeEntry>();
    for (const { file, code } of usable) {
      const blob = newObject(org.repo.hash, 'blob', insertFirst(file.text, code[step] ?? '', file.language));
      changes.set(file.path, { mode: file.entry.mode, oid: storeObject(org.repo, blob) });
    }
    const built = await editTree(org.repo, tree, changes);
    for (const object of built.objects) storeObject(org.repo, object);
    outcome = (await measure(scene, built.oid, seed)).outcome;
  }
  return { outcome: outcome ?? { kind: 'void', reason: 'never measured' }, seen: await bench.look() };
}

async function attempt(scene: Scene, trick: Trick): Promise<AttackResult> {
  const tried = await tryTrick(scene, trick);
  const result = resultOf(trick.name, false);
  if ('notTried' in tried) return result('not tried', tried.notTried);
  const { outcome, seen } = tried;
  const said = scene.bench.readSign(outcome);
  if (said !== undefined) return result('got through', `it got ${said}`);
  if (seen !== undefined) return result('got through', seen);
  if (outcome.kind !== 'scored') return result('refused', outcomeInWords(outcome));
  const { base, numbers, pinned } = scene;
  // A number that is only missing does not protect: code that prints a score could print that number too.
  const guards = pinned.brief.guards.filter(({ name }) => outcome.numbers[name] !== undefined);
  const broken = brokenGuard(guards, outcome.numbers, numbers, numbers);
  if (broken !== undefined && isTooGood(outcome.score, base))
    return result('refused', `${outcomeInWords(outcome)}, and is confounded: ${broken}`);
  if (await staysTooGood(scene, trick, outcome.score))
    return result('got through', `${outcomeInWords(outcome)}, better than it is`);
  if (trick.mayNotScore) return result('got through', `${outcomeInWords(outcome)}, and should have no score`);
  return result('no gain', outcomeInWords(outcome));
}

/** How often a score that is hard to believe is measured again, together with the base: a machine's mood passes. */
const looksAgain = 3;

async function staysTooGood(scene: Scene, trick: Trick, first: number): Promise<boolean> {
  let score = first;
  for (let look = 0; look < looksAgain && isTooGood(score, scene.base); look++) {
    await addToBase(scene);
    const tried = await tryTrick(scene, trick);
    if ('notTried' in tried || tried.outcome.kind !== 'scored') return true;
    score = tried.outcome.score;
  }
  return isTooGood(score, scene.base);
}

/** One more measurement of the sandbox as it stands: what it scores now, with all that the machine does beside it. */
async function addToBase(scene: Scene): Promise<void> {
  const { outcome } = await measure(scene, scene.tree, scene.seed);
  if (outcome.kind === 'scored') scene.base.scores.push(outcome.score);
}

/** A control: what changes nothing is measured like the base, what fails at once is not measured at all. */
async function asItShould(scene: Scene, trick: Trick): Promise<AttackResult> {
  const tried = await tryTrick(scene, trick);
  const result = resultOf(trick.name, true);
  if ('notTried' in tried) return result('not tried', tried.notTried);
  let { outcome } = tried;
  if (trick.mayNotScore) {
    if (outcome.kind !== 'scored') return result('as it should', outcomeInWords(outcome));
    const words = `${outcomeInWords(outcome)}: its code did not run, so the tricks below were not played`;
    return result('not as it should', words);
  }
  const isEqual = (): boolean => outcome.kind === 'scored' && isLike(outcome.score, scene.base);
  for (let look = 0; look < looksAgain && !isEqual(); look++) {
    await addToBase(scene);
    const again = await tryTrick(scene, trick);
    if (!('notTried' in again)) outcome = again.outcome;
  }
  return result(isEqual() ? 'as it should' : 'not as it should', outcomeInWords(outcome));
}

/** Shows that the score can change at all: with the best that is known, if it is better than the trunk. */
async function oracle(scene: Scene): Promise<AttackResult> {
  const result = resultOf('is truly better', true);
  const best = await readBest(scene.org);
  if (best === undefined || best.tree === scene.tree)
    return result('none known', 'no oracle: nothing better than your branch is known yet');
  const { outcome } = await measure(scene, best.tree, scene.seed);
  const words = `orgrepo/best ${outcomeInWords(outcome)}`;
  return outcome.kind === 'scored' && isTooGood(outcome.score, scene.base)
    ? result('as it should', words)
    : result('none known', `no oracle: ${words}, no better than your branch`);
}

/** The harness that nothing came through when it was last attacked. A memory for `doctor`, worth nothing once it is gone. */
const memoryOf = (org: Org): string => path.join(org.repo.gitDir, 'orgrepo', 'attacked');

export function rememberAttacked(org: Org, harness: string): void {
  mkdirSync(path.dirname(memoryOf(org)), { recursive: true });
  writeFileSync(memoryOf(org), `${harness}\n`);
}

export function wasAttacked(org: Org, harness: string): boolean {
  return orElse(() => readFileSync(memoryOf(org), 'utf8').trim() === harness, false);
}
