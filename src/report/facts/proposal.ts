import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { addBriefLine } from '../../brief/read/brief-text.ts';
import type { Charter } from '../../domain/staff/charter.ts';
import { agentEmail } from '../../domain/staff/staff.ts';
import { descendsFrom, diffText } from '../../git/merge.ts';
import { newCommit } from '../../git/objects/commit.ts';
import { editTree, entryAt, newObject, storeObject } from '../../git/objects/tree.ts';
import { recommendationRefs, shortRef } from '../../git/refs/ref-names.ts';
import { findBrief, readBrief } from '../../org/force/pin-brief.ts';
import { editOrg } from '../../org/write/org-edit.ts';
import { readEntry } from '../../records/entry.ts';
import { type Org, trunkOf, trunkTip } from '../../records/org.ts';
import { isProblem, Problem } from '../../text/problem.ts';
import type { Recommendation } from '../advice/recommend.ts';

export type EditProposal = Readonly<Awaited<ReturnType<typeof proposeEdit>>>;

/** Makes a recommended edit as it would be committed, for a person to look at. It is on the trunk as it is committed; no branch knows of it yet. */
export async function proposeEdit(org: Org, recommendation: Recommendation, charter: Charter | undefined) {
  const base = await trunkTip(org);
  const before = (await readEntry(org, base))?.commit.tree ?? '';
  const { file, oid, mode, text } = await fileToEdit(org, before, recommendation, charter);
  const { edit } = recommendation;
  const edited = edit.kind === 'brief-line' ? addBriefLine(text, edit.text) : editOrg(text, edit, file);
  if (isProblem(edited)) throw edited;
  const blob = storeObject(org.repo, newObject(org.repo.hash, 'blob', edited));
  if (edit.kind === 'brief-line') await refuseOtherChange(org, before, file, oid, blob);
  const built = await editTree(org.repo, before, new Map([[file, { mode, oid: blob }]]));
  for (const object of built.objects) storeObject(org.repo, object);
  await org.repo.store.flush(); // git tells the difference, and has to find it.
  return {
    recommendation,
    file,
    tree: built.oid,
    branch: branchFor(recommendation.key),
    /** The trunk it is made on, by its name and its commit. */
    trunk: shortRef(trunkOf(org)),
    base,
    diff: await diffText(org.repo, before, built.oid),
  };
}

/**
 * Puts it on its branch. No trailers of ours are on it: once a person has merged it, it is a commit of the trunk like any
 * other. A branch that was merged goes on; one that was not is somebody's to look at, and is left as it is.
 */
export async function commitProposal(org: Org, proposal: EditProposal): Promise<string> {
  const { recommendation, branch, base, tree } = proposal;
  const ref = `refs/heads/${branch}`;
  const old = await org.repo.reader.resolve(ref);
  const there = old === undefined ? undefined : (await readEntry(org, old))?.commit;
  if (old !== undefined && there?.tree === tree && there.parents.includes(base)) return old; // Asked for twice.
  if (old !== undefined && !(await descendsFrom(org.repo, base, old))) throw unmerged(proposal);
  const at = Math.floor(Date.now() / 1000);
  const commit = newCommit(org.repo.hash, {
    ...{ tree, parents: [base], message: messageOf(recommendation) },
    author: { name: 'orgrepo', email: agentEmail('orgrepo'), at },
    committer: { ...(await org.person()), at },
  });
  if (await org.repo.refs.move(ref, storeObject(org.repo, commit), old)) return commit.oid;
  throw unmerged(proposal);
}

function messageOf({ advice, what, evidence, specs }: Recommendation): string {
  const some = specs.slice(0, 20).join(', ');
  const about =
    specs.length === 0 ? [] : [`Specs: ${some}${specs.length > 20 ? ` and ${specs.length - 20} more` : ''}`];
  return `${[`recommend: ${advice.replace(/\.$/, '')}`, `${what}: ${evidence}.`, ...about].join('\n\n')}\n`;
}

const unmerged = ({ branch, trunk }: EditProposal): Problem =>
  new Problem(
    'person/conflict',
    `${branch} is there already, with another edit that was not merged`,
    `Look at it: git diff ${trunk}...${branch}. Merge it, or drop it: git branch -D ${branch}`,
  );

/** Letters that no branch should have would be lost, and two keys could become one: then a part of their hash tells them apart. */
function branchFor(key: string): string {
  const words = key
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-|-$/g, '');
  const whole = words === key.replaceAll(' ', '-');
  const mark = createHash('sha256').update(key).digest('hex').slice(0, 8);
  return `${shortRef(recommendationRefs)}${whole ? words : `${words}-${mark}`}`;
}

async function fileToEdit(org: Org, tree: string, { edit, advice }: Recommendation, charter: Charter | undefined) {
  const file = edit.kind === 'brief-line' ? (await findBrief(org, tree))?.file : charter?.file;
  const byHand = `Do it by hand: ${advice}`;
  if (edit.kind !== 'brief-line' && file !== undefined && file !== 'ORG.md')
    throw new Problem('file/missing', `${file} is not edited by orgrepo, only ORG.md is`, byHand, { file });
  const entry = file === undefined ? undefined : await entryAt(org.repo, tree, file);
  const found = entry === undefined ? undefined : await org.repo.reader.read(entry.oid);
  if (file === undefined || entry === undefined || !entry.mode.startsWith('100') || found?.type !== 'blob') {
    const name = file ?? (edit.kind === 'brief-line' ? 'program.md' : 'ORG.md');
    throw new Problem('file/missing', `there is no ${name} in the last commit`, byHand, { file: name });
  }
  const text = found.content.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(found.content))
    throw new Problem('file/missing', `${file} is not UTF-8, and every other byte of it has to stay`, byHand, { file });
  return { file, oid: entry.oid, mode: entry.mode, text };
}

/** A line for agents to read is nothing that is enforced: where it would be read as such it is not written. */
async function refuseOtherChange(org: Org, tree: string, file: string, before: string, after: string): Promise<void> {
  const [was, is] = [await readBrief(org, before, tree, file), await readBrief(org, after, tree, file)];
  if (isDeepStrictEqual({ ...was, prose: '' }, { ...is, prose: '' })) return;
  throw new Problem('brief/value', `${file}: the line would change more than the prose`, 'Write it by hand.', { file });
}
