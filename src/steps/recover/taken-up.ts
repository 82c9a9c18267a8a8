import { modelsOf } from '../../domain/staff/staff.ts';
import { triedIn } from '../../domain/words/experiment.ts';
import { entryAt } from '../../git/objects/tree.ts';
import { appliedRef, decisionsRef, spendRefs, traceRefs, wipRefs, workRefs } from '../../git/refs/ref-names.ts';
import { pinBrief } from '../../org/force/pin-brief.ts';
import { policiesDir } from '../../org/force/policy-files.ts';
import { readEntry } from '../../records/entry.ts';
import { readBest } from '../../records/notebook/best-line.ts';
import { liveNotebooks, wholeTally } from '../../records/notebook/history.ts';
import { type Org, trunkTip } from '../../records/org.ts';
import { queueHistory, readQueue } from '../../records/queue/queue.ts';
import { isProblem } from '../../text/problem.ts';

/** What a clone has now that it has taken up these refs; undefined where that cannot be read, which a start tells of. */
export async function takenInWords(org: Org, remote: string, taken: readonly string[]): Promise<string | undefined> {
  const [queue, best] = await Promise.all([readQueue(org), readBest(org)]);
  if (queue === undefined) return undefined;
  const { tally, waiting } = wholeTally(queue, await liveNotebooks(org, queue));
  const tried = triedIn(tally) + waiting;
  const notebooks = taken.filter((ref) => ref.startsWith(workRefs)).length;
  const stands = best === undefined ? '' : `, best ${best.score}${best.n > 0 ? ` (#${best.n})` : ''}`;
  const count = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;
  return `taken up from ${remote}: ${count(tried, 'experiment')}, ${count(notebooks, 'notebook')}${stands}`;
}

/** What a person should know of it: what the remote did not have, and who may still be at work elsewhere. */
export async function doubtsAboutTaken(org: Org, remote: string, taken: readonly string[]): Promise<string[]> {
  const doubts: string[] = [];
  const has = (prefix: string): boolean => taken.some((ref) => ref.startsWith(prefix));
  const lacking = (await booksOf(org, has(workRefs))).filter((prefix) => !has(prefix));
  const missing = lacking.map((prefix) => prefix.split('/')[2]);
  if (missing.length > 0)
    doubts.push(`${remote} has none of refs/orgrepo/{${missing.join(',')}}: what there was of it is not known here`);
  const queue = await readQueue(org);
  if (queue === undefined || queue.ledger.state === 'ended' || queue.ledger.run === '') return doubts;
  const by = `run ${queue.ledger.run} on ${await lastHost(org)}`;
  return [...doubts, `${by} had not ended. Should it still run there, stop it: two would go on with the same specs`];
}

/** The books below refs/orgrepo/ that an org such as the trunk's has once it has run. */
async function booksOf(org: Org, isWorked: boolean): Promise<readonly string[]> {
  const has = await traitsOf(org);
  return [
    ...(isWorked ? [wipRefs] : []),
    ...(has.models ? [spendRefs, traceRefs] : []),
    ...(has.policies ? [decisionsRef] : []),
    ...(has.chart ? [appliedRef] : []),
  ];
}

async function traitsOf(org: Org): Promise<{ models: boolean; policies: boolean; chart: boolean }> {
  try {
    const { brief, charter, trunkTree } = await pinned(org);
    const policies = (await entryAt(org.repo, trunkTree, policiesDir)) !== undefined;
    return { models: modelsOf(brief.staff).length > 0, policies, chart: charter !== undefined || policies };
  } catch (error) {
    if (!isProblem(error)) throw error;
    return { models: true, policies: true, chart: true }; // Rather one word too many.
  }
}

async function pinned(org: Org) {
  const trunk = await trunkTip(org);
  const trunkTree = (await readEntry(org, trunk))?.commit.tree ?? '';
  return { ...(await pinBrief(org, trunk)), trunkTree };
}

async function lastHost(org: Org): Promise<string> {
  for await (const entry of queueHistory(org)) if (entry.event === 'run') return entry.get('Host') ?? 'another machine';
  return 'another machine';
}
