import type { Experiment } from '../../domain/words/experiment.ts';
import type { Spec } from '../../domain/words/spec.ts';
import { entryAt, readTree } from '../../git/objects/tree.ts';
import { type BookEntry, type SpentByModel, spentTrailers } from '../entry.ts';
import type { Org } from '../org.ts';
import { changeQueue, newestOf, type Queue, type QueueChange, queueHistory } from './queue.ts';

/** An older delegation counts no more: the spec is delegated again. */
const delegationsBack = 2_000;

/** The agent that each open spec was last delegated to, and why. */
export async function openDelegations(org: Org, { specs }: Queue) {
  const specOf = ({ event, get }: BookEntry): string | undefined => (event === 'delegate' ? get('Spec') : undefined);
  const open = specs.map(({ id }) => id);
  const found = [...(await newestOf(org, open, specOf, delegationsBack))];
  return new Map(found.map(([spec, { get }]) => [spec, { to: get('To') ?? '', why: get('Reason') ?? '' }]));
}

export interface Delegation {
  readonly spec: Spec;
  readonly by: string;
  readonly to: string;
  readonly why: string;
  /** What it cost to ask the agent that delegates. */
  readonly spent: SpentByModel | undefined;
}

/** Writes down that an agent of the chart gives a spec to another one. */
export const recordDelegation = (org: Org, { spec, by, to, why, spent }: Delegation): Promise<Queue> =>
  recordEvent(org, spec, {
    event: 'delegate',
    agent: by,
    title: `delegate: ${spec.id} to ${to}`,
    trailers: { Spec: spec.id, Agent: by, To: to, Reason: why, ...spentTrailers(spent) },
  });

/** Writes down that no agent may have a spec. */
export const recordUnrouted = (org: Org, spec: Spec, why: string): Promise<Queue> =>
  recordEvent(org, spec, {
    event: 'unrouted',
    agent: 'orgrepo',
    title: `unrouted: ${spec.id} ${spec.title}`,
    trailers: { Spec: spec.id, Agent: 'orgrepo', Reason: why },
  });

/** Writes down that an agent wanted to work outside of the working hours. `until` is when they begin, in words. */
export const recordClosed = (org: Org, agent: string, spec: string | undefined, reason: string, until: string) =>
  recordEvent(org, undefined, {
    event: 'closed',
    agent: 'orgrepo',
    title: `closed: nothing is begun ${until}`,
    trailers: { Agent: agent, Spec: spec, Reason: reason },
  });

/** Reports on the queue how a spec gets on. The verdict itself is in its notebook. */
export function recordProgress(org: Org, spec: Spec, { agent, n, event, score, commit }: Experiment): Promise<Queue> {
  const result = score === undefined ? event : `${event} ${score}`;
  return recordEvent(org, undefined, {
    event: 'progress',
    agent,
    title: `progress: ${spec.id}, #${n} ${result}`,
    trailers: { Spec: spec.id, Agent: agent, Experiment: n, Cause: commit },
  });
}

/** Writes an event of this run; one of a spec that has left the queue is left out. */
function recordEvent(org: Org, spec: Spec | undefined, change: QueueChange): Promise<Queue> {
  return changeQueue(org, ({ ledger, files }) => {
    if (spec !== undefined && !files.has(spec.id)) return undefined;
    return { ...change, trailers: { Run: ledger.run, ...change.trailers } };
  });
}

/** A spec of the chief's that was not put on the queue, and why. */
export interface DraftRejection {
  readonly title: string;
  readonly objections: readonly string[];
  /** As the chief wrote it: nothing that was written is lost. */
  readonly text: string;
}

const mostText = 8_000;

/** Writes down which specs of a chief were refused. Each paragraph of the body is one of them. */
export async function writeRefusals(org: Org, agent: string, refusals: readonly DraftRejection[]): Promise<void> {
  const [first] = refusals;
  if (first === undefined) return;
  const objections = refusals.map(rejectionInWords);
  const texts = refusals.map(({ text }) => `${text.slice(0, mostText).trim()}`.replaceAll(/^/gm, '> '));
  await changeQueue(org, () => ({
    event: 'refuse',
    agent: 'orgrepo',
    title: refusals.length === 1 ? `refuse: ${first.title}` : `refuse: ${refusals.length} specs of the ${agent}`,
    body: [...objections, ...texts].join('\n\n'),
    trailers: { Agent: agent, Reason: objections.join('; ').slice(0, 500) },
  }));
}

export const rejectionInWords = ({ title, objections }: DraftRejection): string =>
  `"${title}" was refused: ${objections.join('; ')}`;

/** A chief reads at most this many. */
export const mostRefused = 12;

const refusalsBack = 300;

/** The latest refusals, oldest first: a chief that starts afresh reads them before it writes. */
export async function readRefusals(org: Org): Promise<string[]> {
  const found: string[] = [];
  let looked = 0;
  for await (const entry of queueHistory(org)) {
    if (entry.event === 'refuse') found.push(entry.get('Reason') ?? entry.title);
    if (found.length >= mostRefused || ++looked >= refusalsBack) break;
  }
  return found.reverse();
}

/** When specs came on the queue, in seconds, as far as the commit `tip` of the queue. */
export interface Queued {
  tip: string;
  readonly at: Map<string, number>;
}

/** Adds the specs that came on the queue since the last time. An older one counts from `from`, so only this night is read. */
export async function noteQueued(org: Org, known: Queued, from: number): Promise<void> {
  const news: BookEntry[] = [];
  for await (const entry of queueHistory(org)) {
    if (entry.commit.oid === known.tip) break;
    news.push(entry);
    if (known.tip === '' && entry.commit.committer.at < from) break;
  }
  let before = '';
  for (const { commit } of news.reverse()) {
    const specs = await entryAt(org.repo, commit.tree, 'specs');
    if (specs !== undefined && specs.oid !== before)
      for (const name of (await readTree(org.repo, specs.oid)).keys()) {
        const id = /^[0-9]{4,9}/.exec(name)?.[0];
        if (id !== undefined && !known.at.has(id)) known.at.set(id, Math.max(from, commit.committer.at));
      }
    before = specs?.oid ?? '';
    known.tip = commit.oid;
  }
}
