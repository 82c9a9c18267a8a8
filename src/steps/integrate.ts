import type { Experiment } from '../domain/experiment.ts';
import { mergeTrees } from '../git/merge.ts';
import { moveBest, readBest, type Standing } from '../records/best.ts';
import { measureKey } from '../records/brief.ts';
import { type Claimed, saveCandidate } from '../records/claims.ts';
import { writeTry } from '../records/notebook.ts';
import { type Recorded, recordRefused, recordTested, runTrial, settled } from './experiment.ts';
import { type Night, nowInSeconds } from './night.ts';
import type { Bench } from './prepare.ts';
import { putOnQueue } from './refill.ts';

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
    if (merged.kind === 'conflict') return reportConflict(night, bench, kept, best, merged.paths);
    const recorded = await measureMerge(night, bench, kept, best, merged.tree);
    if (recorded === undefined) return undefined;
    if (recorded.experiment.event !== 'keep') return { claim, line: { ...kept.line, tip: recorded.line.tip } };
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
  tree: string,
): Promise<Recorded | undefined> {
  const { spec, agent } = bench.claim;
  const { pinned } = night;
  const n = ++night.experiments;
  const commit = await writeTry(night.org, {
    ...{ n, agent, tree, spec: spec.id, brief: pinned.blob, harness: pinned.harness },
    parents: [kept.line.tip],
    title: mergeTitle(kept.experiment, best),
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

/** Two changes that cannot stand together as text become work for somebody who can read both. */
async function reportConflict(
  night: Night,
  bench: Bench,
  kept: Recorded,
  best: Standing,
  paths: readonly string[],
): Promise<Claimed | undefined> {
  const { experiment } = kept;
  const title = `combine #${experiment.n} with best #${best.n}`;
  const where = paths.join(', ');
  const body = [
    `#${experiment.n} of spec ${experiment.spec} was kept with ${experiment.metric} ${experiment.score}, but orgrepo/best had moved on to #${best.n}, and both change the same lines of ${where}.`,
    `Bring this change to the present best. combine: #${experiment.n}`,
    experiment.notes,
  ].join('\n\n');
  await putOnQueue(night, [{ title, by: 'merge', attempts: undefined, body }], 'orgrepo');
  const reason = `conflicts with best #${best.n} in ${where}: put on the queue as "${title}"`;
  const at = { ...bench, line: kept.line };
  const recorded = await settled(
    await recordRefused(
      night,
      at,
      mergeTitle(experiment, best),
      { event: 'discard', reason },
      { cause: experiment.tried },
    ),
  );
  return recorded && { claim: bench.claim, line: { ...kept.line, tip: recorded.line.tip } };
}

const mergeTitle = (experiment: Experiment, best: Standing): string => `#${experiment.n} merged with best #${best.n}`;
