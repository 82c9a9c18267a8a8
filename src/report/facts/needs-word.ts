import type { NeedsYou } from '../../domain/rules/request.ts';
import type { Org } from '../../records/org.ts';
import type { Queue } from '../../records/queue/queue.ts';
import { readAlerts } from '../../records/requests/approvals.ts';
import { readEscalations } from '../../records/requests/escalations.ts';
import { readRequests } from '../../records/requests/requests.ts';

/** Limits of a period that are nearly used up, or more. */
export const usedUp = async (org: Org, queue: Queue): Promise<NeedsYou[]> =>
  (await readAlerts(org, queue, new Date().toISOString().slice(0, 10))).map((what) => ({
    what,
    command: 'npx orgrepo report, then raise the limit in ORG.md or leave it',
  }));

/** Work that is stuck, and that nobody of the chart could answer for; and promises that were broken, until somebody answers for them. */
export async function stuckWork(org: Org, { ledger }: Queue): Promise<NeedsYou[]> {
  if (ledger.acts === 0) return [];
  return (await readEscalations(org, Date.now() / 1000)).flatMap(({ raised, stage }): NeedsYou[] => {
    const { id, by, spec, reason, text, rule } = raised;
    if (rule !== undefined && stage.kind !== 'answered' && stage.kind !== 'moot') {
      const asked = stage.kind === 'asked' ? `; ${stage.manager} is asked` : '';
      const command = `npx orgrepo approve ${id} --note "seen" (or deny ${id} --reason …)`;
      return [{ what: `${id}: ${spec} breaks ${text}${asked}`, command }];
    }
    if (stage.kind !== 'person') return [];
    const what = `${id}: ${by} is stuck${spec === '' ? '' : ` with ${spec}`} (${reason}): ${text.split('\n')[0] ?? ''}`;
    return [{ what, command: `npx orgrepo approve ${id} --note "what was missing" (or deny ${id} --reason …)` }];
  });
}

/** Acts that wait for a person, the oldest first. */
export async function waitingActs(org: Org, { ledger }: Queue): Promise<NeedsYou[]> {
  if (ledger.acts === 0) return [];
  const now = Date.now() / 1000;
  return (await readRequests(org, now)).flatMap(({ asked, stage }): NeedsYou[] => {
    if (stage.kind !== 'waits') return [];
    const { id, words, reason, by } = asked;
    const rest = stage.lacks.length < by.length ? `; it still lacks ${stage.lacks.join(' and ')}` : '';
    return [
      {
        what: `${id}: ${words}, and ${reason}${rest}`,
        command: `npx orgrepo approve ${id} (or deny ${id} --reason …)`,
      },
    ];
  });
}
