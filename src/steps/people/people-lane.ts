import { setTimeout as wait } from 'node:timers/promises';
import { followUpTitle } from '../../domain/staff/escalation.ts';
import { person } from '../../domain/staff/staff.ts';
import { sameTreeAs } from '../../domain/words/experiment.ts';
import type { Spec } from '../../domain/words/spec.ts';
import { mergeTrees } from '../../git/merge.ts';
import { queueRef } from '../../git/refs/ref-names.ts';
import { pace } from '../../process/pace.ts';
import { readEntry } from '../../records/entry.ts';
import type { Recorded } from '../../records/notebook/experiment-entry.ts';
import { readOfferAnswer } from '../../records/queue/inbox.ts';
import { readQueue } from '../../records/queue/queue.ts';
import { emptyDirectory } from '../../score/arena/arena-directory.ts';
import type { Bench } from '../attempt/bench.ts';
import { followUp } from '../attempt/follow-up.ts';
import { takeTree } from '../attempt/night-tally.ts';
import { recordRefused, runExperiment } from '../attempt/run-experiment.ts';
import { claimNext, closeFinished, finishClaim, letGo, unclaimedOf } from '../claim/claim.ts';
import { type Claimed, noteOnClaim, putOnQueue } from '../claim/claim-commits.ts';
import { showLive, waitingState } from '../claim/night-claims.ts';
import { refillQueue } from '../claim/refill.ts';
import type { Night, RunConstants, VerdictParts } from '../night/night.ts';
import { caughtUp, isPerson, showDoing } from '../night/night-basics.ts';
import type { Left } from '../recover/recover.ts';
import { attemptsIn, claimOf, findUnfit, isOutdated, outdated, settleLeft } from '../recover/resume-claim.ts';
import { beginAttempt, nextClaim } from '../standing/next-step.ts';
import { answerStuck } from './answer-stuck.ts';
import { keepPersonsBench, offeredBench } from './person-bench.ts';

/** The specs that people work on in this run. It lays their benches and measures their offers, and never waits for them. */
export interface PeopleLane {
  readonly night: Night;
  readonly claims: Map<string, PersonsClaim>;
}

interface PersonsClaim extends Claimed {
  /** The number of the next try, from 1. */
  readonly attempt: number;
  /** The offers that have their verdict. */
  readonly answered: ReadonlySet<string>;
}

/** Takes people's specs out of what an earlier run left, and measures first what people had offered: it has waited longest. */
export async function openPeopleLane(night: Night, left: Left[]): Promise<PeopleLane> {
  const lane: PeopleLane = { night, claims: new Map() };
  const onlyPeople = night.inForce.juniors.every((junior) => isPerson(night.inForce, junior));
  const theirs = left.filter(({ notebook }) => onlyPeople || notebook.agent === person);
  left.splice(0, left.length, ...left.filter((one) => !theirs.includes(one)));
  await claimTheirs(lane);
  if (await mayClaim(lane)) await claimOthers(lane);
  for (const one of theirs) await resumeFor(lane, one);
  await claimTheirs(lane); // What was handed on.
  return lane;
}

