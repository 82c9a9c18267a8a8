import { everybodyIn } from '../../domain/staff/staff.ts';
import { type Brief, singleStage } from '../../domain/words/brief.ts';
import { type Aim, type Experiment, isWin, type Verdict } from '../../domain/words/experiment.ts';
import { storeObject } from '../../git/objects/tree.ts';
import { measureKey } from '../../org/force/pin-brief.ts';
import { nowInSeconds } from '../../process/pace.ts';
import type { NotebookLine } from '../../records/notebook/notebook.ts';
import { recordVerdict, type Tried, type WrittenVerdict, writeTry } from '../../records/notebook/write-notebook.ts';
import { tamperingIn } from '../../score/arena/boundary-check.ts';
import { levelOf } from '../../score/arena/jail-of-org.ts';
import { keepAtHand } from '../../score/arena/zone-files.ts';
import { scoresOf } from '../../score/judge/verdict.ts';
import { type Contested, holdContest } from '../../score/measure/hold-contest.ts';
import type { Scale } from '../../score/measure/noise-scale.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { saveCandidate } from '../claim/claim-commits.ts';
import { keepTrace } from '../night/keep-trace.ts';
import type { Night } from '../night/night.ts';
import { noteStrike } from '../standing/night-standing.ts';
import type { Offer } from './ask-agent.ts';
import type { NightTally } from './night-tally.ts';
import { remember } from './night-tally.ts';
import type { Bench } from './prepare-bench.ts';

/** The tree an agent offers, with its number, saved where no crash can lose it. */
export interface Candidate {
  readonly bench: Bench;
  readonly commit: string;
  readonly tree: string;
  readonly n: number;
  /** What it wants to replace: its own line, or best where it is a merge. */
  readonly champion: Pick<NotebookLine, 'tree' | 'score' | 'numbers'>;
  /** The inconclusive verdict on the same tree that it goes on with. */
  readonly earlier: Experiment | undefined;
  readonly aim: Aim;
}

/** A candidate and how its contest went. */
export interface Tested extends Contested {
  readonly candidate: Candidate;
}

/** A verdict on its way into the notebook; `settled` waits until it is there. */
export type Recorded = WrittenVerdict;

/** The same once it is part of history; undefined when the claim is somebody else's by now. */
export async function settled(recorded: Recorded | undefined): Promise<Recorded | undefined> {
  return recorded !== undefined && (await recorded.moved) ? recorded : undefined;
}

/** What becomes of an offer: measured and judged, or written down as refused. Undefined when the run was cancelled or the claim lost. */
export async function runExperiment(
  night: Pick<Night, 'run' | 'standing' | 'tally'>,
  bench: Bench,
  offer: Exclude<Offer, { kind: 'nothing' }>,
): Promise<Recorded | undefined> {
  if (night.run.signal.aborted) return undefined; // An agent that was killed has failed nobody.
  if (offer.kind === 'candidate') return tryOut(night, bench, offer);
  const recorded = await recordRefused(night, bench, offer.title, offer, { spent: offer.spent, offer: offer.from });
  const { spec, agent, n, tried: commit } = recorded.experiment;
  keepTrace(night.run, offer, { spec, agent, n, commit }, recorded.moved);
  return recorded;
}

async function tryOut(
  night: Pick<Night, 'run' | 'standing' | 'tally'>,
  bench: Bench,
  offer: Extract<Offer, { kind: 'candidate' }>,
): Promise<Recorded | undefined> {
  const candidate = await saveOffer(night, bench, offer);
  const { spec, agent } = bench.claim;
  keepTrace(night.run, offer, { ...candidate, spec: spec.id, agent });
  const tested = await runTrial(night, candidate);
  return tested === undefined ? undefined : recordTested(night, tested);
}

/** Gives the candidate its number and writes it down before anything else can happen to it. */
async function saveOffer(
  night: Pick<Night, 'run' | 'tally'>,
  bench: Bench,
  offer: Extract<Offer, { kind: 'candidate' }>,
): Promise<Candidate> {
  for (const object of offer.objects) {
    storeObject(night.run.org.repo, object);
    if (object.type === 'blob') keepAtHand(object.oid, object.content);
  }
  const n = ++night.tally.experiments;
  const commit = await writeTry(night.run.org, {
    ...triedAt(bench, n),
    tree: offer.tree,
    title: offer.title,
    notes: offer.notes,
    continues: offer.earlier?.commit,
    spent: offer.spent,
    offer: offer.from,
  });
  await saveCandidate(night.run.org, bench.claim.spec.id, commit);
  return { bench, commit, tree: offer.tree, n, champion: bench.line, earlier: offer.earlier, aim: 'better' };
}

