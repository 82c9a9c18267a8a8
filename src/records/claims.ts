import { randomBytes } from 'node:crypto';
import { wipRef, workRef } from '../domain/names.ts';
import type { Spec } from '../domain/spec.ts';
import type { Standing } from './best.ts';
import type { PinnedBrief } from './brief.ts';
import { readEntry, writeEntry } from './entry.ts';
import type { Line } from './notebook.ts';
import { formatNumbers } from './numbers.ts';
import type { Org } from './org.ts';

/** The exclusive right to work a spec. Its branch exists from now on, so nobody can take the spec twice. */
export interface Claim {
  readonly spec: Spec;
  readonly agent: string;
  readonly pinned: PinnedBrief;
  /** What the guards compare with. */
  readonly baseline: Standing['baseline'];
}

export interface Claimed {
  readonly claim: Claim;
  readonly line: Line;
}

/** Claims a spec by creating its branch; undefined when somebody else was faster. */
export async function claimSpec(
  org: Org,
  spec: Spec,
  agent: string,
  best: Standing,
  pinned: PinnedBrief,
): Promise<Claimed | undefined> {
  const { budget, metric } = pinned.brief;
  const tip = await writeEntry(org, {
    tree: best.tree,
    parents: [best.commit],
    agent,
    title: `claim: ${spec.id} ${spec.title}`,
    body: spec.body,
    trailers: {
      Event: 'claim',
      Spec: spec.id,
      By: spec.by,
      Agent: agent,
      Host: org.host,
      Metric: metric,
      Score: best.score,
      Numbers: formatNumbers(best.numbers),
      Harness: pinned.harness,
      Brief: pinned.blob,
      Lease: Math.ceil((budget.agentMs + budget.experimentMs) / 1000),
      Nonce: randomBytes(12).toString('hex'), // Two pushes of one and the same object would both succeed.
    },
  });
  if (!(await org.repo.refs.move(workRef(spec.id), tip, undefined))) return undefined;
  const line = { tip, tree: best.tree, score: best.score, numbers: best.numbers };
  return { claim: { spec, agent, pinned, baseline: best.baseline }, line };
}

/** Adds a line without a candidate to a notebook: done, takeover. Undefined when the claim is somebody else's by now. */
export async function noteOnClaim(
  org: Org,
  spec: Spec,
  agent: string,
  line: Line,
  event: 'done' | 'takeover',
  why: string,
): Promise<Line | undefined> {
  const tip = await writeEntry(org, {
    tree: line.tree,
    parents: [line.tip],
    agent,
    title: `${event}: ${spec.id} ${spec.title}`,
    trailers: {
      Event: event,
      Spec: spec.id,
      Agent: agent,
      Host: org.host,
      Reason: why,
      Nonce: randomBytes(12).toString('hex'),
    },
  });
  return (await org.repo.refs.move(workRef(spec.id), tip, line.tip)) ? { ...line, tip } : undefined;
}

/** Saves a candidate before it is measured, so that a crash cannot lose it. */
export async function saveCandidate(org: Org, spec: string, tryCommit: string): Promise<void> {
  let before = org.lastSaved.get(spec);
  while (!(await org.repo.refs.move(wipRef(spec), tryCommit, before))) {
    before = await org.repo.reader.resolve(wipRef(spec));
    if (before === tryCommit) break;
  }
  org.lastSaved.set(spec, tryCommit);
}

/** The candidate saved last for a spec, if there is one; unfinished edits may have been saved on top of it. */
export async function savedCandidate(org: Org, spec: string): Promise<{ commit: string; n: number } | undefined> {
  let entry = await readEntry(org, wipRef(spec));
  if (entry?.event === 'wip') entry = await readEntry(org, entry.commit.parents[0] ?? '');
  return entry?.event === 'try' ? { commit: entry.commit.oid, n: entry.number('Experiment') ?? 0 } : undefined;
}