/** Answers what people say, as long as the run goes on. */
export async function workForPeople(
  lane: PeopleLane,
  inTurn: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<void> {
  const { night, claims } = lane;
  let seen: string | undefined;
  while (night.standing.ending === undefined && !night.run.signal.aborted) {
    const tip = await night.run.org.repo.reader.resolve(queueRef);
    if (tip === seen) {
      await wait(pace().idleMs);
      continue;
    }
    seen = tip;
    if (await mayClaim(lane)) {
      await claimTheirs(lane);
      await inTurn(() => claimOthers(lane));
    }
    for (const claim of [...claims.values()]) await answerPerson(lane, claim);
  }
  await closeFinished(night, person);
  await caughtUp(night.run);
}

/** A run without anything to claim for people must not bring a changed brief into force here. */
async function mayClaim(lane: PeopleLane): Promise<boolean> {
  const { inForce } = lane.night;
  const isWanted = inForce.juniors.some((junior) => isPerson(inForce, junior)) || (await personsOpen(lane)).length > 0;
  return isWanted && (await nextClaim(lane.night, person)).kind === 'go';
}

async function personsOpen({ night }: PeopleLane): Promise<readonly Spec[]> {
  const specs = (await readQueue(night.run.org))?.specs ?? [];
  return unclaimedOf(
    night,
    specs.filter(({ role }) => role === person),
  );
}

/** Goes on with a spec of an earlier run: what a person offered is judged, and what was kept reaches best. */
async function resumeFor(lane: PeopleLane, left: Left): Promise<void> {
  const { night } = lane;
  const { spec, notebook } = left;
  const why = `run ${night.run.id} gives it to a person`;
  const line =
    notebook.agent === person
      ? notebook.line
      : await noteOnClaim(night.run.org, spec, { agent: person, line: notebook.line, event: 'takeover', why });
  if (line === undefined) return letGo(night, spec);
  const claim = await claimOf(night, left, person);
  const bench = await offeredBench(night.run.org, { claim, line }, attemptsIn(notebook) + 1);
  const settled = await settleLeft(night, bench, left);
  if (settled === undefined) return letGo(night, spec);
  const saved = left.saved && (await readEntry(night.run.org, left.saved.commit));
  const offers = [...notebook.experiments.map((one) => one.offer), saved?.get('Offer')];
  const answered = new Set(offers.filter((offer) => offer !== undefined));
  const kept = notebook.experiments.findLast((one) => one.offer !== undefined);
  const taken = { ...settled.claimed, attempt: settled.attempt, answered };
  lane.claims.set(spec.id, taken);
  await keepPersonsBench(night.run.org, taken, kept?.event === 'keep' ? kept.tree : undefined);
  await answerPerson(lane, taken); // An offer is judged by the rules that it was made for.
  const next = lane.claims.get(spec.id);
  if (next === undefined) return;
  if (next.attempt > attemptsOf(next)) await finish(lane, next, `${attemptsOf(next)} attempts`);
  else if (isOutdated(night, next.claim)) await handOn(lane, next);
  else showWaiting(lane, next);
}

/** Claims people's own specs for them. */
async function claimTheirs(lane: PeopleLane): Promise<void> {
  for (const spec of await personsOpen(lane)) await claimFor(lane, [spec]);
}

/** A junior that is a person has one spec of the others at a time, like any junior. */
async function claimOthers(lane: PeopleLane): Promise<void> {
  const { inForce } = lane.night;
  const people = inForce.juniors.filter((junior) => isPerson(inForce, junior)).length;
  const others = (): number => [...lane.claims.values()].filter(({ claim }) => claim.spec.role !== person).length;
  while (others() < people) {
    await answerStuck(lane.night);
    if (!(await claimFor(lane, await refillQueue(lane.night, person)))) return;
  }
}

async function claimFor(lane: PeopleLane, specs: readonly Spec[]): Promise<boolean> {
  const claimed = await claimNext(lane.night, person, specs);
  if (claimed !== undefined) await hold(lane, { ...claimed, attempt: 1, answered: new Set() });
  return claimed !== undefined;
}

/** Lets a spec wait for its person, with a bench that is theirs. */
async function hold(lane: PeopleLane, mine: PersonsClaim, kept?: string): Promise<void> {
  await keepPersonsBench(lane.night.run.org, mine, kept);
  lane.claims.set(mine.claim.spec.id, mine);
  showWaiting(lane, mine);
}

function showWaiting({ night }: PeopleLane, { claim: { spec }, line }: PersonsClaim): void {
  showLive(night.claims, spec, person, waitingState, line.score);
}

/** Does what a person last said of a spec, unless that was done. */
async function answerPerson(lane: PeopleLane, mine: PersonsClaim): Promise<void> {
  const { org } = lane.night.run;
  const { spec } = mine.claim;
  const queue = await readQueue(org);
  const said = queue && (await readOfferAnswer(org, queue, spec.id));
  if (said === undefined || (said.kind === 'offer' && mine.answered.has(said.commit))) return;
  if (said.kind === 'close') return finish(lane, mine, 'a person closed it');
  if (await beginAttempt(lane.night, person, spec)) await workOffer(lane, mine, said.commit); // Else the next run measures it.
}

/** One offer: measured, judged, written down, and brought to best if it is kept, as any junior's. */
async function workOffer(lane: PeopleLane, mine: PersonsClaim, offer: string): Promise<void> {
  const { night } = lane;
  const { spec } = mine.claim;
  showLive(night.claims, spec, person, 'claimed', mine.line.score);
  const bench = await offeredBench(night.run.org, mine, mine.attempt);
  const written = await judge(night, bench, offer);
  const claimed = written && (await followUp(night, bench, written));
  if (written === undefined || claimed === undefined) {
    lane.claims.delete(spec.id);
    return letGo(night, spec); // Cancelled, or another run has the claim: what was saved stays saved.
  }
  const { event, tree } = written.experiment;
  const next = { ...claimed, attempt: mine.attempt + 1, answered: new Set([...mine.answered, offer]) };
  await hold(lane, next, event === 'keep' ? tree : undefined);
  showDoing(night.run, person, 'idle');
  if (next.attempt > attemptsOf(next)) await finish(lane, next, `${attemptsOf(next)} attempts`);
}

const attemptsOf = ({ claim: { spec, pinned } }: PersonsClaim): number => spec.attempts ?? pinned.brief.budget.attempts;

async function judge(night: VerdictParts, bench: Bench, from: string): Promise<Recorded | undefined> {
  const offer = await readEntry(night.run.org, from);
  if (offer === undefined) return undefined;
  const title = offer.title.replace(/^offer: /, '');
  const unfit = await findUnfit(night, bench);
  if (unfit !== undefined) return recordRefused(night, bench, title, { event: 'void', reason: unfit }, { offer: from });
  const common = { title, from, found: emptyDirectory, spent: undefined };
  const refuse = (event: 'discard' | 'unchanged', reason: string): Promise<Recorded | undefined> =>
    runExperiment(night, bench, { kind: 'refused', event, reason, ...common });
  const tree = await treeOnLine(night.run, bench, from);
  if (typeof tree !== 'string')
    return refuse('discard', `its line has moved on since, and both changed ${tree.join(', ')}`);
  const { before, earlier } = await takeTree(night, tree, bench);
  if (before !== undefined) return refuse('unchanged', `${sameTreeAs}${before}`);
  return runExperiment(night, bench, { kind: 'candidate', tree, objects: [], notes: offer.body, earlier, ...common });
}

/** What is offered, on top of the line as it is now: an earlier offer may have been kept while this one waited. Else the files in conflict. */
async function treeOnLine(run: RunConstants, { line }: Bench, from: string): Promise<string | readonly string[]> {
  const offer = await readEntry(run.org, from);
  const base = await readEntry(run.org, offer?.commit.parents[0] ?? '');
  if (offer !== undefined && base?.commit.tree === line.tree) return offer.commit.tree;
  const merged = await mergeTrees(run.org.repo, line.tip, from);
  return merged.kind === 'clean' ? merged.tree : merged.paths;
}

/** Ends the work on a person's spec. Their bench stays, with the edits that are in it. */
async function finish({ night, claims }: PeopleLane, mine: PersonsClaim, why: string): Promise<void> {
  claims.delete(mine.claim.spec.id);
  await finishClaim(night, mine, why);
  await closeFinished(night, person);
}

/** What is measured has changed: the work goes on under a new spec, and what the person had edited stays where it is. */
async function handOn(lane: PeopleLane, mine: PersonsClaim): Promise<void> {
  const { id, title, by, attempts, risk, body } = mine.claim.spec;
  const where = `Edits for ${id} that were not offered are still in its bench, .worktrees/human-${id}.`;
  const text = [`${id} ended because ${outdated}. ${where}`, body].join('\n\n');
  const draft = { title: followUpTitle(id, title), by, attempts, risk, role: person, body: text } as const;
  await putOnQueue(lane.night, [draft], 'orgrepo');
  await finish(lane, mine, outdated);
}
