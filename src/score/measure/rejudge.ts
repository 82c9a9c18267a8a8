import type { Experiment, Verdict } from '../../domain/words/experiment.ts';
import { isVerdictEvent } from '../../domain/words/experiment.ts';
import type { Numbers } from '../../domain/words/guard.ts';
import { readBrief } from '../../org/force/pin-brief.ts';
import { type BookEntry, readEntry } from '../../records/entry.ts';
import { type Baseline, standingOf } from '../../records/notebook/best-line.ts';
import { isTalkEvent } from '../../records/notebook/talk.ts';
import type { Org } from '../../records/org.ts';
import { parseNumbers } from '../../records/org-numbers.ts';
import { judgeRecorded } from '../judge/verdict.ts';

/** What guards compare a candidate with. */
export interface GuardBase {
  /** The other numbers of the line it was built on. */
  readonly numbers: Numbers;
  readonly baseline: Baseline | undefined;
}

/** The verdict on an experiment, computed once more from its commits alone; undefined for one that got no score. */
export async function judgeAgain(org: Org, experiment: Experiment): Promise<Verdict | undefined> {
  if (experiment.samples.length === 0) return undefined;
  const [verdict, tried] = await Promise.all([readEntry(org, experiment.commit), readEntry(org, experiment.tried)]);
  const base = (await mergedOnto(org, tried)) ?? (await guardBaseAt(org, verdict?.commit.parents[0] ?? ''));
  const brief = await readBrief(org, experiment.brief, experiment.tree);
  return judgeRecorded(experiment, brief, { numbers: base.numbers, baseline: base.baseline?.numbers ?? {} });
}

/** What guards compare with on top of a commit of a notebook: the last keep below it, or else the best it was claimed from. */
export async function guardBaseAt(org: Org, commit: string): Promise<GuardBase> {
  let numbers: Numbers | undefined;
  const rejected = new Set<string>(); // A review stands above the keep that it is about.
  let entry = await readEntry(org, commit);
  while (entry !== undefined && (entry.event === 'claim' || isNote(entry))) {
    if (entry.get('Decision') === 'reject') rejected.add(entry.get('Cause') ?? '');
    const counts = entry.event === 'claim' || (entry.event === 'keep' && !rejected.has(entry.commit.oid));
    if (counts) numbers ??= parseNumbers(entry.get('Numbers'));
    const [below = '', tried = ''] = entry.commit.parents;
    if (entry.event === 'claim') return { numbers: numbers ?? {}, baseline: (await standingOf(org, below))?.baseline };
    const merged = counts ? await mergedOnto(org, await readEntry(org, tried)) : undefined;
    if (merged !== undefined) return { numbers: numbers ?? {}, baseline: merged.baseline };
    entry = await readEntry(org, below);
  }
  return { numbers: numbers ?? {}, baseline: undefined };
}

const isNote = ({ event }: BookEntry): boolean =>
  isVerdictEvent(event) || isTalkEvent(event) || event === 'takeover' || event === 'ack' || event === 'done';

/** A merge is compared with the best that it was merged with. */
async function mergedOnto(org: Org, tried: BookEntry | undefined): Promise<GuardBase | undefined> {
  const onto = tried?.get('Onto');
  const best = onto === undefined ? undefined : await standingOf(org, onto);
  return best && { numbers: best.numbers, baseline: best.baseline };
}
