import {
  type Evidence,
  type Experiment,
  isVerdictEvent,
  type Outcome,
  type Verdict,
} from '../../domain/words/experiment.ts';
import {
  formatList,
  formatNoise,
  formatNumbers,
  meanOf,
  parseList,
  parseNoise,
  parseNumbers,
} from '../../domain/words/score.ts';
import { workRef } from '../../git/refs/ref-names.ts';
import type { JailLevel } from '../../jail/jail.ts';
import { type BookEntry, entryOf, readEntry, type SpentByModel, spentIn, spentTrailers, writeEntry } from '../entry.ts';
import type { Org } from '../org.ts';
import type { NotebookLine } from './notebook.ts';

/** A candidate as it is written down, before or without a measurement. */
export interface Tried
  extends Pick<Experiment, 'n' | 'spec' | 'agent' | 'tree' | 'title' | 'notes' | 'brief' | 'harness'>,
    Partial<Pick<Experiment, 'cause' | 'alone' | 'continues' | 'part' | 'offer'>> {
  readonly parents: readonly string[];
  /** The best that it is merged with. Not a parent: until the merge is kept, best is not part of this notebook. */
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

/** A verdict with what it rests on: evidence, or how the measurement ended without a score. Neither when nothing was measured. */
export interface Judgement extends Partial<Pick<Experiment, 'output' | 'seconds'>> {
  readonly verdict: Verdict;
  readonly evidence?: Evidence | undefined;
  readonly failure?: { readonly outcome: Exclude<Outcome, { kind: 'scored' }>; readonly seed: number } | undefined;
  /** The candidates that made earlier measurements void, one name for each. */
  readonly disturbed?: readonly string[] | undefined;
}

interface NewVerdict extends Judgement, Pick<Experiment, 'metric' | 'stages' | 'limitMs'> {
  readonly line: NotebookLine;
  /** What it was compared with. */
  readonly best: number;
  readonly jail: JailLevel | undefined;
}

/** An experiment with its verdict, on its way into the notebook. */
export type Recorded = Readonly<Awaited<ReturnType<typeof recordVerdict>>>;

/**
 * Puts the verdict on a candidate into its notebook: the one ref update that makes an experiment part of history.
 * Returns before the disk has it: what comes next is written behind it, in order.
 */
export async function recordVerdict(org: Org, tryCommit: string, judged: NewVerdict) {
  const tried = await entryOf(org, tryCommit);
  const { evidence, failure, verdict, line } = judged;
  const score = evidence === undefined ? undefined : meanOf(evidence.samples);
  const kept = verdict.event === 'keep' && score !== undefined;
  const spec = tried.get('Spec') ?? '';
  const broken = failure?.outcome.kind === 'void' ? undefined : failure?.outcome;
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
      Tests: evidence?.tests,
      Seconds: judged.seconds?.toFixed(3),
      Limit: judged.limitMs,
      Disturbed: judged.disturbed?.join(',') || undefined,
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
  /** True once it is part of history; false when the branch had moved, because another run holds this claim now. */
  const moved = org.repo.refs.move(workRef(spec), commit, line.tip);
  moved.catch(() => {}); // A caller that waits for it gets the error.
  const next = kept ? { tree: tried.commit.tree, score, numbers: evidence?.numbers ?? {} } : line;
  return { experiment: await experimentFrom(org, await entryOf(org, commit)), line: { ...next, tip: commit }, moved };
}

/** An experiment as the commit of its verdict and that of its candidate tell it. */
export async function experimentFrom(org: Org, verdict: BookEntry): Promise<Experiment> {
  const tried = verdict.commit.parents[1] ?? '';
  const candidate = await readEntry(org, tried);
  return {
    n: verdict.number('Experiment') ?? 0,
    commit: verdict.commit.oid,
    tried,
    tree: candidate?.commit.tree ?? '',
    spec: verdict.get('Spec') ?? '',
    agent: verdict.get('Agent') ?? '',
    event: isVerdictEvent(verdict.event) ? verdict.event : 'void',
    metric: verdict.get('Metric') ?? '',
    score: verdict.number('Score'),
    seeds: parseList(verdict.get('Seeds')),
    samples: parseList(verdict.get('Samples')),
    against: parseList(verdict.get('Against')),
    noise: parseNoise(verdict.get('Noise')),
    carried: verdict.number('Carried') ?? 0,
    best: verdict.number('Best'),
    numbers: parseNumbers(verdict.get('Numbers')),
    tests: verdict.get('Tests'),
    seconds: verdict.number('Seconds'),
    limitMs: verdict.number('Limit'),
    at: verdict.commit.committer.at,
    title: verdict.title.replace(/^[a-z]+: /, ''),
    notes: candidate?.body ?? '',
    reason: verdict.get('Reason') ?? '',
    output: verdict.get('Stage') === undefined ? verdict.body : '',
    judgesWords: verdict.get('Stage') !== undefined,
    harness: verdict.get('Harness') ?? '',
    brief: verdict.get('Brief') ?? '',
    part: verdict.get('Part'),
    jail: verdict.get('Jail'),
    stages: verdict.get('Stages') === '1' ? 1 : undefined,
    merged: verdict.get('Cause') !== undefined,
    cause: verdict.get('Cause'),
    alone: candidate?.get('Alone') !== undefined,
    lineTree: verdict.commit.tree,
    continues: verdict.get('Continues'),
    spent: spentIn(candidate),
    offer: candidate?.get('Offer'),
  };
}
