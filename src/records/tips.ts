import { bestRef, reportsRef, shortRef, workRef } from '../domain/names.ts';
import type { Org } from './org.ts';
import { readQueue } from './queue.ts';

/** What fits into a trailer with room to spare; the brief's juniors are fewer. */
const mostTips = 100;

/**
 * Where the org's other branches stand when a run ends: `orgrepo/best=<id> orgrepo/work/0007=<id> …`. A finished
 * notebook is pinned by the commit that closes its spec; best, the reports and the open notebooks are pinned here.
 */
export async function tipsNow(org: Org): Promise<string> {
  const specs = (await readQueue(org))?.specs ?? [];
  const refs = [bestRef, reportsRef, ...specs.map((spec) => workRef(spec.id))];
  const tips = await Promise.all(refs.map(async (ref) => ({ ref, tip: await org.repo.reader.resolve(ref) })));
  return tips
    .flatMap(({ ref, tip }) => (tip === undefined ? [] : [`${shortRef(ref)}=${tip}`]))
    .slice(0, mostTips)
    .join(' ');
}

/** The same read back, by full ref. */
export function parseTips(text: string | undefined): ReadonlyMap<string, string> {
  const parts = (text ?? '').split(' ').map((part) => /^(orgrepo\/[a-z0-9/]+)=([0-9a-f]{40,64})$/.exec(part));
  return new Map(
    parts.flatMap((match) => (match === null ? [] : [[`refs/heads/${match[1]}`, match[2] ?? ''] as const])),
  );
}
