import type { Direction } from '../domain/words/brief.ts';
import { gainOver } from '../domain/words/score.ts';
import { countOf, plainNumber, scoreWord, spentJson, usdWord } from '../report/words/numbers.ts';
import { cut, fit, type Look, mostOf, spell, widthOf } from '../terminal/look.ts';
import { visible } from '../terminal/visible.ts';
import { describeDuration } from '../text/quantity.ts';
import { fewestPairs, type MeanDifference, type PairedStart, type VariantComparison } from './compare-verdict.ts';

/** The page of a comparison: what was compared, how, and what came out. */
interface ComparisonStory {
  /** As they were typed. */
  readonly a: string;
  readonly b: string;
  readonly metric: string;
  readonly direction: Direction;
  readonly seed: number;
  /** Experiments of each start. */
  readonly max: number;
  readonly pairs: readonly PairedStart[];
  /** How many pairs were asked for: with fewer it was broken off. */
  readonly wanted: number;
  readonly comparison: VariantComparison;
  readonly warnings: readonly string[];
}

export function formatComparison(story: ComparisonStory, look: Look): string {
  const { comparison, metric } = story;
  const { verdict, described } = comparison;
  const rows = [
    ['', `A ${visible(story.a)}`, `B ${visible(story.b)}`, 'B - A, 95 % interval'],
    ['best', scoreWord(comparison.a), scoreWord(comparison.b), differenceWords(verdict.difference)],
    ...described.map(describedRow),
    ...perKeep(story),
  ].map((row) => row.map((cell, column) => (column < 3 ? cut(cell, mostOf(look, 30)) : cell)));
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ''))));
  const table = rows.map((row) =>
    ` ${row.map((cell, column) => fit(cell, widths[column] ?? widthOf(cell))).join('  ')}`.trimEnd(),
  );
  const lines = [
    ...table,
    ...story.warnings.map((warning) => `note: ${warning}`),
    isPartial(story)
      ? look.paint.bold(partialWords(story))
      : `${look.paint.bold(comparisonVerdictWords(verdict, metric))} Only ${visible(metric)} decides; the rest is described.`,
  ];
  return `${lines.map((line) => spell(line, look)).join('\n')}\n`;
}

/** `B is better: -0.14 waste_pct, 95 % interval [-0.21, -0.05], 20 paired starts.` */
export function comparisonVerdictWords(
  { kind, difference, visible: gap }: VariantComparison['verdict'],
  metric: string,
): string {
  const { mean, low, high, pairs } = difference;
  if (kind !== 'no difference') {
    const interval = `95 % interval [${signed(low)}, ${signed(high)}]`;
    return `B is ${kind}: ${signed(mean)} ${visible(metric)}, ${interval}, ${countOf(pairs, 'paired start')}.`;
  }
  if (pairs < fewestPairs)
    return `No difference shown. ${countOf(pairs, 'start')} cannot show any: it takes ${fewestPairs}.`;
  if (gap === undefined) return `No difference shown. A and B scored the same in all ${pairs} starts.`;
  return `No difference shown. ${pairs} starts can only see gaps above ${gapWord(gap, 2)}.`;
}

const isPartial = ({ pairs, wanted }: Pick<ComparisonStory, 'pairs' | 'wanted'>): boolean => pairs.length < wanted;

/** A person who stops when they like what they see sees what they like: what there is so far is shown, and nothing is said of it. */
function partialWords({ pairs, wanted, direction }: ComparisonStory): string {
  const gains = pairs.map(([a, b]) => gainOver(b.score, a.score, direction));
  const [better, worse] = [gains.filter((gain) => gain > 0).length, gains.filter((gain) => gain < 0).length];
  return `Broken off after ${pairs.length} of ${wanted} pairs, so there is no verdict. Until then B was better in ${better} and worse in ${worse}.`;
}

type Described = VariantComparison['described'][number];

const labels: Readonly<Record<Described['name'], string>> = {
  kept: 'won',
  tried: 'tried',
  completion: 'specs done',
  seconds: 'seconds',
  escalations: 'escalations',
  usd: '$',
  tokens: 'tokens',
};

