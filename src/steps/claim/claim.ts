import { stuckReason } from '../../domain/staff/escalation.ts';
import { person } from '../../domain/staff/staff.ts';
import type { SpecTask } from '../../domain/staff/trust.ts';
import { addTallies, type Experiment, tallyOf } from '../../domain/words/experiment.ts';
import type { Spec } from '../../domain/words/spec.ts';
import { workRef } from '../../git/refs/ref-names.ts';
import { nowInSeconds } from '../../process/pace.ts';
import { taskOf } from '../../records/notebook/history.ts';
import { readNotebook } from '../../records/notebook/notebook.ts';
import type { Org } from '../../records/org.ts';
import { wordFile } from '../../records/queue/inbox.ts';
import { changeQueue, type Queue } from '../../records/queue/queue.ts';
import { readAssignments } from '../../records/requests/requests.ts';
import { formatDuration } from '../../text/quantity.ts';
import type { Bench } from '../attempt/bench.ts';
import type { KnownParts, Night } from '../night/night.ts';
import { inTheBackground, warn } from '../night/night-basics.ts';
import { isWorthIt, needPerson, raiseStuck, type Stuck } from '../people/ask-people.ts';
import { noteFinished } from '../standing/night-standing.ts';
import { decideClaim } from '../standing/refusals.ts';
import { whyGone } from '../standing/standing-now.ts';
import { type Claimed, claimSpec, noteOnClaim } from './claim-commits.ts';
import { refuseRepeat } from './drafts.ts';
import { liveFile, type NightClaims, showLive } from './night-claims.ts';

/** Claims the first of these specs that is to be had for an agent. `why` is why the chart gives it to that one. */
export async function claimNext(
  night: Night,
  agent: string,
  specs: readonly Spec[],
  why?: string | undefined,
): Promise<Claimed | undefined> {
  const given = await readAssignments(night.run.org);
  for (const spec of specs) {
    if (night.claims.live.has(spec.id) || isForAnother(night, agent, spec, given.get(spec.id)?.to)) continue;
    if (await decideClaim(night, agent, spec)) continue;
    showLive(night.claims, spec, agent, 'claimed', night.tally.best.score);
    const claimed = await claimSpec(night.run.org, spec, {
      agent,
      best: night.tally.best,
      pinned: night.inForce.pinned,
      why,
    });
    if (claimed === undefined) {
      night.claims.live.delete(spec.id);
      continue;
    }
    night.claims.claimedAt.set(spec.id, performance.now());
    night.claims.promises.reported.set(spec.id, { at: nowInSeconds(), attempts: 0 });
    night.run.say({ kind: 'claim', at: nowInSeconds(), spec: spec.id, agent });
    const finished = takeFinished(night.claims, agent);
    const what = `claim: ${spec.id} by ${agent}`;
    const changed = changeQueue(night.run.org, (queue) => {
      const closing = finished && closeOn(queue, finished, agent, night.tally.experiments);
      const trailers = { Spec: spec.id, Agent: agent, Reason: why };
      if (closing === undefined) return { event: 'claim', agent, title: what, files: liveFile(night.claims), trailers };
      // What an agent has finished and what it claims next are one commit.
      const both = { title: `${closing.title}; ${what}`, trailers: { ...closing.trailers, Next: spec.id } };
      return { ...closing, ...both, files: new Map([...closing.files, ...liveFile(night.claims)]) };
    });
    inTheBackground(night.run, changed); // The branch is the claim; the queue's table may lag a moment behind.
    return claimed;
  }
  return undefined;
}

/** A spec that an answer gave to an agent is for that agent, as long as it can take it. */
const isForAnother = (night: KnownParts, agent: string, spec: Spec, to: string | undefined): boolean =>
  to !== undefined && to !== agent && night.inForce.juniors.includes(to) && whyGone(night, to, spec.id) === undefined;

/** Those of these specs that nobody has claimed. */
export async function unclaimedOf(night: Pick<Night, 'run' | 'claims'>, specs: readonly Spec[]): Promise<Spec[]> {
  const open = specs.filter((spec) => !night.claims.live.has(spec.id));
  const tips = await Promise.all(open.map((spec) => night.run.org.repo.reader.resolve(workRef(spec.id))));
  return open.filter((_, index) => tips[index] === undefined);
}

/**
 * Ends the work on a spec with a last line in its notebook; the queue lets go of it together with the agent's next claim. `stuck` is what
 * is escalated if that does not follow from the tries. True if a manager or a person hears of it.
 */
export async function finishClaim(
  night: Night,
  { claim: { spec, agent }, line }: Claimed,
  why: string,
  stuck?: Pick<Stuck, 'reason' | 'text'>,
): Promise<boolean> {
  const ended = await noteOnClaim(night.run.org, spec, { agent, line, event: 'done', why });
  night.claims.claimedAt.delete(spec.id);
  let isHeard = false;
  if (ended !== undefined) {
    await closeFinished(night, agent);
    const finished = await finishedFrom(night.run.org, spec);
    night.claims.finished.set(agent, finished);
    noteFinished(night.standing, finished.task);
    await refuseRepeat(night, spec, finished.tries);
    const found = isWorthIt(night.inForce, agent, spec) ? (stuck ?? stuckReason(finished.tries, why)) : undefined;
    isHeard = found !== undefined && (await raiseStuck(night, { spec: spec.id, by: agent, ...found }));
  }
  night.claims.live.delete(spec.id); // Until then the night must not end over it: an answer may let the work go on.
  return isHeard;
}

