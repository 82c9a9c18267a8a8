import { isAgentName } from '../../domain/staff/staff.ts';
import {
  type Amount,
  add,
  type Caps,
  type Hold,
  isAmount,
  mostOfAnything,
  noSum,
  openLedger,
  type Payer,
  type Refused,
  reserve,
  type SpendEvent,
  type SpendLedger,
  type Sum,
  totalOf,
} from '../../domain/words/spending.ts';
import { formatAmount } from '../../domain/words/spent.ts';
import { spendRef } from '../../git/refs/ref-names.ts';
import { openBatches } from '../../records/batches.ts';
import { treeOf } from '../../records/entry.ts';
import { type Org, trunkTip } from '../../records/org.ts';
import { believe, exceeds, restOf, shorterCall, unspent } from '../rules/call-amounts.ts';
import { type LedgerStanding, type NewSpend, otherLedgers, readStanding, writeSpend } from './spend-ledger.ts';

/** A call that is about to go out. */
export interface PaidCall extends Payer {
  readonly provider: string;
  readonly model: string;
  /** The most that it can use. */
  readonly most: Amount;
}

/** The right to make one call. It is on the book, and counts in full until its end is there too. */
export type Reservation = ReturnType<typeof reservation> & {
  /** What was not spent of the smallest caps before it. */
  readonly left?: Partial<Amount>;
};

/** What this host spends in one night, on refs/orgrepo/spend/<host>. */
export type SpendBook = Awaited<ReturnType<typeof openSpendBook>>;

/** A line that waits for its turn: it is decided by the ledger as it is then, and perhaps again after a lost race. */
interface PendingLine {
  decide(ledger: SpendLedger, others: readonly SpendLedger[]): NewSpend | Refused;
  done(outcome: { readonly commit: string; readonly event: SpendEvent } | Refused): void;
  fail(error: unknown): void;
}

/** Opens the book for a night. The caps are asked for at every reservation, since people may change them meanwhile. */
export async function openSpendBook(org: Org, night: string, caps: (payer: Payer) => Caps) {
  if (!/^[\w.-]+$/.test(night)) throw new Error(`${night} is not the name of a run`);
  let standing = await readStanding(org, night);
  const books = [standing.ledger, ...(await otherLedgers(org, night))].filter((book) => book.night === night);
  const [begun, kept] = (['spent', 'held'] as const).map((part) =>
    books.map((book) => totalOf(book, 'night')[part]).reduce(add, noSum),
  ) as [Sum, Sum];
  // Those who ask at the same moment go together: they are many when a night begins.
  const batches = openBatches<PendingLine>(async (batch) => {
    standing = await writeBatch(org, night, standing, batch);
  });
  const end = (cause: string, model: string, event: SpendEvent, reason?: string): void =>
    batches.add({
      decide: (ledger) => ({ event, ledger: openLedger([event], ledger), model, cause, reason }),
      done: () => {},
      // Not written, it counts in full, so nothing is lost but room; the next who asks is told why.
      fail: batches.trouble,
    });

  const whenOf = (payer: Payer) => ({ ...payer, day: today(), night });
  type MostOf = (ledger: SpendLedger, others: readonly SpendLedger[]) => Amount;
  const reserveAt = async (call: PaidCall, mostOf: MostOf, rest?: true): Promise<Reservation | Refused> => {
    checkCall(call);
    batches.sayTrouble();
    if (isTooDear(call.most)) return tooDear(call);
    const model = `${call.provider}/${call.model}`;
    let left: Partial<Amount> = {};
    const outcome = await new Promise<Parameters<PendingLine['done']>[0]>((done, fail) => {
      const decide: PendingLine['decide'] = (ledger, others) => {
        left = unspent(ledger, caps(call), whenOf(call), others);
        const most = mostOf(ledger, others);
        const said = reserve(ledger, caps(call), whenOf(call), most, others);
        if (said.kind === 'refused') return said;
        return { event: { kind: 'reserve', hold: { ...said.hold, rest } }, ledger: said.ledger, model };
      };
      batches.add({ decide, done, fail });
    });
    if ('kind' in outcome) return outcome;
    const held = reservation(outcome.commit, outcome.event.hold, (event, reason) =>
      end(outcome.commit, model, event, reason),
    );
    return { ...held, left };
  };

  return {
    /** What this night has spent before this process took it up. */
    begun,
    /** What is still set aside from then, and stays so. */
    kept,
    /** What is not spent of the smallest caps now. */
    left: async (payer: Payer): Promise<Partial<Amount>> => {
      const { ledger } = await readStanding(org, night, standing);
      return unspent(ledger, caps(payer), whenOf(payer), await otherLedgers(org, night));
    },
    /** When this returns a reservation it is on the ref: a run that is killed afterwards has spent all of it. */
    reserve: (call: PaidCall) => reserveAt(call, () => call.most),
    /** The same with as long an answer as the caps have left, at most that of `call.most`; with less than `least` it is refused. */
    reserveShorter: (call: PaidCall, least: Amount) =>
      reserveAt(call, (ledger, others) => {
        const given = { usual: call.most, least };
        return shorterCall({ most: call.most, least }, restOf(ledger, caps(call), whenOf(call), given, others));
      }),
    /** The same with what is left of the smallest cap, at most `call.most`; with less than `least` it is refused. */
    reserveRest: (call: PaidCall, least: Amount) => {
      const given = { usual: call.most, least };
      const rest: MostOf = (ledger, others) => restOf(ledger, caps(call), whenOf(call), given, others);
      return reserveAt(call, rest, true);
    },
    /** When this returns, everything before it is on the ref. */
    written: batches.written,
  };
}

