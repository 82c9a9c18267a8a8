import type { Part } from './model-contract.ts';

type Call = Extract<Part, { kind: 'call' }>;
type Result = Extract<Part, { kind: 'result' }>;

/** The same calls with the same results this often, alone or up to four in turn, are a model that turns in circles. */
export const mostRepeats = 4;
const longestCircle = 4;

/** How often in a row the same calls had the same results, alone or several in turn. */
export function repeatCounter(): (results: readonly Result[], calls: readonly Call[]) => number {
  const past: string[] = [];
  return (results, calls) => {
    past.unshift(JSON.stringify([calls.map(({ tool, input }) => [tool, input]), results.map(({ text }) => text)]));
    past.splice(mostRepeats * longestCircle);
    const timesOf = (length: number): number => {
      const differs = past.findIndex((one, at) => one !== past[at + length]);
      return Math.floor(differs / length) + 1;
    };
    return Math.max(...Array.from({ length: longestCircle }, (_, index) => timesOf(index + 1)));
  };
}

/** Words of ours behind the last result: not all providers take a text beside results. */
export function withWords(results: readonly Result[], words: readonly string[]): readonly Result[] {
  const said = words.filter((one) => one !== '').map((one) => `\n\n${one}`);
  return results.map((one, at) => (at === results.length - 1 ? { ...one, text: `${one.text}${said.join('')}` } : one));
}

/** What is left of an attempt besides its turns: dollars where a cap says how many. */
export interface LeftOver {
  readonly seconds: number;
  readonly usd: number | undefined;
}

/** Tells what a model has left: at the beginning, and when no more than half, a quarter and a tenth of anything is left. */
export function leftTeller(left: () => LeftOver, mostTurns: number): (turn: number) => string {
  const first = left();
  let [lastStep, usdAtFirst] = [Number.POSITIVE_INFINITY, first.usd];
  return (turn) => {
    const { seconds, usd } = left();
    usdAtFirst ??= usd;
    const turns = mostTurns - turn;
    const share = Math.min(turns / mostTurns, seconds / first.seconds, (usd ?? 1) / (usdAtFirst || 1));
    const step = [0.1, 0.25, 0.5, 1].find((one) => share <= one) ?? 1;
    if (step >= lastStep) return '';
    lastStep = step;
    const money = usd === undefined ? '' : ` and $${Math.max(0, usd).toFixed(2)}`;
    return `You have ${turns} turns${money === '' ? ' and' : ','} ${Math.max(0, Math.round(seconds))} s${money} left.`;
  };
}