/** Measures a candidate until there is a verdict on it; undefined when the run was cancelled meanwhile. */
export async function runTrial(night: Pick<Night, 'run' | 'tally'>, candidate: Candidate): Promise<Tested | undefined> {
  const { champion, tree, earlier, aim } = candidate;
  const { agent, pinned, baseline } = candidate.bench.claim;
  const detail = `#${candidate.n}`;
  const say = (doing: 'waiting' | 'measuring'): void =>
    night.run.say({ kind: 'doing', at: nowInSeconds(), agent, doing, detail });
  const tampered = await tamperingIn(night.run.org.repo, candidate, pinned.brief);
  if (tampered !== undefined)
    return { candidate, verdict: tampered, evidence: undefined, failure: undefined, seconds: undefined };
  say('waiting');
  const rival = { ...champion, baseline: baseline.numbers };
  const contest = { tree, rival, pinned, earlier, aim };
  const contested = await holdContest(night.run, contest, scaleOf(night.tally, candidate), () => say('measuring'));
  return contested && { candidate, ...contested };
}

/** How the metric behaves under the brief that a candidate was made for. */
function scaleOf(tally: NightTally, { bench }: Candidate): Scale {
  const scale = tally.scales.get(measureKey(bench.claim.pinned));
  if (scale === undefined) throw new Error('nothing is measured before the metric is calibrated');
  return scale;
}

/** Puts a candidate and the verdict on it into the notebook. */
export async function recordTested(
  night: Pick<Night, 'run' | 'standing' | 'tally'>,
  tested: Tested,
): Promise<Recorded> {
  const { bench, commit, champion } = tested.candidate;
  return record(night, bench, commit, tested.verdict, {
    ...tested,
    best: tested.evidence === undefined ? champion.score : scoresOf(tested.evidence, champion).best,
  });
}

/** Puts an attempt that was never measured into the notebook: nothing changed, the agent failed, it touched what it must not, or it cannot be merged. */
export async function recordRefused(
  night: Pick<Night, 'run' | 'standing' | 'tally'>,
  bench: Bench,
  title: string,
  verdict: Verdict,
  more: Pick<Tried, 'cause' | 'spent' | 'offer'> = {},
): Promise<Recorded> {
  const n = ++night.tally.experiments;
  const commit = await writeTry(night.run.org, {
    ...triedAt(bench, n),
    tree: bench.line.tree,
    title,
    notes: '',
    ...more,
  });
  return recordSaved(night, bench, commit, verdict);
}

/** Puts a verdict without a measurement on a candidate that is written down already. */
export const recordSaved = (
  night: Pick<Night, 'run' | 'standing' | 'tally'>,
  bench: Bench,
  commit: string,
  verdict: Verdict,
): Promise<Recorded> => record(night, bench, commit, verdict, undefined);

async function record(
  night: Pick<Night, 'run' | 'standing' | 'tally'>,
  bench: Bench,
  commit: string,
  verdict: Verdict,
  tested: (Tested & { readonly best: number }) | undefined,
): Promise<Recorded> {
  const recorded = await recordVerdict(night.run.org, commit, {
    line: bench.line,
    metric: bench.claim.pinned.brief.metric,
    verdict,
    best: tested?.best ?? bench.line.score,
    evidence: tested?.evidence,
    failure: tested?.failure,
    output: isRead(bench.claim.pinned.brief) ? lastWords(tested?.output ?? '') : undefined,
    seconds: tested?.seconds,
    disturbed: tested?.disturbed,
    jail: tested === undefined ? undefined : await levelOf(night.run.org),
    stages: tested && singleStage(bench.claim.pinned.brief),
  });
  remember(night.tally, recorded.experiment);
  noteStrike(night.standing, recorded.experiment);
  // What was measured in vain, or not long enough, may be offered again.
  if (verdict.event === 'void' || verdict.event === 'inconclusive')
    night.tally.offered.delete(recorded.experiment.tree);
  night.tally.tried += 1;
  if (recorded.experiment.part === undefined) night.tally.sinceKeep += 1; // Tidying up is no search in vain.
  const { experiment, moved } = recorded;
  if (isWin(experiment)) night.tally.kept += 1;
  void moved.then(
    // Best as it is at that moment: another lane may have moved it.
    (there) =>
      there && night.run.say({ kind: 'experiment', at: nowInSeconds(), experiment, best: night.tally.best.score }),
    () => {},
  );
  return recorded;
}

/** Whether there is somebody who reads what a try has printed: the embedded agents do not, and write many. */
const isRead = ({ staff }: Brief): boolean => everybodyIn(staff).some(({ kind }) => kind !== 'search');

const mostOutput = 1_000;

const lastWords = (output: string): string => hideSecrets(output).trim().slice(-mostOutput);

function triedAt(bench: Bench, n: number): Omit<Tried, 'tree' | 'title' | 'notes'> {
  const { spec, agent, pinned } = bench.claim;
  return { n, spec: spec.id, agent, parents: [bench.line.tip], brief: pinned.blob, harness: pinned.harness };
}
