import type { Experiment, Tally, VerdictEvent } from '../domain/experiment.ts';
import type { Paint } from './look.ts';

/** A verdict for people: a sign and a word, so that nothing depends on colour. */
export interface VerdictWords {
  readonly sign: string;
  readonly word: string;
  readonly paint: keyof Paint | undefined;
  /** As in `53 discarded`. */
  readonly past: string;
}

export const verdictWords: Readonly<Record<VerdictEvent, VerdictWords>> = {
  keep: { sign: '◆', word: 'KEEP', paint: 'green', past: 'kept' },
  discard: { sign: '○', word: 'discard', paint: undefined, past: 'discarded' },
  inconclusive: { sign: '?', word: 'unclear', paint: 'dim', past: 'inconclusive' },
  crash: { sign: '×', word: 'CRASH', paint: 'red', past: 'crashed' },
  timeout: { sign: '×', word: 'TIMEOUT', paint: 'red', past: 'timed out' },
  tampered: { sign: '!', word: 'BLOCKED', paint: 'yellow', past: 'blocked' },
  unchanged: { sign: '·', word: 'unchanged', paint: 'dim', past: 'unchanged' },
  failed: { sign: '×', word: 'FAILED', paint: 'red', past: 'failed' },
  confounded: { sign: '!', word: 'CONFOUNDED', paint: 'yellow', past: 'confounded' },
  rejected: { sign: '!', word: 'REJECTED', paint: 'yellow', past: 'rejected' },
  void: { sign: '·', word: 'void', paint: 'dim', past: 'void' },
};

/** Of a keep that a person has still to let through: neither kept nor anything else. */
const waits: VerdictWords = { sign: '!', word: 'WAITS', paint: 'yellow', past: 'waits' };

export const wordsFor = (experiment: Pick<Experiment, 'event' | 'waits'>): VerdictWords =>
  experiment.waits ? waits : verdictWords[experiment.event];

/** `5 kept, 1 waits, 53 discarded, 2 crashed`: kept always, the others where there were any. */
export function tallyWords(tally: Tally, waiting = 0): string {
  const events = Object.keys(verdictWords) as VerdictEvent[];
  const [kept = '', ...others] = events
    .filter((event) => event === 'keep' || tally[event] > 0)
    .map((event) => `${tally[event]} ${verdictWords[event].past}`);
  return [kept, ...(waiting === 0 ? [] : [`${waiting} ${waiting === 1 ? 'waits' : 'wait'}`]), ...others].join(', ');
}
