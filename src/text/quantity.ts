/** A decimal number as people and programs print it, or undefined: no hex, no underscores, no comma, no words. */
export function parseDecimal(text: string): number | undefined {
  if (!/^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text)) return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) return undefined;
  const vanished = value === 0 && /[1-9]/.test(text.replace(/[eE].*$/, ''));
  return vanished ? undefined : value + 0; // Minus zero is zero.
}

/** A whole number that means the same to everybody: `017` could be 15, so it is refused. */
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

const units: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
];

/** `5s`, `10m`, `1h30m`, `250ms`, `1.5h` in milliseconds, or undefined: a number without a unit is not a time. */
export function parseDuration(text: string): number | undefined {
  if (text.length > 64) return undefined;
  const parts = [...text.matchAll(/([0-9]+(?:\.[0-9]+)?)(ms|d|h|m|s) ?/gy)];
  const read = parts.reduce((length, part) => length + part[0].length, 0);
  if (parts.length === 0 || read !== text.length || text.endsWith(' ')) return undefined;
  let total = 0;
  let smallest = -1;
  for (const part of parts) {
    const order = units.findIndex(([unit]) => unit === part[2]);
    if (order <= smallest) return undefined; // Units go from large to small, each once.
    smallest = order;
    total += Number(part[1]) * (units[order]?.[1] ?? 0);
  }
  const rounded = Math.round(total);
  return Number.isSafeInteger(rounded) ? rounded : undefined;
}

/** Exactly, as a brief spells it: `1h30m`. */
export function formatDuration(ms: number): string {
  let rest = Math.max(0, Math.round(ms));
  let text = '';
  for (const [unit, size] of units.slice(1)) {
    const whole = Math.floor(rest / size);
    rest -= whole * size;
    if (whole > 0) text += `${whole}${unit}`;
  }
  return text === '' ? '0s' : text;
}

/** For people, two figures at most: `250 ms`, `4.1 s`, `12 m 5 s`, `7 h 31 m`. */
export function describeDuration(ms: number): string {
  const rounded = Math.max(0, Math.round(ms));
  if (rounded < 1_000) return `${rounded} ms`;
  if (rounded < 59_950) return `${(rounded / 1_000).toFixed(1)} s`;
  const seconds = Math.round(rounded / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} m ${seconds % 60} s`;
  const minutes = Math.round(rounded / 60_000);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} m`;
}
