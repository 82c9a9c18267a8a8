import type { Place } from '../../text/problem.ts';
import type { Amount, Scope, Sum } from './spending.ts';

/** What was spent, as it is told to people. */
export interface Spent {
  /** Undefined as soon as the price of any part of it is unknown: a sum of what happens to be known looks like all of it. */
  readonly usd: number | undefined;
  /** The dollars of the part that has a price. */
  readonly known: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Of these tokens: those whose price nobody knows. */
  readonly unpriced: number;
}

export const spentOf = ({ nanos, tokensIn, tokensOut, unpriced }: Sum): Spent => ({
  usd: unpriced > 0 ? undefined : nanos / 1e9,
  known: nanos / 1e9,
  tokensIn,
  tokensOut,
  unpriced,
});

/** What a night has spent, all of it and by agent. */
export interface NightSpent {
  readonly total: Spent;
  /** Set aside for calls that are underway, or whose end was never heard: it counts against the caps like the rest. */
  readonly held: Spent | undefined;
  /** Empty where there were too many of them for one line of the book. */
  readonly agents: readonly { readonly id: string; readonly spent: Spent }[];
}

/** A cap that ended a night, and all that a person wants to know of it. */
export interface CapReached {
  readonly scope: Scope;
  readonly what: keyof Amount | undefined;
  /** Whose call it was that came up against it. */
  readonly by: string;
  readonly reason: string;
  /** Seconds since 1970. */
  readonly at: number;
  /** Where the brief says it. */
  readonly place: Place | undefined;
  readonly spenders: readonly Spender[];
  /** The specs that are still open. */
  readonly open: readonly { readonly id: string; readonly title: string }[];
}

export interface Spender {
  readonly agent: string;
  /** `provider/id`. */
  readonly model: string;
  readonly calls: number;
  readonly spent: Spent;
}
