import type { Numbers } from '../domain/words/guard.ts';

/** `holdout_waste_pct=0.81 lines=40`: the other numbers of a measurement as one trailer. */
export function formatNumbers(numbers: Numbers): string | undefined {
  const parts = Object.entries(numbers).map(([name, value]) => `${name}=${value}`);
  return parts.length === 0 ? undefined : parts.join(' ');
}

export function parseNumbers(text: string | undefined): Numbers {
  const pairs = (text ?? '').split(' ').flatMap((part) => {
    const at = part.indexOf('=');
    const value = Number(part.slice(at + 1));
    return at > 0 && Number.isFinite(value) ? [[part.slice(0, at), value] as const] : [];
  });
  return Object.fromEntries(pairs);
}
