import { type Evidence, type Experiment, isVerdictEvent, type Outcome, type Verdict } from '../domain/experiment.ts';
import type { Numbers } from '../domain/guard.ts';
import type { JailLevel } from '../domain/jail.ts';
import { formatModelId, type ModelId } from '../domain/model-id.ts';
import { workRef } from '../domain/names.ts';
import { Problem } from '../domain/problem.ts';
import { meanOf } from '../domain/score.ts';
import { formatList, formatNoise, parseList, parseNoise } from '../text/evidence.ts';
import { type Entry, readEntry, writeEntry } from './entry.ts';
import { formatNumbers, parseNumbers } from './numbers.ts';
import type { Org } from './org.ts';

/** Where the work on a spec stands: the last kept tree, and the commit that the next entry goes on top of. */
export interface Line {
  readonly tip: string;
  readonly tree: string;
  readonly score: number;
  readonly numbers: Numbers;
}

/** The lab notebook of one spec, as the first parents of its branch tell it. */
export interface Notebook {
  readonly spec: string;
  readonly title: string;
  readonly by: string;
  readonly agent: string;
  readonly claimedAt: number;
  /** The best that the work began from. */
  readonly base: string;
  /** What the line was measured by: the claim's, or a merged keep's when they changed meanwhile. */
  readonly brief: string;
  readonly harness: string;
  readonly experiments: readonly Experiment[];
  readonly done: boolean;
  readonly lastAt: number;
  readonly line: Line;
}

export async function readNotebook(org: Org, spec: string): Promise<Notebook | undefined> {
  const entries: Entry[] = [];
  let entry = await readEntry(org, workRef(spec));
  while (entry !== undefined && entry.event !== 'claim' && entry.get('Spec') === spec) {
    entries.push(entry);
    const [parent] = entry.commit.parents;
    entry = parent === undefined ? undefined : await readEntry(org, parent);
  }
  if (entry?.event !== 'claim') return undefined;
  const claim = entry;
  const verdicts = entries.filter((one) => isVerdictEvent(one.event)).reverse();
  const experiments = await Promise.all(verdicts.map((one) => experimentFrom(org, one)));
  const tip = entries[0] ?? claim;
  const kept = experiments.findLast((one) => one.event === 'keep');
  return {
    spec,
    title: claim.title.replace(/^claim: \d+ /, ''),
    by: claim.get('By') ?? '',
    agent: tip.get('Agent') ?? '',
    claimedAt: claim.commit.committer.at,
    base: claim.commit.parents[0] ?? '',
    brief: kept?.brief ?? claim.get('Brief') ?? '',
    harness: kept?.harness ?? claim.get('Harness') ?? '',
    experiments,
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

/** A candidate as it is written down, before or without a measurement. */
export interface Tried {
  readonly n: number;
  readonly spec: string;
  readonly agent: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly title: string;
  readonly notes: string;
  readonly brief: string;
  readonly harness: string;
  /** For a merge with a best that had moved: the kept candidate that is merged. */
  readonly cause?: string | undefined;
  /** And the best that it is merged with. Not a parent: until the merge is kept, best is no part of this notebook. */
  readonly onto?: string | undefined;
  /** The inconclusive verdict on the same tree that this try goes on with. */
  readonly continues?: string | undefined;
  /** Of a kept change with a part left out: which part of which. */
  readonly part?: string | undefined;
  /** The model that made it, and what that cost. */
  readonly spent?: SpentOnTry | undefined;
}

export interface SpentOnTry {
  readonly model: ModelId;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly usd?: number | undefined;
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
      Continues: tried.continues,
      Part: tried.part,
      Model: tried.spent && formatModelId(tried.spent.model),
      'Tokens-In': tried.spent?.tokensIn,
      'Tokens-Out': tried.spent?.tokensOut,
      'Cost-USD': tried.spent?.usd,
    },
  });
}

export interface Judged {
  readonly line: Line;
  readonly metric: string;
  readonly verdict: Verdict;
  /** What it was compared with. */
  readonly best: number;
  /** What the verdict rests on, or how the measurement ended that gave no score; neither when nothing was measured. */
  readonly evidence: Evidence | undefined;
  readonly failure: { readonly outcome: Outcome; readonly seed: number } | undefined;
  readonly seconds: number | undefined;
  readonly jail: JailLevel | undefined;
  /** 1 when it was measured in a single stage. */
  readonly stages?: 1 | undefined;
}

/** A verdict that is written, and on its way into its notebook. */
export interface Written {
  readonly experiment: Experiment;
  readonly line: Line;
  /** True once it is part of history; false when the branch had moved: somebody else holds this claim now. */
  readonly moved: Promise<boolean>;
}

/**
 * Puts the verdict on a candidate into its notebook: the one ref update that makes an experiment part of history.
 * Nobody has to wait for the disk: what comes next is written behind it, in order.
 */
export async function recordVerdict(org: Org, tryCommit: string, judged: Judged): Promise<Written> {
  const tried = await readEntry(org, tryCommit);
  if (tried === undefined) throw lostCommit(tryCommit);
  const { evidence, failure, verdict, line } = judged;
  const score = evidence === undefined ? undefined : meanOf(evidence.samples);
  const kept = verdict.event === 'keep' && score !== undefined;
  const spec = tried.get('Spec') ?? '';
  const commit = await writeEntry(org, {
    tree: kept ? tried.commit.tree : line.tree,
    parents: [line.tip, tryCommit],
    agent: tried.get('Agent') ?? 'orgrepo',
    title: `${verdict.event}: ${tried.title.replace(/^try: /, '')}`,
    body: outputOf(failure?.outcome).slice(-4096),
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
      Jail: judged.jail,
      Stages: judged.stages,
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
  const entry = await readEntry(org, commit);
  if (entry === undefined) throw lostCommit(commit);
  const next = kept ? { tree: tried.commit.tree, score, numbers: evidence?.numbers ?? {} } : line;
  return { experiment: await experimentFrom(org, entry), line: { ...next, tip: commit }, moved };
}

const outputOf = (outcome: Outcome | undefined): string =>
  outcome?.kind === 'crashed' || outcome?.kind === 'timed-out' ? outcome.output : '';

const lostCommit = (commit: string): Problem =>
  new Problem('integrity/history', `the commit ${commit} is not in the repository`, 'Check it with: git fsck');

export async function experimentFrom(org: Org, verdict: Entry): Promise<Experiment> {
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
    harness: verdict.get('Harness') ?? '',
    brief: verdict.get('Brief') ?? '',
    part: verdict.get('Part'),
    jail: verdict.get('Jail'),
    stages: verdict.get('Stages') === '1' ? 1 : undefined,
    merged: verdict.get('Cause') !== undefined,
    lineTree: verdict.commit.tree,
    continues: verdict.get('Continues'),
  };
}
