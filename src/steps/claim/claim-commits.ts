import { randomBytes } from 'node:crypto';
import type { AgentTask } from '../../agents/agent-contract.ts';
import { formatNumbers } from '../../domain/words/score.ts';
import { type Draft, type Risk, riskOf, type Spec, specFileName, specIdOf } from '../../domain/words/spec.ts';
import { wipRef, workRef } from '../../git/refs/ref-names.ts';
import type { PinnedBrief } from '../../org/force/pin-brief.ts';
import { nowInSeconds } from '../../process/pace.ts';
import { readEntry, type SpentByModel, spentTrailers, writeEntry } from '../../records/entry.ts';
import type { BestEntry } from '../../records/notebook/best-line.ts';
import type { NotebookLine } from '../../records/notebook/notebook.ts';
import type { Org } from '../../records/org.ts';
import { changeQueue } from '../../records/queue/queue.ts';
import { formatSpec } from '../../records/queue/spec-text.ts';
import { rememberSpec } from '../attempt/night-tally.ts';
import type { ResultParts } from '../night/night.ts';

/** The exclusive right to work a spec. Its branch exists from now on, so nobody can take the spec twice. */
export interface Claim {
  readonly spec: Spec;
  readonly agent: string;
  readonly pinned: PinnedBrief;
  /** What the guards compare with. */
  readonly baseline: BestEntry['baseline'];
  /** How much it counted as able to break when it was claimed: a brief that says less since takes nothing back. */
  readonly risk: Risk;
  /** What was said of the work before it began, for the agent that does it: what the holder means to do, and what critics said of it. */
  readonly advice?: Pick<AgentTask, 'plan' | 'critiques'> | undefined;
}

export interface Claimed {
  readonly claim: Claim;
  readonly line: NotebookLine;
}

interface ClaimSpecOptions extends Pick<Claim, 'agent' | 'pinned'> {
  readonly best: BestEntry;
  readonly why?: string | undefined;
}

/** Claims a spec by creating its branch; undefined if another agent was faster. `why` is what the chart says. */
export async function claimSpec(
  org: Org,
  spec: Spec,
  { agent, best, pinned, why }: ClaimSpecOptions,
): Promise<Claimed | undefined> {
  const { budget, metric, tests } = pinned.brief;
  const risk = riskOf(spec, pinned.brief);
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
      Risk: risk === 'low' ? undefined : risk,
      Domain: spec.domain,
      Priority: spec.priority,
      Agent: agent,
      Host: org.host,
      Metric: metric,
      Score: best.score,
      Numbers: formatNumbers(best.numbers),
      Harness: pinned.harness,
      Brief: pinned.blob,
      Reason: why,
      Lease: Math.ceil((budget.agentMs + budget.experimentMs + (tests === undefined ? 0 : budget.testsMs)) / 1000),
      Nonce: randomBytes(12).toString('hex'), // Two pushes of one and the same object would both succeed.
    },
  });
  if (!(await org.repo.refs.move(workRef(spec.id), tip, undefined))) return undefined;
  const line = { tip, tree: best.tree, score: best.score, numbers: best.numbers };
  return { claim: { spec, agent, pinned, baseline: best.baseline, risk }, line };
}

interface NoteOnClaimOptions {
  readonly agent: string;
  readonly line: NotebookLine;
  readonly event: 'done' | 'takeover' | 'ack';
  readonly why: string;
  readonly more?: { readonly Seconds?: string } | undefined;
}

/** Adds a line without a candidate to a notebook: done, takeover, ack. Undefined if another run has taken the claim over. */
export async function noteOnClaim(
  org: Org,
  spec: Spec,
  { agent, line, event, why, more = {} }: NoteOnClaimOptions,
): Promise<NotebookLine | undefined> {
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
      ...more,
      Nonce: randomBytes(12).toString('hex'),
    },
  });
  return (await org.repo.refs.move(workRef(spec.id), tip, line.tip)) ? { ...line, tip } : undefined;
}

/** Puts specs on the queue. One with the title of an earlier one is left out. */
export async function putOnQueue(
  night: ResultParts,
  drafts: readonly Draft[],
  agent: string,
  spent?: SpentByModel | undefined,
): Promise<readonly Spec[]> {
  const known = new Set(night.tally.memory.specs.map((spec) => spec.title));
  const fresh = drafts.filter((draft) => !known.has(draft.title) && known.add(draft.title));
  if (fresh.length === 0) return [];
  let added: Spec[] = [];
  await changeQueue(night.run.org, (queue) => {
    added = fresh.map((draft, index) => ({ ...draft, id: specIdOf(queue.ledger.specs + 1 + index) }));
    const [first] = added;
    return {
      event: 'spec',
      agent,
      title:
        added.length === 1
          ? `spec: ${first?.id} ${first?.title}`
          : `spec: ${added.length} more, ${first?.id} to ${added.at(-1)?.id}`,
      body: added.length === 1 ? '' : added.map((spec) => `${spec.id} ${spec.title}`).join('\n'),
      files: new Map(added.map((spec) => [`specs/${specFileName(spec)}`, formatSpec(spec)])),
      ledger: { specs: queue.ledger.specs + added.length },
      trailers: { Agent: agent, ...spentTrailers(spent) },
    };
  });
  for (const spec of added) {
    rememberSpec(night.tally, spec);
    night.run.say({ kind: 'spec', at: nowInSeconds(), id: spec.id, title: spec.title, by: spec.by });
  }
  return added;
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

/** Edits that were never offered, as they were saved last: their tree, and that of the line they were made on. */
export async function savedEdits(org: Org, spec: string): Promise<{ tree: string; base: string } | undefined> {
  const entry = await readEntry(org, wipRef(spec));
  if (entry?.event !== 'wip') return undefined;
  const below = await readEntry(org, entry.commit.parents[0] ?? '');
  const line = below?.event === 'try' ? await readEntry(org, below.commit.parents[0] ?? '') : below;
  return line && { tree: entry.commit.tree, base: line.commit.tree };
}

/** The candidate saved last for a spec, if there is one; unfinished edits may have been saved on top of it. */
export async function savedCandidate(org: Org, spec: string): Promise<{ commit: string; n: number } | undefined> {
  let entry = await readEntry(org, wipRef(spec));
  if (entry?.event === 'wip') entry = await readEntry(org, entry.commit.parents[0] ?? '');
  return entry?.event === 'try' ? { commit: entry.commit.oid, n: entry.number('Experiment') ?? 0 } : undefined;
}
