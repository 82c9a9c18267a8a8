/**
 * Whether a value holds others in others, further down than so many levels. Whoever says one nested without end means to
 * break us: what is read without a word, JSON.stringify and every walk through it would overflow the stack for.
 */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
