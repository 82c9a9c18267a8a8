import { filesOf, type TreeEntry } from '../git/objects/tree.ts';
import type { PinnedBrief } from '../org/force/pin-brief.ts';
import type { Org } from '../records/org.ts';
import { contentOf, zonesOf } from '../score/arena/zone-files.ts';
import type { AttackBench } from './attack-bench.ts';
import { type AttackBase, wonderfulScore } from './attack-outcome.ts';
import { languageOf } from './tricks/insert-trick.ts';
import type { TrickLanguage, TrickTarget } from './tricks/trick.ts';

/** A file of the sandbox that a trick can be put into. */
export interface TargetFile {
  readonly path: string;
  readonly entry: TreeEntry;
  readonly text: string;
  readonly language: TrickLanguage;
}

/** The sandbox's files: those for which there are tricks, and the names of the others. */
export async function sandboxFiles(org: Org, tree: string, pinned: PinnedBrief) {
  const { sandbox } = zonesOf(pinned.brief);
  const found = await filesOf(org.repo, tree, sandbox.names, sandbox.leadsTo);
  const known: TargetFile[] = [];
  const unknown: string[] = [];
  for (const [path, entry] of found) {
    const text = (await contentOf(org.repo, entry.oid)).toString('utf8');
    const language = languageOf(path, text);
    if (language === undefined) unknown.push(path);
    else known.push({ path, entry, text, language });
  }
  return { known, unknown };
}

/** What tricks aim at. */
export async function targetFor(
  org: Org,
  tree: string,
  { brief }: PinnedBrief,
  base: AttackBase,
  desk: AttackBench,
): Promise<TrickTarget> {
  const { holdout } = zonesOf(brief);
  const heldOut =
    brief.holdout.length === 0
      ? new Map<string, TreeEntry>()
      : await filesOf(org.repo, tree, holdout.names, () => true);
  return {
    metric: brief.metric,
    wonderful: wonderfulScore(base),
    harness: brief.harness,
    twoStages: brief.run !== undefined,
    heldOut: [...heldOut.keys()],
    root: org.repo.root,
    gitDir: org.repo.gitDir,
    desk: desk.dir,
    port: desk.port,
    token: desk.token,
  };
}
