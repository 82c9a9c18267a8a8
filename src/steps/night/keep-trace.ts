import type { AgentWork } from '../../agents/agent-contract.ts';
import { storeTrace } from '../../agents/trace/trace-book.ts';
import { queueRef } from '../../git/refs/ref-names.ts';
import { inTheBackground, type RunConstants } from './night.ts';

/** What a piece of work led to: a try, or before there was one a line of the notebook. */
export interface TracedTry {
  readonly spec: string;
  readonly agent: string;
  readonly n: number | undefined;
  readonly commit: string;
}

/**
 * Keeps what was said and done, once what it led to is where no crash can lose it. Nobody waits for it: whoever is killed
 * before it is written loses the trace and nothing else.
 */
export function keepTrace(
  run: RunConstants,
  { trace, spent }: Pick<AgentWork, 'trace' | 'spent'>,
  { spec, agent, n, commit }: TracedTry,
  isThere: Promise<boolean> = Promise.resolve(true),
): void {
  if (trace === undefined) return;
  const writing = async (): Promise<void> => {
    if (!(await isThere.catch(() => false))) return; // Whoever waits for it hears of it.
    await storeTrace(run.org, { agent, spec, n, model: spent?.model, cause: commit, text: trace });
  };
  inTheBackground(run, inTurn(run, spec, writing));
}

/** The same for an asking of a chief's, who works on no spec. */
export function keepChiefTrace(
  run: RunConstants,
  chief: string,
  { trace, spent }: Pick<AgentWork, 'trace' | 'spent'>,
): void {
  if (trace === undefined) return;
  const writing = async (): Promise<void> => {
    const cause = await run.org.repo.reader.resolve(queueRef);
    if (cause === undefined) return;
    const by = { agent: chief, spec: undefined, n: undefined, model: spent?.model };
    await storeTrace(run.org, { ...by, cause, text: trace });
  };
  inTheBackground(run, inTurn(run, undefined, writing));
}

/** The last trace of each spec that is being written. */
const writings = new WeakMap<RunConstants, Map<string | undefined, Promise<void>>>();

/** One after another for each spec: its traces are read in the order in which the work was done. */
function inTurn(run: RunConstants, spec: string | undefined, write: () => Promise<void>): Promise<void> {
  const ofNight = writings.get(run) ?? new Map<string | undefined, Promise<void>>();
  writings.set(run, ofNight);
  const before = ofNight.get(spec) ?? Promise.resolve();
  const mine = before.catch(() => {}).then(write); // Who waits for the one before hears of it.
  ofNight.set(spec, mine);
  return mine;
}
