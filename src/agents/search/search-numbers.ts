import type { Site } from './search-sites.ts';

export const numberIn = (text: string): number => Number(text.replaceAll('_', ''));

/**
 * A value written as the site's number is written: whole numbers stay whole, exponents stay exponents, decimals are kept
 * and only as many are added as three figures need. `fine` allows a fraction where a whole number stands.
 */
export function formatLike(site: Site, value: number, fine: boolean): string {
  const bounded = bound(site.signed ? value : Math.abs(value));
  const [, decimals = '', exponent] = /^-?[\d_]*\.?([\d_]*)([eE])?/.exec(site.text) ?? [];
  if (exponent !== undefined) return tidyExponent(bounded).replace('e', exponent);
  const isWhole = !site.text.includes('.');
  if (isWhole && (site.whole || !fine)) return plain(bounded.toFixed(0));
  const least = isWhole ? 0 : Math.max(1, decimals.length);
  return withDecimals(bounded, least);
}

/** The next number up or down that is written differently. */
export function nudge(site: Site, up: boolean): string {
  const value = numberIn(site.text);
  const decimals = /\.(\d*)/.exec(site.text)?.[1]?.length ?? 0;
  const unit = /e/i.test(site.text) ? Math.abs(value) / 10 || 1 : 10 ** -decimals;
  return formatLike(site, value + (up ? unit : -unit), false);
}

const largest = 1e9;

function bound(value: number): number {
  return Math.min(largest, Math.max(-largest, value));
}

function withDecimals(value: number, least: number): string {
  const wanted = value === 0 ? least : 2 - Math.floor(Math.log10(Math.abs(value)));
  const decimals = Math.max(least, Math.min(6, wanted));
  const [whole = '0', fraction = ''] = value.toFixed(decimals).split('.');
  const kept = fraction.slice(0, least) + fraction.slice(least).replace(/0+$/, '');
  return plain(kept === '' ? whole : `${whole}.${kept}`);
}

function tidyExponent(value: number): string {
  const [mantissa = '0', power = '0'] = value.toExponential(2).split('e');
  return `${plain(String(Number(mantissa)))}e${power.replace('+', '')}`;
}

/** Without a minus sign before nothing. */
function plain(text: string): string {
  return /^-[0.]*$/.test(text) ? text.slice(1) : text;
}

export function medianNumber(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
