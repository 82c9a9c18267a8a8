import { isOrderWord, type OrderWord } from '../staff/presence.ts';
import { type Tally, tallyOf, verdictEvents } from './experiment.ts';

export type RunState = 'never' | 'running' | 'paused' | 'stopping' | 'ended';

/**
 * What the org has done so far, in one line that every commit on the queue carries, so that nobody has to read
 * 100,000 experiments to know how many there were. The notebooks of open specs are not in it yet.
 */
export interface Ledger {
  /** The highest number given to a spec. */
  readonly specs: number;
  /** The highest number given to an experiment. */
  readonly experiments: number;
  /** The last run's name, the highest experiment before it began, and how it stands. */
  readonly run: string;
  readonly runFrom: number;
  readonly state: RunState;
  /** Agents of that run that get no more work until a person says so. */
  readonly halted: readonly string[];
  /** True from a person's freeze to a person's thaw: no run begins, whatever else is ordered. */
  readonly frozen: boolean;
  /** What people have said of agents and departments, and of how many attempts an hour, as far as it is in force. */
  readonly orders: readonly OrderWord[];
  /** How often somebody was asked, answered or informed: requests, escalations, spawns (`records/requests/act-log.ts`). */
  readonly acts: number;
  /** How often that run needed a person (`records/requests/notices.ts`). */
  readonly needs: number;
  /** How the experiments of closed specs ended. */
  readonly closed: Tally;
}

export const emptyLedger: Ledger = {
  specs: 0,
  experiments: 0,
  run: '',
  runFrom: 0,
  state: 'never',
  halted: [],
  frozen: false,
  orders: [],
  acts: 0,
  needs: 0,
  closed: tallyOf([]),
};

export function formatLedger(ledger: Ledger): string {
  const closed = verdictEvents
    .filter((event) => ledger.closed[event] > 0)
    .map((event) => `${event}=${ledger.closed[event]}`);
  const run = ledger.run === '' ? [] : [`run=${ledger.run}`, `from=${ledger.runFrom}`];
  const halted = ledger.halted.length === 0 ? [] : [`halted=${ledger.halted.join(',')}`];
  const frozen = ledger.frozen ? ['frozen=1'] : [];
  const orders = ledger.orders.length === 0 ? [] : [`orders=${ledger.orders.join(',')}`];
  const counts = [`specs=${ledger.specs}`, `n=${ledger.experiments}`];
  const acts = ledger.acts === 0 ? [] : [`acts=${ledger.acts}`];
  const needs = ledger.needs === 0 ? [] : [`needs=${ledger.needs}`];
  return [
    ...counts,
    ...run,
    `state=${ledger.state}`,
    ...halted,
    ...frozen,
    ...orders,
    ...acts,
    ...needs,
    ...closed,
  ].join(' ');
}

export function parseLedger(text: string): Ledger {
  const fields = new Map(text.split(' ').map((part) => part.split('=', 2) as [string, string]));
  const count = (key: string): number => {
    const value = Number(fields.get(key) ?? 0);
    return Number.isSafeInteger(value) && value >= 0 ? value : 0;
  };
  const state = fields.get('state');
  return {
    specs: count('specs'),
    experiments: count('n'),
    run: fields.get('run') ?? '',
    runFrom: count('from'),
    state: state === 'running' || state === 'paused' || state === 'stopping' || state === 'ended' ? state : 'never',
    halted: (fields.get('halted') ?? '').split(',').filter((name) => /^[\w.-]+$/.test(name)),
    frozen: fields.get('frozen') === '1',
    orders: fields.get('orders')?.split(',').filter(isOrderWord) ?? [],
    acts: count('acts'),
    needs: count('needs'),
    closed: Object.fromEntries(verdictEvents.map((event) => [event, count(event)])) as Tally,
  };
}
