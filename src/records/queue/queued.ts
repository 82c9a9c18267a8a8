import { entryAt, readTree } from '../../git/objects/tree.ts';
import type { BookEntry } from '../entry.ts';
import type { Org } from '../org.ts';
import { queueHistory } from './queue.ts';

/** When specs came on the queue, in seconds, and up to which commit of it that is known. */
export interface Queued {
  tip: string;
  readonly at: Map<string, number>;
}

/**
 * Takes in what has come on the queue since the last time. What was there before `from` counts from then, so that no more of
 * the queue is read than a night has written.
 */
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
