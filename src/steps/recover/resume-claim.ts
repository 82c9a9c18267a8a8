import { type Experiment, measureKey } from '../../domain/words/experiment.ts';
import { descendsFrom } from '../../git/merge.ts';
import { type PinnedBrief, readBrief } from '../../org/force/pin-brief.ts';
import { nowInSeconds } from '../../process/pace.ts';
import { readEntry } from '../../records/entry.ts';
import { experimentFrom, type Recorded } from '../../records/notebook/experiment-entry.ts';
import { baselineBelow, type Notebook } from '../../records/notebook/notebook.ts';
import { calibrateMetric, calibratingFor } from '../../score/measure/take-base.ts';
import { isProblem } from '../../text/problem.ts';
import { type Bench, nextBench, prepareBench } from '../attempt/bench.ts';
import { integrate } from '../attempt/integrate.ts';
import { noteScale } from '../attempt/night-tally.ts';
import { review } from '../attempt/review.ts';
import { type Candidate, recordJudgement, settled, tryCandidate } from '../attempt/run-experiment.ts';
import { finishClaim } from '../claim/claim.ts';
import { type Claim, type Claimed, noteOnClaim } from '../claim/claim-commits.ts';
import { showLive } from '../claim/night-claims.ts';
import type { AttemptParts, Night, ResultParts, RunConstants } from '../night/night.ts';
import type { Left } from './recover.ts';

/** Goes on with a claim that an earlier run left: judges what it had saved, settles what it had kept, and works on in its bench. */
export async function resumeClaim(night: Night, left: Left, agent: string): Promise<Bench | undefined> {
  const { spec, notebook } = left;
  const claim = await claimOf(night, left, agent);
  const why = `run ${night.run.id} goes on with it`;
  const line = await noteOnClaim(night.run.org, spec, { agent, line: notebook.line, event: 'takeover', why });
  if (line === undefined) return undefined;
  showLive(night.claims, spec, agent, 'claimed', line.score);
  night.run.say({ kind: 'recovered', at: nowInSeconds(), message: `${agent} goes on with ${spec.id} ${spec.title}` });
  const bench = await prepareBench(night.run.org, { claim, line }, attemptsIn(notebook) + 1);
  const stands = await settleLeft(night, bench, left);
  if (stands === undefined) return undefined;
  if (isOutdated(night, stands.claimed.claim)) {
    await finishClaim(night, stands.claimed, outdated);
    return undefined;
  }
  return nextBench(night.run.org, { ...bench, attempt: stands.attempt - 1 }, bench.state, stands.claimed);
}

/** The claim as this run understands it. What the guards compare with is what it was when the work began, whatever has become of best since. */
export async function claimOf(
  night: Pick<Night, 'run' | 'inForce' | 'tally'>,
  left: Left,
  agent: string,
): Promise<Claim> {
  const baseline = (await baselineBelow(night.run.org, left.notebook.line.tip)) ?? night.tally.best.baseline;
  return { spec: left.spec, agent, pinned: await pinnedOf(night, left), baseline, risk: left.notebook.risk };
}

/** Judges what an earlier run had saved and brings what it had kept to best; which attempt comes next. Undefined when the claim is lost or the run cancelled. */
export async function settleLeft(
  night: AttemptParts,
  bench: Bench,
  left: Left,
): Promise<{ readonly claimed: Claimed; readonly attempt: number } | undefined> {
  const judged = left.saved === undefined ? undefined : await judgeSaved(night, bench, left.saved);
  if (left.saved !== undefined && judged === undefined) return undefined;
  const claimed = await settleKeep(night, bench, left, judged);
  return claimed && { claimed, attempt: bench.attempt + (judged?.counts ? 1 : 0) };
}

/** Only what was saved has a right to the rules it was made for; a new attempt has not. */
export const isOutdated = (night: Pick<Night, 'run' | 'inForce'>, { pinned }: Claim): boolean =>
  night.run.startedOver || night.run.drifted || measureKey(pinned) !== measureKey(night.inForce.pinned);

export const outdated = 'what is measured has changed since it was claimed';

interface Judged extends Pick<Recorded, 'experiment' | 'line'> {
  readonly claim: Claim;
  /** True for an agent's own candidate, which uses up an attempt; false for a merge of ours. */
  readonly counts: boolean;
}