function reservation(commit: string, hold: Hold, end: (event: SpendEvent, reason?: string) => void) {
  const { most } = hold;
  let ended = false;
  const endOnce = (event: SpendEvent, reason?: string): void => {
    if (ended) throw new Error(`the reservation ${commit} has ended before`);
    ended = true;
    end(event, reason);
  };
  return {
    kind: 'reserved' as const,
    commit,
    most,
    /** What was used; undefined where nobody says. It is written in its turn, and nobody has to wait for that. */
    settle: (used: Pick<Amount, 'tokensIn' | 'tokensOut'> | undefined, usd: number | undefined) => {
      const said = used === undefined ? undefined : { usd, tokensIn: used.tokensIn, tokensOut: used.tokensOut };
      const settled = believe(hold, said);
      const over = exceeds(settled.counted, most) ? 'more was used than was set aside' : undefined;
      const reason = settled.disbelieved ? disbeliefInWords(said) : over;
      endOnce({ kind: 'settle', hold, counted: settled.counted }, reason);
      return settled;
    },
    /** The provider never began, so nothing is spent. */
    release: (): void => endOnce({ kind: 'release', hold }),
    /** Nobody will ever say what was used: it stays set aside, as it does after a kill. */
    keep: (): void => {
      ended = true;
    },
  };
}

const disbeliefInWords = (said: Amount | undefined): string =>
  said === undefined
    ? 'the provider did not say what was used'
    : `the provider said ${isAmount(said) ? formatAmount(said) : 'what cannot be'}`;

/** One commit for each, and one move of the ref for all of them; decided anew when somebody else has moved it first. */
async function writeBatch(org: Org, night: string, before: LedgerStanding, batch: readonly PendingLine[]) {
  const ref = spendRef(org.host);
  let known = before;
  for (;;) {
    known = await readStanding(org, night, known);
    const others = await otherLedgers(org, night);
    const outcomes: (() => void)[] = [];
    let ledger = known.ledger;
    let tip = known.tip ?? (await trunk(org));
    const from = tip.commit;
    for (const pending of batch) {
      const decided = pending.decide(ledger, others);
      if ('kind' in decided) {
        outcomes.push(() => pending.done(decided));
        continue;
      }
      const commit = await writeSpend(org, tip, decided);
      tip = { ...tip, commit };
      ledger = decided.ledger;
      outcomes.push(() => pending.done({ commit, event: decided.event }));
    }
    if (tip.commit !== from && !(await org.repo.refs.move(ref, tip.commit, known.tip?.commit))) continue;
    for (const say of outcomes) say();
    return tip.commit === from ? known : { tip, ledger };
  }
}

/** No branch is an orphan: a book begins on the trunk. */
async function trunk(org: Org) {
  const commit = await trunkTip(org);
  return { commit, tree: await treeOf(org, commit) };
}

/** The same everywhere, so that hosts in two places agree on what a day is. */
const today = (): string => new Date().toISOString().slice(0, 10);

function checkCall({ agent, spec, attempt, most }: PaidCall): void {
  const isName = (name: string | undefined): boolean => name === undefined || /^[\w.-]{1,64}$/.test(name);
  if (!isAgentName(agent) || !isName(spec) || !isName(attempt) || !(isAmount(most) || isTooDear(most)))
    throw new Error(`no such call can be reserved: ${JSON.stringify({ agent, spec, attempt, most })}`);
}

/** More dollars than a book can hold are more than anybody meant, whatever the caps: a price is absurd. */
const mostUsd = mostOfAnything / 1e9;
const isTooDear = (most: Amount): boolean => (most.usd ?? 0) > mostUsd && isAmount({ ...most, usd: 0 });

const tooDear = ({ agent, most }: PaidCall): Refused => ({
  ...{ kind: 'refused', scope: 'call', name: agent, what: 'usd' },
  ...{ cap: mostUsd, counted: 0, wanted: most.usd ?? 0 },
});
