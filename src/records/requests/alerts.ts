import type { Span } from '../../domain/rules/period.ts';
import { entryAt, readTree } from '../../git/objects/tree.ts';
import type { Org } from '../org.ts';
import { changeQueue, type Queue, readQueue } from '../queue/queue.ts';

/** `approvals/alert-2026-11-16-2026-11-22-junior-1.md`: a file of the queue, so that who was told is not told again. */
const fileFor = (whose: string, { firstDay, lastDay }: Span): string =>
  `alert-${firstDay}-${lastDay}-${whose.replaceAll(' ', '-')}.md`;

/** Says once in a period that so much of a limit is used up; false when it was said before. */
export async function alertOnce(org: Org, whose: string, span: Span, words: string): Promise<boolean> {
  const file = `approvals/${fileFor(whose, span)}`;
  const queue = await readQueue(org);
  if (queue !== undefined && (await entryAt(org.repo, queue.tree, file)) !== undefined) return false;
  await changeQueue(org, () => ({
    event: 'alert',
    agent: 'orgrepo',
    title: `alert: ${words}`,
    files: new Map([[file, `${words}\n`]]),
    trailers: { Agent: whose === 'all agents' ? undefined : whose, Reason: words },
  }));
  return true;
}

/** What people were told of periods that are not over. */
export async function readAlerts(org: Org, queue: Queue, today: string): Promise<readonly string[]> {
  const dir = await entryAt(org.repo, queue.tree, 'approvals');
  const alerts: string[] = [];
  for (const [name, entry] of dir === undefined ? [] : await readTree(org.repo, dir.oid)) {
    const [, from = '', to = ''] = /^alert-(\d{4}-\d\d-\d\d)-(\d{4}-\d\d-\d\d)-/.exec(name) ?? [];
    if (from === '' || today < from || today > to) continue;
    const blob = await org.repo.reader.read(entry.oid);
    if (blob?.type === 'blob') alerts.push(blob.content.toString('utf8').split('\n')[0] ?? '');
  }
  return alerts;
}
