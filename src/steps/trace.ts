import type { Work } from '../agents/contract.ts';
import { queueRef } from '../domain/names.ts';
import { storeTrace } from '../records/traces.ts';
import { inTheBackground, type Night } from './night.ts';

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
  night: Night,
  { trace, spent }: Pick<Work, 'trace' | 'spent'>,
  { spec, agent, n, commit }: TracedTry,
  isThere: Promise<boolean> = Promise.resolve(true),
): void {
  if (trace === undefined) return;
  const writing = async (): Promise<void> => {
    if (!(await isThere.catch(() => false))) return; // Whoever waits for it hears of it.
    await storeTrace(night.org, { agent, spec, n, model: spent?.model, cause: commit, text: trace });
  };
  inTheBackground(night, writing());
}

/** The same for an asking of a chief's, who works on no spec. */
export function keepChiefTrace(night: Night, chief: string, { trace, spent }: Pick<Work, 'trace' | 'spent'>): void {
  if (trace === undefined) return;
  const writing = async (): Promise<void> => {
    const cause = await night.org.repo.reader.resolve(queueRef);
    if (cause === undefined) return;
    const by = { agent: chief, spec: undefined, n: undefined, model: spent?.model };
    await storeTrace(night.org, { ...by, cause, text: trace });
  };
  inTheBackground(night, writing());
}
