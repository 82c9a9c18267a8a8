export interface Range {
  readonly low: number;
  readonly high: number;
}

/** A function from values in one range to places in another; what lies outside is moved to the edge. */
export function scaleFrom(values: Range, places: { readonly from: number; readonly to: number }) {
  const span = values.high - values.low;
  return (value: number): number => {
    const part = Math.min(1, Math.max(0, (value - values.low) / span));
    return places.from + part * (places.to - places.from);
  };
}

/** Round values inside a range, about as many as asked for: 3.4, 3.6, 3.8. */
export function ticksIn({ low, high }: Range, about: number): readonly number[] {
  const rough = (high - low) / Math.max(1, about);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(low / step);
  const count = Math.max(0, Math.floor(high / step) - first + 1);
  // Twelve digits hide what adding fractions leaves behind, such as 0.30000000000000004.
  return Array.from({ length: count }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** The value below which this part of the values lies; of two in the middle, the lower. */
export function quantile(values: readonly number[], part: number): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * part)];
}
