import type { Experiment } from '../words/experiment.ts';

/** So many tampered attempts of one agent in a night stop it: a slip may happen twice, the third is for a person to look at. */
export const mostStrikes = 3;

export const strikesInWords = `${mostStrikes} attempts of one night were tampered with`;

/**
 * How often each agent has tampered, from these experiments; what a person has forgiven up to a number counts no more.
 * A merge is orgrepo's own doing and nobody's strike.
 */
export function strikesIn(
  experiments: readonly Pick<Experiment, 'n' | 'event' | 'agent' | 'merged'>[],
  forgiven: ReadonlyMap<string, number>,
): Map<string, number> {
  const strikes = new Map<string, number>();
  for (const experiment of experiments.filter(isStrike)) {
    const { agent, n } = experiment;
    if (n > (forgiven.get(agent) ?? 0)) strikes.set(agent, (strikes.get(agent) ?? 0) + 1);
  }
  return strikes;
}

export const isStrike = ({ event, merged }: Pick<Experiment, 'event' | 'merged'>): boolean =>
  event === 'tampered' && !merged;
