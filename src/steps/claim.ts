import { addTallies, tallyOf } from '../domain/experiment.ts';
import { shortRef, workRef } from '../domain/names.ts';
import type { Spec } from '../domain/spec.ts';
import { type Claimed, claimSpec, noteOnClaim } from '../records/claims.ts';
import { type Line, readNotebook } from '../records/notebook.ts';
import type { Org } from '../records/org.ts';
import { changeQueue, readQueue } from '../records/queue.ts';
import { formatLiveBranches, type LiveBranch } from '../text/branches-table.ts';
import { type Night, nowInSeconds } from './night.ts';
import { unclaimed } from './refill.ts';

/** Claims the next spec for an agent; undefined when there is none to be had. */
export async function claimNext(night: Night, agent: string): Promise<Claimed | undefined> {
  for (const spec of await unclaimed(night, await readQueue(night.org))) {
    if (night.live.has(spec.id)) continue;
    night.live.set(spec.id, liveRow(spec, agent, 'claimed', night.best.score));
    const claimed = await claimSpec(night.org, spec, agent, night.best, night.pinned);
    if (claimed === undefined) {
      night.live.delete(spec.id);
      continue;
    }
    night.say({ kind: 'claim', at: nowInSeconds(), spec: spec.id, agent });
    await changeQueue(night.org, () => ({
      event: 'claim',
      agent,
      title: `claim: ${spec.id} by ${agent}`,
      files: liveFile(night),
      trailers: { Spec: spec.id, Agent: agent, Cause: claimed.line.tip },
    }));
    return claimed;
  }
  return undefined;
}

/** Ends the work on a spec: a last line in its notebook, then the queue lets go of it. */
export async function finishClaim(night: Night, spec: Spec, agent: string, line: Line, why: string): Promise<void> {
  const ended = await noteOnClaim(night.org, spec, agent, line, 'done', why);
  night.live.delete(spec.id);
  if (ended !== undefined) await closeSpec(night.org, spec, agent, night.experiments, liveFile(night));
}

/** Takes a finished spec off the queue and its experiments into the ledger, once. */
export async function closeSpec(
  org: Org,
  spec: Spec,
  agent: string,
  experiments: number,
  files: ReadonlyMap<string, string>,
): Promise<void> {
  const notebook = await readNotebook(org, spec.id);
  const tally = tallyOf((notebook?.experiments ?? []).map((one) => one.event));
  const highest = (notebook?.experiments ?? []).reduce((most, one) => Math.max(most, one.n), experiments);
  await changeQueue(org, (queue) => {
    const file = queue.files.get(spec.id);
    if (file === undefined) return undefined; // Closed already.
    return {
      event: 'done',
      agent,
      title: `done: ${spec.id} ${spec.title}`,
      files: new Map([...files, [file, undefined]]),
      ledger: {
        closed: addTallies(queue.ledger.closed, tally),
        experiments: Math.max(queue.ledger.experiments, highest),
      },
      trailers: { Spec: spec.id, Agent: agent, Cause: notebook?.line.tip },
    };
  });
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
