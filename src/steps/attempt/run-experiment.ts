import { everybodyIn } from '../../domain/staff/staff.ts';
import type { Brief } from '../../domain/words/brief.ts';
import { type Aim, type Experiment, isWin, measureKey, singleStage } from '../../domain/words/experiment.ts';
import { storeObject } from '../../git/objects/tree.ts';
import { nowInSeconds } from '../../process/pace.ts';
import {
  type Judgement,
  type Recorded,
  recordVerdict,
  type Tried,
  writeTry,
} from '../../records/notebook/experiment-entry.ts';
import type { NotebookLine } from '../../records/notebook/notebook.ts';
import { keepAtHand } from '../../score/arena/arena-directory.ts';
import { tamperingIn } from '../../score/arena/boundary-check.ts';
import { scoresOf } from '../../score/judge/verdict.ts';
import { holdContest } from '../../score/measure/hold-contest.ts';
import { levelOf } from '../../score/measure/trial.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { saveCandidate } from '../claim/claim-commits.ts';
import type { ResultParts, VerdictParts } from '../night/night.ts';
import { showDoing } from '../night/night-basics.ts';
import { noteStrike } from '../standing/night-standing.ts';
import { keepTrace } from './agent-task.ts';
import type { Offer } from './ask-agent.ts';
import type { Bench } from './bench.ts';
import { remember } from './night-tally.ts';

/** A tree that is to replace its champion. It has its number, and is saved where no crash can lose it. */
export interface Candidate {
  readonly bench: Bench;
  readonly commit: string;
  readonly tree: string;
  readonly n: number;
  /** What it wants to replace: its own line, or best where it is a merge. */
  readonly champion: Pick<NotebookLine, 'tree' | 'score' | 'numbers'>;
  /** The inconclusive experiment on the same tree that it continues. */
  readonly earlier?: Experiment | undefined;
  readonly aim: Aim;
}

/**
 * One experiment: offer -> candidate -> judgement -> recorded. A refused offer is recorded without a measurement. Undefined when
 * the run was cancelled.
 */
export async function runExperiment(
  night: VerdictParts,
  bench: Bench,
  offer: Exclude<Offer, { kind: 'nothing' }>,
): Promise<Recorded | undefined> {
  if (night.run.signal.aborted) return undefined; // An agent that was killed has not failed.
  if (offer.kind === 'refused') {
    const recorded = await recordRefused(night, bench, offer.title, offer, { spent: offer.spent, offer: offer.from });
    const { spec, agent, n, tried: commit } = recorded.experiment;
    keepTrace(night.run, offer, { spec, agent, n, commit }, recorded.moved);
    return recorded;
  }
  for (const object of offer.objects) {
    storeObject(night.run.org.repo, object);
    if (object.type === 'blob') keepAtHand(object.oid, object.content);
  }
  const { tree, title, notes, earlier, spent } = offer;
  const tried = { tree, title, notes, continues: earlier?.commit, spent, offer: offer.from };
  const candidate = await makeCandidate(night, bench, tried, { champion: bench.line, earlier, aim: 'better' });
  const { spec, agent } = bench.claim;
  keepTrace(night.run, offer, { spec: spec.id, agent, n: candidate.n, commit: candidate.commit });
  return tryCandidate(night, candidate);
}

/** Gives a tree its number and saves it as a candidate, before anything else can happen to it. */
export async function makeCandidate(
  night: ResultParts,
  bench: Bench,
  tried: Pick<Tried, 'tree' | 'title' | 'notes'> & Partial<Tried>,
  aimed: Pick<Candidate, 'champion' | 'earlier' | 'aim'>,
): Promise<Candidate> {
  const n = ++night.tally.experiments;
  const commit = await writeTry(night.run.org, { ...triedAt(bench, n), ...tried });
  await saveCandidate(night.run.org, bench.claim.spec.id, commit);
  return { bench, commit, tree: tried.tree, n, ...aimed };
}

/** Measures a candidate until there is a verdict on it, and records it. Undefined when the run was cancelled meanwhile. */
export async function tryCandidate(night: VerdictParts, candidate: Candidate): Promise<Recorded | undefined> {
  const judgement = await judgeCandidate(night, candidate);
  const { bench, commit, champion } = candidate;
  return judgement && recordJudgement(night, bench, commit, judgement, champion);
}