/** The candidate was saved and never judged: it is measured now, under the brief and the harness it was made for. */
async function judgeSaved(
  night: AttemptParts,
  bench: Bench,
  saved: NonNullable<Left['saved']>,
): Promise<Judged | undefined> {
  const entry = await readEntry(night.run.org, saved.commit);
  if (entry === undefined) return undefined;
  const merges = entry.get('Cause') !== undefined;
  const best = night.tally.best;
  if (merges && entry.get('Onto') !== best.commit) {
    const verdict = { event: 'void', reason: 'best moved before this merge was measured' } as const;
    const recorded = await settled(await recordJudgement(night, bench, saved.commit, { verdict }));
    return recorded && { ...recorded, claim: bench.claim, counts: false };
  }
  // Best has not moved since the merge was made, so what it was made for is what is in force now.
  const at: Bench = merges
    ? { ...bench, claim: { ...bench.claim, pinned: night.inForce.pinned, baseline: best.baseline } }
    : bench;
  const unfit = await findUnfit(night, at);
  if (night.run.signal.aborted) return undefined;
  const continues = entry.get('Continues');
  const earlier = continues === undefined ? undefined : await readEntry(night.run.org, continues);
  const candidate: Candidate = {
    bench: at,
    ...saved,
    tree: entry.commit.tree,
    champion: merges ? best : at.line,
    earlier: earlier && (await experimentFrom(night.run.org, earlier)),
    aim: entry.get('Part') === undefined ? 'better' : 'simpler',
  };
  const recorded = await settled(
    unfit === undefined
      ? await tryCandidate(night, candidate)
      : await recordJudgement(night, bench, saved.commit, { verdict: { event: 'void', reason: unfit } }),
  );
  if (recorded === undefined) return undefined;
  const { event, part } = recorded.experiment;
  const claim = merges && event === 'keep' ? at.claim : bench.claim;
  return { ...recorded, claim, counts: !merges && part === undefined };
}

/**
 * Why a candidate of an earlier run cannot be judged any more: what it is to be compared with has another score here. The
 * noise under a brief that is not in force any more is found out first, by its line.
 */
export async function findUnfit(night: ResultParts, { claim, line }: Bench): Promise<string | undefined> {
  const { pinned } = claim;
  const elsewhere = 'what it was to be compared with scores otherwise here and now';
  if (night.tally.scales.has(measureKey(pinned))) return night.run.drifted ? elsewhere : undefined;
  try {
    const calibration = await calibrateMetric(calibratingFor(night.run, pinned), line.tree);
    noteScale(night.tally, pinned, calibration.scale);
    return calibration.scale.noise === undefined && calibration.score !== line.score ? elsewhere : undefined;
  } catch (error) {
    if (!isProblem(error)) throw error;
    return `it can no longer be measured under its own brief: ${error.message}`;
  }
}

/** A keep that had not reached best is brought there now; one that had, or that a merge has answered, stays as it is. */
async function settleKeep(
  night: AttemptParts,
  bench: Bench,
  left: Left,
  judged: Judged | undefined,
): Promise<Claimed | undefined> {
  const stands = { claim: judged?.claim ?? bench.claim, line: judged?.line ?? bench.line };
  const all = [...left.notebook.experiments, ...(judged === undefined ? [] : [judged.experiment])];
  const at = all.findLastIndex((one) => one.event === 'keep');
  const kept = all[at];
  if (kept === undefined || all.slice(at + 1).some((one) => one.merged && one.event !== 'void')) return stands;
  if (await descendsFrom(night.run.org.repo, night.tally.best.commit, kept.tried)) return stands;
  const written = { experiment: kept, line: stands.line, moved: Promise.resolve(true) };
  const reviewed = await review(night, { ...bench, claim: stands.claim }, written, left.notebook.talk);
  if (reviewed === undefined || reviewed.decision === 'waits') return undefined;
  if (reviewed.decision === 'rejected') return { ...stands, line: reviewed.line };
  // With another machine's score it is not taken as it was measured, but measured again on top of best.
  const line = { ...bench.line, tree: night.run.drifted ? '' : await treeBuiltOn(night.run, kept) };
  return integrate(night, { ...bench, claim: stands.claim, line }, { ...written, line: reviewed.line });
}

/** The tree that a kept candidate was built on: that of the line below it, or of the best it was merged with. */
async function treeBuiltOn(run: RunConstants, kept: Experiment): Promise<string> {
  const [verdict, tried] = await Promise.all([readEntry(run.org, kept.commit), readEntry(run.org, kept.tried)]);
  const below = await readEntry(run.org, tried?.get('Onto') ?? verdict?.commit.parents[0] ?? '');
  return below?.commit.tree ?? '';
}

/** How many tries of its own a notebook holds: neither our merges nor what we take apart. */
export const attemptsIn = ({ experiments }: Notebook): number =>
  experiments.filter((one) => !one.merged && one.part === undefined).length;

/** The brief that the claim was made under; when it is still in force, so is what people changed in it since. */
async function pinnedOf(night: Pick<Night, 'run' | 'inForce'>, { notebook }: Left): Promise<PinnedBrief> {
  const brief = await readBrief(night.run.org, notebook.brief, notebook.line.tree);
  const own = { brief, blob: notebook.brief, harness: notebook.harness };
  return measureKey(own) === measureKey(night.inForce.pinned) ? night.inForce.pinned : own;
}
