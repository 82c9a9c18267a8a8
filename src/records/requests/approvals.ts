import type { Span } from '../../domain/words/spent.ts';
import { entryAt, readTree } from '../../git/objects/tree.ts';
import type { Notebook } from '../notebook/notebook.ts';
import type { Org } from '../org.ts';
import { changeQueue, type Queue, readQueue } from '../queue/queue.ts';

/** A person's word on a keep that waits for it. */
export interface Approval {
  readonly approves: boolean;
  readonly by: string;
  readonly reason: string;
  /** The verdict that it is about. */
  readonly keep: string;
}

const fileOf = (n: number): string => `approvals/${n}.md`;

/** Writes a person's word down: a commit of theirs on the queue, and a file that says so until somebody removes it. */
export async function writeApproval(org: Org, spec: string, n: number, approval: Approval): Promise<void> {
  const { approves, by, reason, keep } = approval;
  const word = approves ? 'approve' : 'deny';
  const text = `${word} #${n} of ${spec}\n\n- keep: ${keep}\n- by: ${by}\n- reason: ${reason}\n`;
  await changeQueue(org, () => ({
    event: word,
    title: `${word}: #${n}${reason === '' ? '' : `, ${reason}`}`,
    files: new Map([[fileOf(n), text]]),
    trailers: { Spec: spec, Experiment: n, Cause: keep, By: by, Reason: reason === '' ? undefined : reason },
  }));
}

/** What people have said of a keep, or undefined while nobody has. */
export async function readApproval(org: Org, queue: Queue, n: number, keep: string): Promise<Approval | undefined> {
  if (!(await readTree(org.repo, queue.tree)).has('approvals')) return undefined;
  const entry = await entryAt(org.repo, queue.tree, fileOf(n));
  const found = entry && (await org.repo.reader.read(entry.oid));
  if (found?.type !== 'blob') return undefined;
  const text = found.content.toString('utf8');
  const field = (name: string): string => new RegExp(`^- ${name}: (.*)$`, 'm').exec(text)?.[1]?.trim() ?? '';
  const word = /^(approve|deny) /.exec(text)?.[1];
  if (word === undefined || field('keep') !== keep) return undefined;
  return { approves: word === 'approve', by: field('by'), reason: field('reason'), keep };
}

/** True while the keep at the end of a notebook waits for a person, and nobody has said anything of it. */
export async function isWaiting(org: Org, queue: Queue, notebook: Notebook): Promise<boolean> {
  const waits = notebook.experiments.find((one) => one.commit === notebook.waits);
  return waits !== undefined && (await readApproval(org, queue, waits.n, waits.commit)) === undefined;
}

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
