import type { NeedsYou, Notice } from '../../domain/rules/request.ts';
import { type OrderTarget, parseTarget, targetInWords } from '../../domain/staff/presence.ts';
import type { Span } from '../../domain/words/spent.ts';
import { entryAt, readTree } from '../../git/objects/tree.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { cleanLine } from '../../text/problem.ts';
import type { BookEntry } from '../entry.ts';
import type { Notebook } from '../notebook/notebook.ts';
import type { Org } from '../org.ts';
import { changeQueue, type Queue, queueHistory, readQueue } from '../queue/queue.ts';

/** Something that a run met and only a person can put right. Its subject says when it is over; without one it is over with the next run. */
export interface NoticeDraft extends NeedsYou {
  /** A commit that cannot be used, and the ref that has it: over once the ref moves. */
  readonly found?: { readonly ref: string; readonly commit: string } | undefined;
  /** A spec that waits for an agent: over once it is claimed or closed. */
  readonly spec?: string | undefined;
  /** The targets of people's orders: over once no such order is in force. */
  readonly targets?: readonly OrderTarget[] | undefined;
}

/** Writes what a person has to do, once in a run. */
export function writeNotice(org: Org, { what, command, found, spec, targets = [] }: NoticeDraft): Promise<Queue> {
  const trailers = {
    ...{ Reason: oneLine(what), Command: oneLine(command), Spec: spec, Ref: found?.ref, Cause: found?.commit },
    Target: targets.map(targetInWords).join(', ') || undefined,
  };
  const all = Object.entries(trailers);
  return changeQueue(org, async (queue) => {
    const { run, needs } = queue.ledger;
    const isSame = ({ get }: BookEntry): boolean => all.every(([key, value]) => (get(key) ?? '') === (value ?? ''));
    if ((await noticesOfRun(org, queue)).some(isSame)) return undefined;
    return {
      event: 'need',
      agent: 'orgrepo',
      title: `need: ${trailers.Reason}`,
      ledger: { needs: needs + 1 },
      trailers: { Run: run, ...trailers },
    };
  });
}

/** The notices of the last run that are not over, oldest first. */
export async function readNotices(org: Org, queue: Queue, live: readonly Notebook[]): Promise<readonly Notice[]> {
  const notices = new Map<string, Notice>();
  const claimed = new Set(live.flatMap(({ spec, done }) => (done ? [] : [spec])));
  for (const { get } of await noticesOfRun(org, queue)) {
    const [what = '', command = '', ref] = [get('Reason'), get('Command'), get('Ref')];
    const tip = ref && (await org.repo.reader.resolve(ref));
    const hasMoved = tip !== undefined && tip !== get('Cause');
    if (!hasMoved && isOpen(queue, claimed, get('Spec'), get('Target')))
      notices.set(`${what}\n${command}`, { kind: 'notice', of: 'run', what, command });
  }
  return [...notices.values()];
}

/** The ledger counts them, so a run without one is read by its last commit. */
async function noticesOfRun(org: Org, { ledger }: Queue): Promise<readonly BookEntry[]> {
  const found: BookEntry[] = [];
  if (ledger.needs === 0) return found;
  for await (const entry of queueHistory(org)) {
    if (entry.event === 'run' && entry.get('Run') !== ledger.run) break;
    if (entry.event === 'need') found.push(entry);
    if (found.length >= ledger.needs) break;
  }
  return found.reverse();
}

function isOpen(queue: Queue, claimed: ReadonlySet<string>, spec?: string, targets?: string): boolean {
  if (spec !== undefined && (!queue.files.has(spec) || claimed.has(spec))) return false;
  const isOrdered = (target: string): boolean =>
    parseTarget(target) !== undefined &&
    queue.ledger.orders.some((order) => order.endsWith(`:${target.replace(' ', '/')}`));
  return targets === undefined || targets.split(', ').some(isOrdered);
}

/** As it can be read back from a trailer. */
const oneLine = (text: string): string => cleanLine(hideSecrets(text).replaceAll(/\s+/g, ' '), 4 * 1024);

/** Says once in a period how much of a limit is used up; false where it was said before. */
export async function writeAlert(org: Org, whose: string, span: Span, words: string): Promise<boolean> {
  const file = `approvals/alert-${span.firstDay}-${span.lastDay}-${whose.replaceAll(' ', '-')}.md`;
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

/** The alerts of periods that are not over. */
export async function readAlerts(org: Org, queue: Queue, now: number): Promise<readonly Notice[]> {
  const today = new Date(now * 1000).toISOString().slice(0, 10);
  const dir = await entryAt(org.repo, queue.tree, 'approvals');
  const alerts: Notice[] = [];
  for (const [name, entry] of dir === undefined ? [] : await readTree(org.repo, dir.oid)) {
    const [, from = '', to = ''] = /^alert-(\d{4}-\d\d-\d\d)-(\d{4}-\d\d-\d\d)-/.exec(name) ?? [];
    if (from === '' || today < from || today > to) continue;
    const blob = await org.repo.reader.read(entry.oid);
    const command = 'orgrepo report, then raise the limit in ORG.md or leave it';
    const [what = ''] = blob?.type === 'blob' ? blob.content.toString('utf8').split('\n') : [];
    if (blob?.type === 'blob') alerts.push({ kind: 'notice', of: 'limit', what, command });
  }
  return alerts;
}