async function judgeCandidate(night: ResultParts, candidate: Candidate): Promise<Judgement | undefined> {
  const { champion, tree, earlier, aim } = candidate;
  const { agent, pinned, baseline } = candidate.bench.claim;
  const say = (doing: 'waiting' | 'measuring', part = ''): void =>
    showDoing(night.run, agent, doing, `#${candidate.n}${part}`);
  const tampered = await tamperingIn(night.run.org.repo, candidate, pinned.brief);
  if (tampered !== undefined) return { verdict: tampered };
  const scale = night.tally.scales.get(measureKey(pinned));
  if (scale === undefined) throw new Error('nothing is measured before the metric is calibrated');
  say('waiting');
  const rival = { ...champion, baseline: baseline.numbers };
  return holdContest(night.run, { tree, rival, pinned, earlier, aim }, scale, (part) =>
    say('measuring', part === 'tests' ? ', its tests' : ''),
  );
}

/** Records an attempt that was never measured: nothing changed, the agent failed, it tampered, or its offer cannot be merged. */
export async function recordRefused(
  night: VerdictParts,
  bench: Bench,
  title: string,
  verdict: Judgement['verdict'],
  more: Pick<Tried, 'spent' | 'offer'>,
): Promise<Recorded> {
  const tried = { ...triedAt(bench, ++night.tally.experiments), tree: bench.line.tree, title, notes: '', ...more };
  return recordJudgement(night, bench, await writeTry(night.run.org, tried), { verdict });
}

/** Records the verdict on a saved candidate. Without a champion nothing was measured. */
export async function recordJudgement(
  night: VerdictParts,
  bench: Bench,
  commit: string,
  judgement: Judgement,
  champion?: Candidate['champion'],
): Promise<Recorded> {
  const { evidence, output, verdict } = judgement;
  const { brief } = bench.claim.pinned;
  const against = champion ?? bench.line;
  const recorded = await recordVerdict(night.run.org, commit, {
    ...judgement,
    line: bench.line,
    metric: brief.metric,
    best: evidence === undefined ? against.score : scoresOf(evidence, against).best,
    output: isRead(brief) ? lastWords(output ?? '') : undefined,
    jail: champion && (await levelOf(night.run.org)),
    stages: champion && singleStage(brief),
    limitMs: champion && brief.budget.experimentTimes && brief.budget.experimentMs,
  });
  const { experiment, moved } = recorded;
  remember(night.tally, experiment);
  noteStrike(night.standing, experiment);
  // Such a tree may be offered again: its measurement failed, or was not long enough.
  if (verdict.event === 'void' || verdict.event === 'inconclusive') night.tally.offered.delete(experiment.tree);
  night.tally.tried += 1;
  if (experiment.part === undefined) night.tally.sinceKeep += 1; // Taking a win apart is not a search without progress.
  if (isWin(experiment)) night.tally.kept += 1;
  void moved.then(
    // Best as it is by then: another lane may have moved it.
    (isThere) =>
      isThere && night.run.say({ kind: 'experiment', at: nowInSeconds(), experiment, best: night.tally.best.score }),
    () => {},
  );
  return recorded;
}

/** The same once it is part of history; undefined when another run holds the claim by now. */
export async function settled(recorded: Recorded | undefined): Promise<Recorded | undefined> {
  return recorded !== undefined && (await recorded.moved) ? recorded : undefined;
}

/** Tells whether an agent reads what a candidate printed. The embedded agents do not, and try many. */
const isRead = ({ staff }: Brief): boolean => everybodyIn(staff).some(({ kind }) => kind !== 'search');

const mostOutput = 1_000;

const lastWords = (output: string): string => hideSecrets(output).trim().slice(-mostOutput);

function triedAt(bench: Bench, n: number): Omit<Tried, 'tree' | 'title' | 'notes'> {
  const { spec, agent, pinned } = bench.claim;
  return { n, spec: spec.id, agent, parents: [bench.line.tip], brief: pinned.blob, harness: pinned.harness };
}
