import type { Tally, VerdictEvent } from '../domain/experiment.ts';
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
  void: { sign: '·', word: 'void', paint: 'dim', past: 'void' },
};

/** `5 kept, 53 discarded, 2 crashed`: kept always, the others where there were any. */
export function tallyWords(tally: Tally): string {
  const events = Object.keys(verdictWords) as VerdictEvent[];
  return events
    .filter((event) => event === 'keep' || tally[event] > 0)
    .map((event) => `${tally[event]} ${verdictWords[event].past}`)
    .join(', ');
}
