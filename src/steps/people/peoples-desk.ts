import { setTimeout as wait } from 'node:timers/promises';
import { person } from '../../domain/staff/staff.ts';
import { sameTreeAs } from '../../domain/words/experiment.ts';
import type { Spec } from '../../domain/words/spec.ts';
import { mergeTrees } from '../../git/merge.ts';
import { queueRef } from '../../git/refs/ref-names.ts';
import { nowInSeconds, pace } from '../../process/pace.ts';
import { readEntry } from '../../records/entry.ts';
import type { Recorded } from '../../records/notebook/experiment-entry.ts';
import { readOfferAnswer } from '../../records/queue/inbox.ts';
import { readQueue } from '../../records/queue/queue.ts';
import { emptyDirectory } from '../../score/arena/arena-directory.ts';
import { followUp } from '../attempt/follow-up.ts';
import { takeTree } from '../attempt/night-tally.ts';
import type { Bench } from '../attempt/prepare-bench.ts';
import { recordRefused, runExperiment } from '../attempt/run-experiment.ts';
import { claimNext, closeFinished, finishClaim, letGo, unclaimedOf } from '../claim/claim.ts';
import { type Claimed, noteOnClaim, putOnQueue } from '../claim/claim-commits.ts';
import { type NightDesk, showLive, waitingState } from '../claim/night-desk.ts';
import { refillQueue } from '../claim/refill.ts';
import { caughtUp, type Night, type RunConstants } from '../night/night.ts';
import { isPerson } from '../night/night-in-force.ts';
import type { Left } from '../recover/recover.ts';
import { attemptsIn, claimOf, findUnfit, isOutdated, outdated, settleLeft } from '../recover/resume-claim.ts';
import { beginAttempt, nextClaim } from '../standing/next-step.ts';
import { answerStuck } from './answer-stuck.ts';
import { keepPersonsBench, offeredBench } from './person-bench.ts';

/** What this run does for people: it lays their benches, and measures what they offer. It never waits for them. */
export interface PeoplesDesk {
  readonly night: Night;
  /** The specs that wait for a person, by id. */
  readonly held: Map<string, Held>;
  /** What an earlier run had left for people, until it is taken up. */
  readonly left: Left[];
  /** Where the queue stood when somebody last looked for a word of theirs. */
  looked: string | undefined;
}

interface Held extends Claimed {
  /** Which try comes next, from 1. */
  readonly attempt: number;
  /** The offers that have their verdict. */
  readonly answered: ReadonlySet<string>;
}

/** Takes what is people's out of what was left, and lays a bench for every spec that waits for one. */
export async function openPeoplesDesk(night: Night, left: Left[]): Promise<PeoplesDesk> {
  const nobodyElse = night.inForce.juniors.every((junior) => isPerson(night.inForce, junior));
  const mine = left.filter(({ notebook }) => nobodyElse || notebook.agent === person);
  left.splice(0, left.length, ...left.filter((one) => !mine.includes(one)));
  const desk: PeoplesDesk = { night, held: new Map(), left: mine, looked: undefined };
  await claimTheirs(desk);
  if ((await lookForClaims(night)) && (await nextClaim(night, person)).kind === 'go') await claimOthers(desk);
  return desk;
}

/** What people had offered when the night began is measured before anybody else begins: it has waited long enough. */
export async function hearOffers(desk: PeoplesDesk): Promise<void> {
  for (const one of desk.left.splice(0)) await takeUp(desk, one);
  await claimTheirs(desk); // What was handed on.
}

