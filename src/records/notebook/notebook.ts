import { randomBytes } from 'node:crypto';
import { type Experiment, isVerdictEvent } from '../../domain/words/experiment.ts';
import { parseNumbers } from '../../domain/words/score.ts';
import { type Priority, priorities, type Risk, risks, type Spec } from '../../domain/words/spec.ts';
import { workRef } from '../../git/refs/ref-names.ts';
import { type BookEntry, entriesFrom, readEntry, type SpentByModel, spentTrailers, writeEntry } from '../entry.ts';
import type { Org } from '../org.ts';
import { type Baseline, readBest } from './best-line.ts';
import { experimentFrom } from './experiment-entry.ts';

/** Where the work on a spec is: the last kept tree, and the commit that the next entry goes on top of. */
export interface NotebookLine extends Omit<Baseline, 'commit'> {
  readonly tip: string;
  readonly tree: string;
}

/** The claim of a spec and the entries above it, newest first; undefined while no agent has claimed it. */
export async function readClaimed(org: Org, spec: string, end = workRef(spec)) {
  const entries: BookEntry[] = [];
  for await (const entry of entriesFrom(org, end)) {
    if (entry.event === 'claim')
      return { claim: entry, entries, tip: entries[0] ?? entry, holder: holderOf(spec, entry, entries) };
    if (entry.get('Spec') !== spec) break;
    entries.push(entry);
  }
  return undefined;
}

/** The agent that has a spec, and since when. */
const holderOf = (spec: string, claim: BookEntry, entries: readonly BookEntry[]) => ({
  spec,
  agent: [...entries, claim].find(isOfHolder)?.get('Agent') ?? '',
  claimedAt: claim.commit.committer.at,
  /** When its holder acknowledged it, where the culture asks for that. */
  ackedAt: entries.findLast((one) => one.event === 'ack')?.commit.committer.at,
});

/** The lab notebook of one spec, read from the first parents of its branch. */
export interface Notebook extends Pick<Spec, 'title' | 'body' | 'by'>, Readonly<ReturnType<typeof holderOf>> {
  readonly risk: Risk;
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
  /** The keep that waits for a person's approval, by its commit. */
  readonly waits: string | undefined;
  readonly done: boolean;
  readonly lastAt: number;
  readonly line: NotebookLine;
}

