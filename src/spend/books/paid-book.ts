import { formatUsd, parseUsd } from '../../domain/words/spent.ts';
import type { BookEntry } from '../../records/entry.ts';
import type { Org } from '../../records/org.ts';
import { changeQueue, queueHistory } from '../../records/queue/queue.ts';

/** A tool that says in its arguments what it pays. */
interface Payment {
  readonly agent: string;
  readonly spec: string | undefined;
  /** `stripe.charge` */
  readonly tool: string;
  readonly usd: number;
  /** `2026-11`, of UTC. */
  readonly month: string;
}

/** What the tools of an org have paid in a month, as far as this process knows: nobody else writes it while a run goes on. */
const known = new WeakMap<Org, { readonly month: string; readonly usd: number }>();

/**
 * Puts a payment on the queue before it is made, with the sum of its month: a run that is killed after that has paid. Above
 * `most` it is refused, by a commit with the reason, which is given back.
 */
export async function writePayment(
  org: Org,
  payment: Payment,
  most: { readonly usd: number; readonly from: string },
): Promise<string | undefined> {
  const { agent, spec, tool, usd, month } = payment;
  let refusal: string | undefined;
  await changeQueue(org, async ({ ledger }) => {
    const before = await paidIn(org, month);
    const sum = rounded(before + usd);
    const paying = { Run: ledger.run, Spec: spec, Agent: agent, Tool: tool, 'Cost-USD': formatUsd(usd), Month: month };
    if (sum > most.usd) {
      refusal = `${tool} would pay $${usd}, and of the $${most.usd} for tools in ${month} (${most.from}) $${before} are used`;
      const title = `unpaid: ${agent}, ${tool}`;
      return { event: 'unpaid', agent: 'orgrepo', title, trailers: { ...paying, Reason: refusal } };
    }
    known.set(org, { month, usd: sum });
    const title = `pay: ${agent}, ${tool} $${usd}`;
    return { event: 'pay', agent, title, trailers: { ...paying, Paid: formatUsd(sum) } };
  });
  return refusal;
}

/** Read back to the last payment, or to the beginning of the month, once in a process. */
async function paidIn(org: Org, month: string): Promise<number> {
  const last = known.get(org);
  if (last !== undefined) return last.month === month ? last.usd : 0;
  const usd = await lastSum(org, month);
  known.set(org, { month, usd });
  return usd;
}

async function lastSum(org: Org, month: string): Promise<number> {
  for await (const entry of queueHistory(org)) {
    if (isPayment(entry)) return entry.get('Month') === month ? paidUsd(entry) : 0;
    if (new Date(entry.commit.committer.at * 1000).toISOString().slice(0, 7) < month) break;
  }
  return 0;
}

export const isPayment = ({ event }: Pick<BookEntry, 'event'>): boolean => event === 'pay';

/** The sum of its month after a payment, and what it was itself. */
export const paidUsd = (entry: Pick<BookEntry, 'get'>): number => parseUsd(entry.get('Paid')) ?? Number.NaN;
export const costUsd = (entry: Pick<BookEntry, 'get'>): number => parseUsd(entry.get('Cost-USD')) ?? Number.NaN;

/** Dollars to the billionth, as the books of spending have them. */
export const rounded = (usd: number): number => Math.round(usd * 1e9) / 1e9;
