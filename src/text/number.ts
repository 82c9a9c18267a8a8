/** A decimal number as people and programs print it, or undefined: no hex, no underscores, no comma, no words. */
export function parseDecimal(text: string): number | undefined {
  if (!/^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text)) return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) return undefined;
  const vanished = value === 0 && /[1-9]/.test(text.replace(/[eE].*$/, ''));
  return vanished ? undefined : value + 0; // Minus zero is zero.
}

/** A whole number that means the same to everybody: `017` could be 15, so it is none. */
export function parseWhole(text: string): number | undefined {
  const value = /^(?:0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : undefined;
  return value !== undefined && Number.isSafeInteger(value) ? value : undefined;
}

const counts: readonly (readonly [string, number])[] = [
  ['M', 1_000_000],
  ['k', 1_000],
];

/** `200k`, `1.5M`, `20000`. */
export function parseCount(text: string): number | undefined {
  const match = /^((?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,6})?)([kKmM]?)$/.exec(text);
  if (match?.[1] === undefined) return undefined;
  const unit = counts.find(([letter]) => letter.toLowerCase() === match[2]?.toLowerCase())?.[1] ?? 1;
  const value = Math.round(Number(match[1]) * unit * 1e6) / 1e6;
  return Number.isSafeInteger(value) ? value : undefined;
}

export function formatCount(count: number): string {
  const unit = count === 0 ? undefined : counts.find(([, size]) => count % size === 0);
  return unit === undefined ? String(count) : `${count / unit[1]}${unit[0]}`;
}
