import type { Experiment } from '../words/experiment.ts';
import type { Amount, Cap } from '../words/spending.ts';

/** So many attempts in a row that gave nothing to measure are enough: of a spec, and of an agent that works several. */
export const mostFailures = 5;

/** Of a chief: what it did so often in a row. */
export const wroteNothing = 'it wrote no new spec that can be used';

/** Without a candidate an agent may use so many times what a candidate usually takes. */
const mostTimesUsual = 10;

/** And before anybody has offered one, this part of what the whole night may use. */
const mostOfNight = 1 / 4;

/** One attempt may be dear by bad luck: a provider that breaks off is paid in full. */
const leastAttempts = 2;

/** What the rules look at; all of it comes out of commits, so whoever starts again comes to the same result. */
export type Attempt = Pick<Experiment, 'n' | 'event' | 'agent' | 'spec' | 'seconds' | 'merged' | 'part' | 'spent'>;

/** Why the work on a spec ends before its attempts do: the last of them gave nothing to measure. */
export function whyCut(attempts: readonly Attempt[], spec: string): string | undefined {
  const vain = lastInVain(attempts.filter((one) => one.spec === spec));
  return vain.length < mostFailures ? undefined : `${inARow(vain)} gave nothing to measure`;
}

/** What an agent is judged by. */
interface Since {
  /** The last experiment before this night, or the last that a person has forgiven. */
  readonly n: number;
  /** What the whole night may use. */
  readonly cap: Cap;
}

/** Why an agent gets no more work until a person has looked; undefined while it may go on. */
export function whyStopped(tonight: readonly Attempt[], agent: string, { n, cap }: Since): string | undefined {
  const vain = lastInVain(tonight.filter((one) => one.agent === agent && one.n > n));
  // One spec that nobody could work is no mark against whoever had it.
  const specs = new Set(vain.map((one) => one.spec)).size;
  if (vain.length >= mostFailures && specs > 1) return `${inARow(vain)}, on ${specs} specs, gave nothing to measure`;
  return vain.length < leastAttempts ? undefined : whyTooDear(tonight, vain, cap);
}

/** An agent's own attempts, and not what orgrepo made of them; a void one says nothing of whoever made it. */
const isOwn = ({ merged, part, event }: Attempt): boolean => !merged && part === undefined && event !== 'void';

/** The attempts since the last that was measured, for better or worse. */
function lastInVain(attempts: readonly Attempt[]): readonly Attempt[] {
  const own = attempts.filter(isOwn);
  return own.slice(own.findLastIndex(isCandidate) + 1);
}

const isCandidate = ({ seconds }: Attempt): boolean => seconds !== undefined;

/** `5 attempts in a row (3 failed, 2 unchanged)`. */
function inARow(vain: readonly Attempt[]): string {
  const events = [...new Set(vain.map(({ event }) => event))];
  const counts = events.map((event) => `${vain.filter((one) => one.event === event).length} ${event}`);
  return `${vain.length} attempts in a row (${counts.join(', ')})`;
}

function whyTooDear(tonight: readonly Attempt[], vain: readonly Attempt[], cap: Cap): string | undefined {
  const used = vain.map(({ spent }) => spent).filter((spent) => spent !== undefined);
  const tokens = used.reduce((sum, spent) => sum + tokensOf(spent), 0);
  const usual = medianOf(tonight.filter((one) => isOwn(one) && isCandidate(one)).flatMap(tokensIn));
  if (usual !== undefined)
    return tokens > mostTimesUsual * usual
      ? `${tokens} tokens went into ${vain.length} attempts without a candidate, and ${usual} are usual for one with`
      : undefined;
  const unit = units.find(({ of }) => {
    const most = cap[of];
    return most !== undefined && used.reduce((sum, spent) => sum + (spent[of] ?? 0), 0) > most * mostOfNight;
  });
  return unit && `${vain.length} attempts without a candidate used more than a quarter of the night's ${unit.name}`;
}

const units = [
  { of: 'usd', name: 'money' },
  { of: 'tokensIn', name: 'tokens to read' },
  { of: 'tokensOut', name: 'tokens to say' },
] as const;

const tokensOf = ({ tokensIn, tokensOut }: Amount): number => tokensIn + tokensOut;
const tokensIn = ({ spent }: Attempt): readonly number[] => (spent === undefined ? [] : [tokensOf(spent)]);

function medianOf(values: readonly number[]): number | undefined {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

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
