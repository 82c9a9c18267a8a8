import type { Place } from '../../text/problem.ts';
import type { Period } from '../staff/charter.ts';
import {
  type Amount,
  type Figures,
  ledgerKey,
  nanosOf,
  noSum,
  type Scope,
  type SpendLedger,
  type Sum,
  type Total,
  totalOf,
} from './spending.ts';

/**
 * What was spent, as people read it. No dollars as soon as the price of any part is unknown: a sum of what is known looks like all of
 * it. None either where a subscription pays for everything: that is not $0.
 */
export type Spent = Readonly<ReturnType<typeof spentOf>>;

export const spentOf = ({ nanos, tokensIn, tokensOut, unpriced, subscription }: Sum) => ({
  usd: unpriced > 0 || (subscription > 0 && subscription === tokensIn + tokensOut) ? undefined : nanos / 1e9,
  /** The dollars of the part that has a price. */
  known: nanos / 1e9,
  tokensIn,
  tokensOut,
  /** Of these tokens: those whose price nobody knows, and those that a subscription pays for. */
  unpriced,
  subscription,
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
  readonly what: keyof Figures | undefined;
  /** The agent whose call reached it. */
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
  /** Set aside for those of its calls whose end was never heard. */
  readonly reserved?: Spent | undefined;
}

/** More would not fit into a trailer. Their sums can be had from the night's own entries all the same. */
const mostAgents = 40;

/**
 * `day:2026-11-16=1.25,1000,200,0+0.5,100,50,0 night:... agent:junior-1=...`: dollars, tokens in, tokens out, tokens
 * without a price and tokens of a subscription, where there are any, that are spent, and after the plus the same of what is set aside, if anything is.
 */
export function formatSpent(ledger: SpendLedger): string {
  const agents = [...ledger.totals.keys()].filter((key) => key.startsWith('agent ')).map((key) => key.slice(6));
  const parts: readonly (readonly [Scope, string])[] = [
    ['day', ledger.day],
    ['night', ledger.night],
    ...(agents.length > mostAgents ? [] : agents.sort().map((name) => ['agent', name] as const)),
  ];
  return parts.map(([scope, name]) => `${scope}:${name}=${formatTotal(totalOf(ledger, scope, name))}`).join(' ');
}

/** Undefined when it is anything but such a line. What agents did on their specs and attempts is not in it. */
export function parseSpent(text: string | undefined): SpendLedger | undefined {
  const totals = new Map<string, Total>();
  const names = { day: '', night: '' };
  for (const part of (text ?? '').split(' ')) {
    const [, scope, name = '', spent, held] =
      /^(day|night|agent):([\w.-]+)=([\d.,]+)(?:\+([\d.,]+))?$/.exec(part) ?? [];
    if (scope !== 'day' && scope !== 'night' && scope !== 'agent') return undefined;
    const total = { spent: parseSum(spent), held: held === undefined ? noSum : parseSum(held) };
    if (total.spent === undefined || total.held === undefined) return undefined;
    if (scope !== 'agent') names[scope] = name;
    totals.set(ledgerKey(scope, name), { spent: total.spent, held: total.held });
  }
  const ledger = { ...names, totals };
  return formatSpent(ledger) === text ? ledger : undefined;
}

/** `0.5,1000,200`, with `?` for an unknown price or `subscription`: what a reservation was, in the commit that ends it. */
export const formatAmount = ({ usd, subscription, tokensIn, tokensOut }: Amount): string =>
  `${subscription ? paidBySubscription : usd === undefined ? '?' : formatUsd(usd)},${tokensIn},${tokensOut}`;

export function parseAmount(text: string | undefined): Amount | undefined {
  const [, usd = '', tokensIn, tokensOut] = /^(\?|subscription|[\d.]+),(\d{1,15}),(\d{1,15})$/.exec(text ?? '') ?? [];
  const amount = { usd: parseUsd(usd), tokensIn: Number(tokensIn), tokensOut: Number(tokensOut) };
  if (usd === paidBySubscription) return { ...amount, subscription: true };
  return tokensIn === undefined || (usd !== '?' && amount.usd === undefined) ? undefined : amount;
}

/** As commits say it in `Org-Paid-By`, in the place of dollars. */
export const paidBySubscription = 'subscription';

/** Dollars with up to nine places and no exponent: `0.004305`. */
export const formatUsd = (usd: number): string => formatNanos(nanosOf(usd));

/** Undefined when it is not what `formatUsd` writes. */
export function parseUsd(text: string | undefined): number | undefined {
  const nanos = parseNanos(text);
  return nanos === undefined ? undefined : nanos / 1e9;
}

function formatNanos(nanos: number): string {
  const places = String(nanos % 1e9)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${Math.floor(nanos / 1e9)}${places === '' ? '' : `.${places}`}`;
}

function parseNanos(text: string | undefined): number | undefined {
  const [, whole, places = ''] = /^(\d{1,7})(?:\.(\d{1,9}))?$/.exec(text ?? '') ?? [];
  const nanos = Number(whole) * 1e9 + Number(places.padEnd(9, '0'));
  return Number.isSafeInteger(nanos) && formatNanos(nanos) === text ? nanos : undefined;
}

function formatTotal({ spent, held }: Total): string {
  const isHeld = Object.values(held).some((value) => value !== 0);
  return isHeld ? `${formatSum(spent)}+${formatSum(held)}` : formatSum(spent);
}

const formatSum = ({ nanos, tokensIn, tokensOut, unpriced, subscription }: Sum): string =>
  [formatNanos(nanos), tokensIn, tokensOut, unpriced, ...(subscription === 0 ? [] : [subscription])].join(',');

function parseSum(text: string | undefined): Sum | undefined {
  const [usd, ...counts] = (text ?? '').split(',');
  const values = [parseNanos(usd) ?? -1, ...counts.map(Number)];
  const [nanos = 0, tokensIn = 0, tokensOut = 0, unpriced = 0, subscription = 0] = values;
  const isWhole = values.every((value) => Number.isSafeInteger(value) && value >= 0);
  // Before there were subscriptions nobody wrote the last one.
  if (counts.length < 3 || counts.length > 4 || !isWhole) return undefined;
  return { nanos, tokensIn, tokensOut, unpriced, subscription };
}

/** A day, a week or a month of UTC. Days are as the books of spending write them, so that they can be compared as text. */
export interface Span {
  readonly period: Period;
  /** Seconds since 1970; `until` is the first second of the next. */
  readonly from: number;
  readonly until: number;
  /** `2026-11-16`. */
  readonly firstDay: string;
  readonly lastDay: string;
}

/** The one that an instant is in. Weeks begin on Monday. */
export function spanAt(period: Period, at: number): Span {
  const then = new Date(at * 1000);
  const [year, month, day] = [then.getUTCFullYear(), then.getUTCMonth(), then.getUTCDate()];
  const first = { day, week: day - ((then.getUTCDay() + 6) % 7), month: 1 }[period];
  const from = Date.UTC(year, month, first);
  const until =
    period === 'month' ? Date.UTC(year, month + 1) : Date.UTC(year, month, first + (period === 'week' ? 7 : 1));
  const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  return { period, from: from / 1000, until: until / 1000, firstDay: dayOf(from), lastDay: dayOf(until - 1) };
}

export const isIn = (span: Span, day: string): boolean => day >= span.firstDay && day <= span.lastDay;

/** How much of it is over, 0 to 1. */
export const elapsedOf = ({ from, until }: Span, at: number): number =>
  Math.max(0, Math.min(1, (at - from) / (until - from)));

/** `the day 2026-11-16`, `the week of 2026-11-16`, `the month 2026-11`. */
export function spanInWords({ period, firstDay }: Span): string {
  if (period === 'week') return `the week of ${firstDay}`;
  return period === 'month' ? `the month ${firstDay.slice(0, 7)}` : `the day ${firstDay}`;
}