function describedRow({ name, a, b, difference }: Described): readonly string[] {
  const word = name === 'completion' ? shareWord : name === 'usd' ? usdWord : meanWord;
  const known = (value: number | undefined): string => (value === undefined ? 'unknown' : word(value));
  return [labels[name], known(a), known(b), difference === undefined ? 'unknown' : differenceWords(difference)];
}

/** What a win cost, where all of it is known. */
function perKeep({ pairs }: ComparisonStory): readonly (readonly string[])[] {
  if (pairs.every((pair) => pair.every(({ spent }) => spent === undefined))) return [];
  const cell = (side: 0 | 1): string => {
    const kept = pairs.reduce((sum, pair) => sum + pair[side].kept, 0);
    const usd = pairs.map((pair) => (pair[side].spent === undefined ? 0 : pair[side].spent.usd));
    const known = usd.filter((one) => one !== undefined);
    if (known.length < usd.length) return 'unknown';
    return kept === 0 ? '–' : usdWord(known.reduce((sum, one) => sum + one, 0) / kept);
  };
  return [['$ / win', cell(0), cell(1), '']];
}

const meanWord = (value: number): string => String(Number(value.toFixed(2)));
const shareWord = (value: number): string => `${Math.round(100 * value)} %`;

/** One pair says nothing of how far others would be off. */
const differenceWords = ({ mean, low, high, pairs }: MeanDifference): string =>
  pairs < 2 ? signed(mean) : `${signed(mean)} [${signed(low)}, ${signed(high)}]`;

const signed = (value: number): string =>
  value === 0 ? '0' : `${value < 0 ? '-' : '+'}${gapWord(Math.abs(value), 3)}`;

/** Of a difference more digits would say more than is known. */
const gapWord = (size: number, digits: number): string =>
  size >= 1000 ? scoreWord(Math.round(size)) : String(Number(size.toPrecision(digits)));

export function comparisonJson(whole: ComparisonStory): unknown {
  const { comparison, pairs, metric, ...story } = whole;
  const { verdict, described } = comparison;
  const partial = isPartial(whole);
  const { mean, low, high } = verdict.difference;
  return {
    schema: 'orgrepo/compare@1',
    a: story.a,
    b: story.b,
    metric,
    direction: story.direction,
    starts: pairs.length,
    wanted: partial ? story.wanted : undefined,
    experiments: story.max,
    seed: story.seed,
    verdict: partial ? 'broken off' : verdict.kind,
    words: partial ? partialWords(whole) : comparisonVerdictWords(verdict, metric),
    best: { a: comparison.a, b: comparison.b, difference: mean, low, high },
    chance: verdict.chance,
    visible_gap: verdict.visible,
    described: described.map(({ name, a, b, difference }) => ({
      name,
      a,
      b,
      difference: difference?.mean,
      low: difference?.low,
      high: difference?.high,
    })),
    pairs: pairs.map(([a, b]) => ({ a: startJson(a), b: startJson(b) })),
    warnings: story.warnings,
  };
}

const startJson = ({ spent, ...start }: PairedStart[0]): unknown => ({ ...start, spent: spent && spentJson(spent) });

/** What is said while it goes on; `eachMs` is what a pair took so far. */
export function pairWords([a, b]: PairedStart, n: number, runs: number, metric: string, eachMs: number): string {
  const left = n === runs ? '' : `; about ${describeDuration((runs - n) * eachMs)} to go`;
  return `pair ${n} of ${runs}: ${visible(metric)} A ${plainNumber(a.score)}, B ${plainNumber(b.score)}${left}`;
}

/** At least so long: each start is calibrated and measured, and noise, agents and what wins take more. */
export const leastWords = (
  seconds: number,
  { runs, max, slots }: Readonly<Record<'runs' | 'max' | 'slots', number>>,
): string =>
  `one measurement takes ${describeDuration(seconds * 1000)}, so it takes at least ${describeDuration(runs * 2 * (3 + max / slots) * seconds * 1000)}`;
