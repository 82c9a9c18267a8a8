import { ordersAfter } from '../../domain/staff/presence.ts';
import { importSpecs, type Renumbered, type TrunkSpec } from '../../preflight/trunk-specs.ts';
import type { Org } from '../../records/org.ts';
import { changeQueue, type Queue, readLastRun, readQueue } from '../../records/queue/queue.ts';

export interface OpenRunOptions {
  readonly specs: readonly TrunkSpec[];
  readonly trunk: string;
  readonly experiments: number;
  readonly best: string;
}

/** Opens the run on the queue, or goes on with one that never ended, together with the specs that people have put on the trunk since the last one. */
export async function openRun(
  org: Org,
  { specs, trunk, experiments, best }: OpenRunOptions,
  { fromTrunk, culture }: { readonly fromTrunk: boolean; readonly culture?: string | undefined },
): Promise<{ run: string; from: string; renumbered: readonly Renumbered[] }> {
  const before = await changeQueueOnce(org);
  const brought = await importSpecs(org, before, specs);
  const interrupted = before.ledger.state !== 'ended' && before.ledger.state !== 'never';
  const run = interrupted ? before.ledger.run : nextRun(before.ledger.run);
  const from = interrupted && !fromTrunk ? ((await readLastRun(org))?.get('Base') ?? best) : best;
  await changeQueue(org, (now) => ({
    event: 'run',
    title: interrupted ? `run: ${run} goes on` : `run: ${run}`,
    body: brought.added.map((spec) => `${spec.id} ${spec.title}`).join('\n'),
    ...(brought.files === undefined ? {} : { files: brought.files }),
    ledger: {
      specs: Math.max(now.ledger.specs, brought.ledger?.specs ?? 0),
      experiments: Math.max(now.ledger.experiments, experiments),
      ...(interrupted ? {} : { run, runFrom: Math.max(now.ledger.experiments, experiments), halted: [], needs: 0 }),
      ...(interrupted ? {} : { orders: ordersAfter(now.ledger.orders, { kind: 'run' }) }),
      state: 'running',
    },
    trailers: { Run: run, Host: org.host, Trunk: trunk, Base: from, Culture: culture },
  }));
  return { run, from, renumbered: brought.renumbered };
}

/** The queue as it stands; made from the trunk when there is none. */
export async function changeQueueOnce(org: Org): Promise<Queue> {
  return (await readQueue(org)) ?? changeQueue(org, () => undefined);
}

/** `2026-11-16`, and `2026-11-16.2` for the second of a day. No name comes back, also when a clock was set back. */
function nextRun(last: string): string {
  const today = new Date().toISOString().slice(0, 10);
  const [day = '', count] = last.split('.');
  return day >= today ? `${day}.${Number(count ?? 1) + 1}` : today;
}
