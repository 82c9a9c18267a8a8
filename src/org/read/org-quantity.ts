import type { Period, Quantity } from '../../domain/staff/charter.ts';
import type { Problem } from '../../text/problem.ts';
import { parseCount } from '../../text/quantity.ts';
import type { PlacedText } from './org-metadata.ts';
import { plainWords } from './org-sections.ts';
import { lineFor, wrongSaid } from './org-values.ts';

/** A number with its unit, and the period where the line names one. */
interface Amount {
  readonly quantity: Quantity;
  readonly period: Period | undefined;
}

/**
 * `1000 credits/period`, `$50/week`, `USD 5 a day`, `200k tokens`, `1000 credits per 7 days`. `bare` is the unit of a number
 * alone.
 */
export function readQuantity(said: PlacedText, label: string, bare: 'credits' | 'usd' = 'credits'): Amount {
  const amount = amountIn(said.text, bare);
  if (amount !== undefined) return amount;
  throw bare === 'usd'
    ? wrongDollars(label, said)
    : wrongSaid(label, said, 'an amount such as 1000 credits/period', lineFor(said, label, '1000 credits/period'));
}

/** The amount that a text is; undefined where it is anything else, or says more than an amount. */
export function amountIn(text: string, bare: 'credits' | 'usd' = 'credits'): Amount | undefined {
  const [, before = '', figure = '', after = '', rest = ''] = amountForm.exec(withoutAside(text)) ?? [];
  const amount = numberOf(figure);
  const period = periodOfRest(rest);
  if (amount === undefined || amount > 1e12 || period === undefined) return undefined;
  if (before !== '' && /^(?:cr|tok)/i.test(after)) return undefined;
  const unit = /^tok/i.test(after) ? 'tokens' : /^cr/i.test(after) ? 'credits' : before + after === '' ? bare : 'usd';
  return { quantity: { amount, unit }, period: period === 'any' ? undefined : period };
}

const dollar = String.raw`(?:US\s?)?\$|US[ -]?dollars?|USD`;
const amountForm = new RegExp(
  String.raw`^(?:(?:max(?:imum)?\.?|up to|at most|no more than|<=|≤)\s*)?` +
    String.raw`(${dollar}|)\s*([0-9][0-9,.]{0,20}[km]?)\s*(${dollar}|dollars?|credits?|tokens?|)(?![a-z0-9])\s*(.*)$`,
  'i',
);

/** Without what only explains: `1000 credits/day (it runs all day)`. What could change the amount stays. */
const withoutAside = (text: string): string =>
  plainWords(text)
    .replace(/\s*\((?![^()]*(?:[0-9]|\b(?:soft|hard|per|each|every|total)\b))[^()]{0,200}\)$/i, '')
    .replace(/\.$/, '');

function numberOf(figure: string): number | undefined {
  const plain = figure.replace(/,(?=[0-9]{3}(?:\D|$))/g, '');
  return parseCount(plain) ?? (/^[0-9]{1,12}\.[0-9]{1,6}$/.test(plain) ? Number(plain) : undefined);
}

/** What follows an amount: `/week`, `per 7 days each`, `per agent`; `any` where no time is named. */
function periodOfRest(rest: string): Period | 'any' | undefined {
  const words = rest
    .replace(
      /(?:^|\s|\/)\s*(?:each(?!\s+(?:[0-9]|one\b|day|week|month))|(?:per|an|\/)?\s*agent(?:\s+and|,)?)(?=\s|\/|$)/gi,
      ' ',
    )
    .trim();
  if (/^(?:(?:\/|per|a)\s*(?:budget\s+)?period)?$/i.test(words)) return 'any';
  return periodIn(words);
}

/** `weekly`, `per week`, `a week`, `/wk`, `every 7 days`. */
function periodIn(text: string): Period | undefined {
  const words = text.toLowerCase().trim();
  const adverb = /^(?:(dai)|(week)|(month))ly$/.exec(words);
  if (adverb !== null) return adverb[1] ? 'day' : adverb[2] ? 'week' : 'month';
  const [, count = '1', unit = ''] =
    /^(?:(?:\/|per|an?|each|every|in|within)\s*)?(?:(one|[0-9]{1,3})[\s-]*)?(h|hours?|d|days?|w|wk|weeks?|mo|months?)$/.exec(
      words,
    ) ?? [];
  const number = count === 'one' ? 1 : Number(count);
  if (unit.startsWith('mo')) return number === 1 ? 'month' : undefined;
  const hours = number * ({ h: 1, d: 24, w: 168 }[unit.charAt(0)] ?? 0);
  if (hours === 24) return 'day';
  if (hours === 168) return 'week';
  return hours === 720 || hours === 744 ? 'month' : undefined;
}

export function readPeriod(said: PlacedText): Period {
  const found = periodIn(plainWords(said.text));
  if (found !== undefined) return found;
  throw wrongSaid('Period', said, 'daily, weekly or monthly', 'Write - **Period:** weekly');
}

export const wrongDollars = (label: string, said: PlacedText): Problem =>
  wrongSaid(label, said, 'dollars, such as $500', lineFor(said, label, '$500'));

export const formatQuantity = ({ amount, unit }: Quantity): string => `${amount} ${unit}`;
