import type { Outcome } from '../domain/experiment.ts';
import { Problem } from '../domain/problem.ts';
import { isAncestor, mergeTrees } from '../git/merge.ts';
import { entryAt } from '../git/tree.ts';
import { moveBest, readBest, type Standing } from '../records/best.ts';
import { measureKey, type PinnedBrief, pinBlob } from '../records/brief.ts';
import { readEntry } from '../records/entry.ts';
import type { Org } from '../records/org.ts';
import { measure, type Trial } from './trial.ts';

export interface Base {
  readonly best: Standing;
  /** What was measured just now to get there; undefined when best stands as it was. */
  readonly measured: { readonly samples: readonly number[]; readonly again: boolean } | undefined;
}

/**
 * Where the night starts from: orgrepo/best with whatever people have put on the trunk since. A tree that was not
 * measured under this brief and this harness is measured now, before anybody builds on it.
 */
export async function takeBase(
  org: Org,
  trunk: string,
  pinned: PinnedBrief,
  fromTrunk: boolean,
  signal: AbortSignal,
): Promise<Base> {
  const best = await readBest(org);
  const key = best === undefined ? undefined : await oldKey(org, best);
  const same = key === measureKey(pinned);
  if (best !== undefined && same && !fromTrunk && (await isAncestor(org.repo, trunk, best.commit)))
    return { best, measured: undefined };
  const tree = await mergedTree(org, best, trunk, fromTrunk);
  if ((await entryAt(org.repo, tree, pinned.brief.harness))?.oid !== pinned.harness) {
    throw new Problem(
      'integrity/harness',
      `the harness on orgrepo/best is not the trunk's`,
      'Somebody committed to orgrepo/best by hand. Start over from the trunk: npx orgrepo run --from-trunk',
    );
  }
  const scored = await measureBase(org, tree, pinned, signal);
  const moved = await moveBest(
    org,
    {
      tree,
      parents: best === undefined ? [trunk] : [best.commit, trunk],
      agent: 'orgrepo',
      event: 'baseline',
      title:
        best === undefined ? 'baseline: as the trunk has it' : `baseline: best with the trunk at ${trunk.slice(0, 7)}`,
      n: same && best !== undefined && tree === best.tree ? best.n : 0,
      score: scored.score,
      samples: scored.samples,
      numbers: scored.numbers,
      metric: pinned.brief.metric,
      brief: pinned.blob,
      harness: pinned.harness,
      jail: scored.jail,
      // While the measure stays the same, so does the baseline that everything is told against.
      baseline: same && !fromTrunk ? best?.baseline : undefined,
      cause: undefined,
    },
    best?.commit,
  );
  if (moved === undefined) throw new Problem('busy/lock', 'orgrepo/best was moved by somebody else', 'Run again.');
  return { best: moved, measured: { samples: scored.samples, again: best !== undefined } };
}

/** Best measured again because the brief now asks for something else. */
export async function remeasureBest(
  org: Org,
  best: Standing,
  pinned: PinnedBrief,
  signal: AbortSignal,
): Promise<Standing> {
  const { score, samples, numbers, jail } = await measureBase(org, best.tree, pinned, signal);
  const moved = await moveBest(
    org,
    {
      ...{ tree: best.tree, score, samples, numbers, parents: [best.commit], agent: 'orgrepo', event: 'baseline' },
      title: 'baseline: best under the changed brief',
      n: best.n,
      metric: pinned.brief.metric,
      brief: pinned.blob,
      harness: pinned.harness,
      jail,
      baseline: undefined,
      cause: undefined,
    },
    best.commit,
  );
  return moved ?? best;
}

async function oldKey(org: Org, best: Standing): Promise<string | undefined> {
  try {
    return measureKey(await pinBlob(org, best.brief, best.tree));
  } catch {
    return undefined; // Written by an older orgrepo, or its harness is gone: measured under something else, in any case.
  }
}

async function mergedTree(org: Org, best: Standing | undefined, trunk: string, fromTrunk: boolean): Promise<string> {
  const trunkTree = (await readEntry(org, trunk))?.commit.tree ?? '';
  if (best === undefined || fromTrunk || (await isAncestor(org.repo, best.commit, trunk))) return trunkTree;
  if (await isAncestor(org.repo, trunk, best.commit)) return best.tree;
  const merged = await mergeTrees(org.repo, best.commit, trunk);
  if (merged.kind === 'clean') return merged.tree;
  throw new Problem(
    'person/conflict',
    `the trunk and orgrepo/best both changed ${merged.paths.join(', ')}, and the changes do not go together`,
    'Merge them yourself: git merge orgrepo/best. Or start over from the trunk: npx orgrepo run --from-trunk',
  );
}

async function measureBase(
  org: Org,
  tree: string,
  pinned: PinnedBrief,
  signal: AbortSignal,
): Promise<Extract<Outcome, { kind: 'scored' }> & Pick<Trial, 'jail'>> {
  const { outcome, jail } = await measure(org, tree, pinned, signal);
  if (outcome.kind === 'scored') return { ...outcome, jail };
  const why = outcome.kind === 'timed-out' ? `not done after ${(outcome.afterMs / 1000).toFixed(1)} s` : outcome.reason;
  const { run, score, harness } = pinned.brief;
  throw new Problem(
    'harness/baseline',
    `the harness gives the starting point no score: ${why}`,
    `Try it by hand: mkdir -p /tmp/out && export ORGREPO_OUT=/tmp/out; ${run === undefined ? '' : `${run} && `}${score}`,
    { file: harness },
  );
}
