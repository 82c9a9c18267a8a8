import type { SpentOnTry } from '../../domain/words/experiment.ts';
import { percentChange } from '../../domain/words/score.ts';
import type { Spent } from '../../domain/words/spent.ts';
import type { CheckpointId } from '../../records/checkpoint-id.ts';
import { type Paint, wrap } from '../../terminal/look.ts';
import { visibleLines } from '../../terminal/visible.ts';

/** A score for people: `14.435`, `0.6812`, `412`. What is not known is a dash, never 0. */
export function scoreWord(score: number | undefined): string {
  if (score === undefined) return '–';
  const size = Math.abs(score);
  if (Number.isInteger(score) && size < 1e9) return String(score);
  if (size >= 1e6 || size < 1e-4) return score.toExponential(3);
  if (size >= 1000) return score.toFixed(1);
  return size >= 1 ? score.toFixed(3) : score.toFixed(size >= 0.1 ? 4 : 6);
}

/** A number for a log that a program may read: six digits, and no more than it has. */
export const plainNumber = (value: number | undefined): string =>
  value === undefined ? '-' : String(Number(value.toPrecision(6)));

/** A value beside an axis: as many decimals as it takes to tell two places on that axis apart. */
export function axisWord(value: number, span: number): string {
  const decimals = Math.max(0, Math.ceil(-Math.log10(span)) + 2);
  return decimals > 8 || Math.abs(value) >= 1e7 ? value.toPrecision(4) : value.toFixed(decimals);
}

/** The change from one score to another: `-73.3 %`, or the difference where a percentage has no meaning. */
export function changeWord(from: number | undefined, to: number | undefined): string {
  if (from === undefined || to === undefined) return '–';
  const percent = percentChange(from, to);
  return percent === undefined ? signed(to - from, scoreWord(Math.abs(to - from))) : percentWord(percent);
}

function percentWord(percent: number): string {
  const size = Math.abs(percent);
  if (size >= 1e5) return `${signed(percent, '>99999')} %`;
  const decimals = size >= 100 ? 0 : size >= 0.1 || size === 0 ? 1 : size >= 0.01 ? 2 : 3;
  return `${signed(percent, size.toFixed(decimals))} %`;
}

function signed(value: number, size: string): string {
  if (value === 0) return size;
  return value < 0 ? `-${size}` : `+${size}`;
}

/** What a night was worth: `gain +0.931, between +0.712 and +1.12 (95 %, 10 fresh pairs)`. */
export function gainWords({ mean, low, high, pairs }: { mean: number; low: number; high: number; pairs: number }) {
  const word = (value: number): string => signed(value, scoreWord(Math.abs(value)));
  if (pairs === 1) return `gain ${word(mean)}, measured once more`;
  const doubt = low <= 0 && high >= 0 ? ': it may be none' : '';
  return `gain ${word(mean)}, between ${word(low)} and ${word(high)} (95 %, ${pairs} fresh pairs)${doubt}`;
}

/** `1 experiment`, `12 experiments`, `3 tries`. */
export const countOf = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** `#4 #6 #13`, and how many more there are. */
export function citations(numbers: readonly number[], most = 6): string {
  const shown = numbers.slice(0, most).map((n) => `#${n}`);
  return numbers.length > most ? `${shown.join(' ')} and ${numbers.length - most} more` : shown.join(' ');
}

/** The first seven digits of a commit, as git abbreviates it. */
export const shortCommit = (commit: string): string => commit.slice(0, 7);

/** Where a brief has only `score`, nobody stands between the candidate and its number, and everybody should know. */
export const singleStageWords = 'single-stage: the code that is scored prints its own score';

/** `0.61`, `0.0042`: as many places as it takes to see that it is not nothing. */
export function usdWord(usd: number): string {
  if (usd === 0 || usd >= 0.01) return usd.toFixed(2);
  return usd < 0.00005 ? '<0.0001' : usd.toFixed(4);
}

