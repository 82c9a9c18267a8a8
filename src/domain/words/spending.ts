/** What a cap can hold. `usd` is undefined where nobody knows the price: unknown is never 0. */
export interface Figures {
  readonly usd: number | undefined;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

/** What a call uses, or may use at most. */
export interface Amount extends Figures {
  /** A person's subscription pays for it: it has tokens and no dollars. */
  readonly subscription?: true | undefined;
}

/** From the smallest to the largest, which is the order in which a refusal looks for its reason. */
export const scopes = ['call', 'attempt', 'spec', 'agent', 'night', 'day'] as const;
export type Scope = (typeof scopes)[number];

export interface Cap {
  readonly usd?: number | undefined;
  readonly tokensIn?: number | undefined;
  readonly tokensOut?: number | undefined;
  /** Of a call: how many bytes its question may have. */
  readonly requestBytes?: number | undefined;
  /** What earlier nights have used up of it, for what outlives a night. */
  readonly before?: Sum | undefined;
}

export type Caps = Readonly<Partial<Record<Scope, Cap>>>;

/** The agent that asks. Agents, specs and attempts are counted from the beginning of a night. */
export interface Payer {
  readonly agent: string;
  /** Undefined for work that no spec asks for: a chief's. */
  readonly spec: string | undefined;
  /** Which one of its spec. */
  readonly attempt: string | undefined;
}

export interface When {
  /** `2026-11-16`. */
  readonly day: string;
  /** The run's name. */
  readonly night: string;
}

/** What is set aside for a call until it is known what it used: on the day and in the night that it was asked for. */
export interface Hold extends Payer, When {
  readonly most: Amount;
  /** It is what the caps had left, for somebody who cannot be stopped between two calls: he may use more. */
  readonly rest?: true | undefined;
}

/** A sum that is exact whatever the order: whole nano-dollars and whole tokens. */
export interface Sum {
  readonly nanos: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Of these tokens: those whose price nobody knows, and those that a subscription pays for. */
  readonly unpriced: number;
  readonly subscription: number;
}

export interface Total {
  readonly spent: Sum;
  /** Set aside. What was never settled, because somebody was killed, stays here for ever and counts in full. */
  readonly held: Sum;
}

/** What is spent and set aside on the present day and in the present night, by `day`, `night`, `agent junior-1`, `spec 0007`, ... */
export interface SpendLedger extends When {
  readonly totals: ReadonlyMap<string, Total>;
}

/** The cap that a call would break, with the figures for a message. */
export interface Refused {
  readonly kind: 'refused';
  readonly scope: Scope;
  /** Which attempt, spec, agent, night or day; the agent's for a call. */
  readonly name: string;
  readonly what: keyof Figures;
  readonly cap: number;
  /** Spent and set aside already, here and elsewhere. */
  readonly counted: number;
  readonly wanted: number;
  /** Its words for people, where it is not a cap of the brief's. */
  readonly reason?: string | undefined;
  /** The request that waits for a person's yes to it, by its key. */
  readonly request?: string | undefined;
}

export const noSum: Sum = { nanos: 0, tokensIn: 0, tokensOut: 0, unpriced: 0, subscription: 0 };
const noTotal: Total = { spent: noSum, held: noSum };

export const emptySpendLedger: SpendLedger = { day: '', night: '', totals: new Map() };

/** One line of the book. */
export type SpendEvent =
  | { readonly kind: 'reserve' | 'release'; readonly hold: Hold }
  | { readonly kind: 'settle'; readonly hold: Hold; readonly counted: Amount };

/** The ledger after these events, oldest first. Whether a cap allowed them was asked when they happened. */
export function openLedger(events: Iterable<SpendEvent>, before: SpendLedger = emptySpendLedger): SpendLedger {
  const ledger: Draft = { ...before, totals: new Map(before.totals) }; // Copied once, however many follow.
  for (const event of events) enter(ledger, event);
  return ledger;
}

/**
 * Sets aside the most that a call can use, or says which cap stands against it. `others` are the books of other hosts:
 * they count for the day, and for all that is of this night where it went on from there.
 */
export function reserve(
  ledger: SpendLedger,
  caps: Caps,
  payer: Payer & When,
  most: Amount,
  others: readonly SpendLedger[] = [],
): { readonly kind: 'reserved'; readonly ledger: SpendLedger; readonly hold: Hold } | Refused {
  const { agent, spec, attempt } = payer;
  const now = turnTo(ledger, payer);
  const hold = { agent, spec, attempt, most, day: now.day, night: now.night };
  const refused = brokenCap(now, caps, hold, others);
  return refused ?? { kind: 'reserved', ledger: openLedger([{ kind: 'reserve', hold }], now), hold };
}

/** No negative ones, no parts of tokens, and nothing so large that a sum of many would not be exact. */
export const isAmount = ({ usd, tokensIn, tokensOut }: Amount): boolean =>
  [nanosOf(usd ?? 0), tokensIn, tokensOut].every(isCount);

export const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0 && value <= mostOfAnything;

/** A thousand dollars for one call, and more tokens than any model takes. */
export const mostOfAnything = 1e12;

export function sumOf(amount: Amount): Sum {
  if (!isAmount(amount)) throw new Error(`${JSON.stringify(amount)} is no amount`);
  const { usd, tokensIn, tokensOut } = amount;
  const tokens = tokensIn + tokensOut;
  const [unpriced, subscription] = amount.subscription ? [0, tokens] : [usd === undefined ? tokens : 0, 0];
  return { nanos: nanosOf(usd ?? 0), tokensIn, tokensOut, unpriced, subscription };
}

/** Money in whole billionths of a dollar: a token of the cheapest models costs some of them. */
export const nanosOf = (usd: number): number => Math.round(usd * 1e9);

export const totalOf = (ledger: SpendLedger, scope: Scope, name = ''): Total =>
  ledger.totals.get(ledgerKey(scope, name)) ?? noTotal;

/** All that counts against a cap. */
export const countedIn = ({ spent, held }: Total): Sum => add(spent, held);

export const add = (a: Sum, b: Sum): Sum => ({
  nanos: a.nanos + b.nanos,
  tokensIn: a.tokensIn + b.tokensIn,
  tokensOut: a.tokensOut + b.tokensOut,
  unpriced: a.unpriced + b.unpriced,
  subscription: a.subscription + b.subscription,
});

/** There is one day and one night, so they need no name. */
export const ledgerKey = (scope: Scope, name: string): string =>
  scope === 'day' || scope === 'night' ? scope : `${scope} ${name}`;

type Draft = SpendLedger & { readonly totals: Map<string, Total> };

/** Of a night or a day that is over nothing is counted any more. */
function enter(ledger: Draft, event: SpendEvent): void {
  const { hold, kind } = event;
  if (kind === 'reserve') Object.assign(ledger, turnTo(ledger, hold));
  const most = sumOf(hold.most);
  const counted = kind === 'settle' ? sumOf(event.counted) : noSum;
  for (const [scope, name] of scopesOf(hold)) {
    if (scope === 'day' ? hold.day !== ledger.day : hold.night !== ledger.night) continue;
    const key = ledgerKey(scope, name);
    const { spent, held } = ledger.totals.get(key) ?? noTotal;
    const next =
      kind === 'reserve'
        ? { spent, held: add(held, most) }
        : { spent: add(spent, counted), held: subtract(held, most) };
    ledger.totals.set(key, next);
  }
}

/** A day never comes back, whatever a clock says; with a night go all who worked in it. */
export function turnTo(ledger: SpendLedger, when: When): SpendLedger {
  const day = when.day > ledger.day ? when.day : ledger.day;
  if (day === ledger.day && when.night === ledger.night) return ledger;
  const stays = (key: string): boolean => (key === 'day' ? day === ledger.day : when.night === ledger.night);
  return { day, night: when.night, totals: new Map([...ledger.totals].filter(([key]) => stays(key))) };
}

type Named = readonly [scope: Scope, name: string];

/** The attempt is its spec's: every spec has a first one. */
const scopesOf = ({ agent, spec, attempt, day, night }: Payer & When): readonly Named[] => [
  ...(attempt === undefined ? [] : [['attempt', `${spec ?? ''}/${attempt}`] as const]),
  ...(spec === undefined ? [] : [['spec', spec] as const]),
  ['agent', agent],
  ['night', night],
  ['day', day],
];

/** The caps that a call is under, with what is spent and what counts against each, in the books of other hosts too. */
export const capsOver = (ledger: SpendLedger, caps: Caps, payer: Payer, others: readonly SpendLedger[]) =>
  [['call', payer.agent] as const, ...scopesOf({ ...payer, day: ledger.day, night: ledger.night })].flatMap(
    ([scope, name]) => {
      const cap = caps[scope];
      const same = [ledger, ...others].filter((book) =>
        scope === 'day' ? book.day === ledger.day : book.night === ledger.night,
      );
      const totals = same.map((book) => totalOf(book, scope, name));
      const spent = totals.map((total) => total.spent).reduce(add, cap?.before ?? noSum);
      const counted = totals.map((total) => total.held).reduce(add, spent);
      return cap === undefined ? [] : [{ scope, name, cap, spent, counted }];
    },
  );

function brokenCap(ledger: SpendLedger, caps: Caps, hold: Hold, others: readonly SpendLedger[]): Refused | undefined {
  const wanted = sumOf(hold.most);
  for (const { scope, name, cap, counted } of capsOver(ledger, caps, hold, others))
    for (const what of ['usd', 'tokensIn', 'tokensOut'] as const) {
      const [most, part] = [cap[what], what === 'usd' ? ('nanos' as const) : what];
      if (most === undefined || (what === 'usd' && hold.most.usd === undefined)) continue;
      const unit = what === 'usd' ? 1e9 : 1;
      if (counted[part] + wanted[part] <= Math.round(most * unit)) continue;
      const figures = { cap: most, counted: counted[part] / unit, wanted: wanted[part] / unit };
      return { kind: 'refused', scope, name, what, ...figures };
    }
  return undefined;
}

function subtract(a: Sum, b: Sum): Sum {
  const negative = { nanos: -b.nanos, tokensIn: -b.tokensIn, tokensOut: -b.tokensOut, unpriced: -b.unpriced };
  const left = add(a, { ...negative, subscription: -b.subscription });
  if (Object.values(left).some((value) => value < 0)) throw new Error('more is given back than was set aside');
  return left;
}
