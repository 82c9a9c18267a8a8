import { type Experiment, isVerdictEvent } from '../../domain/words/experiment.ts';
import { type BookEntry, readEntry } from '../entry.ts';
import type { Org } from '../org.ts';
import { parseNumbers } from '../org-numbers.ts';
import { spentIn } from '../spent-trailers.ts';
import { parseList, parseNoise } from './evidence.ts';

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
