import { medianOf } from '../rules/contest.ts';

/** Another number the harness prints that must not grow: `lines: "<= +40"`. */
export interface Guard {
  readonly name: string;
  readonly strict: boolean;
  /** `x`: a multiple of the baseline's value; `+`: the baseline's value plus this; `=`: an absolute bound. */
  readonly kind: 'x' | '+' | '=';
  readonly amount: number;
  /** The bound is on what the candidate was built on, not on the baseline. */
  readonly of?: 'best';
}

export type Numbers = Readonly<Record<string, number>>;

/** Why this candidate's numbers break a guard, or undefined when they hold all of them. */
export function brokenGuard(
  guards: readonly Guard[],
  numbers: Numbers,
  baseline: Numbers,
  best: Numbers,
): string | undefined {
  for (const guard of guards) {
    const value = numbers[guard.name];
    if (value === undefined) return `the harness printed no ${guard.name}, which a guard names`;
    const from = (guard.of === 'best' ? best : baseline)[guard.name];
    if (guard.kind !== '=' && from === undefined) continue; // It printed none: nothing to compare with.
    const bound = boundOf(guard, from ?? 0);
    if (guard.strict ? value >= bound : value > bound) {
      return `${guard.name} is ${value}, the guard allows ${guard.strict ? 'less than' : 'at most'} ${bound}`;
    }
  }
  return undefined;
}

function boundOf(guard: Guard, from: number): number {
  if (guard.kind === 'x') return from * guard.amount;
  return guard.kind === '+' ? from + guard.amount : guard.amount;
}

/** The guard as the brief spells it. */
export function formatGuard(guard: Guard): string {
  const amount = { x: `${guard.amount}x`, '+': `+${guard.amount}`, '=': `${guard.amount}` }[guard.kind];
  return `${guard.strict ? '<' : '<='} ${amount}${guard.of === 'best' ? ' best' : ''}`;
}

/** The middle of each number over several measurements; what one of them did not print is left out. */
export function middleNumbers(measured: readonly Numbers[]): Numbers {
  const [first = {}, ...others] = measured;
  const names = Object.keys(first).filter((name) => others.every((numbers) => numbers[name] !== undefined));
  return Object.fromEntries(names.map((name) => [name, medianOf(measured.map((numbers) => numbers[name] ?? 0))]));
}
