import type { Experiment, Tally, VerdictEvent } from '../../domain/words/experiment.ts';
import type { WhyLeft, WinPlace } from '../../domain/words/taken.ts';
import type { Paint } from '../../terminal/look.ts';

/** A verdict for people: a sign and a word, so that nothing depends on colour. */
interface VerdictWords {
  readonly sign: string;
  readonly word: string;
  readonly paint: keyof Paint | undefined;
  /** As in `53 discarded`. */
  readonly past: string;
  /** In results.tsv: the original knows three words. */
  readonly inResults: 'keep' | 'discard' | 'crash';
}

export const verdictWords: Readonly<Record<VerdictEvent, VerdictWords>> = {
  keep: { sign: '◆', word: 'WIN', paint: 'green', past: 'won', inResults: 'keep' },
  discard: { sign: '○', word: 'discard', paint: undefined, past: 'discarded', inResults: 'discard' },
  inconclusive: { sign: '?', word: 'unclear', paint: 'dim', past: 'inconclusive', inResults: 'discard' },
  crash: { sign: '×', word: 'CRASH', paint: 'red', past: 'crashed', inResults: 'crash' },
  timeout: { sign: '×', word: 'TIMEOUT', paint: 'red', past: 'timed out', inResults: 'crash' },
  tampered: { sign: '!', word: 'BLOCKED', paint: 'yellow', past: 'blocked', inResults: 'crash' },
  unchanged: { sign: '·', word: 'unchanged', paint: 'dim', past: 'unchanged', inResults: 'discard' },
  failed: { sign: '×', word: 'FAILED', paint: 'red', past: 'failed', inResults: 'crash' },
  confounded: { sign: '!', word: 'CONFOUNDED', paint: 'yellow', past: 'confounded', inResults: 'discard' },
  rejected: { sign: '!', word: 'REJECTED', paint: 'yellow', past: 'rejected', inResults: 'discard' },
  void: { sign: '·', word: 'void', paint: 'dim', past: 'void', inResults: 'crash' },
};

/** Of a win that a person has still to let through: neither taken nor anything else. */
const waits: Omit<VerdictWords, 'inResults'> = { sign: '!', word: 'WAITS', paint: 'yellow', past: 'waits' };

export const wordsFor = (experiment: Pick<Experiment, 'event' | 'waits'>): typeof waits =>
  experiment.waits ? waits : verdictWords[experiment.event];

/** What a tally alone does not tell of the tries that won. */
interface Wins {
  /** How many of them wait for a person. */
  readonly waiting?: number | undefined;
  /** How many are on best; undefined where that is not known. */
  readonly taken?: number | undefined;
  /** How many of the keeps are wins that won once more, merged with best or in its place. */
  readonly again?: number | undefined;
}

/** `5 won, 3 taken, 1 waits, 53 discarded, 2 crashed`: how many won always, the others where there were any. */
export function tallyWords(tally: Tally, wins: Wins): string {
  const events = Object.keys(verdictWords) as VerdictEvent[];
  const others = events.filter((event) => event !== 'keep' && tally[event] > 0);
  return [...winWords(tally, wins), ...others.map((event) => `${tally[event]} ${verdictWords[event].past}`)].join(', ');
}

export function winWords({ keep }: Tally, { waiting = 0, taken, again = 0 }: Wins, forWhom = ''): readonly string[] {
  const won = Math.max(0, keep - again);
  return [
    `${won} won`,
    ...(taken === undefined || (won === 0 && taken === 0) ? [] : [`${taken} taken`]),
    ...(again === 0 ? [] : [`${again} won again on best`]),
    ...(waiting === 0 ? [] : [`${waiting} ${waiting === 1 ? 'waits' : 'wait'}${forWhom}`]),
  ];
}

/** Where a win is, in words: `on best`, `not on best any more, replaced by #60`, or why it never was. */
export function placeWords(place: WinPlace, n: number): string {
  if (place.kind === 'on best') return place.as === n ? 'on best' : `on best, as #${place.as}`;
  if (place.kind === 'replaced') return `not on best any more, replaced by #${place.by}`;
  const by = place.by === undefined || place.by === n ? '' : ` (#${place.by})`;
  return `not on best: ${whyWords[place.why]}${by}`;
}

export const whyWords: Readonly<Record<WhyLeft, string>> = {
  merge: 'its merge was worse',
  best: 'best is better',
  waits: 'waits for a person',
  rejected: 'rejected',
  open: 'best has not moved to it yet, or was started over',
};

/** For a program: whether it is on best, and what took its place. */
export const takenJson = (place: WinPlace | undefined): Record<string, unknown> => ({
  taken: place?.kind === 'on best',
  ...(place?.kind === 'replaced' ? { replaced_by: place.by } : {}),
});
