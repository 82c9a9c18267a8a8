import type { Org } from '../org.ts';
import { changeQueue, queueHistory } from './queue.ts';

/** A spec of the chief's that was not put on the queue, and why. */
export interface DraftRejection {
  readonly title: string;
  readonly objections: readonly string[];
  /** As the chief wrote it: nothing that was written is lost. */
  readonly text: string;
}

const mostText = 8_000;

/** Tells a chief by a commit which of its specs were refused. Each paragraph of the body is one of them. */
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

/** How many of them a chief is told. */
export const mostRefused = 12;

const farthestBack = 300;

/** What was refused lately, oldest first: a chief that starts afresh reads it before it writes. */
export async function readRefusals(org: Org, most: number): Promise<string[]> {
  const found: string[] = [];
  let looked = 0;
  for await (const entry of queueHistory(org)) {
    if (entry.event === 'refuse') found.push(entry.get('Reason') ?? entry.title);
    if (found.length >= most || ++looked >= farthestBack) break;
  }
  return found.reverse();
}
