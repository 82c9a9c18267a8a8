import { addTallies, type Tally, tallyOf } from '../domain/experiment.ts';
import { shortRef, workRef } from '../domain/names.ts';
import type { Spec } from '../domain/spec.ts';
import { type Claimed, claimSpec, noteOnClaim } from '../records/claims.ts';
import { type Line, readNotebook } from '../records/notebook.ts';
import type { Org } from '../records/org.ts';
import { changeQueue, type Queue } from '../records/queue.ts';
import { formatLiveBranches, type LiveBranch } from '../text/branches-table.ts';
import { inTheBackground, type Night, nowInSeconds } from './night.ts';

/** Claims the first of these specs that is to be had for an agent. */
export async function claimNext(night: Night, agent: string, specs: readonly Spec[]): Promise<Claimed | undefined> {
  for (const spec of specs) {
    if (night.live.has(spec.id)) continue;
    night.live.set(spec.id, liveRow(spec, agent, 'claimed', night.best.score));
    const claimed = await claimSpec(night.org, spec, agent, night.best, night.pinned);
    if (claimed === undefined) {
      night.live.delete(spec.id);
      continue;
    }
    night.say({ kind: 'claim', at: nowInSeconds(), spec: spec.id, agent });
    const finished = night.finished.get(agent);
    night.finished.delete(agent);
    const what = `claim: ${spec.id} by ${agent}`;
    const changed = changeQueue(night.org, (queue) => {
      const closing = finished === undefined ? undefined : closeOn(queue, finished, agent, night.experiments);
      const claim = {
        event: 'claim',
        agent,
        title: what,
        files: liveFile(night),
        trailers: { Spec: spec.id, Agent: agent },
      };
      // What an agent has finished and what it takes up next are one commit: it has one pair of hands.
      if (closing === undefined) return claim;
      const files = new Map([...closing.files, ...claim.files]);
      return {
        ...closing,
        title: `${closing.title}; ${what}`,
        files,
        trailers: { ...closing.trailers, Next: spec.id },
      };
    });
    inTheBackground(night, changed); // The branch is the claim; the queue's table may lag a moment behind.
    return claimed;
  }
  return undefined;
}

/** Ends the work on a spec with a last line in its notebook; the queue lets go of it together with the agent's next claim. */
export async function finishClaim(night: Night, spec: Spec, agent: string, line: Line, why: string): Promise<void> {
  const ended = await noteOnClaim(night.org, spec, agent, line, 'done', why);
  night.live.delete(spec.id);
  if (ended === undefined) return;
  await closeFinished(night, agent);
  night.finished.set(agent, await finishedFrom(night.org, spec));
}

/** Nobody here works on it any more, finished or lost to somebody else. What the end of the night cut short stays claimed. */
export function letGo(night: Night, spec: Spec): void {
  if (night.ending === undefined) night.live.delete(spec.id);
}

/** Takes what an agent has finished off the queue, when there is no next claim to do it with. */
export async function closeFinished(night: Night, agent: string): Promise<void> {
  const finished = night.finished.get(agent);
  night.finished.delete(agent);
  if (finished === undefined) return;
  await changeQueue(night.org, (queue) => {
    const closing = closeOn(queue, finished, agent, night.experiments);
    return closing && { ...closing, files: new Map([...closing.files, ...liveFile(night)]) };
  });
}

/** Takes a spec off the queue whose notebook an earlier run had ended. */
export async function closeSpec(org: Org, spec: Spec, agent: string): Promise<void> {
  const finished = await finishedFrom(org, spec);
  await changeQueue(org, (queue) => closeOn(queue, finished, agent, 0));
}

/** A spec whose notebook is ended, with what goes into the ledger for it. */
export interface Finished {
  readonly spec: Spec;
  readonly tally: Tally;
  readonly highest: number;
  readonly tip: string | undefined;
}

async function finishedFrom(org: Org, spec: Spec): Promise<Finished> {
  const notebook = await readNotebook(org, spec.id);
  const experiments = notebook?.experiments ?? [];
  const highest = experiments.reduce((most, one) => Math.max(most, one.n), 0);
  return { spec, tally: tallyOf(experiments.map((one) => one.event)), highest, tip: notebook?.line.tip };
}

/** The change of the queue that lets go of a spec and takes its experiments into the ledger; undefined when it was made before. */
function closeOn(queue: Queue, { spec, tally, highest, tip }: Finished, agent: string, experiments: number) {
  const file = queue.files.get(spec.id);
  if (file === undefined) return undefined;
  const { ledger } = queue;
  return {
    event: 'done',
    agent,
    title: `done: ${spec.id} ${spec.title}`,
    files: new Map<string, string | undefined>([[file, undefined]]),
    ledger: {
      closed: addTallies(ledger.closed, tally),
      experiments: Math.max(ledger.experiments, experiments, highest),
    },
    trailers: { Spec: spec.id, Agent: agent, Cause: tip },
  };
}

export const liveRow = (spec: Spec, agent: string, state: string, bestScore: number | undefined): LiveBranch => ({
  branch: shortRef(workRef(spec.id)),
  agent,
  spec: `${spec.id} ${spec.title}`,
  state,
  bestScore: bestScore !== undefined && Number.isFinite(bestScore) ? bestScore : undefined,
  lastChange: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
});

export const liveFile = (night: Night): ReadonlyMap<string, string> =>
  new Map([['branches.md', formatLiveBranches([...night.live.values()])]]);