/** The people's lane: as long as the night goes on, whatever a person says is answered. */
export async function workForPeople(
  desk: PeoplesDesk,
  inTurn: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<void> {
  const { night } = desk;
  while (night.standing.ending === undefined && !night.run.signal.aborted) {
    const tip = await night.run.org.repo.reader.resolve(queueRef);
    if (tip === desk.looked) {
      await wait(pace().idleMs);
      continue;
    }
    desk.looked = tip;
    if ((await lookForClaims(night)) && (await nextClaim(night, person)).kind === 'go') {
      await claimTheirs(desk);
      await inTurn(() => claimOthers(desk));
    }
    for (const id of [...desk.held.keys()]) await hear(desk, id);
  }
  await closeFinished(night, person);
  await caughtUp(night.run);
}

/** Whether there may be something to claim for people. Who only looks must not bring a changed brief into force. */
async function lookForClaims(night: Pick<Night, 'run' | 'inForce' | 'desk'>): Promise<boolean> {
  if (night.inForce.juniors.some((junior) => isPerson(night.inForce, junior))) return true;
  const theirs = ((await readQueue(night.run.org))?.specs ?? []).filter(({ role }) => role === person);
  return (await unclaimedOf(night, theirs)).length > 0;
}

/** Goes on with a spec of an earlier run: what a person had offered is judged and what was kept reaches best. */
async function takeUp(desk: PeoplesDesk, left: Left): Promise<void> {
  const { night } = desk;
  const { spec, notebook } = left;
  const why = `run ${night.run.id} gives it to a person`;
  const isTheirs = notebook.agent === person;
  const line = isTheirs
    ? notebook.line
    : await noteOnClaim(night.run.org, spec, { agent: person, line: notebook.line, event: 'takeover', why });
  if (line === undefined) return letGo(night, spec);
  const claim = await claimOf(night, left, person);
  const bench = await offeredBench(night.run.org, { claim, line }, attemptsIn(notebook) + 1);
  const stands = await settleLeft(night, bench, left);
  if (stands === undefined) return letGo(night, spec);
  const saved = left.saved && (await readEntry(night.run.org, left.saved.commit));
  const offers = [...notebook.experiments.map((one) => one.offer), saved?.get('Offer')];
  const answered = new Set(offers.filter((offer) => offer !== undefined));
  const kept = notebook.experiments.findLast((one) => one.offer !== undefined);
  const held = { ...stands.claimed, attempt: stands.attempt, answered };
  desk.held.set(spec.id, held);
  await keepPersonsBench(night.run.org, held, kept?.event === 'keep' ? kept.tree : undefined);
  await endOrHear(desk, spec.id);
}

/** Until it is clear that there is nothing to do, the night must not end over it. */
async function endOrHear(desk: PeoplesDesk, id: string): Promise<void> {
  const { night } = desk;
  await hear(desk, id); // What was offered has a right to the rules that it was made for.
  const held = desk.held.get(id);
  if (held === undefined) return;
  if (held.attempt > attemptsOf(held)) await finish(desk, held, `${attemptsOf(held)} attempts`);
  else if (isOutdated(night, held.claim)) await handOn(desk, held);
  else rest(night.desk, held);
}

/** Claims people's own specs for them. */
async function claimTheirs(desk: PeoplesDesk): Promise<void> {
  const { night } = desk;
  const specs = (await readQueue(night.run.org))?.specs ?? [];
  const theirs = specs.filter((spec) => spec.role === person);
  for (const spec of await unclaimedOf(night, theirs)) await claimFor(desk, [spec]);
}

/** A junior that is a person has one spec of the others at a time, like any junior. */
async function claimOthers(desk: PeoplesDesk): Promise<void> {
  const { night } = desk;
  const people = night.inForce.juniors.filter((junior) => isPerson(night.inForce, junior)).length;
  const others = (): number => [...desk.held.values()].filter(({ claim }) => claim.spec.role !== person).length;
  while (others() < people) {
    await answerStuck(night);
    if (!(await claimFor(desk, await refillQueue(night, person)))) return;
  }
}

async function claimFor(desk: PeoplesDesk, specs: readonly Spec[]): Promise<boolean> {
  const { night } = desk;
  const claimed = await claimNext(night, person, specs);
  if (claimed === undefined) return false;
  await hold(desk, { ...claimed, attempt: 1, answered: new Set() });
  return true;
}

/** Lets a spec wait for its person, with a bench that is theirs. */
async function hold(desk: PeoplesDesk, held: Held, kept?: string): Promise<void> {
  const { night } = desk;
  await keepPersonsBench(night.run.org, held, kept);
  desk.held.set(held.claim.spec.id, held);
  rest(night.desk, held);
}

const rest = (desk: NightDesk, { claim: { spec }, line }: Held): void =>
  showLive(desk, spec, person, waitingState, line.score);

/** Answers what a person has said of a spec, if they have. */
async function hear(desk: PeoplesDesk, id: string): Promise<void> {
  const { night } = desk;
  const held = desk.held.get(id);
  const queue = await readQueue(night.run.org);
  const word = queue && (await readOfferAnswer(night.run.org, queue, id));
  if (held === undefined || word === undefined || (word.kind === 'offer' && held.answered.has(word.commit))) return;
  if (word.kind === 'close') return finish(desk, held, 'a person closed it');
  if (!(await beginAttempt(night, person, held.claim.spec))) return; // The next run measures it.
  await workOffer(desk, held, word.commit);
}

/** One offer: measured, judged, written down, and brought to best where it is kept, as any junior's. */
async function workOffer(desk: PeoplesDesk, held: Held, offer: string): Promise<void> {
  const { night } = desk;
  const { spec } = held.claim;
  showLive(night.desk, spec, person, 'claimed', held.line.score);
  const bench = await offeredBench(night.run.org, held, held.attempt);
  const written = await judge(night, bench, offer);
  const claimed = written && (await followUp(night, bench, written));
  if (written === undefined || claimed === undefined) {
    desk.held.delete(spec.id);
    return letGo(night, spec); // Cancelled, or the claim is somebody else's: what was saved stays saved.
  }
  const { event, tree } = written.experiment;
  const answered = new Set([...held.answered, offer]);
  const next = { ...claimed, attempt: held.attempt + 1, answered };
  await hold(desk, next, event === 'keep' ? tree : undefined);
  night.run.say({ kind: 'doing', at: nowInSeconds(), agent: person, doing: 'idle', detail: '' });
  if (next.attempt > attemptsOf(next)) await finish(desk, next, `${attemptsOf(next)} attempts`);
}

const attemptsOf = ({ claim: { spec, pinned } }: Held): number => spec.attempts ?? pinned.brief.budget.attempts;

async function judge(
  night: Pick<Night, 'run' | 'standing' | 'tally'>,
  bench: Bench,
  from: string,
): Promise<Recorded | undefined> {
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

/** Ends the work on a person's spec. Their bench stays: whoever has edits there decides what becomes of them. */
async function finish(desk: PeoplesDesk, { claim, line }: Held, why: string): Promise<void> {
  const { night } = desk;
  desk.held.delete(claim.spec.id);
  await finishClaim(night, claim.spec, { agent: person, line, why });
  await closeFinished(night, person);
}

/** What is measured has changed: the work goes on under a new spec, and what the person had edited stays where it is. */
async function handOn(desk: PeoplesDesk, held: Held): Promise<void> {
  const { night } = desk;
  const { spec } = held.claim;
  const title = `go on with ${spec.id}: ${spec.title.replace(/^go on with [0-9]+: /, '')}`;
  const where = `Edits for ${spec.id} that were not offered are still in its bench, .worktrees/human-${spec.id}.`;
  const body = [`${spec.id} ended because ${outdated}. ${where}`, spec.body].join('\n\n');
  const { by, attempts, risk } = spec;
  await putOnQueue(night, [{ title, by, attempts, risk, role: person, body }], 'orgrepo');
  await finish(desk, held, outdated);
}
