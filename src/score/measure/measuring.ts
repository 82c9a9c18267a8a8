import type PQueue from 'p-queue';
import type { Fact } from '../../domain/words/fact.ts';
import type { Org } from '../../records/org.ts';

/** What a measurement needs of the run that it belongs to. */
export interface Measuring {
  readonly org: Org;
  /** Measurements take a slot; thinking does not. */
  readonly slots: PQueue;
  /** Cancels whatever runs. */
  readonly signal: AbortSignal;
  readonly say: (fact: Fact) => void;
}