/** Nobody works on it here any more: it is finished, or another run has it. A spec that the end of the night cut short stays claimed. */
export function letGo(night: Pick<Night, 'claims' | 'standing'>, spec: Spec): void {
  if (night.standing.ending === undefined) night.claims.live.delete(spec.id);
}

/** Takes what an agent has finished off the queue, when there is no next claim to do it with. */
export async function closeFinished(night: Pick<Night, 'run' | 'claims' | 'tally'>, agent: string): Promise<void> {
  const finished = takeFinished(night.claims, agent);
  if (finished === undefined) return;
  await changeQueue(night.run.org, (queue) => {
    const closing = closeOn(queue, finished, agent, night.tally.experiments);
    return closing && { ...closing, files: new Map([...closing.files, ...liveFile(night.claims)]) };
  });
}

function takeFinished({ finished }: NightClaims, agent: string): FinishedSpec | undefined {
  const spec = finished.get(agent);
  finished.delete(agent);
  return spec;
}

/** Takes a spec off the queue whose notebook an earlier run had ended. */
export async function closeSpec(org: Org, spec: Spec, agent: string): Promise<void> {
  const finished = await finishedFrom(org, spec);
  await changeQueue(org, (queue) => closeOn(queue, finished, agent, 0));
}

/** A spec whose notebook is ended, with what goes into the ledger for it. */
export interface FinishedSpec {
  readonly spec: Spec;
  readonly tries: readonly Experiment[];
  readonly tip: string | undefined;
  /** What trust in those who worked on it rests on. */
  readonly task: SpecTask | undefined;
}

async function finishedFrom(org: Org, spec: Spec): Promise<FinishedSpec> {
  const notebook = await readNotebook(org, spec.id);
  const { experiments: tries = [], line } = notebook ?? {};
  return { spec, tries, tip: line?.tip, task: notebook && taskOf(notebook) };
}

/** The change of the queue that lets go of a spec and takes its experiments into the ledger; undefined when it was made before. */
function closeOn({ files, ledger }: Queue, { spec, tries, tip }: FinishedSpec, agent: string, experiments: number) {
  const file = files.get(spec.id);
  if (file === undefined) return undefined;
  return {
    event: 'done',
    agent,
    title: `done: ${spec.id} ${spec.title}`,
    files: new Map<string, string | undefined>([
      [file, undefined],
      ...(agent === person ? [[wordFile(spec.id), undefined] as const] : []),
    ]),
    ledger: {
      closed: addTallies(ledger.closed, tallyOf(tries.map((one) => one.event))),
      experiments: tries.reduce((most, { n }) => Math.max(most, n), Math.max(ledger.experiments, experiments)),
    },
    trailers: { Spec: spec.id, Agent: agent, Cause: tip },
  };
}

/**
 * Where the culture asks for it, the holder of a claim says that it has it, before its first attempt. It is handed the spec
 * with its bench, so that is when it does. An agent that is later than the culture allows returns it, and its
 * manager hears of it. Undefined when the claim is not its own any more.
 */
export async function acknowledge(night: Night, bench: Bench): Promise<Bench | undefined> {
  const culture = night.inForce.pinned.charter?.charter.culture;
  if (culture === undefined || !culture.ack.value) return bench;
  const { spec, agent } = bench.claim;
  const claimedAt = night.claims.claimedAt.get(spec.id) ?? performance.now(); // One that was left was resumed just now.
  night.claims.claimedAt.delete(spec.id);
  const tookMs = performance.now() - claimedAt;
  const seconds = (tookMs / 1000).toFixed(3);
  const { value: withinMs, from } = culture.ackWithinMs;
  if (tookMs > withinMs) {
    const text = `no ack within ${formatDuration(withinMs)} (${from}), its bench took ${seconds} s`;
    const why = `TIMEOUT: ${text}`;
    warn(night.run, `${agent} gives ${spec.id} back: ${why}`);
    const isHeard = await finishClaim(night, bench, why, { reason: 'TIMEOUT', text });
    // A notebook that has ended stays ended: the answer to the escalation lets the work go on, or else a person does.
    if (!isHeard && isWorthIt(night.inForce, agent, spec))
      needPerson(night.run, {
        what: `${spec.id} "${spec.title}" was given back: ${why}`,
        command: `orgrepo show ${spec.id}, then submit it again`,
      });
    return undefined;
  }
  const why = `${agent} has the spec and its bench`;
  const line = await noteOnClaim(night.run.org, spec, {
    agent,
    line: bench.line,
    event: 'ack',
    why,
    more: { Seconds: seconds },
  });
  return line && { ...bench, line };
}
