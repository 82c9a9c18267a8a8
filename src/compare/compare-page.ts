import { countOf, plainNumber, scoreWord, spentJson, usdWord } from '../report/words/numbers.ts';
import { cut, fit, type Look, mostOf, spell, widthOf } from '../terminal/look.ts';
import { visible } from '../terminal/visible.ts';
import { fewestPairs, type MeanDifference, type PairedStart, type VariantComparison } from './compare-verdict.ts';

/** The page of a comparison: what was compared, how, and what came out. */
interface ComparisonStory {
  /** As they were typed. */
  readonly a: string;
  readonly b: string;
  readonly metric: string;
  readonly direction: string;
  readonly seed: number;
  /** Experiments of each start. */
  readonly max: number;
  readonly pairs: readonly PairedStart[];
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
    `${look.paint.bold(comparisonVerdictWords(verdict, metric))} Only ${visible(metric)} decides; the rest is described.`,
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

export function comparisonJson({ comparison, pairs, metric, ...story }: ComparisonStory): unknown {
  const { verdict, described } = comparison;
  const { mean, low, high } = verdict.difference;
  return {
    schema: 'orgrepo/compare@1',
    a: story.a,
    b: story.b,
    metric,
    direction: story.direction,
    starts: pairs.length,
    experiments: story.max,
    seed: story.seed,
    verdict: verdict.kind,
    words: comparisonVerdictWords(verdict, metric),
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

/** What is said while it goes on. */
export const pairWords = ([a, b]: PairedStart, n: number, runs: number, metric: string): string =>
  `pair ${n} of ${runs}: ${visible(metric)} A ${plainNumber(a.score)}, B ${plainNumber(b.score)}`;
