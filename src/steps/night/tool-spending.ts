import { plainArguments } from '../../domain/rules/plain-arguments.ts';
import type { Charter } from '../../domain/staff/charter.ts';
import type { Fact } from '../../domain/words/fact.ts';
import { nowInSeconds } from '../../process/pace.ts';
import type { Org } from '../../records/org.ts';
import { writePayment } from '../../spend/books/paid-book.ts';

/** The argument in which a tool says what it pays, in dollars. */
const amountName = 'amount_usd';

export interface ToolCall {
  readonly agent: string;
  readonly spec: string | undefined;
  readonly server: string;
  readonly name: string;
}

/**
 * Counts what tools pay against what the org allows for a month of them, before they are used. Gives why one may not, in words
 * for the agent; undefined when it may, or where nothing is limited or said to be paid.
 */
export const openToolPurse =
  (org: Org, charter: () => Charter | undefined, say: (fact: Fact) => void) =>
  async (call: ToolCall, input: Readonly<Record<string, unknown>>): Promise<string | undefined> => {
    const limit = charter()?.policies.budget.tools;
    if (limit === undefined) return undefined;
    const { texts, numbers, unfit } = plainArguments(input);
    const usd = numbers[amountName];
    if (unfit !== undefined) return unfit;
    // Who chooses the arguments must not choose whether they are counted.
    if (usd === undefined) return texts[amountName] === undefined ? undefined : `${amountName} is no number`;
    if (usd <= 0) return undefined;
    const { agent, spec, server, name } = call;
    const month = new Date().toISOString().slice(0, 7);
    const payment = { agent, spec, tool: `${server}.${name}`, usd, month };
    const refusal = await writePayment(org, payment, { usd: limit.value, from: limit.from });
    if (refusal !== undefined) say({ kind: 'warning', at: nowInSeconds(), message: `${agent}: ${refusal}` });
    return refusal;
  };
