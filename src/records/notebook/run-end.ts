import { entryAt } from '../../git/objects/tree.ts';
import { refNames } from '../../git/refs/ref-files.ts';
import {
  bestRef,
  queueRef,
  reportsRef,
  shortRef,
  spendRefs,
  tipsRef,
  traceRefs,
  workRef,
} from '../../git/refs/ref-names.ts';
import { type BookEntry, entryOf, type NewEntry, readEntry, readTip, writeEntry } from '../entry.ts';
import { type Org, trunkTip } from '../org.ts';
import { readQueue, storeFiles } from '../queue/queue.ts';

/** What fits into a trailer with room to spare. */
const mostCharacters = 7_000;

/**
 * Where the org's other branches stand when a run ends: `orgrepo/best=<id> orgrepo/work/0007=<id> …`. A finished
 * notebook is pinned by the commit that closes its spec; best, the reports and the open notebooks are pinned here.
 */
export async function tipsNow(org: Org): Promise<string> {
  const specs = (await readQueue(org))?.specs ?? [];
  return (await tipsOf(org, [bestRef, reportsRef, ...specs.map((spec) => workRef(spec.id))]))[0] ?? '';
}

/**
 * Pins what no other commit names: the report, which is written last, the books of spending and the traces of this run, and
 * the queue. A run that is killed before this pins nothing, and nothing is missed.
 */
export async function recordTips(org: Org, run: string): Promise<void> {
  const spend = await refNames(org.repo, spendRefs);
  const traces = [...org.repo.refs.moved.keys()].filter((ref) => ref.startsWith(traceRefs)).sort();
  await org.repo.store.sync(); // Else a power failure could leave the name of what is gone.
  for (const tips of await tipsOf(org, [queueRef, reportsRef, ...spend, ...traces])) await appendTips(org, run, tips);
}

async function appendTips(org: Org, run: string, tips: string): Promise<void> {
  await appendTo(org, tipsRef(org.host), async ({ commit }) => ({
    tree: commit.tree, // Its files are the trunk's for ever: it is its commits.
    agent: 'orgrepo',
    title: `tips: ${run}, ${tips.split(' ').length} refs`,
    trailers: { Event: 'tips', Run: run, Host: org.host, Tips: tips },
  }));
}

/** Appends an entry to a branch that begins on the trunk, unless there is nothing to say. Returns the tip of the branch. */
async function appendTo(
  org: Org,
  ref: string,
  entryOn: (base: BookEntry, isFirst: boolean) => Promise<Omit<NewEntry, 'parents'> | undefined>,
): Promise<string> {
  for (;;) {
    const tip = await readTip(org, ref);
    const base = tip ?? (await entryOf(org, await trunkTip(org)));
    const entry = await entryOn(base, tip === undefined);
    if (entry === undefined) return base.commit.oid;
    const commit = await writeEntry(org, { ...entry, parents: [base.commit.oid] });
    if (await org.repo.refs.move(ref, commit, tip?.commit.oid)) return commit;
  }
}

export const isTips = ({ event }: Pick<BookEntry, 'event'>): boolean => event === 'tips';

/** In as many parts as it takes. */
async function tipsOf(org: Org, refs: readonly string[]): Promise<readonly string[]> {
  const tips = await Promise.all(refs.map(async (ref) => ({ ref, tip: await org.repo.reader.resolve(ref) })));
  const parts: string[] = [];
  for (const { ref, tip } of tips) {
    if (tip === undefined) continue;
    const one = `${shortRef(ref)}=${tip}`;
    const last = parts.at(-1);
    if (last === undefined || last.length + one.length > mostCharacters) parts.push(one);
    else parts[parts.length - 1] = `${last} ${one}`;
  }
  return parts;
}

/** The same read back, by full ref. */
export function parseTips(text: string | undefined): ReadonlyMap<string, string> {
  const parts = (text ?? '').split(' ').map((part) => /^((?:refs\/)?orgrepo\/[\w./-]+)=([0-9a-f]{40,64})$/.exec(part));
  return new Map(
    parts.flatMap((match) => {
      const [, name = '', id = ''] = match ?? [];
      return match === null ? [] : [[name.startsWith('refs/') ? name : `refs/heads/${name}`, id] as const];
    }),
  );
}

/** The newest report's text; empty when there is none. */
export async function readLastReport(org: Org): Promise<string> {
  const tip = await readEntry(org, reportsRef);
  const entry = tip && (await entryAt(org.repo, tip.commit.tree, 'reports/latest.md'));
  const found = entry && (await org.repo.reader.read(entry.oid));
  return found?.type === 'blob' ? found.content.toString('utf8') : '';
}

/** Beside the reports when a cap ended the last night, and gone again after one that no cap ended. */
export const budgetFile = 'reports/errors/budget-exceeded.md';

/** Puts a report's files on orgrepo/reports; those without a text are taken out. */
export const publishReport = (org: Org, run: string, files: ReadonlyMap<string, string | undefined>): Promise<string> =>
  appendTo(org, reportsRef, async ({ commit }, isFirst) => {
    const tree = await storeFiles(org, commit.tree, files);
    if (!isFirst && tree === commit.tree) return undefined;
    // What it tells of: should the queue ever be moved back below that, somebody can tell.
    const cause = await org.repo.reader.resolve(queueRef);
    return {
      ...{ tree, agent: undefined, title: `report: ${run}` },
      trailers: { Event: 'report', Run: run, Host: org.host, Cause: cause },
    };
  });
