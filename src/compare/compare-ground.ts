import path from 'node:path';
import { agentsWithDuty, choiceOf, everybodyIn } from '../domain/staff/staff.ts';
import type { Brief } from '../domain/words/brief.ts';
import { makeScratch } from '../git/merge.ts';
import { newCommit } from '../git/objects/commit.ts';
import { editTree, entryAt, filesOf, newObject, storeObject, type TreeEntry } from '../git/objects/tree.ts';
import { findBrief, type PinnedBrief, pinBrief } from '../org/force/pin-brief.ts';
import { orgFile, yamlFile } from '../org/read/org-file.ts';
import { checkNight } from '../preflight/checks/check-night.ts';
import { openChecked } from '../preflight/open-checked.ts';
import { readEntry } from '../records/entry.ts';
import { type Org, openOrg, trunkOf, trunkTip } from '../records/org.ts';
import { closeOrg } from '../score/arena/measuring-room.ts';
import { withSandboxOf, zonesOf } from '../score/arena/zone-files.ts';
import { Problem } from '../text/problem.ts';
import type { Variant } from './compare-variant.ts';

/** One side of a comparison: a repository in which its nights could begin, to be copied for each of them. */
export interface Side {
  readonly name: 'A' | 'B';
  readonly variant: Variant;
  readonly dir: string;
  readonly pinned: PinnedBrief;
  readonly tree: string;
  /** What of the brief's includes it has, by content: they may be data that scores depend on, or an agent's own script. */
  readonly included: string;
}

/**
 * The trunk with the variant's file in it, or the variant's commit with the sandbox and the specs of the trunk: both sides
 * begin with the same work. What a night could not begin with is thrown here.
 */
export async function layGround(
  org: Org,
  name: 'A' | 'B',
  variant: Variant,
  place: string,
  signal: AbortSignal,
): Promise<Side> {
  const dir = path.join(place, name, path.basename(org.repo.root));
  const trunk = trunkOf(org);
  const base = await readEntry(org, await trunkTip(org));
  const person = await org.person();
  await makeScratch(org.repo, dir, trunk.slice('refs/heads/'.length), person);
  const ground = await openOrg(dir, org.jail);
  try {
    const tree = await treeFor(ground, variant, base?.commit.tree ?? '');
    const at = base?.commit.committer.at ?? 0; // The same commit on both sides where there is no difference between them.
    const signed = { ...person, at };
    const made = newCommit(ground.repo.hash, {
      tree,
      parents: [],
      author: signed,
      committer: signed,
      message: 'the org as it starts\n',
    });
    await ground.repo.refs.move(trunk, storeObject(ground.repo, made), undefined);
    const { pinned, problems } = await checkNight(ground, await openChecked(ground), 'never', signal);
    if (problems[0] !== undefined) throw problems[0];
    refusePeople(pinned.brief);
    const { fixed } = zonesOf(pinned.brief);
    const files = await filesOf(ground.repo, tree, fixed.names, fixed.leadsTo);
    const included = [...files].map(([file, { mode, oid }]) => `${mode} ${oid} ${file}`).join('\n');
    return { name, variant, dir, pinned, tree, included };
  } catch (error) {
    if (error instanceof Problem) throw blame(error, name, variant);
    throw error;
  } finally {
    await closeOrg(ground);
  }
}

const blame = ({ code, message, hint, place }: Problem, name: string, { typed }: Variant): Problem =>
  new Problem(code, `${name} (${typed}): ${message}`, hint, place);

/** People know nothing of a scratch repository: in a night of nobody but people nothing happens. */
function refusePeople(brief: Brief): void {
  const juniors = agentsWithDuty(brief, 'junior');
  if (juniors.length === 0 || juniors.some((name) => choiceOf(brief.staff, name).kind !== 'human')) return;
  throw new Problem(
    'brief/value',
    'everybody who would work is a person',
    'Only what agents do can be done again and again: give it an agent.',
  );
}

async function treeFor(ground: Org, variant: Variant, base: string): Promise<string> {
  if (variant.kind === 'commit') {
    const theirs = (await readEntry(ground, variant.commit))?.commit.tree ?? '';
    const { brief } = await pinBrief(ground, variant.commit);
    const tree = await withSandboxOf(ground.repo, brief, theirs, base);
    return edit(ground, tree, [['specs', await entryAt(ground.repo, base, 'specs')]]);
  }
  const blob = newObject(ground.repo.hash, 'blob', variant.text);
  const entry: TreeEntry = { mode: '100644', oid: storeObject(ground.repo, blob) };
  // The file that is to be the org cannot stand beside the one that is the org now.
  if (variant.kind !== 'brief')
    return edit(ground, base, [
      [orgFile, variant.kind === 'org' ? entry : undefined],
      [yamlFile, variant.kind === 'yaml' ? entry : undefined],
    ]);
  return edit(ground, base, [[(await findBrief(ground, base))?.file ?? 'program.md', entry]]);
}

async function edit(
  { repo }: Org,
  tree: string,
  changes: readonly (readonly [string, TreeEntry | undefined])[],
): Promise<string> {
  const built = await editTree(repo, tree, new Map(changes));
  for (const object of built.objects) storeObject(repo, object);
  return built.oid;
}

/** Two that are measured by different things cannot be compared, whatever they score. */
export function refuseIncomparable(a: Side, b: Side): void {
  const wrong = mustAgree.find(({ of }) => JSON.stringify(of(a.pinned)) !== JSON.stringify(of(b.pinned)));
  if (wrong === undefined) return;
  const words = (side: Side): string =>
    `${String(wrong.of(side.pinned) ?? 'none')} in ${side.name} (${side.variant.typed})`;
  throw new Problem(
    'brief/value',
    `A and B cannot be compared: ${wrong.name} is ${words(a)} and ${words(b)}`,
    'Compare two that are scored by the same harness for the same metric.',
  );
}

type Agreed = { readonly name: string; readonly of: (pinned: PinnedBrief) => unknown };

const mustAgree: readonly Agreed[] = [
  { name: 'metric', of: ({ brief }) => brief.metric },
  { name: 'direction', of: ({ brief }) => brief.direction },
  { name: 'harness', of: ({ brief }) => brief.harness },
  { name: 'the content of the harness', of: ({ harness }) => harness.slice(0, 7) },
  { name: 'run', of: ({ brief }) => brief.run },
  { name: 'score', of: ({ brief }) => brief.score },
  { name: 'holdout', of: ({ brief }) => brief.holdout },
];

/** Whether a model may be asked that somebody pays for. A command may do what it likes: nobody can know. */
export const costsMoney = ({ staff }: Brief): boolean =>
  everybodyIn(staff).some(
    (choice) => choice.kind === 'program' || (choice.kind === 'api' && choice.model.provider !== 'scripted'),
  );
