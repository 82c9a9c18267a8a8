import type { Guard } from '../../domain/words/guard.ts';
import { parseDecimal } from '../../text/number.ts';

/** `"<= 1.05x"`, `"<= +40 best"`, `"< 200"` as a guard on `name`, or undefined; formatGuard of the domain is its inverse. */
export function parseGuard(name: string, text: string): Guard | undefined {
  const match = /^(<=?)[ \t]*(\S+)(?:[ \t]+(?:of[ \t]+)?(best|baseline))?$/.exec(text.trim());
  const bound = match?.[2];
  if (match === null || bound === undefined) return undefined;
  const kind = bound.endsWith('x') ? 'x' : bound.startsWith('+') ? '+' : '=';
  const amount = parseDecimal(kind === 'x' ? bound.slice(0, -1) : bound);
  if (amount === undefined || (kind === 'x' && (amount <= 0 || bound.startsWith('+')))) return undefined;
  if (kind === '=' && match[3] !== undefined) return undefined; // A bound of its own is on nobody's number.
  return { name, strict: match[1] === '<', kind, amount, ...(match[3] === 'best' ? { of: 'best' } : {}) };
}