export async function readNotebook(org: Org, spec: string): Promise<Notebook | undefined> {
  const claimed = await readClaimed(org, spec);
  if (claimed === undefined) return undefined;
  const { claim, entries, tip, holder } = claimed;
  const verdicts = entries.filter((one) => isVerdictEvent(one.event)).reverse();
  const talk = entries.flatMap(talkIn).reverse();
  const judged = await Promise.all(verdicts.map((one) => experimentFrom(org, one)));
  const waits = tip.event === 'wait' ? tip.get('Cause') : undefined;
  const experiments: readonly Experiment[] = judged
    .map((one) => withReview(one, rejectionOf(talk, one.commit)))
    .map((one) =>
      one.commit === waits ? { ...one, waits: true, reason: `${one.reason}; it waits for a person` } : one,
    );
  const kept = experiments.findLast((one) => one.event === 'keep');
  return {
    ...holder,
    title: claim.title.replace(/^claim: \d+ /, ''),
    body: claim.body,
    by: claim.get('By') ?? '',
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

/** Tells whether an entry is the holder's own. Reviews, critiques and what orgrepo does itself name another agent. */
const isOfHolder = (entry: BookEntry): boolean => entry.get('Agent') !== 'orgrepo' && !isTalkEvent(entry.event);

/** The baseline of the best that a line was claimed from or last merged with. The guards compare with it. */
export async function baselineBelow(org: Org, tip: string): Promise<Baseline | undefined> {
  const rejected = new Set<string>(); // A review is above the keep that it is about.
  for await (const entry of entriesFrom(org, tip)) {
    const [below = '', tried = ''] = entry.commit.parents;
    if (entry.event === 'claim') return (await readBest(org, below))?.baseline;
    if (!isNote(entry)) break;
    if (entry.get('Decision') === 'reject') rejected.add(entry.get('Cause') ?? '');
    const counts = entry.event === 'keep' && !rejected.has(entry.commit.oid);
    const onto = counts ? (await readEntry(org, tried))?.get('Onto') : undefined;
    const merged = onto === undefined ? undefined : await readBest(org, onto);
    if (merged !== undefined) return merged.baseline;
  }
  return undefined;
}

const isNote = ({ event }: BookEntry): boolean =>
  isVerdictEvent(event) || isTalkEvent(event) || event === 'takeover' || event === 'ack' || event === 'done';

/** What is said in a notebook beside the verdicts: plans, critiques, reviews, and notes that a person must decide. */
export const talkEvents = ['plan', 'critique', 'review', 'wait'] as const;

type TalkEvent = (typeof talkEvents)[number];

export const isTalkEvent = (word: string): word is TalkEvent => (talkEvents as readonly string[]).includes(word);

/** One such entry. */
export interface TalkEntry {
  readonly event: TalkEvent;
  readonly agent: string;
  readonly text: string;
  readonly at: number;
  /** Of a review: the keep that it is about, and whether that may be taken. */
  readonly cause?: string | undefined;
  readonly approves?: boolean | undefined;
  /** Of a person's review: the person. */
  readonly by?: string | undefined;
  /** Why an agent gave no answer, or why a person must decide. */
  readonly reason?: string | undefined;
}

export interface NewTalk extends Omit<TalkEntry, 'at'> {
  readonly title: string;
  readonly spent?: SpentByModel | undefined;
  /** Of a review or a wait: the number of the experiment. */
  readonly n?: number | undefined;
  /** Of a checker's review: the brief that says who may check. */
  readonly brief?: string | undefined;
}

/**
 * Adds such an entry. A review that rejects resets the line to `tree`, the one before the keep; every other entry leaves it
 * as it is. Undefined when another run holds the claim by now.
 */
export async function sayInNotebook(org: Org, spec: string, line: NotebookLine, said: NewTalk, tree = line.tree) {
  const tip = await writeEntry(org, {
    tree,
    parents: [line.tip],
    agent: said.agent,
    title: `${said.event}: ${said.title}`,
    body: said.text,
    trailers: {
      Event: said.event,
      Spec: spec,
      Experiment: said.n,
      Agent: said.agent,
      Host: org.host,
      ...spentTrailers(said.spent),
      Decision: said.approves === undefined ? undefined : said.approves ? 'approve' : 'reject',
      By: said.by,
      Brief: said.brief,
      Cause: said.cause,
      Reason: said.reason,
      Nonce: randomBytes(12).toString('hex'),
    },
  });
  return (await org.repo.refs.move(workRef(spec), tip, line.tip)) ? { ...line, tree, tip } : undefined;
}

function talkIn(entry: BookEntry): readonly TalkEntry[] {
  const { event, body } = entry;
  if (!isTalkEvent(event)) return [];
  const decision = entry.get('Decision');
  return [
    {
      event,
      agent: entry.get('Agent') ?? '',
      text: body,
      at: entry.commit.committer.at,
      cause: entry.get('Cause'),
      approves: decision === undefined ? undefined : decision === 'approve',
      by: entry.get('By'),
      reason: entry.get('Reason'),
    },
  ];
}

/** The review that rejects a keep, if there is one. */
const rejectionOf = (talk: readonly TalkEntry[], keep: string): TalkEntry | undefined =>
  talk.find((said) => said.event === 'review' && said.cause === keep && said.approves === false);

/** An experiment whose keep was rejected says so wherever it is shown. */
export function withReview(one: Experiment, rejection: Pick<TalkEntry, 'agent' | 'by' | 'text'> | undefined) {
  if (rejection === undefined) return one;
  const { agent, by, text } = rejection;
  return {
    ...one,
    event: 'rejected' as const,
    review: text,
    reason: `${one.reason}; ${by ?? agent} rejected it: ${text.split('\n')[0]}`,
  };
}
