import type { Evidence, Experiment, Outcome, Verdict } from '../../domain/words/experiment.ts';
import { meanOf } from '../../domain/words/score.ts';
import { workRef } from '../../git/refs/ref-names.ts';
import type { JailLevel } from '../../jail/find-level.ts';
import { entryOf, type SpentByModel, spentTrailers, writeEntry } from '../entry.ts';
import type { Org } from '../org.ts';
import { formatList, formatNoise, formatNumbers } from './evidence.ts';
import { experimentFrom, type NotebookLine } from './notebook.ts';

/** A candidate as it is written down, before or without a measurement. */
export interface Tried
  extends Pick<Experiment, 'n' | 'spec' | 'agent' | 'tree' | 'title' | 'notes' | 'brief' | 'harness'>,
    Partial<Pick<Experiment, 'cause' | 'alone' | 'continues' | 'part' | 'offer'>> {
  readonly parents: readonly string[];
  /** The best that it is merged with. Not a parent: until the merge is kept, best is no part of this notebook. */
  readonly onto?: string | undefined;
  /** The model that made it, and what that cost. */
  readonly spent?: SpentByModel | undefined;
}

/** Writes the candidate's own commit; it is on no branch yet. */
export function writeTry(org: Org, tried: Tried): Promise<string> {
  return writeEntry(org, {
    tree: tried.tree,
    parents: tried.parents,
    agent: tried.agent,
    title: `try: ${tried.title}`,
    body: tried.notes,
    trailers: {
      Event: 'try',
      Spec: tried.spec,
      Experiment: tried.n,
      Agent: tried.agent,
      Host: org.host,
      Harness: tried.harness,
      Brief: tried.brief,
      Cause: tried.cause,
      Onto: tried.onto,
      Alone: tried.alone ? 'yes' : undefined,
      Continues: tried.continues,
      Part: tried.part,
      Offer: tried.offer,
      ...spentTrailers(tried.spent),
    },
  });
}

export interface Judged extends Pick<Experiment, 'metric' | 'output' | 'seconds' | 'stages'> {
  readonly line: NotebookLine;
  readonly verdict: Verdict;
  /** What it was compared with. */
  readonly best: number;
  /** What the verdict rests on, or how the measurement ended that gave no score; neither when nothing was measured. */
  readonly evidence: Evidence | undefined;
  readonly failure: { readonly outcome: Exclude<Outcome, { kind: 'scored' }>; readonly seed: number } | undefined;
  /** Who made measurements void that were made again, one name for each. */
  readonly disturbed?: readonly string[] | undefined;
  readonly jail: JailLevel | undefined;
}

/** A verdict that is written, and on its way into its notebook. */
export interface WrittenVerdict {
  readonly experiment: Experiment;
  readonly line: NotebookLine;
  /** True once it is part of history; false when the branch had moved: somebody else holds this claim now. */
  readonly moved: Promise<boolean>;
}

/**
 * Puts the verdict on a candidate into its notebook: the one ref update that makes an experiment part of history.
 * Nobody has to wait for the disk: what comes next is written behind it, in order.
 */
export async function recordVerdict(org: Org, tryCommit: string, judged: Judged): Promise<WrittenVerdict> {
  const tried = await entryOf(org, tryCommit);
  const { evidence, failure, verdict, line } = judged;
  const score = evidence === undefined ? undefined : meanOf(evidence.samples);
  const kept = verdict.event === 'keep' && score !== undefined;
  const spec = tried.get('Spec') ?? '';
  const broken = brokenOff(failure?.outcome);
  const commit = await writeEntry(org, {
    tree: kept ? tried.commit.tree : line.tree,
    parents: [line.tip, tryCommit],
    agent: tried.get('Agent') ?? 'orgrepo',
    title: `${verdict.event}: ${tried.title.replace(/^try: /, '')}`,
    body: (broken?.output ?? judged.output ?? '').slice(-4096),
    trailers: {
      Event: verdict.event,
      Spec: spec,
      Experiment: tried.get('Experiment'),
      Agent: tried.get('Agent'),
      Host: org.host,
      Metric: judged.metric,
      Score: score,
      Samples: evidence && formatList(evidence.samples),
      Against: evidence && formatList(evidence.against),
      Seeds: formatList(evidence?.seeds ?? (failure === undefined ? [] : [failure.seed])),
      Noise: evidence && formatNoise(evidence.noise),
      Carried: evidence && evidence.carried > 0 ? evidence.carried : undefined,
      Best: Number.isFinite(judged.best) ? judged.best : undefined,
      Numbers: evidence && formatNumbers(evidence.numbers),
      Seconds: judged.seconds?.toFixed(3),
      Disturbed:
        judged.disturbed === undefined || judged.disturbed.length === 0 ? undefined : judged.disturbed.join(','),
      Jail: judged.jail,
      Stages: judged.stages,
      Stage: broken?.stage,
      Harness: tried.get('Harness'),
      Brief: tried.get('Brief'),
      Reason: verdict.reason,
      Cause: tried.get('Cause'),
      Continues: tried.get('Continues'),
      Part: tried.get('Part'),
    },
  });
  const moved = org.repo.refs.move(workRef(spec), commit, line.tip);
  moved.catch(() => {}); // Whoever waits for it hears of it.
  const next = kept ? { tree: tried.commit.tree, score, numbers: evidence?.numbers ?? {} } : line;
  return { experiment: await experimentFrom(org, await entryOf(org, commit)), line: { ...next, tip: commit }, moved };
}

const brokenOff = (outcome: Outcome | undefined) =>
  outcome?.kind === 'crashed' || outcome?.kind === 'timed-out' ? outcome : undefined;
