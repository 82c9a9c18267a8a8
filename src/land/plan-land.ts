import { type ChangedFile, changedFiles, mergeBase, mergeChange } from '../git/merge.ts';
import { entryAt } from '../git/objects/tree.ts';
import { shortRef } from '../git/refs/ref-names.ts';
import type { Repo } from '../git/repo.ts';
import { type PinnedBrief, pinBrief } from '../org/force/pin-brief.ts';
import { readEntry, treeOf } from '../records/entry.ts';
import { type BestEntry, readBest, rewrittenTrunk } from '../records/notebook/best-line.ts';
import { type Org, trunkOf, trunkTip } from '../records/org.ts';
import { isLeft, type KeptOnBest, keptSince, landedSince, storyOf } from '../report/facts/land-history.ts';
import { boundaryBreaches } from '../score/arena/boundary-check.ts';
import { withSandboxOf } from '../score/arena/trial-files.ts';
import { breachesInWords } from '../score/judge/boundary.ts';
import { Problem } from '../text/problem.ts';

/** What would come to the trunk: one tree, made of what was taken and of the trunk as it is. */
export interface Landing {
  /** The branch as people call it, its full name, its commit and its tree. */
  readonly trunk: { readonly name: string; readonly ref: string; readonly tip: string; readonly tree: string };
  readonly best: BestEntry;
  /** The trunk's: what lands is measured by what is there. */
  readonly pinned: PinnedBrief;
  readonly kept: readonly Awaited<ReturnType<typeof storyOf>>[];
  /** True when it is all that is on best, so that its score should be best's. */
  readonly whole: boolean;
  readonly tree: string;
  readonly files: readonly ChangedFile[];
}

/** Puts together what would be landed, in memory. Undefined when the trunk has all of it already. */
export async function planLanding(org: Org, wanted: readonly number[]): Promise<Landing | undefined> {
  const tip = await trunkTip(org);
  const tree = await treeOf(org, tip);
  const ref = trunkOf(org);
  const trunk = { name: shortRef(ref), ref, tip, tree };
  const best = await readBest(org);
  if (best === undefined) throw new Problem('experiment/missing', 'nothing has run here yet', 'Start: orgrepo run');
  const pinned = await pinBrief(org, tip);
  const all = await keptSince(org, tip, best.commit);
  await refuseUnknown(org, tip, all, wanted);
  const left = all.filter(isLeft);
  const chosen = wanted.length === 0 ? left : left.filter(({ n }) => wanted.includes(n));
  if (chosen.length === 0) return undefined;
  const whole = chosen.length === left.length;
  const made = whole ? await takeAll(org, trunk, best, pinned, all) : await takeSome(org, trunk, chosen, left);
  if (made === tree) return undefined;
  await refuseOverstep(org, trunk, made, pinned);
  return {
    ...{ trunk, best, pinned, whole, tree: made },
    kept: await Promise.all(chosen.map((one) => storyOf(org, one))),
    files: await changedFiles(org.repo, tree, made),
  };
}

/** A number that was landed before best began anew from the trunk is not a mistake: there is nothing to do for it. */
async function refuseUnknown(
  org: Org,
  tip: string,
  all: readonly KeptOnBest[],
  wanted: readonly number[],
): Promise<void> {
  const others = wanted.filter((n) => !all.some((one) => one.n === n && (one.landed || isLeft(one))));
  const landed = others.length === 0 ? new Set<number>() : await landedSince(org, tip);
  const unknown = others.find((n) => !landed.has(n));
  if (unknown === undefined) return;
  const there = all.filter(isLeft).map(({ n }) => `#${n}`);
  const instead = all.find(({ n }) => n === unknown)?.replacedBy;
  throw new Problem(
    'usage/argument',
    instead === undefined
      ? `#${unknown} is not among the wins on orgrepo/best since your branch`
      : `#${unknown} is not on orgrepo/best any more: #${instead} was taken in its place`,
    there.length === 0
      ? 'There is nothing that could be landed. See what is on best: orgrepo log --taken'
      : `These are: ${there.slice(0, 20).join(' ')}${there.length > 20 ? ' …' : ''}. Each in full: orgrepo show ${there[0]?.slice(1)}`,
  );
}

