import { type Experiment, measureKey } from '../../domain/words/experiment.ts';
import { gainOver, moveInWords } from '../../domain/words/score.ts';
import type { Win } from '../../domain/words/taken.ts';
import { mergeTrees } from '../../git/merge.ts';
import { nowInSeconds } from '../../process/pace.ts';
import { readEntry } from '../../records/entry.ts';
import { type BestEntry, leftOutBy, moveBest, readBest, winBehind } from '../../records/notebook/best-line.ts';
import type { Recorded } from '../../records/notebook/experiment-entry.ts';
import { type NotebookLine, readNotebook } from '../../records/notebook/notebook.ts';
import { withSandboxOf } from '../../score/arena/trial-files.ts';
import { type Claimed, putOnQueue } from '../claim/claim-commits.ts';
import type { AttemptParts, Night, NightInForce, ResultParts, RunConstants } from '../night/night.ts';
import { isWorthIt, raiseStuck } from '../people/ask-people.ts';
import { countBegun } from '../standing/night-standing.ts';
import type { Bench } from './bench.ts';
import { review } from './review.ts';
import { makeCandidate, settled, tryCandidate } from './run-experiment.ts';

/**
 * Brings a win to orgrepo/best, as in a merge queue: as it was measured when it was built on the present best, else merged
 * with it, measured again, and taken only if the merge wins. Where the win alone promises more than what is best then, it is
 * measured in its place, so best is never worse than a win that was left out. One lane at a time.
 * Gives back how the claim stands then: what is taken moves its line, and to the brief it was measured under.
 * Undefined when the claim was lost, the run cancelled, or a person has to say something first.
 */
export async function integrate(night: AttemptParts, bench: Bench, kept: Recorded): Promise<Claimed | undefined> {
  return night.run.bestQueue.add(async () => {
    if (!(await settled(kept))) return undefined;
    const merged = await bringMerged(night, bench, kept);
    return merged && bringAlone(night, bench, kept.experiment, merged);
  });
}

async function bringMerged(night: AttemptParts, bench: Bench, won: Recorded): Promise<Claimed | undefined> {
  let kept = won;
  let { claim } = bench;
  let builtOn = isMeasuredAsNow(night.inForce, bench) ? bench.line.tree : undefined;
  for (;;) {
    const best = await presentBest(night);
    if (builtOn === best.tree) {
      if (await takeBest(night, best, kept.experiment)) return { claim, line: kept.line };
      continue;
    }
    const merged = await mergeTrees(night.run.org.repo, best.commit, kept.experiment.tried);
    // If the two conflict as text, the win is measured alone.
    const how: How =
      merged.kind === 'conflict' ? await aloneOn(night, best, kept.experiment) : { tree: merged.tree, alone: false };
    const recorded = await measureOnto(night, { ...bench, line: kept.line }, kept.experiment, best, how);
    if (recorded === undefined) return undefined;
    const { tip } = recorded.line;
    if (merged.kind === 'conflict')
      await reportConflict(night, recorded.experiment, kept.experiment, best, merged.paths);
    if (recorded.experiment.event !== 'keep') return { claim, line: { ...kept.line, tip } };
    const passed = how.alone ? await passAgain(night, bench, recorded, kept.line) : recorded;
    if (passed === undefined || !('experiment' in passed)) return passed && { claim, line: passed };
    kept = passed;
    claim = { ...claim, pinned: night.inForce.pinned, baseline: best.baseline };
    builtOn = best.tree;
  }
}

/** The win in place of best, while its score is better than that of best. */
async function bringAlone(
  night: AttemptParts,
  bench: Bench,
  won: Experiment,
  stands: Claimed,
): Promise<Claimed | undefined> {
  for (;;) {
    const best = await presentBest(night);
    if (night.run.drifted || !isMeasuredAsNow(night.inForce, bench) || !isAhead(night.inForce, won, best))
      return stands;
    const how = await aloneOn(night, best, won);
    if (how.tree === best.tree || (await wasTriedOn(night.run, won, best))) return stands;
    const recorded = await measureOnto(night, { ...bench, line: stands.line }, won, best, how);
    if (recorded === undefined) return undefined;
    const { tip } = recorded.line;
    if (recorded.experiment.event !== 'keep') return { ...stands, line: { ...stands.line, tip } };
    const passed = await passAgain(night, bench, recorded, stands.line);
    if (passed === undefined || !('experiment' in passed)) return passed && { ...stands, line: passed };
    const claim = { ...stands.claim, pinned: night.inForce.pinned, baseline: best.baseline };
    if (await takeBest(night, best, passed.experiment)) return { claim, line: passed.line };
    stands = { claim, line: passed.line };
  }
}

async function presentBest(night: ResultParts): Promise<BestEntry> {
  night.tally.best = (await readBest(night.run.org)) ?? night.tally.best;
  return night.tally.best;
}

const isMeasuredAsNow = (inForce: NightInForce, { claim }: Bench): boolean =>
  measureKey(claim.pinned) === measureKey(inForce.pinned);

const isAhead = ({ pinned }: NightInForce, { score }: Experiment, best: BestEntry): boolean =>
  score !== undefined && gainOver(score, best.score, pinned.brief.direction) > 0;

/** Whether a win was measured in place of this very best before. */
async function wasTriedOn(run: RunConstants, won: Experiment, best: BestEntry): Promise<boolean> {
  const experiments = (await readNotebook(run.org, won.spec))?.experiments ?? [];
  const tries = await Promise.all(
    experiments.filter(({ alone, event }) => alone && event !== 'void').map(({ tried }) => readEntry(run.org, tried)),
  );
  return tries.some((tried) => tried?.get('Cause') === won.tried && tried.get('Onto') === best.commit);
}

