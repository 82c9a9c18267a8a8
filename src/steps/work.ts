import { agentFor } from '../agents/choose.ts';
import type { Spent, Work } from '../agents/contract.ts';
import { breaches, breachesInWords } from '../domain/boundary.ts';
import type { Experiment } from '../domain/experiment.ts';
import { seedChanges, seedChangesInWords, type TextChange } from '../domain/seed-change.ts';
import { choiceOf } from '../domain/staff.ts';
import type { NewObject } from '../git/objects.ts';
import { gitFileChanged } from '../git/worktree.ts';
import { boundaryOf } from './boundary-check.ts';
import { type DirectoryState, emptyDirectory, isGone, readDirectory, restoreDirectory } from './directory.ts';
import { contentOf } from './files.ts';
import { reachCap, stopAgent } from './halt.ts';
import { heldFor } from './held.ts';
import type { Night } from './night.ts';
import { buildTree, differencesIn, type FileChange } from './offered-tree.ts';
import type { Bench } from './prepare.ts';
import { rehearse } from './rehearse.ts';
import { secretIn } from './secret-check.ts';
import { takeTree } from './seen.ts';

/** What an agent leaves in its bench when it is done, as orgrepo reads it; and how it left the bench. */
export type Offer = Offered & { readonly found: DirectoryState; readonly spent: Spent | undefined };

type Offered =
  | {
      readonly kind: 'candidate';
      readonly tree: string;
      readonly objects: readonly NewObject[];
      readonly title: string;
      readonly notes: string;
      /** The inconclusive verdict on the very same tree that its measurement goes on with. */
      readonly earlier: Experiment | undefined;
    }
  | {
      readonly kind: 'refused';
      readonly event: 'tampered' | 'unchanged' | 'failed' | 'discard';
      readonly title: string;
      readonly reason: string;
    }
  /** The agent has no idea left for this spec. */
  | { readonly kind: 'nothing'; readonly reason: string };

/** A search may hit upon a tree that was measured before; asking again is cheaper than measuring again. */
const mostAsks = 30;

/** Lets the agent work at its bench, then reads what it left there: as hostile, and without git. */
export async function work(night: Night, bench: Bench): Promise<Offer> {
  try {
    return await askUntilNew(night, bench);
  } catch (error) {
    if (!isGone(error)) throw error;
    const reason = 'its bench was removed';
    return { kind: 'refused', event: 'failed', title: 'no candidate', reason, found: emptyDirectory, spent: undefined };
  }
}

async function askUntilNew(night: Night, bench: Bench): Promise<Offer> {
  const isSearch = choiceOf(bench.claim.pinned.brief.staff, bench.claim.agent).kind === 'search';
  const asks = isSearch ? mostAsks : 1;
  const { repo } = night.org;
  const { dir } = bench.worktree;
  let state = bench.state;
  let repeated: Offered & Pick<Offer, 'spent'> = { kind: 'nothing', reason: 'never asked', spent: undefined };
  for (let ask = 1; ask <= asks; ask++) {
    if (ask > 1) state = await restoreDirectory(repo, dir, state, bench.files);
    const done = await askAgent(night, bench, ask);
    if (done.kind === 'capped') reachCap(night, bench.claim.agent, done);
    if (done.kind === 'unable') await stopAgent(night, bench.claim.agent, done.reason);
    if (done.kind === 'nothing') return { ...done, found: state, spent: done.spent };
    state = readDirectory(repo, dir, state, bench.zones.sandbox.names, '.git');
    if (isSearch) refuseLosses(bench, state);
    const offer = await readOffer(night, bench, state, done);
    if (offer.kind !== 'refused' || offer.event !== 'unchanged') return { ...offer, found: state, spent: done.spent };
    repeated = { ...offer, spent: done.spent };
  }
  return { ...repeated, found: state };
}

/** The embedded agent takes no file away: if one is gone, somebody is removing the bench, and it is not the agent's offer. */
function refuseLosses({ files, worktree }: Bench, state: DirectoryState): void {
  for (const file of files.keys())
    if (!state.files.has(file)) throw Object.assign(new Error(`${worktree.dir} was removed`), { code: 'ENOENT' });
}

async function askAgent(night: Night, bench: Bench, ask: number): Promise<Work> {
  const { claim, attempt, files, zones } = bench;
  const { brief } = claim.pinned;
  const agent = agentFor('junior', claim.agent, brief, night.office);
  return agent(
    {
      role: 'junior',
      agent: claim.agent,
      dir: bench.worktree.dir,
      files: [...files.keys()].filter(zones.sandbox.names),
      brief,
      spec: claim.spec,
      notebook: night.memory.experiments,
      specs: [],
      open: 0,
      wanted: 0,
      attempt,
      ask,
      seed: night.seed,
      deadlineMs: brief.budget.agentMs,
      attempts: claim.spec.attempts ?? brief.budget.attempts,
      rehearse: (signal) => rehearse(night, bench, signal),
      held: await heldFor(night.org, brief, choiceOf(brief.staff, claim.agent)),
    },
    night.now,
  );
}

async function readOffer(
  night: Night,
  bench: Bench,
  state: DirectoryState,
  done: Exclude<Work, { kind: 'nothing' }>,
): Promise<Offered> {
  const title = done.kind === 'edited' ? done.title : 'no candidate';
  const differences = [...differencesIn(bench, state)];
  const touched = [
    ...state.odd.map(({ path: odd, what }) => `left ${JSON.stringify(odd)}, ${what}`),
    ...(gitFileChanged(bench.worktree) ? ['changed .git of its bench'] : []),
    ...breaches(
      differences.map(({ path: file, before, after }) => ({
        path: file,
        before: before?.mode,
        after: after?.mode,
        bytes: state.files.get(file)?.content?.length,
      })),
      boundaryOf(bench.claim.pinned.brief),
    ),
  ];
  if (touched.length > 0) return { kind: 'refused', event: 'tampered', title, reason: breachesInWords(touched) };
  if (done.kind !== 'edited') return { kind: 'refused', event: 'failed', title, reason: done.reason };
  if (differences.length === 0) return { kind: 'refused', event: 'unchanged', title, reason: 'nothing was changed' };
  const secret = await secretIn(night.org.repo, differences);
  if (secret !== undefined) return { kind: 'refused', title, ...secret };
  const seeds = seedChanges(await textsOf(night, differences));
  if (seeds !== undefined) return { kind: 'refused', event: 'discard', title, reason: seedChangesInWords(seeds) };
  const built = await buildTree(night.org.repo, bench, state, differences);
  const { before, earlier } = await takeTree(night, built.oid, bench);
  if (before !== undefined) return { kind: 'refused', event: 'unchanged', title, reason: `the same tree as ${before}` };
  return { kind: 'candidate', tree: built.oid, objects: built.objects, title, notes: done.notes, earlier };
}

/** The changed files as text, for a look at what kind of change it is; nothing where one cannot be only a few words. */
async function textsOf(night: Night, differences: readonly FileChange[]): Promise<TextChange[]> {
  const texts: TextChange[] = [];
  for (const { path: file, before, after } of differences) {
    if (before === undefined || after?.content === undefined || after.content.length > longestText) return [];
    const content = await contentOf(night.org.repo, before.oid);
    if (content.length > longestText || content.includes(0) || after.content.includes(0)) return [];
    texts.push({ path: file, before: content.toString('utf8'), after: after.content.toString('utf8') });
  }
  return texts;
}

const longestText = 1_000_000;
