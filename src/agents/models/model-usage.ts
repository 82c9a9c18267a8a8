import type { Usage } from './model-contract.ts';

/**
 * A usage out of what a provider counted, or undefined when it cannot be: money is reckoned with this, so a number that
 * is none is not made into one. What a provider leaves out because it is nothing comes here as zero.
 */
export function usageOf(counted: { readonly [Name in keyof Usage]: unknown }): Usage | undefined {
  const { tokensIn, tokensOut, cacheRead, cacheWrite } = counted;
  if (!isCount(tokensIn) || !isCount(tokensOut) || !isCount(cacheRead) || !isCount(cacheWrite)) return undefined;
  return cacheRead + cacheWrite > tokensIn ? undefined : { tokensIn, tokensOut, cacheRead, cacheWrite };
}

/** The sum of counts, and NaN when one of them is none. */
export const sumOfCounts = (...counts: readonly unknown[]): number =>
  counts.reduce<number>((sum, count) => (isCount(count) ? sum + count : Number.NaN), 0);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