/** What is measured against best: a win merged with it, or the win in its place. */
interface How {
  readonly tree: string;
  readonly alone: boolean;
}

const aloneOn = async (night: Pick<Night, 'run' | 'inForce'>, best: BestEntry, won: Experiment): Promise<How> => ({
  tree: await withSandboxOf(night.run.org.repo, night.inForce.pinned.brief, best.tree, won.tree),
  alone: true,
});

/**
 * What stands in place of best leaves out what others have made, so it is looked at once more where its risk asks for it. The
 * line that goes on where it was refused; undefined when the claim was lost or a person has to say.
 */
async function passAgain(
  night: AttemptParts,
  bench: Bench,
  alone: Recorded,
  before: NotebookLine,
): Promise<Recorded | NotebookLine | undefined> {
  const reviewed = await review(night, bench, alone);
  if (reviewed === undefined || reviewed.decision === 'waits') return undefined;
  if (reviewed.decision === 'rejected') return { ...before, tip: reviewed.line.tip };
  return { ...alone, line: reviewed.line };
}

async function takeBest(night: ResultParts, best: BestEntry, taken: Experiment): Promise<boolean> {
  const { tree, agent, n, score, samples, seeds, noise, numbers, brief, harness, jail, metric } = taken;
  if (score === undefined) return false;
  const replaces = taken.alone ? await leftOutBy(night.run.org, best, taken) : [];
  const won = await winBehind(night.run.org, taken);
  const next = await moveBest(
    night.run.org,
    {
      ...{ tree, agent, n, score, samples, seeds, noise, numbers, brief, harness, jail, metric, replaces },
      parents: [best.commit, taken.tried],
      event: 'keep',
      title: `keep: ${titleOf(won)} (${metric} ${moveInWords(best.score, score)})`,
      body: storyOf(taken, won, best, replaces),
      stages: taken.stages,
      baseline: best.baseline,
      cause: taken.commit,
    },
    best.commit,
  );
  if (next === undefined) return false;
  night.tally.best = next;
  night.tally.sinceKeep = 0;
  for (const left of replaces) night.tally.taken.delete(left);
  night.tally.taken.add(n);
  const { merged, alone } = taken;
  night.run.say({ kind: 'best-moved', at: nowInSeconds(), n, score, commit: next.commit, merged, alone, replaces });
  return true;
}

/** A title is one line that people read in `git log`: the end of a long one is in the notebook. */
const titleOf = ({ title }: Win): string => (title.length > 120 ? `${title.slice(0, 119)}…` : title);

/** How a win came to best, for those who read on below the title. */
function storyOf(taken: Experiment, won: Win, best: BestEntry, replaces: readonly number[]): string {
  if (!taken.merged) return '';
  const how = taken.alone ? 'taken in place of' : 'merged with';
  const left = replaces.length === 0 ? '' : ` It leaves out ${replaces.map((n) => `#${n}`).join(', ')}.`;
  return `#${won.n} ${how} ${nameOfBest(best.n)} and measured again as #${taken.n}.${left}`;
}

async function measureOnto(
  night: AttemptParts,
  bench: Bench,
  won: Experiment,
  best: BestEntry,
  { tree, alone }: How,
): Promise<Recorded | undefined> {
  countBegun(night.standing, 1); // A merge is an experiment like any other.
  // It is to replace best, so it is judged against best and not against its own line.
  const at = { ...bench, claim: { ...bench.claim, pinned: night.inForce.pinned, baseline: best.baseline } };
  const title = `#${won.n} ${alone ? 'in place of' : 'merged with'} ${nameOfBest(best.n)}`;
  const tried = { tree, title, notes: won.notes, cause: won.tried, onto: best.commit, alone };
  const candidate = await makeCandidate(night, at, tried, { champion: best, aim: 'better' });
  return settled(await tryCandidate(night, candidate));
}

/** Two changes that conflict as text become a spec: an agent that reads both brings in what was left out. */
async function reportConflict(
  night: Pick<Night, 'run' | 'inForce' | 'tally'>,
  alone: Experiment,
  kept: Experiment,
  best: BestEntry,
  paths: readonly string[],
): Promise<void> {
  const replaces = alone.event === 'keep';
  const older = night.tally.memory.experiments.find((one) => one.n === best.n);
  if (replaces && older === undefined) return; // A baseline, or long ago: there is nothing to bring in.
  const [left, taken] = replaces && older !== undefined ? [older, kept.n] : [kept, best.n];
  const where = paths.join(', ');
  const title = `combine #${left.n} with ${nameOfBest(taken)}`;
  const body = [
    `#${left.n} of spec ${left.spec} won with ${left.metric} ${left.score}, and ${taken > 0 ? `so did #${taken}, which is on best` : 'best is the trunk as it was measured at the start'}; both change the same lines of ${where}.`,
    `Bring this change to the present best. combine: #${left.n}`,
    left.notes,
  ].join('\n\n');
  const risk = (await readNotebook(night.run.org, left.spec))?.risk; // What may break much may do so in any other form.
  await putOnQueue(night, [{ title, by: 'merge', attempts: undefined, risk, body }], 'orgrepo');
  const text = `#${left.n} and ${nameOfBest(taken)} both change the same lines of ${where}`;
  if (isWorthIt(night.inForce, left.agent, { by: 'merge', title }))
    await raiseStuck(night, { spec: left.spec, by: left.agent, reason: 'DEPENDENCY', text });
}

/** A best that no experiment gave is the trunk as people have it. */
const nameOfBest = (n: number): string => (n > 0 ? `best #${n}` : 'the baseline');
