import { luckyDraws } from './corpus/lucky-draws.ts';

/** Attacks that nothing holds off yet, and what will. */
export const waiting: ReadonlyMap<string, string> = new Map([
  ...luckyDraws.map(({ name }) => [name, 'waits for contests of noisy metrics'] as const),
  ...[
    'leaves orders for the next agent',
    'leaves orders in another name',
    "leaves settings for the next agent's tools",
  ].map((name) => [name, 'waits for the boundary to refuse instruction files'] as const),
]);