/** `$0.61 of $5.00`; what a subscription pays for, or nobody knows the price of, is said in tokens, and never as $0. */
export function spentWords({ usd, known, tokensIn, unpriced, subscription }: Spent, cap?: number | undefined): string {
  if (tokensIn + known === 0 && cap === undefined) return 'no tokens yet';
  const dollars = `$${usdWord(known)}${cap === undefined ? '' : ` of $${usdWord(cap)}`}`;
  const without = `${countOf(unpriced, 'token')} without a known price`;
  return [
    ...(usd !== undefined || known > 0 ? [dollars] : []),
    ...(subscription > 0 ? [subscriptionWords(subscription)] : []),
    ...(unpriced > 0 ? [known > 0 || subscription > 0 ? without : `cost unknown: ${without}`] : []),
  ].join(' and ');
}

/** `12,300 tokens by subscription`. */
export const subscriptionWords = (tokens: number): string =>
  `${grouped(tokens)} ${tokens === 1 ? 'token' : 'tokens'} by subscription`;

/** `up to $5.00 reserved`: set aside, and nobody will say how much of it was used. */
export const reservedWords = ({ known, tokensIn, tokensOut, unpriced, subscription }: Spent): string =>
  `up to ${[
    ...(known === 0 ? [] : [`$${usdWord(known)}`]),
    ...(known > 0 && unpriced + subscription === 0 ? [] : [countOf(tokensIn + tokensOut, 'token')]),
  ].join(' and ')} reserved`;

/** `1,204,000 tokens in, 88,100 out`. */
export const tokenWords = ({ tokensIn, tokensOut }: Pick<Spent, 'tokensIn' | 'tokensOut'>): string =>
  `${grouped(tokensIn)} tokens in, ${grouped(tokensOut)} out`;

const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

/** A cell of a table: a dash where no model was asked, `sub` where a subscription pays, a question mark where nobody knows the price. */
export function costCell(spent: Costs | undefined): string {
  if (spent === undefined) return '–';
  if (spent.usd !== undefined) return usdWord(spent.usd);
  return isBySubscription(spent) ? 'sub' : '?';
}

/** What one try or a whole night has cost. */
type Costs = Pick<SpentOnTry, 'usd'> & {
  readonly subscription?: true | number | undefined;
  readonly unpriced?: number;
};

/** Whether a subscription pays for all of it. */
export const isBySubscription = ({ usd, subscription, unpriced = 0 }: Costs): boolean =>
  usd === undefined && Boolean(subscription) && unpriced === 0;

/** For programs. `usd` is left out where a part of it is unknown, or a subscription pays for everything; the rest says how much is known. */
export const spentJson = ({
  usd,
  known,
  tokensIn,
  tokensOut,
  unpriced,
  subscription,
}: Spent): Record<string, number | undefined> => ({
  usd,
  tokens_in: tokensIn,
  tokens_out: tokensOut,
  ...(unpriced === 0 ? {} : { usd_known: known, unpriced_tokens: unpriced }),
  ...(subscription === 0 ? {} : { subscription_tokens: subscription }),
});

/** Words behind a heading, on as many lines as they take; the later ones hang below the first. None where there are no words. */
export function hanging(heading: string, words: string, columns: number, paint = (text: string): string => text) {
  if (words === '') return [];
  const [first = '', ...more] = wrap(words, columns - heading.length);
  return [`${paint(heading)}${first}`, ...more.map((line) => `${' '.repeat(heading.length)}${line}`)];
}

/** A difference as git prints it: what is new in green, what is gone in red. */
export function paintDiff(diff: string, { bold, green, red }: Paint): string[] {
  const paintOf = (line: string) => {
    if (/^(diff --git |index |--- |\+\+\+ |@@ )/.test(line)) return bold;
    return line.startsWith('+') ? green : line.startsWith('-') ? red : String;
  };
  return visibleLines(diff)
    .trimEnd()
    .split('\n')
    .map((line) => paintOf(line)(line));
}

/** `12 (3fa94b20c1d7)` */
export const checkpointWords = ({ number, id }: CheckpointId): string => `${number} (${id.slice(0, 12)})`;
