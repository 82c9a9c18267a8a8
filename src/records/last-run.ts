import { isProblem } from '../domain/problem.ts';
import { type PinnedBrief, pinBrief } from './brief.ts';
import type { Org } from './org.ts';
import { queueHistory } from './queue.ts';

/** The last run and the brief that it was started with; undefined when there never was one. */
export async function readLastRun(
  org: Org,
): Promise<{ readonly run: string; readonly pinned: PinnedBrief | undefined } | undefined> {
  for await (const entry of queueHistory(org)) {
    if (entry.event === 'run') return { run: entry.get('Run') ?? '', pinned: await pinnedAt(org, entry.get('Trunk')) };
  }
  return undefined;
}

/** What a shallow clone does not have, or this version cannot read any more, is not known. */
async function pinnedAt(org: Org, trunk: string | undefined): Promise<PinnedBrief | undefined> {
  try {
    return trunk === undefined ? undefined : await pinBrief(org, trunk);
  } catch (error) {
    if (isProblem(error)) return undefined;
    throw error;
  }
}
