import type { Verdict } from '../domain/experiment.ts';
import { judge } from '../domain/verdict.ts';
import { storeObject } from '../git/objects.ts';
import type { PinnedBrief } from '../records/brief.ts';
import { saveCandidate } from '../records/claims.ts';
import { recordVerdict, type Tried, type Written, writeTry } from '../records/notebook.ts';
import { keepAtHand } from './files.ts';
import { type Night, nowInSeconds, remember } from './night.ts';
import type { Bench } from './prepare.ts';
import { measure, type Trial } from './trial.ts';
import type { Offer } from './work.ts';

/** The tree an agent offers, with its number, saved where no crash can lose it. */
export interface Candidate {
  readonly bench: Bench;
  readonly commit: string;
  readonly tree: string;
  readonly n: number;
}

/** A candidate and what the harness made of it. */
export interface Tested extends Trial {
  readonly candidate: Candidate;
}

/** A verdict on its way into the notebook; `settled` waits until it is there. */
export type Recorded = Written;

/** The same once it is part of history; undefined when the claim is somebody else's by now. */
export async function settled(recorded: Recorded | undefined): Promise<Recorded | undefined> {
  return recorded !== undefined && (await recorded.moved) ? recorded : undefined;
}

/** What becomes of an offer: measured and judged, or written down as refused. Undefined when the run was cancelled or the claim lost. */
export async function runExperiment(
  night: Night,
  bench: Bench,
  offer: Exclude<Offer, { kind: 'nothing' }>,
): Promise<Recorded | undefined> {
  if (night.now.aborted) return undefined; // An agent that was killed has failed nobody.
  return offer.kind === 'refused' ? recordRefused(night, bench, offer.title, offer) : tryOut(night, bench, offer);
}

async function tryOut(
  night: Night,
  bench: Bench,
  offer: Extract<Offer, { kind: 'candidate' }>,
): Promise<Recorded | undefined> {
  const candidate = await saveOffer(night, bench, offer);
  const tested = await runTrial(night, candidate, bench.claim.pinned);
  return tested === undefined ? undefined : recordTested(night, tested);
}

/** Gives the candidate its number and writes it down before anything else can happen to it. */
async function saveOffer(night: Night, bench: Bench, offer: Extract<Offer, { kind: 'candidate' }>): Promise<Candidate> {
  for (const object of offer.objects) {
    storeObject(night.org.repo, object);
    if (object.type === 'blob') keepAtHand(object.oid, object.content);
  }
  const n = ++night.experiments;
  const commit = await writeTry(night.org, {
    ...triedAt(bench, n),
    tree: offer.tree,
    title: offer.title,
    notes: offer.notes,
  });
  await saveCandidate(night.org, bench.claim.spec.id, commit);
  return { bench, commit, tree: offer.tree, n };
}

/** Waits for a measuring slot and runs the harness; undefined when the run was cancelled meanwhile. */
export async function runTrial(night: Night, candidate: Candidate, pinned: PinnedBrief): Promise<Tested | undefined> {
  const { agent } = candidate.bench.claim;
  const detail = `#${candidate.n}`;
  night.say({ kind: 'doing', at: nowInSeconds(), agent, doing: 'waiting', detail });
  const trial = await night.slots.add(() => {
    night.say({ kind: 'doing', at: nowInSeconds(), agent, doing: 'measuring', detail });
    return measure(night.org, candidate.tree, pinned, night.now);
  });
  if (night.now.aborted || trial === undefined) return undefined; // The saved candidate is measured by the next run.
  return { candidate, ...trial };
}

/** Judges a tested candidate against its own line and puts both into the notebook. */
export async function recordTested(night: Night, tested: Tested): Promise<Recorded> {
  const { bench, commit } = tested.candidate;
  const { brief } = bench.claim.pinned;
  const verdict = judge(tested.outcome, { score: bench.line.score, baseline: bench.claim.baseline.numbers }, brief);
  return record(night, bench, commit, verdict, tested);
}

/** Puts an attempt that was never measured into the notebook: nothing changed, the agent failed, it touched what it must not, or it cannot be merged. */
export async function recordRefused(
  night: Night,
  bench: Bench,
  title: string,
  verdict: Verdict,
  cause?: string,
): Promise<Recorded> {
  const n = ++night.experiments;
  const commit = await writeTry(night.org, { ...triedAt(bench, n), tree: bench.line.tree, title, notes: '', cause });
  return recordSaved(night, bench, commit, verdict);
}

/** Puts a verdict without a measurement on a candidate that is written down already. */
export const recordSaved = (night: Night, bench: Bench, commit: string, verdict: Verdict): Promise<Recorded> =>
  record(night, bench, commit, verdict, undefined);

async function record(
  night: Night,
  bench: Bench,
  commit: string,
  verdict: Verdict,
  tested: Tested | undefined,
): Promise<Recorded> {
  const recorded = await recordVerdict(night.org, commit, {
    line: bench.line,
    metric: bench.claim.pinned.brief.metric,
    outcome: tested?.outcome,
    verdict,
    seconds: tested?.seconds,
    jail: tested?.jail,
  });
  remember(night, recorded.experiment);
  night.tried += 1;
  night.sinceKeep += 1;
  if (verdict.event === 'keep') night.kept += 1;
  const bestBefore = night.best.score;
  const bestAfter = verdict.event === 'keep' ? recorded.experiment.score : bestBefore;
  const { experiment, moved } = recorded;
  void moved.then(
    (there) => there && night.say({ kind: 'experiment', at: nowInSeconds(), experiment, bestBefore, bestAfter }),
    () => {},
  );
  return recorded;
}

function triedAt(bench: Bench, n: number): Omit<Tried, 'tree' | 'title' | 'notes'> {
  const { spec, agent, pinned } = bench.claim;
  return { n, spec: spec.id, agent, parents: [bench.line.tip], brief: pinned.blob, harness: pinned.harness };
}
