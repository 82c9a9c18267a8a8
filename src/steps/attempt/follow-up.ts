import { editTree, newObject, storeObject, type TreeEntry } from '../../git/objects/tree.ts';
import type { Recorded } from '../../records/notebook/experiment-entry.ts';
import { contentOf } from '../../score/arena/arena-directory.ts';
import { entriesOfZones } from '../../score/arena/trial-files.ts';
import { type Hunk, hunkLines, hunksBetween, withoutHunk } from '../../score/judge/hunks.ts';
import { findSecret } from '../../secrets/known-secrets.ts';
import type { Claimed } from '../claim/claim-commits.ts';
import type { AttemptParts, RunConstants } from '../night/night.ts';
import { beginAttempt } from '../standing/next-step.ts';
import type { Bench } from './bench.ts';
import { integrate } from './integrate.ts';
import { takeTree } from './night-tally.ts';
import { review } from './review.ts';
import { makeCandidate, settled, tryCandidate } from './run-experiment.ts';

/**
 * What a verdict leads to: what is kept goes to best, and is then taken apart. Gives back how the claim stands, or
 * undefined when it was lost, the run cancelled, or a person has to say something first.
 */
export async function followUp(night: AttemptParts, bench: Bench, written: Recorded): Promise<Claimed | undefined> {
  if (written.experiment.event !== 'keep') return { claim: bench.claim, line: written.line };
  const reviewed = await review(night, bench, written);
  if (reviewed === undefined || reviewed.decision === 'waits') return undefined;
  const { line } = reviewed;
  if (reviewed.decision === 'rejected') return { claim: bench.claim, line };
  const claimed = await integrate(night, bench, { ...written, line });
  // What was reviewed is taken as it was reviewed, whole.
  return line.tip !== written.line.tip ? claimed : claimed && takeApart(night, bench, written, claimed);
}

/** A change of more parts than this is a rewrite, and taking it apart would take too long. */
const mostParts = 12;

/**
 * Takes a kept change apart: each of its hunks is left out in turn and the rest measured. What does not matter goes from
 * best again, as a commit of its own: simpler at an equal score is a win. Only while best is this very change; somebody
 * who has moved it on has built on the whole. Gives back how the claim stands then, or undefined when it was lost.
 */
async function takeApart(
  night: AttemptParts,
  bench: Bench,
  kept: Recorded,
  claimed: Claimed,
): Promise<Claimed | undefined> {
  if (claimed.line.tree !== kept.experiment.tree) return claimed; // It reached best as a merge, or not at all.
  let stands = claimed;
  let parts = await partsOf(night.run, bench, stands.line.tree);
  const total = parts.length;
  if (total > mostParts) return claimed;
  for (let [turn, next] = [1, 0]; turn <= total && parts.length > 1; turn++) {
    const part = parts[next];
    if (part === undefined || night.tally.best.tree !== stands.line.tree) break;
    const tree = await leaveOut(night.run, stands.line.tree, part);
    if (tree === undefined || (await takeTree(night, tree, { ...bench, line: stands.line })).before !== undefined) {
      next += 1; // Measured before, so what it is worth is known; or not to be written.
      continue;
    }
    if (!(await beginAttempt(night, bench.claim.agent, bench.claim.spec))) break;
    const at = { ...bench, ...stands };
    const tried = { ...titleWithout(part, kept.experiment.n, turn, total), tree, agent: 'orgrepo', notes: '' };
    const candidate = await makeCandidate(night, at, tried, { champion: at.line, aim: 'simpler' });
    const recorded = await settled(await tryCandidate(night, candidate));
    if (recorded === undefined) return undefined;
    if (recorded.experiment.event === 'keep') {
      const simpler = await integrate(night, at, recorded);
      if (simpler === undefined) return undefined;
      stands = simpler;
      parts = await partsOf(night.run, bench, stands.line.tree);
    } else {
      stands = { ...stands, line: { ...stands.line, tip: recorded.line.tip } };
      next += 1;
    }
  }
  return stands;
}

const titleWithout = ({ path, hunk }: Part, n: number, turn: number, total: number) => ({
  title: `#${n} without part ${turn} of ${total}, ${hunk === undefined ? path : `${path}:${hunk.after.from + 1}`}`,
  part: `${turn}/${total} of ${n}`,
});

/** One piece of a change: some lines of a file, or a whole file where lines do not do. */
interface Part {
  readonly path: string;
  readonly before: TreeEntry | undefined;
  readonly after: TreeEntry | undefined;
  readonly hunk: Hunk | undefined;
}

async function partsOf(run: RunConstants, bench: Bench, tree: string): Promise<Part[]> {
  const { repo } = run.org;
  const [old, now] = await Promise.all([
    entriesOfZones(repo, bench.line.tree, bench.zones),
    entriesOfZones(repo, tree, bench.zones),
  ]);
  const paths = [...new Set([...old.keys(), ...now.keys()])].sort();
  const parts: Part[] = [];
  for (const path of paths) {
    const [before, after] = [old.get(path), now.get(path)];
    if (before?.oid === after?.oid && before?.mode === after?.mode) continue;
    const texts =
      before === undefined || after === undefined || before.mode !== after.mode
        ? undefined
        : await Promise.all([textOf(run, before), textOf(run, after)]);
    const [from, to] = texts ?? [];
    if (from === undefined || to === undefined) parts.push({ path, before, after, hunk: undefined });
    else for (const hunk of hunksBetween(hunkLines(from), hunkLines(to))) parts.push({ path, before, after, hunk });
  }
  return parts;
}

/** A file's text; undefined when it is not text, because putting it together again would not give the same bytes. */
async function textOf(run: RunConstants, entry: TreeEntry): Promise<string | undefined> {
  const content = await contentOf(run.org.repo, entry.oid);
  const text = content.toString('utf8');
  return Buffer.from(text).equals(content) ? text : undefined;
}

/** Undefined when a secret would be back that the change has taken out. */
async function leaveOut(
  run: RunConstants,
  tree: string,
  { path, before, after, hunk }: Part,
): Promise<string | undefined> {
  const { repo } = run.org;
  let entry = before;
  if (hunk !== undefined && before !== undefined && after !== undefined) {
    const [from, to] = await Promise.all([textOf(run, before), textOf(run, after)]);
    const text = withoutHunk(hunkLines(from ?? ''), hunkLines(to ?? ''), hunk);
    if (findSecret(text) !== undefined) return undefined;
    entry = { mode: after.mode, oid: storeObject(repo, newObject(repo.hash, 'blob', text)) };
  }
  const built = await editTree(repo, tree, new Map([[path, entry]]));
  for (const object of built.objects) storeObject(repo, object);
  return built.oid;
}
