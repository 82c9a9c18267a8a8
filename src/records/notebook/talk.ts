import { randomBytes } from 'node:crypto';
import type { Experiment } from '../../domain/words/experiment.ts';
import { workRef } from '../../git/refs/ref-names.ts';
import { type BookEntry, type SpentByModel, spentTrailers, writeEntry } from '../entry.ts';
import type { Org } from '../org.ts';
import type { NotebookLine } from './notebook.ts';

/** What is said in a notebook besides verdicts: plans, what critics say of them, reviews, and that a person is waited for. */
export const talkEvents = ['plan', 'critique', 'review', 'wait'] as const;

type TalkEvent = (typeof talkEvents)[number];

export const isTalkEvent = (word: string): word is TalkEvent => (talkEvents as readonly string[]).includes(word);

/** One such line as it is read back. */
export interface TalkEntry {
  readonly event: TalkEvent;
  readonly agent: string;
  readonly text: string;
  readonly at: number;
  /** Of a review: which keep it is about, and whether that may be taken. */
  readonly cause: string | undefined;
  readonly approves: boolean | undefined;
  /** Of a review by a person: who that is. */
  readonly by: string | undefined;
  /** Why nothing was said, or what a person is waited for. */
  readonly reason?: string | undefined;
}

export interface NewSaid extends Pick<TalkEntry, 'event' | 'agent' | 'text'> {
  readonly title: string;
  readonly spent?: SpentByModel | undefined;
  readonly cause?: string | undefined;
  /** Of a review or a wait: the number of the experiment. */
  readonly n?: number | undefined;
  readonly approves?: boolean | undefined;
  readonly by?: string | undefined;
  /** Of a checker's review: the brief that says who may check. */
  readonly brief?: string | undefined;
  readonly reason?: string | undefined;
}

/**
 * Adds a line to a notebook. A review that rejects puts the line back to `tree`, what it was before the keep; everything else
 * changes nothing. Undefined when the claim is somebody else's by now.
 */
export async function sayInNotebook(
  org: Org,
  spec: string,
  line: NotebookLine,
  said: NewSaid,
  tree = line.tree,
): Promise<NotebookLine | undefined> {
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

export function saidIn(entry: BookEntry): readonly TalkEntry[] {
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
export const rejectionOf = (talk: readonly TalkEntry[], keep: string): TalkEntry | undefined =>
  talk.find((said) => said.event === 'review' && said.cause === keep && said.approves === false);

/** An experiment whose keep was rejected says so wherever it is told. */
export const withReview = (
  one: Experiment,
  rejection: Pick<TalkEntry, 'agent' | 'by' | 'text'> | undefined,
): Experiment =>
  rejection === undefined
    ? one
    : {
        ...one,
        event: 'rejected',
        review: rejection.text,
        reason: `${one.reason}; ${rejection.by ?? rejection.agent} rejected it: ${rejection.text.split('\n')[0]}`,
      };
