import type { Experiment } from '../domain/experiment.ts';
import { type Merged, mergeTrees } from '../git/merge.ts';
import { moveBest, readBest, type Standing } from '../records/best.ts';
import { measureKey } from '../records/brief.ts';
import { type Claimed, saveCandidate } from '../records/claims.ts';
import { readNotebook, writeTry } from '../records/notebook.ts';
import { type Recorded, recordTested, runTrial, settled } from './experiment.ts';
import { withSandboxOf } from './files.ts';
import { type Night, nowInSeconds } from './night.ts';
import type { Bench } from './prepare.ts';
import { putOnQueue } from './refill.ts';
import { isWorthIt, raiseStuck } from './stuck.ts';

/**
 * Brings a kept candidate to orgrepo/best, as in a merge queue: as it was measured when it was built on the present
 * best, else merged with it, measured again, and taken only if the merged tree wins. One lane at a time.
 * Gives back how the claim stands then: a merge that wins moves its line, and to the brief it was measured under.
 * Undefined when the claim was lost or the run cancelled.
 */
export async function integrate(night: Night, bench: Bench, kept: Recorded): Promise<Claimed | undefined> {
  const claimed = await night.gate.add(() => bringToBest(night, bench, kept));
  return claimed ?? undefined;
}

async function bringToBest(night: Night, bench: Bench, kept: Recorded): Promise<Claimed | undefined> {
  if (!(await settled(kept))) return undefined;
  let { claim } = bench;
  let builtOn = measureKey(bench.claim.pinned) === measureKey(night.pinned) ? bench.line.tree : undefined;
  for (;;) {
    const best = (await readBest(night.org)) ?? night.best;
    night.best = best;
    if (builtOn === best.tree) {
      if (await takeBest(night, best, kept.experiment)) return { claim, line: kept.line };
      continue;
    }
    night.begun += 1; // A merge is an experiment like any other.
    const merged = await mergeTrees(night.org.repo, best.commit, kept.experiment.tried);
    const recorded = await measureMerge(night, bench, kept, best, merged);
    if (recorded === undefined) return undefined;
    const { tip } = recorded.line;
    if (merged.kind === 'conflict')
      await reportConflict(night, recorded.experiment, kept.experiment, best, merged.paths);
    if (recorded.experiment.event !== 'keep') return { claim, line: { ...kept.line, tip } };
    kept = recorded;
    claim = { ...claim, pinned: night.pinned, baseline: best.baseline };
    builtOn = best.tree;
  }
}

async function takeBest(night: Night, best: Standing, experiment: Experiment): Promise<boolean> {
  const { title, tree, agent, n, score, samples, seeds, noise, numbers, brief, harness, jail, metric } = experiment;
  if (score === undefined) return false;
  const next = await moveBest(
    night.org,
    {
      ...{ tree, agent, n, score, samples, seeds, noise, numbers, brief, harness, jail, metric },
      parents: [best.commit, experiment.tried],
      event: 'keep',
      title: `keep: ${title}`,
      stages: experiment.stages,
      baseline: best.baseline,
      cause: experiment.commit,
    },
    best.commit,
  );
  if (next === undefined) return false;
  night.best = next;
  night.sinceKeep = 0;
  night.say({ kind: 'best-moved', at: nowInSeconds(), n, score, commit: next.commit, merged: experiment.merged });
  return true;
}

async function measureMerge(
  night: Night,
  bench: Bench,
  kept: Recorded,
  best: Standing,
  merged: Merged,
): Promise<Recorded | undefined> {
  const { spec, agent } = bench.claim;
  // Where the two cannot stand together as text, whoever is better stands alone.
  const tree =
    merged.kind === 'conflict'
      ? await withSandboxOf(night.org.repo, night.pinned.brief, best.tree, kept.experiment.tree)
      : merged.tree;
  const { pinned } = night;
  const n = ++night.experiments;
  const commit = await writeTry(night.org, {
    ...{ n, agent, tree, spec: spec.id, brief: pinned.blob, harness: pinned.harness },
    parents: [kept.line.tip],
    title: `#${kept.experiment.n} ${merged.kind === 'conflict' ? 'in place of' : 'merged with'} ${nameOfBest(best.n)}`,
    notes: kept.experiment.notes,
    cause: kept.experiment.tried,
    onto: best.commit,
  });
  await saveCandidate(night.org, spec.id, commit);
  // Judged against best, not against its own line: best is what it wants to replace.
  const at = { ...bench, line: kept.line, claim: { ...bench.claim, pinned, baseline: best.baseline } };
  const tested = await runTrial(night, {
    bench: at,
    commit,
    tree,
    n,
    champion: best,
    earlier: undefined,
    aim: 'better',
  });
  return tested === undefined ? undefined : settled(await recordTested(night, tested));
}

/** Two changes that cannot stand together as text become work for somebody who can read both: what was left out is brought in. */
async function reportConflict(
  night: Night,
  alone: Experiment,
  kept: Experiment,
  best: Standing,
  paths: readonly string[],
): Promise<void> {
  const replaces = alone.event === 'keep';
  const older = night.memory.experiments.find((one) => one.n === best.n);
  if (replaces && older === undefined) return; // A baseline, or long ago: there is nothing to bring in.
  const [left, taken] = replaces && older !== undefined ? [older, kept.n] : [kept, best.n];
  const where = paths.join(', ');
  const title = `combine #${left.n} with ${nameOfBest(taken)}`;
  const body = [
    `#${left.n} of spec ${left.spec} was kept with ${left.metric} ${left.score}, and ${taken > 0 ? `so was #${taken}, which is best` : 'best is the trunk as it was measured at the start'}; both change the same lines of ${where}.`,
    `Bring this change to the present best. combine: #${left.n}`,
    left.notes,
  ].join('\n\n');
  const risk = (await readNotebook(night.org, left.spec))?.risk; // What may break much may do so in any other form.
  await putOnQueue(night, [{ title, by: 'merge', attempts: undefined, risk, body }], 'orgrepo');
  const text = `#${left.n} and ${nameOfBest(taken)} both change the same lines of ${where}`;
  if (isWorthIt(night, left.agent, { by: 'merge', title }))
    await raiseStuck(night, { spec: left.spec, by: left.agent, reason: 'DEPENDENCY', text });
}

/** A best that no experiment gave is the trunk as people have it. */
const nameOfBest = (n: number): string => (n > 0 ? `best #${n}` : 'the baseline');
