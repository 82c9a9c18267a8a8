import { existsSync } from 'node:fs';
import path from 'node:path';
import { loginOf } from '../agents/logins.ts';
import { agentsWithDuty, choiceOf, everybodyIn, isProgramChoice } from '../domain/staff/staff.ts';
import type { Brief } from '../domain/words/brief.ts';
import { makeScratch } from '../git/merge.ts';
import { newCommit } from '../git/objects/commit.ts';
import { editTree, entryAt, filesOf, newObject, storeObject, type TreeEntry } from '../git/objects/tree.ts';
import { git, tryGit } from '../git/run-git.ts';
import { findBrief, type PinnedBrief, pinBrief } from '../org/force/pin-brief.ts';
import { orgFile, yamlFile } from '../org/read/org-file.ts';
import { nearestPath } from '../preflight/checks/check-commands.ts';
import { checkNight } from '../preflight/checks/check-night.ts';
import { openChecked } from '../preflight/open-checked.ts';
import { readRegularBytes } from '../process/untrusted-files.ts';
import { readEntry, treeOf } from '../records/entry.ts';
import { type Org, openOrg, trunkOf, trunkTip } from '../records/org.ts';
import { contentOf } from '../score/arena/arena-directory.ts';
import { closeOrg } from '../score/arena/measuring-room.ts';
import { withSandboxOf } from '../score/arena/trial-files.ts';
import { zonesOf } from '../score/judge/boundary.ts';
import { decodeText } from '../text/decode.ts';
import { nearestName, Problem } from '../text/problem.ts';

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
    const message = 'the org as it starts\n';
    const made = newCommit(ground.repo.hash, { tree, parents: [], author: signed, committer: signed, message });
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
    const { brief } = await pinBrief(ground, variant.commit);
    const tree = await withSandboxOf(ground.repo, brief, await treeOf(ground, variant.commit), base);
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

/** How the models are paid for that may be asked. A command may do what it likes: nobody can know. */
export async function howPaid(org: Org, { staff }: Brief): Promise<'nothing' | 'subscription' | 'money'> {
  const costly = everybodyIn(staff).filter(
    (choice) => isProgramChoice(choice) || (choice.kind === 'api' && choice.model.provider !== 'scripted'),
  );
  const logins = await Promise.all(costly.map((choice) => loginOf(org, choice)));
  if (costly.length === 0) return 'nothing';
  return logins.includes(undefined) ? 'money' : 'subscription';
}

/** What a person wants compared: a file that says how the org works, in place of the trunk's; or a whole commit. */
export type Variant =
  | { readonly kind: 'brief' | 'org' | 'yaml'; readonly typed: string; readonly text: string }
  | { readonly kind: 'commit'; readonly typed: string; readonly commit: string };

/** `program.md`, `program.md@HEAD~1`, `ORG-v2.md`, `org.yaml@v1`; or a commit or branch: `HEAD~3`. */
export async function findVariant(org: Org, dir: string, typed: string): Promise<Variant> {
  // Briefs and orgs have these endings; anything else is for git to resolve.
  const [, file, revision] = /^(.+?\.(?:md|yaml|yml))(?:@(.+))?$/is.exec(typed) ?? [];
  if (file === undefined) return { kind: 'commit', typed, commit: await commitOf(org, typed, typed) };
  const kind = kindOf(file);
  if (revision === undefined) return { kind, typed, text: await textHere(org, dir, file) };
  const commit = await commitOf(org, revision, typed);
  return { kind, typed, text: await textThen(org, dir, file, commit) };
}

/** orgrepo.md is a brief, ORG.md and ORG-v2.md are orgs. */
function kindOf(file: string): 'brief' | 'org' | 'yaml' {
  if (!file.toLowerCase().endsWith('.md')) return 'yaml';
  return /^org(?!repo)/i.test(path.basename(file)) ? 'org' : 'brief';
}

const codeOf = (file: string) => (kindOf(file) === 'brief' ? 'brief/syntax' : 'org/syntax');

/** More than anybody has written by hand. */
const mostBytes = 8 * 1024 * 1024;

async function textHere(org: Org, dir: string, file: string): Promise<string> {
  const place = path.resolve(dir, file);
  const bytes = readRegularBytes(place, mostBytes);
  if (bytes !== undefined) return decodeText(bytes, file, codeOf(file));
  if (existsSync(place)) throw new Problem('file/missing', `${file} is not a file that can be read`, example, { file });
  throw await missing(org, await treeOf(org, await trunkTip(org)), dir, file, '');
}

async function textThen(org: Org, dir: string, file: string, commit: string): Promise<string> {
  const tree = await treeOf(org, commit);
  const entry = await entryAt(org.repo, tree, insideOf(org, dir, file));
  if (entry?.mode.startsWith('100')) return decodeText(await contentOf(org.repo, entry.oid), file, codeOf(file));
  throw await missing(org, tree, dir, file, ` in ${commit.slice(0, 7)}`);
}

async function missing(org: Org, tree: string, dir: string, file: string, where: string): Promise<Problem> {
  const near = await nearestPath(org, tree, insideOf(org, dir, file));
  return new Problem(
    'file/missing',
    `there is no file ${file}${where}`,
    near === undefined ? example : `Did you mean ${near}?`,
    { file },
  );
}

/** A file's path as trees spell it. */
const insideOf = ({ repo }: Org, dir: string, file: string): string =>
  path.relative(repo.root, path.resolve(dir, file)).split(path.sep).join('/');

async function commitOf(org: Org, revision: string, typed: string): Promise<string> {
  // In a linked work tree the common directory's HEAD is somebody else's.
  const tip = /^(HEAD|@)(?=$|[~^])/.test(revision) ? await trunkTip(org) : undefined;
  const meant = tip === undefined ? revision : revision.replace(/^(HEAD|@)/, tip);
  const asked = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${meant}^{commit}`];
  const found = meant.includes('\0') ? undefined : await tryGit(org.repo, asked);
  if (found?.code === 0) return found.stdout.text.trim();
  const refs = await git(org.repo, ['for-each-ref', '--format=%(refname:short)', 'refs/heads', 'refs/tags']);
  const names = refs.split('\n').filter((name) => name !== '');
  const near = nearestName(revision, ['HEAD', ...names, ...(typed === revision ? ['program.md', 'ORG.md'] : [])]);
  throw new Problem(
    'usage/argument',
    `git knows no commit ${JSON.stringify(revision)}${typed === revision ? '' : `, of ${JSON.stringify(typed)}`}`,
    near === undefined ? example : `Did you mean ${near}?`,
  );
}

const example = 'For example: orgrepo compare program.md@HEAD~1 program.md, or: orgrepo compare HEAD~3 HEAD';
