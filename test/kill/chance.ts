/** Seeded chance: the same seed makes the same decisions, although a kill never lands twice at the same instruction. */
export interface Chance {
  /** From 0 up to but not including `below`. */
  number(below: number): number;
  happens(probability: number): boolean;
  pick<T>(from: readonly T[]): T | undefined;
}

export function chanceFrom(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    // Mulberry32: small, and good enough to choose moments.
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    number: (below) => next() * below,
    happens: (probability) => next() < probability,
    pick: (from) => from[Math.floor(next() * from.length)],
  };
}
