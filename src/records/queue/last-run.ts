import type { Org } from '../org.ts';
import { queueHistory } from './queue.ts';

/** The last run, and the commit of the trunk that it was started with; undefined when there never was one. */
export async function readLastRun(
  org: Org,
): Promise<{ readonly run: string; readonly trunk: string | undefined } | undefined> {
  for await (const entry of queueHistory(org))
    if (entry.event === 'run') return { run: entry.get('Run') ?? '', trunk: entry.get('Trunk') };
  return undefined;
}