/** All that best has made of the sandbox since the two had the same, put on the trunk as it is now. */
async function takeAll(
  org: Org,
  trunk: Landing['trunk'],
  best: BestEntry,
  { brief }: PinnedBrief,
  all: readonly KeptOnBest[],
): Promise<string> {
  const { repo } = org;
  const rewritten = await rewrittenTrunk(org, best, trunk.tip);
  const common = rewritten?.commit ?? (await mergeBase(repo, trunk.tip, best.commit));
  const base = common && (await readEntry(org, common))?.commit.tree;
  if (common === undefined || base === undefined)
    throw new Problem(
      'integrity/history',
      `${trunk.name} and orgrepo/best have no commit in common`,
      'Go to the branch that the run was started on, or fetch the whole history: git fetch --unshallow',
    );
  const since = await landedSince(org, trunk.tip, common);
  // What was squashed onto the trunk is nobody's ancestor: the merge would take it for somebody else's work.
  let had = base;
  for (const one of all) {
    const merged = since.has(one.n) ? await mergeChange(repo, one.before, had, one.tree) : undefined;
    if (merged?.kind === 'clean') had = merged.tree;
  }
  const merged = await mergeChange(repo, had, trunk.tree, await withSandboxOf(repo, brief, had, best.tree));
  if (merged.kind === 'clean') return merged.tree;
  throw new Problem(
    'person/conflict',
    `${trunk.name} and orgrepo/best both changed ${merged.paths.join(', ')}, and the changes do not go together`,
    'Nothing was written. Merge them yourself: git merge orgrepo/best. Or land what does not touch it, by its numbers.',
  );
}

/** The named ones one after the other, each as what it made of the best before it. */
async function takeSome(
  { repo }: Org,
  trunk: Landing['trunk'],
  chosen: readonly KeptOnBest[],
  left: readonly KeptOnBest[],
): Promise<string> {
  let { tree } = trunk;
  for (const one of chosen) {
    const merged = await mergeChange(repo, one.before, tree, one.tree);
    if (merged.kind === 'clean') {
      tree = merged.tree;
      continue;
    }
    const older = await touching(repo, left.slice(0, left.indexOf(one)), merged.paths);
    const together = [...new Set([...older, ...chosen].map(({ n }) => n))].sort((a, b) => a - b);
    throw new Problem(
      'person/conflict',
      `#${one.n} cannot be taken alone: in ${merged.paths.join(', ')} it changes lines that ${trunk.name} has otherwise`,
      older.every((other) => chosen.includes(other))
        ? 'Nothing was written. Merge it yourself: git merge orgrepo/best'
        : `Nothing was written. Take what came before it too: orgrepo land ${together.join(' ')}`,
    );
  }
  return tree;
}

/** Those that changed one of these files. */
async function touching(
  repo: Repo,
  kept: readonly KeptOnBest[],
  paths: readonly string[],
): Promise<readonly KeptOnBest[]> {
  const changed = await Promise.all(kept.map(({ before, tree }) => changedFiles(repo, before, tree)));
  return kept.filter((_, at) => changed[at]?.some(({ path }) => paths.includes(path)));
}

/** Only what agents may change has changed, and the judge is the trunk's own: looked at once more in the object store. */
async function refuseOverstep(org: Org, trunk: Landing['trunk'], tree: string, pinned: PinnedBrief): Promise<void> {
  const { brief, harness } = pinned;
  if ((await entryAt(org.repo, tree, brief.harness))?.oid !== harness)
    throw new Problem(
      'integrity/harness',
      `what is on best would change ${brief.harness}`,
      'See what does not hold: orgrepo verify',
    );
  const breaches = await boundaryBreaches(org.repo, trunk.tree, tree, brief);
  if (breaches.length > 0)
    throw new Problem(
      'integrity/history',
      `what is on best oversteps what ${trunk.name}'s brief lets agents change: ${breachesInWords(breaches)}`,
      'Put what it may change into sandbox, or merge by hand what you want of it: git diff HEAD...orgrepo/best',
    );
}
