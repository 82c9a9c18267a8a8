import { type Experiment, isVerdictEvent } from '../../domain/words/experiment.ts';
import { type Priority, priorities, type Risk, risks, type Spec } from '../../domain/words/spec.ts';
import type { SpecTask } from '../../domain/words/task.ts';
import { workRef } from '../../git/refs/ref-names.ts';
import { type BookEntry, readEntry, spentIn } from '../entry.ts';
import type { Org } from '../org.ts';
import { type Baseline, standingOf } from './best-line.ts';
import { parseList, parseNoise, parseNumbers } from './evidence.ts';
import { isTalkEvent, rejectionOf, saidIn, type TalkEntry, withReview } from './talk.ts';

/** Where the work on a spec stands: the last kept tree, and the commit that the next entry goes on top of. */
export interface NotebookLine extends Omit<Baseline, 'commit'> {
  readonly tip: string;
  readonly tree: string;
}

/** The lab notebook of one spec, as the first parents of its branch tell it. */
export interface Notebook extends Pick<Spec, 'title' | 'body' | 'by'>, Pick<SpecTask, 'spec' | 'agent' | 'claimedAt'> {
  /** When its holder said that it has it, where the culture asks for that. */
  readonly ackedAt: number | undefined;
  /** How much its claim says that it may break. */
  readonly risk: Risk;
  /** Whose field its claim says that it is in, and how urgent it is, where it says so. */
  readonly domain: string | undefined;
  readonly priority: Priority | undefined;
  /** The best that the work began from. */
  readonly base: string;
  /** What the line was measured by: the claim's, or a merged keep's when they changed meanwhile. */
  readonly brief: string;
  readonly harness: string;
  readonly experiments: readonly Experiment[];
  /** Plans, critiques and reviews, oldest first. */
  readonly talk: readonly TalkEntry[];
  /** The keep that waits for a person's word, by its commit. */
  readonly waits: string | undefined;
  readonly done: boolean;
  readonly lastAt: number;
  readonly line: NotebookLine;
}

/** The claim of a spec, and what stands above it, newest first; undefined while nobody has claimed it. */
export async function readClaimed(
  org: Org,
  spec: string,
  end: string,
): Promise<{ readonly claim: BookEntry; readonly entries: readonly BookEntry[] } | undefined> {
  const entries: BookEntry[] = [];
  let entry = await readEntry(org, end);
  while (entry !== undefined && entry.event !== 'claim' && entry.get('Spec') === spec) {
    entries.push(entry);
    entry = await readEntry(org, entry.commit.parents[0] ?? '');
  }
  return entry?.event === 'claim' ? { claim: entry, entries } : undefined;
}

export async function readNotebook(org: Org, spec: string): Promise<Notebook | undefined> {
  const { claim, entries } = (await readClaimed(org, spec, workRef(spec))) ?? {};
  if (claim === undefined || entries === undefined) return undefined;
  const verdicts = entries.filter((one) => isVerdictEvent(one.event)).reverse();
  const talk = entries.flatMap(saidIn).reverse();
  const judged = await Promise.all(verdicts.map((one) => experimentFrom(org, one)));
  const tip = entries[0] ?? claim;
  const waits = tip.event === 'wait' ? tip.get('Cause') : undefined;
  const experiments = judged
    .map((one) => withReview(one, rejectionOf(talk, one.commit)))
    .map((one) =>
      one.commit === waits ? { ...one, waits: true as const, reason: `${one.reason}; it waits for a person` } : one,
    );
  const kept = experiments.findLast((one) => one.event === 'keep');
  return {
    spec,
    title: claim.title.replace(/^claim: \d+ /, ''),
    body: claim.body,
    by: claim.get('By') ?? '',
    agent: [...entries, claim].find(isOfHolder)?.get('Agent') ?? '',
    claimedAt: claim.commit.committer.at,
    ackedAt: entries.findLast((one) => one.event === 'ack')?.commit.committer.at,
    risk: risks.find((one) => one === claim.get('Risk')) ?? 'low',
    domain: claim.get('Domain'),
    priority: priorities.find((one) => one === claim.get('Priority')),
    base: claim.commit.parents[0] ?? '',
    brief: kept?.brief ?? claim.get('Brief') ?? '',
    harness: kept?.harness ?? claim.get('Harness') ?? '',
    experiments,
    talk,
    waits,
    done: tip.event === 'done',
    lastAt: tip.commit.committer.at,
    line: {
      tip: tip.commit.oid,
      tree: tip.commit.tree,
      score: kept?.score ?? claim.number('Score') ?? Number.NaN,
      numbers: kept?.numbers ?? parseNumbers(claim.get('Numbers')),
    },
  };
}

/** Whether a line is its holder's own: reviews, critiques and what orgrepo does itself name somebody else. */
export const isOfHolder = (entry: BookEntry): boolean => entry.get('Agent') !== 'orgrepo' && !isTalkEvent(entry.event);

/** The baseline of the best that a line was claimed from or last merged with: what the guards compare with on top of it. */
export async function baselineBelow(org: Org, tip: string): Promise<Baseline | undefined> {
  const rejected = new Set<string>(); // A review stands above the keep that it is about.
  let entry = await readEntry(org, tip);
  while (entry !== undefined && (entry.event === 'claim' || isNote(entry))) {
    const [below = '', tried = ''] = entry.commit.parents;
    if (entry.event === 'claim') return (await standingOf(org, below))?.baseline;
    if (entry.get('Decision') === 'reject') rejected.add(entry.get('Cause') ?? '');
    const counts = entry.event === 'keep' && !rejected.has(entry.commit.oid);
    const onto = counts ? (await readEntry(org, tried))?.get('Onto') : undefined;
    const merged = onto === undefined ? undefined : await standingOf(org, onto);
    if (merged !== undefined) return merged.baseline;
    entry = await readEntry(org, below);
  }
  return undefined;
}

const isNote = ({ event }: BookEntry): boolean =>
  isVerdictEvent(event) || isTalkEvent(event) || event === 'takeover' || event === 'ack' || event === 'done';

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
    seconds: verdict.number('Seconds'),
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
